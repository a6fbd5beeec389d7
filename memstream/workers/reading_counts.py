"""What a worker counts of the reading of turns: since it started, and by day for the operators' page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from schemas.reading_stats import KEPT_DAYS, ReadingStats, Totals, added


class ReadingCounts:
    """Not safe for threads: its owner locks."""

    def __init__(self) -> None:
        self._all: Totals = {}
        self._days: dict[date, Totals] = {}

    def add(self, stats: ReadingStats, today: date) -> None:
        added([stats], self._all)
        added([stats], self._days.setdefault(today, {}))

    def go_on(self, days: Mapping[str, Sequence[ReadingStats]]) -> None:
        """With the days that were counted before this process started."""
        for day, all_stats in days.items():
            added(all_stats, self._days.setdefault(date.fromisoformat(day), {}))

    def since_start(self) -> tuple[ReadingStats, ...]:
        return _sorted(self._all)

    def days(self, today: date) -> dict[str, tuple[ReadingStats, ...]]:
        """By day, the oldest first; what is older than KEPT_DAYS leaves."""
        oldest = today - timedelta(days=KEPT_DAYS - 1)
        self._days = {day: totals for day, totals in self._days.items() if day >= oldest}
        return {day.isoformat(): _sorted(totals) for day, totals in sorted(self._days.items())}


def _sorted(totals: Totals) -> tuple[ReadingStats, ...]:
    return tuple(stats for _, stats in sorted(totals.items()))
