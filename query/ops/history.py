"""The last hour of the pipeline, sampled from the looks of the monitor; kept in memory."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Any, NamedTuple

from query.pipeline.state import Pipeline, freshness

EVERY_SECONDS = 10.0
SAMPLES = 361


class Sample(NamedTuple):
    """One moment: by stage name records a second and age of the oldest waiting record, by store p99 seconds."""

    at: float
    rate: dict[str, float]
    lag_seconds: dict[str, float]
    fresh: dict[str, float | None]


class History:
    """Fed by the monitor."""

    def __init__(self, every: float = EVERY_SECONDS, samples: int = SAMPLES) -> None:
        self._every = every
        self._samples: deque[Sample] = deque(maxlen=samples)

    def add(self, p: Pipeline) -> None:
        """Takes one picture every `every` seconds; the rest is passed by."""
        at = p.at.timestamp()
        if self._samples and at - self._samples[-1].at < self._every:
            return
        figures = freshness(p)
        self._samples.append(
            Sample(
                at,
                {g.name: round(g.rate, 3) for g in p.groups},
                {g.name: round(g.lag_seconds, 3) for g in p.groups},
                {name: f["p99_seconds"] for name, f in figures.items() if ":" not in name and f["recent"]},
            )
        )

    def series(self) -> dict[str, Any]:
        """Columns for charts: `t` in Unix seconds and, by name, a value or null a sample."""
        samples = list(self._samples)

        def columns(name: str) -> dict[str, list[float | None]]:
            names = sorted({n for s in samples for n in getattr(s, name)})
            return {n: [getattr(s, name).get(n) for s in samples] for n in names}

        return {
            "t": [round(s.at, 1) for s in samples],
            "rate": columns("rate"),
            "lag_seconds": columns("lag_seconds"),
            "fresh": columns("fresh"),
        }


class Minutes:
    """Gate outcomes by the minute in which their turn was accepted. The newest are counted again at each look."""

    KEPT = 60
    AGAIN = 10
    """Minutes: a decision that comes later than that is missing here (the hour's total is then too small)."""

    def __init__(self) -> None:
        self.counts: dict[datetime, dict[tuple[str, str], int]] = {}

    def put(self, since: datetime, rows: dict[datetime, dict[tuple[str, str], int]], now: datetime) -> None:
        """`rows`: all minutes from `since` on."""
        kept = {m: c for m, c in self.counts.items() if m < since and (now - m).total_seconds() < self.KEPT * 60}
        self.counts = {**kept, **rows}

    def outcomes(self) -> dict[str, dict[str, int]]:
        """Gate -> outcome -> decisions of the hour."""
        out: dict[str, dict[str, int]] = {}
        for counts in self.counts.values():
            for (gate, outcome), n in counts.items():
                of = out.setdefault(gate, {})
                of[outcome] = of.get(outcome, 0) + n
        return out

    def series(self, now: datetime) -> dict[str, Any]:
        """Columns by outcome, one value a minute of the last hour, zeros included."""
        end = int(now.timestamp()) // 60 * 60
        minutes = [end - 60 * n for n in range(self.KEPT - 1, -1, -1)]
        by_minute = {int(m.timestamp()): c for m, c in self.counts.items()}
        words = sorted({outcome for c in self.counts.values() for _, outcome in c})
        return {
            "t": minutes,
            "outcomes": {
                w: [sum(n for (_, o), n in by_minute.get(m, {}).items() if o == w) for m in minutes] for w in words
            },
        }
