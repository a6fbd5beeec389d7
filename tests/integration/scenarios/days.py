"""Days of the scenarios: everything lies in the past but the ticks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

NOW = datetime.now(UTC)
ZONE = ZoneInfo("Asia/Shanghai")
TODAY = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
"""Midnight where the projects and patients are."""
_CLOSED = TODAY - timedelta(days=1) if datetime.now(ZONE).hour < 2 else TODAY
"""A day whose weeks before have their reports: a week waits an hour for what comes late."""
MONDAY = _CLOSED - timedelta(days=_CLOSED.weekday() + 21)
"""Of the third of the weeks that are over, counted backwards."""


def this_week() -> tuple[int, int]:
    """(ISO year, week) there by now."""
    return datetime.now(ZONE).isocalendar()[:2]
