"""Sentences and clauses with their places, and which of them state nothing: questions, suppositions, quotations.

Only splits and looks: every pattern is a single character class or a bounded repetition, so time is linear in the
text whatever it holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_READ = 20_000
"""Characters of a turn that rules read; a longer turn is a paste, not talk."""
MAX_SENTENCE = 600
"""Longer sentences are cut: no rule spans more."""

QUOTED = re.compile(
    r"“[^”\n]{2,400}”|「[^」\n]{2,400}」|『[^』\n]{2,400}』|《[^》\n]{1,80}》|\"[^\"\n]{2,400}\""
    r"|(?<![\w'])'(?!(?:cause|cos|til|till|em|twas|tis|bout|round|n)\b)(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){2,400}'(?!\w)"
)
_TITLE = re.compile(r"《[^》\n]{1,80}》")
_CODE = re.compile(r"```.{0,20000}?(?:```|\Z)|^[ \t]{0,8}>[^\n]*$", re.DOTALL | re.MULTILINE)
_FULL_STOP = re.compile(r"[.!?。！？…\n]+|；")
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|approx|No|Inc|Ltd|Jr|Sr)|(?<![\w-])[A-Z])$")
MASKED = re.compile(r"<[A-Z_]{3,40}(?::\w{1,64})?>")
"""What the screen put in place of a value."""
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]"
_RESIDUE = re.compile(
    rf"(?:{_EMOJI})+|\*[A-Za-z]{{2,20}}\*|\[[a-z]{{3,12}}:[^\]\n]{{0,200}}\]|\[[\u4e00-\u9fff]{{1,4}}\]"
    r"|(?<!\w)[:;]-?[)(DPp](?!\w)|<3(?!\d)|[哈呵嘿嘻]{2,}|呜{2,}|(?<![A-Za-z])h{3,}(?![A-Za-z])|(?<!\d)23333*(?!\d)|(?<!\d)[~～]+|[~～]+(?!\d)"
)
_ANSWERED = re.compile(
    r"^\s{0,3}(?:Re|RE|re)(?:\s{1,3}(?:[A-Z][\w-]{0,23}|[\u4e00-\u9fff]{1,8})|[\u4e00-\u9fff]{1,8})?\s?[:：]",
    re.MULTILINE,
)
"""What chat leaves in a turn and nobody would write down: emoji, stickers, laughter, whom a post answers."""
_SMART = str.maketrans({"’": "'", "‘": "'", "`": "'", "\u00a0": " ", "\u3000": " ", "\t": " "})
_WIDE = str.maketrans({chr(c): chr(c - 0xFEE0) for c in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF5B), 0xFF05)})


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` stands at `start:end` of the prepared turn; `asks` when it ends in a question mark."""

    text: str
    start: int
    end: int
    asks: bool
    excited: bool = False


def prepare(content: str) -> str:
    """Return the part that rules read, length kept so that places stay true: straight apostrophes, half-width
    digits and letters; code, cited lines and the residue of chat blanked."""
    text = content[:MAX_READ]
    for blanked in (_CODE, _ANSWERED, _RESIDUE):
        text = blanked.sub(lambda m: " " * len(m.group()), text)
    return text.translate(_SMART).translate(_WIDE)


def answers_a_post(content: str) -> bool:
    """Does a turn name at its begin the post that it answers?"""
    return _ANSWERED.match(content) is not None


def without_quotes(text: str) -> str:
    """Return `text` with what stands in quotation marks masked by underscores: others' words state nothing of the
    owner. Titles in 《》 are quotations too."""
    return QUOTED.sub(lambda m: m.group()[0] + "_" * (len(m.group()) - 2) + m.group()[-1], text)


def sentences(text: str) -> list[Sentence]:
    """Split `text` at the ends of sentences; decimals, initials, usual abbreviations and titles do not end one."""
    found: list[Sentence] = []
    begin = 0
    titles = [m.span() for m in _TITLE.finditer(text)] if "《" in text else []
    for mark in _FULL_STOP.finditer(text):
        if titles and any(first < mark.start() < last for first, last in titles):
            continue
        if mark.group() == "." and not _ends_sentence(text, mark.start(), mark.end()):
            continue
        _add(found, text, begin, mark.start(), mark.group())
        begin = mark.end()
    _add(found, text, begin, len(text), "")
    return found


def _ends_sentence(text: str, at: int, after: int) -> bool:
    if after < len(text) and not text[after].isspace() and not text[after] > "\u2e7f":
        return False
    return _ABBREVIATION.search(text[max(0, at - 8) : at]) is None


def _add(found: list[Sentence], text: str, begin: int, end: int, mark: str) -> None:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    asks = "?" in mark or "？" in mark
    for cut in range(begin, end, MAX_SENTENCE):
        piece = text[cut : min(cut + MAX_SENTENCE, end)]
        if piece:
            found.append(Sentence(piece, cut, cut + len(piece), asks, "!" in mark or "！" in mark))
