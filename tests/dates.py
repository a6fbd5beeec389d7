"""The fixed dates that tests hand to servers, made in one place: what holds today must hold in a year, when they are a
year older. TEST_DAYS_BACK=400 moves them back by so many days."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, tzinfo

DAYS_BACK = int(os.environ.get("TEST_DAYS_BACK", "0"))


def fixed(year: int, month: int, day: int, hour: int = 0, zone: tzinfo = UTC) -> datetime:
    """That hour there, TEST_DAYS_BACK days earlier."""
    return datetime(year, month, day, hour, tzinfo=zone) - timedelta(days=DAYS_BACK)


def fixed_monday(year: int, month: int, day: int, hour: int = 0, zone: tzinfo = UTC) -> datetime:
    """The same moved by whole weeks, so that it stays a Monday."""
    monday = datetime(year, month, day, hour, tzinfo=zone) - timedelta(weeks=DAYS_BACK // 7)
    assert monday.weekday() == 0, "a Monday is given"
    return monday
