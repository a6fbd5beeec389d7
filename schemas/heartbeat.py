"""What a process says of itself every few seconds (`ops.heartbeats.stats`): counters, never content or ids."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from schemas.base import Frozen
from schemas.reading_stats import ReadingStats

FRESHNESS_BUCKETS: tuple[float, ...] = (
    0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0,
    300.0, 3600.0,
)  # fmt: skip
"""Upper bounds, seconds from acceptance to readable; one more bucket holds the rest."""
LATENCY_BUCKETS: tuple[float, ...] = (
    0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
)  # fmt: skip
"""Upper bounds, seconds that a batch took in a stage."""
SIZE_BUCKETS: tuple[float, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000)
"""Upper bounds, records of a batch."""


class StageStats(Frozen):
    """Since the process started. `outcomes`: handled, duplicate, dead_letter, refused, retry ... ; `seconds`: time
    spent a phase (prepare, load, compute, transaction, delivery, write); `latency`, `sizes`: batches by seconds and by
    records, in LATENCY_BUCKETS and SIZE_BUCKETS and one for the rest."""

    records: int = 0
    batches: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
    latency: tuple[int, ...] = (0,) * (len(LATENCY_BUCKETS) + 1)
    sizes: tuple[int, ...] = (0,) * (len(SIZE_BUCKETS) + 1)


class FreshnessStats(Frozen):
    """Histogram of seconds from acceptance to readable in a store, one a topic that the store's sink reads.
    `max_seconds`: the longest of them; None where it is not known (a process of before)."""

    count: int = 0
    total_seconds: float = 0.0
    max_seconds: float | None = None
    buckets: tuple[int, ...] = (0,) * (len(FRESHNESS_BUCKETS) + 1)


class Heartbeat(Frozen):
    """One process. `freshness` is keyed by `store:topic`; `recent` holds the same for the last minute. `reading`: what
    was read since it started; `reading_days`: the same by UTC day (2026-11-30) of the last KEPT_DAYS, also of before it
    started where the process of before had its name."""

    started_at: str
    pid: int = 0
    stages: dict[str, StageStats] = Field(default_factory=dict)
    freshness: dict[str, FreshnessStats] = Field(default_factory=dict)
    recent: dict[str, FreshnessStats] = Field(default_factory=dict)
    reading: tuple[ReadingStats, ...] = ()
    reading_days: dict[str, tuple[ReadingStats, ...]] = Field(default_factory=dict)
    rss_bytes: int = 0
    cpu_seconds: float = 0.0


def quantile(buckets: Sequence[int], q: float, most: float | None = None) -> float | None:
    """Linear within a bucket, as Prometheus does; None when nothing was counted. `most`: the largest value, where it is
    known; no quantile is above it, however wide its bucket is."""
    total = sum(buckets)
    if total == 0:
        return None
    rank, below = q * total, 0
    for i, n in enumerate(buckets):
        if below + n >= rank and n:
            low = FRESHNESS_BUCKETS[i - 1] if i else 0.0
            high = FRESHNESS_BUCKETS[i] if i < len(FRESHNESS_BUCKETS) else most or FRESHNESS_BUCKETS[-1]
            if most is not None:
                high = max(low, min(high, most))
            return low + (high - low) * (rank - below) / n
        below += n
    return FRESHNESS_BUCKETS[-1]
