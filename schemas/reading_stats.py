"""What is counted of the reading of turns: numbers by language, profile, reader and version, never content or ids."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from pydantic import Field

from schemas.base import Frozen

ReadOutcome = Literal["kept", "observed", "refused", "merged", "superseding", "skipped", "masked"]
"""What may become of a statement that was read; what ends an earlier one is none of them."""
LostReference = Literal["person", "several", "thing", "place"]
"""What a word that could not be resolved stands for: she; they; it; there."""
READING_BUCKETS: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Upper bounds of calibrated readings; the last takes all."""
KEPT_DAYS = 9
"""Days that a process keeps: today and yesterday, and the week before them."""
MOST_KEYS = 200
"""That one process tells apart; what comes beyond them counts as OTHER."""
OTHER = "other"
ReadingKey: TypeAlias = tuple[str, str, str, int]
"""Language, profile, reader and its version."""


class ReadingStats(Frozen):
    """Of one turn, or of many. `outcomes`: what became of its statements; `lost`: statements that were not made, since
    a reference in them could not be resolved; `readings` and `reading_total`: calibrated readings of its candidates,
    in READING_BUCKETS, and their sum."""

    language: Literal["en", "zh", "und"]
    profile: str
    reader: str
    version: int
    turns: int = 0
    outcomes: dict[ReadOutcome, int] = Field(default_factory=dict)
    lost: dict[LostReference, int] = Field(default_factory=dict)
    readings: tuple[int, ...] = (0,) * len(READING_BUCKETS)
    reading_total: float = 0.0

    @property
    def key(self) -> ReadingKey:
        return self.language, self.profile, self.reader, self.version

    def plus(self, other: ReadingStats) -> ReadingStats:
        """Both together, under the key of this one."""
        return self.model_copy(
            update={
                "turns": self.turns + other.turns,
                "outcomes": dict(Counter(self.outcomes) + Counter(other.outcomes)),
                "lost": dict(Counter(self.lost) + Counter(other.lost)),
                "readings": tuple(a + b for a, b in zip(self.readings, other.readings, strict=True)),
                "reading_total": self.reading_total + other.reading_total,
            }
        )


Totals: TypeAlias = dict[ReadingKey, ReadingStats]


def in_buckets(readings: Iterable[float]) -> tuple[int, ...]:
    """How many there are in each of READING_BUCKETS."""
    counts = [0] * len(READING_BUCKETS)
    for reading in readings:
        counts[min(bisect.bisect_left(READING_BUCKETS, reading), len(counts) - 1)] += 1
    return tuple(counts)


def added(all_stats: Iterable[ReadingStats], into: Totals | None = None) -> Totals:
    """Those of one key together; into those that are there, where they are given."""
    out: Totals = {} if into is None else into
    for stats in all_stats:
        if stats.key not in out and len(out) >= MOST_KEYS:
            stats = stats.model_copy(update={"profile": OTHER, "reader": OTHER, "version": 0})
        out[stats.key] = out[stats.key].plus(stats) if stats.key in out else stats
    return out


def mean_reading(stats: ReadingStats) -> float | None:
    """None where no candidate has a reading."""
    count = sum(stats.readings)
    return stats.reading_total / count if count else None


def lost_references(stats: ReadingStats) -> int:
    return sum(stats.lost.values())


def per_100_turns(count: float, turns: float) -> float | None:
    """None where there are no turns."""
    return 100 * count / turns if turns else None


def total(all_stats: Sequence[ReadingStats]) -> ReadingStats | None:
    """All together, under the key of the first; None of none."""
    if not all_stats:
        return None
    whole = all_stats[0]
    for stats in all_stats[1:]:
        whole = whole.plus(stats)
    return whole
