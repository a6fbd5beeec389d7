"""Time expressions in English and Chinese: "last month", "in May 2023", "去年三月", "上周".

A rule each, a few dozen in all: deterministic, linear in the text, and relative to an anchor that is handed in.
dateparser was looked at and left: it guesses more than memory may, reads the clock, and costs milliseconds a text.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from processors.language import times_en, times_zh
from processors.language.times_en import Rule
from processors.language.timespan import TimeSpan

__all__ = ["TimeSpan", "find", "placed"]

_Found: TypeAlias = tuple[int, TimeSpan]

# Whatever a rule can match holds one of these; most texts hold none and pay for one scan only.
_HINT_EN = re.compile(
    r"day|night|ago|earlier|back|tomorrow|morning|afternoon|evening|week|month|year|"
    r"spring|summer|autumn|fall|winter|\b(?:19|20)\d\d|\bthe {1,2}\d|"
    r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_HINT_ZH = re.compile(r"[天日周年月晚早]|星期|礼拜|[春夏秋冬]季")
_LONGEST = 20_000  # characters read; a memory is far shorter


def find(text: str, anchor: datetime) -> list[TimeSpan]:
    """Return the time expressions of `text` in order, without overlaps, resolved from `anchor`.

    A month, weekday or season without more means the last one that has begun by the anchor: memories look back.
    Dates that do not exist (30 February) are left out.
    """
    return [span for _, span in placed(text, anchor)]


def placed(text: str, anchor: datetime, first: Sequence[Rule] = ()) -> list[_Found]:
    """As `find`, each with where it begins; the rules of `first` win over the others."""
    text = text[:_LONGEST]
    taken = bytearray(len(text))  # 1 where an earlier rule has matched
    found: list[_Found] = []
    _apply(first, text, anchor, taken, found)
    if _HINT_EN.search(text) or _HINT_EN.search(text.casefold()):
        _apply(times_en.RULES, text, anchor, taken, found)
    if _HINT_ZH.search(text):
        _apply(times_zh.RULES, text, anchor, taken, found)
    return sorted(found, key=lambda one: one[0])


def _apply(rules: Sequence[Rule], text: str, anchor: datetime, taken: bytearray, found: list[_Found]) -> None:
    for pattern, resolve, relative in rules:
        for match in pattern.finditer(text):
            begin, end = match.span()
            if any(taken[begin:end]):
                continue
            taken[begin:end] = b"\x01" * (end - begin)
            try:
                period = resolve(match, anchor)
            except (ValueError, OverflowError):  # no such day, or outside the calendar; nor is its month meant
                continue
            span = TimeSpan(period.start, period.end, match[0].strip(), period.precision, relative)
            found.append((begin, span))
