"""Days of the scenarios: everything lies in the past but the ticks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

NOW = datetime.now(UTC)
ZONE = ZoneInfo("Asia/Shanghai")
TODAY = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
"""Midnight where the projects and patients are."""
MONDAY = TODAY - timedelta(days=TODAY.weekday() + 21)
"""Of the week that began three weeks before this one."""


def this_week() -> tuple[int, int]:
    """(ISO year, week) there by now."""
    return datetime.now(ZONE).isocalendar()[:2]
