"""What was decided in a week: the sentences that say so, with what they are about (A6). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from processors.project.week_lines import Line, is_reaction, unquoted
from processors.project.week_words import words
from processors.reader.rules.project_talk import settles

_DECIDED = words("decided")
_OPEN = words("open")
_OWN = words("own")
_REQUEST = words("request")
_GOES_ON = re.compile(r"(?:第[二三四五六]|其[次二三]|另外|还有|(?:second|third|secondly|thirdly|finally)\b)", re.I)
_POINTS = re.compile(
    r"\b(?:it|that|this|them|those|these)\b|(?:^|[，,])(?:这|那)个?(?:事|就|样|么)|就(?:这么|这样)", re.I
)


@dataclass(frozen=True, slots=True)
class Decided:
    """`text`: with the sentence before it in the turn, where it only points at it."""

    line: Line
    text: str


def decisions(lines: Sequence[Line]) -> list[Decided]:
    """In order; the same words once. What goes on to count behind a decision of its turn is one, too."""
    found: dict[str, Decided] = {}
    last = -1
    for n, line in enumerate(lines):
        goes_on = last == n - 1 >= 0 and lines[n - 1].place == line.place and _GOES_ON.match(line.text) is not None
        if not line.asks and line.who and (goes_on or decides(line.text)):
            text = topic(lines, n)
            found.setdefault(text, Decided(line, text))
            last = n
    return list(found.values())


def decides(text: str) -> bool:
    """Whether a sentence says that something is settled, not that it has to be; what it quotes says nothing."""
    text = unquoted(text)
    if _REQUEST.match(text):
        return False
    if _OPEN.search(text) is not None or _OWN.match(text) is not None:
        return False
    return _DECIDED.search(text) is not None or settles(text)


def topic(lines: Sequence[Line], n: int) -> str:
    """The sentence, behind the one that it points at: the one before it in its turn."""
    line = lines[n]
    before = lines[n - 1] if n else None
    if before is None or before.place != line.place or is_reaction(before.text) or not _POINTS.search(line.text):
        return line.text
    gap = "。" if not line.text[:1].isascii() else ". "
    return f"{before.text}{gap}{line.text}"
