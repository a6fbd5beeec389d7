"""The time of something ahead that a plain turn names ("Thursday at 10 am", 周四上午十点), for habits (C5). Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from processors.language import times
from processors.language.profile_patterns import matched
from processors.reader.rules.numbers import han_number
from schemas.profile.model import HabitSpec

_HALVES = {"半": 30, "一刻": 15, "三刻": 45}
_WEEK = timedelta(days=7)


def times_of(content: str, action: str | None, spec: HabitSpec, at: datetime) -> dict[str, str]:
    """RFC 3339 times by key of `spec.times`, of a turn with this action said at `at`, in the user's zone. A day that
    is named by its weekday is the next such; without a day it is the next time of that hour."""
    out: dict[str, str] = {}
    for s in spec.said:
        if s.key not in spec.times or s.key in out or (s.of and action not in s.of):
            continue
        found = matched(content, s.patterns, s.unless)
        if found is None:
            continue
        sentence, match = found
        clock = _clock(match)
        if clock is not None and (when := _when(sentence, *clock, at)) is not None:
            out[s.key] = when.isoformat()
    return out


def _clock(match: re.Match[str]) -> tuple[int, int] | None:
    """Hour and minute; None where it is no time of day."""
    groups = match.groupdict()
    hour = han_number(groups["hour"] or "")
    raw = groups.get("minute") or "0"
    minute = _HALVES.get(raw) if raw in _HALVES else han_number(raw)
    if hour is None or minute is None or hour > 23 or minute > 59:
        return None
    return (hour + 12 if groups.get("pm") and hour < 12 else hour), minute


def _when(sentence: str, hour: int, minute: int, at: datetime) -> datetime | None:
    """None for what is over: a report, not a plan."""
    days = [span for span in times.find(sentence, at) if span.precision == "day"]
    day = days[0].start if days else at.replace(hour=0, minute=0, second=0, microsecond=0)
    when = day.replace(hour=hour, minute=minute)
    if when <= at and days:  # a bare weekday looks back
        when += _WEEK
    elif when <= at:
        when += timedelta(days=1)
    return when if when > at else None
