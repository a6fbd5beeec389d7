"""Weekly project reports (A6): weeks of a zone, and what a week's turns amount to. Pure.

A report is made of what was said (`processors.project.week_reading`). A model may word it better; nothing guesses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from processors.language.summarize import Role

Language = Literal["en", "zh"]
MOST_UNITS = 500
"""A report's Markdown: words, a Chinese character counting as one (A6)."""

_UNIT = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\s\u3400-\u9fff\uf900-\ufaff]+")
_EAST, _WEST = "Etc/GMT-14", "Etc/GMT+12"
"""Where a day begins first, and last."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn of the week whose text is still held."""

    turn_id: str
    session_id: str | None
    at: datetime
    role: Role
    speaker: str | None
    text: str
    position: int = 0
    """In the log: which of two turns of one moment came first."""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Noted:
    """A statement that the gate kept of a turn."""

    turn_id: str
    at: datetime
    kind: str
    episode_type: str | None
    text: str
    position: int = 0
    user: str = ""
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """`solution` None: still open when the week ended."""

    text: str
    turn_id: str
    solution: str | None = None
    solved_by: str | None = None
    by: str = ""
    """Who named it; `solver`: who said how it was solved."""
    solver: str = ""


def week_of(when: datetime, zone: str) -> date:
    """The Monday of the week [Monday 00:00, next Monday 00:00) in the zone."""
    local = when.astimezone(ZoneInfo(zone)).date()
    return local - timedelta(days=local.weekday())


def weeks_of(when: datetime) -> tuple[date, ...]:
    """The Mondays of the weeks that it lies in somewhere on earth: one, or two within a day of a Monday."""
    return tuple(dict.fromkeys(week_of(when, zone) for zone in (_WEST, _EAST)))


def bounds(monday: date, zone: str) -> tuple[datetime, datetime]:
    """Start and end of a week in UTC; the end is not part of it. A week of a clock change has 167 or 169 hours."""
    tz = ZoneInfo(zone)
    start, end = (datetime.combine(d, time(), tz) for d in (monday, monday + timedelta(days=7)))
    return start.astimezone(UTC), end.astimezone(UTC)


def units(text: str) -> int:
    """Words of a text, each Chinese character counting as one."""
    return len(_UNIT.findall(text))


def shortened(text: str, most: int) -> str:
    """The longest beginning of at most `most` units, on one line."""
    line = " ".join(text.split())
    for n, match in enumerate(_UNIT.finditer(line)):
        if n == most - 1 and line[match.end() :].strip():
            return line[: match.start()].rstrip() + "…"
    return line
