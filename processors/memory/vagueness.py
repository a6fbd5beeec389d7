"""Vaguer ways to say what stands (D3): "in my thirties" after 32, "about 800k" after 812,000, "London" after "Camden,
London". Such a statement is no news of its field: it is cited, and the sharper value stays.

A value says a span of numbers: itself, where it was said exactly; a decade ("30+"); a range ("80000-100000"); what
rounds to it, where it was said approximately.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from schemas.base import JsonValue

_DECADE = re.compile(r"([1-9]\d*0)\+")
_RANGE = re.compile(r"(\d{1,15}(?:\.\d{1,4})?)-(\d{1,15}(?:\.\d{1,4})?)")
_DISTRICT = re.compile(r"[\u4e00-\u9fff]{1,12}[区县镇乡村路街州旗]")
PLACES = frozenset({"residence", "origin"})
"""Slots whose values are places."""
MOST_OFF = 0.1
"""An approximate number is meant no further off than this share of it, however round it is."""


class _Span(NamedTuple):
    low: float
    high: float


def vaguer(new: JsonValue, new_is_about: bool, old: JsonValue, old_is_about: bool, place: bool = False) -> bool:
    """Does `new` say less than `old`, and nothing else? `is_about`: said approximately. False for equal values."""
    if place and isinstance(new, str) and isinstance(old, str):
        return _wider_place(new, old)
    wide, narrow = _span(new, new_is_about), _span(old, old_is_about)
    if wide is None or narrow is None:
        return False
    inside = wide.low <= narrow.low and narrow.high <= wide.high
    return inside and wide.high - wide.low > narrow.high - narrow.low


def _span(value: JsonValue, about: bool) -> _Span | None:
    if isinstance(value, str):
        text = value.strip()
        if match := _DECADE.fullmatch(text):
            least = int(match[1])
            return _Span(least, least + _unit(least) - 1)
        if match := _RANGE.fullmatch(text):
            return _Span(float(match[1]), float(match[2])) if float(match[1]) < float(match[2]) else None
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    off = min(_unit(value) / 2, abs(value) * MOST_OFF) if about else 0.0
    return _Span(value - off, value + off)


def _unit(value: float) -> float:
    """The place of the last digit that is not 0: 10 of 30, 100,000 of 800,000; 1 of 32 and of what has decimals."""
    if value == 0 or value != int(value):
        return 1.0
    number, unit = abs(int(value)), 1.0
    while number % 10 == 0:
        number, unit = number // 10, unit * 10
    return unit


def _wider_place(new: str, old: str) -> bool:
    """The town without the district that was named before: last of places parted by commas, or first of Chinese."""
    wide, narrow = new.strip().casefold(), old.strip().casefold()
    if narrow.endswith(f", {wide}"):
        return True
    return narrow.startswith(wide) and _DISTRICT.fullmatch(narrow.removeprefix(wide).removeprefix("市")) is not None
