"""Drift of reading, as the operators' page shows it: what was read per 100 turns since yesterday, beside the week
before. Of the days that the workers keep; Prometheus compares the same by its own history. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from query.ops import words
from query.pipeline.state import Pipeline
from schemas.reading_stats import (
    LostReference,
    ReadingStats,
    ReadOutcome,
    added,
    lost_references,
    mean_reading,
    per_100_turns,
    total,
)

OFF = 0.4
"""Of the week before: so far up or down is drift. This and the bounds below are those of the alert rules."""
LEAST_TURNS, LEAST_TURNS_BEFORE, LEAST_COUNT = 200, 500, 50
"""Of fewer turns, or of less than LEAST_COUNT of something at the larger of both rates, nothing is said."""
NOW_DAYS, WEEK_DAYS = 2, 7
SHOWN: tuple[ReadOutcome, ...] = ("kept", "observed", "refused")


@dataclass(frozen=True, slots=True)
class Figure:
    """`before`: None where the week before has none; `off`: it has drifted."""

    name: str
    now: float | None
    before: float | None
    off: bool
    digits: int = 1

    @property
    def shown(self) -> str:
        return "–" if self.now is None else f"{self.now:.{self.digits}f}"

    @property
    def compared(self) -> str:
        """The week before, and how far off it is."""
        if self.before is None:
            return "not known"
        before = f"{self.before:.{self.digits}f}"
        if not self.before or self.now is None:
            return before
        return f"{before}, {100 * (self.now / self.before - 1):+.0f} %"


def drift(p: Pipeline) -> dict[str, Any]:
    """`rows`: one a language, profile, reader and version; each beside all versions of the week before, so that a new
    one is compared with the one that it replaces."""
    today = p.at.date()
    days = _by_day(p)
    now = added(s for day, found in days.items() if _ago(day, today) in range(NOW_DAYS) for s in found)
    week = {day: s for day, s in days.items() if _ago(day, today) in range(NOW_DAYS, NOW_DAYS + WEEK_DAYS)}
    before = [s for found in week.values() for s in found]
    rows = [_row(stats, [s for s in before if s.key[:3] == stats.key[:3]]) for _, stats in sorted(now.items())]
    return {
        "rows": rows,
        "off": sum(figure.off for row in rows for figure in row["figures"]),
        "days_known": sum(bool(found) for found in week.values()),
        "lost": _lost(now.values()),
    }


def _ago(day: date, today: date) -> int:
    return (today - day) // timedelta(days=1)


def _by_day(p: Pipeline) -> dict[date, list[ReadingStats]]:
    out: dict[date, list[ReadingStats]] = {}
    for _, beat in p.heartbeats.values():
        for day, found in beat.reading_days.items():
            out.setdefault(date.fromisoformat(day), []).extend(found)
    return out


def _row(now: ReadingStats, week: Sequence[ReadingStats]) -> dict[str, Any]:
    before = total(week)
    counted = [_counted(outcome, now, before) for outcome in SHOWN]
    return {
        "language": now.language, "profile": now.profile, "reader": now.reader, "version": now.version,
        "turns": words.count(now.turns), "turns_before": None if before is None else words.count(before.turns),
        "figures": [*counted, _counted(None, now, before), _mean(now, before)],
    }  # fmt: skip


def _counted(outcome: ReadOutcome | None, now: ReadingStats, before: ReadingStats | None) -> Figure:
    """Of statements with an outcome; None: of lost references."""

    def rate(stats: ReadingStats) -> float | None:
        n = lost_references(stats) if outcome is None else stats.outcomes.get(outcome, 0)
        return per_100_turns(n, stats.turns)

    return _figure(outcome or "lost references", rate(now), None if before is None else rate(before), now, before)


def _figure(
    name: str, now: float | None, before: float | None, stats: ReadingStats, week: ReadingStats | None
) -> Figure:
    if now is None or before is None or week is None:
        return Figure(name, now, before, off=False)
    enough = stats.turns >= LEAST_TURNS and week.turns >= LEAST_TURNS_BEFORE
    enough = enough and max(now, before) * stats.turns >= 100 * LEAST_COUNT
    return Figure(name, now, before, off=enough and abs(now - before) > OFF * before)


def _mean(now: ReadingStats, before: ReadingStats | None) -> Figure:
    mean, week = mean_reading(now), None if before is None else mean_reading(before)
    enough = before is not None and min(sum(now.readings), sum(before.readings)) >= LEAST_COUNT
    enough = enough and before is not None and before.turns >= LEAST_TURNS_BEFORE and now.turns >= LEAST_TURNS
    off = enough and mean is not None and week is not None and abs(mean - week) > OFF * week
    return Figure("mean reading", mean, week, off, digits=2)


def _lost(now: Iterable[ReadingStats]) -> list[tuple[str, LostReference, int]]:
    """Language, to what the reference was, and how often, the most frequent first."""
    counts = Counter[tuple[str, LostReference]]()
    for stats in now:
        counts.update({(stats.language, what): n for what, n in stats.lost.items()})
    return [(language, what, n) for (language, what), n in counts.most_common()]
