"""The time of something ahead that a plain turn names ("Thursday at 10 am", 周四上午十点), for habits (C5), and
its part of the day where it names no hour ("Thursday morning", 周四上午). Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from processors.language import times
from processors.language.profile_patterns import matched
from processors.reader.rules.numbers import han_number
from schemas.profile.model import HabitSpec

_HALVES = {"半": 30, "一刻": 15, "三刻": 45}
_WEEK = timedelta(days=7)
SLOT = "@slot/"
"""Before a key of `times`: the weekday and the part of the day that are asked for, as "4 morning"."""
_ENDS = {"morning": 12, "afternoon": 18, "evening": 23}
"""Parts of a day, and the hour at which each is over."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = re.compile(r"\b(?:mon|tues?|wed|thurs?|thur|fri|sat|sun)\b\.?", re.IGNORECASE)
"""Of weekdays: what they are in a sentence that asks for an appointment, and not elsewhere."""


def times_of(content: str, action: str | None, spec: HabitSpec, at: datetime) -> dict[str, str]:
    """RFC 3339 times by key of `spec.times`, of a turn with this action said at `at`, in the user's zone, and slots by
    `SLOT` and the key. A day that is named by its weekday is the next such; without a day it is the next time of that
    hour, and in no slot."""
    out: dict[str, str] = {}
    content = _SHORT.sub(_weekday, content)
    for s in spec.said:
        if s.key not in spec.times or s.key in out or (s.of and action not in s.of):
            continue
        found = matched(content, s.patterns, s.unless)
        if found is None:
            continue
        sentence, match = found
        part = next((p for p in _ENDS if match.groupdict().get(p)), None)
        clock = _clock(match) if part is None else (_ENDS[part], 0)
        if clock is None:
            continue
        when, day_named = _when(sentence, *clock, at)
        if when is not None and part is None:
            out[s.key] = when.isoformat()
        if when is not None and day_named:
            out.setdefault(SLOT + s.key, slot(when, part))
    return out


def slot(when: datetime, part: str | None = None) -> str:
    """Of a local time; `part`: of the day, where it was named."""
    return f"{when.isoweekday()} {part or next((p for p, end in _ENDS.items() if when.hour < end), 'evening')}"


def _weekday(short: re.Match[str]) -> str:
    return next(day for day in _WEEKDAYS if day.startswith(short.group()[:3].casefold()))


def _clock(match: re.Match[str]) -> tuple[int, int] | None:
    """Hour and minute; None where it is no time of day."""
    groups = match.groupdict()
    hour = han_number(groups["hour"] or "")
    raw = groups.get("minute") or "0"
    minute = _HALVES.get(raw) if raw in _HALVES else han_number(raw)
    if hour is None or minute is None or hour > 23 or minute > 59:
        return None
    return (hour + 12 if groups.get("pm") and hour < 12 else hour), minute


def _when(sentence: str, hour: int, minute: int, at: datetime) -> tuple[datetime | None, bool]:
    """None for what is over: a report, not a plan. With whether a day is named."""
    days = [span for span in times.find(sentence, at) if span.precision == "day"]
    day = days[0].start if days else at.replace(hour=0, minute=0, second=0, microsecond=0)
    when = day.replace(hour=hour, minute=minute)
    if when <= at and days:  # a bare weekday looks back
        when += _WEEK
    elif when <= at:
        when += timedelta(days=1)
    return (when if when > at else None), bool(days)
