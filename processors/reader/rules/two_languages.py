"""A turn in two languages, read sentence by sentence: 我今年32岁。I work as a nurse.

Only a whole sentence of the other language goes to that language's rules: an English one in a Chinese turn is in no
Han and speaks in the first person (titles, names and sayings do not), a Chinese one in an English turn is mostly Han.
Every other turn is read as it is.
"""

from __future__ import annotations

import re
from typing import Literal

from processors.reader.rules.protocol import Language
from processors.reader.rules.text import sentences, without_quotes

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_NEITHER = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+|\d+")
_FIRST_PERSON = re.compile(r"\b(?:I|I'(?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Ww]e'(?:re|ve|d|ll)|[Oo]urs?)\b")
_FEWEST_WORDS = 3
_FEWEST_HAN = 4


def by_language(text: str, own: Language) -> list[tuple[Language, str]]:
    """Return the turn's sentences by their language, the turn's own first. Each text is as long as the turn, blanks
    where the other stands, so that places stay true."""
    if own == "und" or not (_FIRST_PERSON if own == "zh" else _HAN).search(text):
        return [(own, text)]
    other: Literal["en", "zh"] = "en" if own == "zh" else "zh"
    of_other = _in_english if other == "en" else _in_chinese
    places = [(s.start, s.end) for s in sentences(without_quotes(text)) if of_other(s.text)]
    if not places:
        return [(own, text)]
    kept, taken = list(text), [" "] * len(text)
    for start, end in places:
        kept[start:end], taken[start:end] = " " * (end - start), text[start:end]
        taken[end : end + 1] = text[end : end + 1]  # its mark: a question is one
    return [(own, "".join(kept)), (other, "".join(taken))]


def together(parts: list[str]) -> str:
    """Return texts of one length, with blanks where the others stand, as one."""
    return "".join(next((c for c in at if not c.isspace()), at[0]) for at in zip(*parts, strict=True))


def _in_english(text: str) -> bool:
    if _HAN.search(text) or _NEITHER.search(text) or not _FIRST_PERSON.search(text):
        return False
    return len(_WORD.findall(text)) >= _FEWEST_WORDS


def _in_chinese(text: str) -> bool:
    han = len(_HAN.findall(text))
    return han >= _FEWEST_HAN and han >= 2 * len(_WORD.findall(text)) and not _NEITHER.search(text)
