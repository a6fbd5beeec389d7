"""Records that were in hand when a step computed for too long: who notes them, and who keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from schemas.storage.suspects import GIVEN_UP_BY_HAND as GIVEN_UP_BY_HAND
from schemas.storage.suspects import KEPT_DAYS as KEPT_DAYS
from schemas.storage.suspects import MOST_TIMES as MOST_TIMES

HELD = "held_too_long"
"""Reason of the dead letter."""


def held_text(step: str) -> str:
    """Its message."""
    return f"{step} hung or crashed with this record, or took too much memory, twice alone"


class Suspect(NamedTuple):
    """A record of what a step reads. By its time (Kafka's, ms) too: a log that was made anew gives offsets again."""

    step: str
    topic: str
    partition: int
    offset: int
    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class Noted:
    """`times` begins with 1 and rises when the record holds its step alone. `seconds`: how long ago it was noted last,
    when that was read."""

    timestamp_ms: int
    times: int
    seconds: float = field(default=0.0, compare=False)


class Suspects(Protocol):
    """Kept beside the positions: a partition may move to another worker meanwhile."""

    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        """Whether they are stored. `alone`: nothing but this one record was in hand, so it is to blame. Blocks, for
        some seconds at most: for a thread. Raises nothing: who notes ends anyway."""
        ...

    async def of(self, step: str, topic: str, partition: int, next_offset: int) -> dict[int, Noted]:
        """By offset, from `next_offset` on. Drops what lies below it, is of another topic or older than KEPT_DAYS.
        Raises StoreAway."""
        ...

    async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None:
        """Those below are stored: dropped. Raises StoreAway."""
        ...


class NoSuspects:
    """Of a runner that nobody watches."""

    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        return True

    async def of(self, step: str, topic: str, partition: int, next_offset: int) -> dict[int, Noted]:
        return {}

    async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None: ...


class MemorySuspects:
    """For tests: outlives the runners, as a table does."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.rows: dict[tuple[str, str, int, int], Noted] = {}
        self._noted_at: dict[tuple[str, str, int, int], float] = {}

    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        for s in suspects:
            before = self.rows.get(s[:4])
            same = before is not None and before.timestamp_ms == s.timestamp_ms
            self.rows[s[:4]] = Noted(s.timestamp_ms, before.times + alone if before is not None and same else 1)
            self._noted_at[s[:4]] = self._clock()
        return True

    async def of(self, step: str, topic: str, partition: int, next_offset: int) -> dict[int, Noted]:
        now = self._clock()
        oldest = now - KEPT_DAYS * 86_400
        self._drop(
            lambda k: self._noted_at[k] < oldest
            or ((k[0], k[2]) == (step, partition) and (k[1] != topic or k[3] < next_offset))
        )
        mine = {k: n for k, n in self.rows.items() if k[:3] == (step, topic, partition)}
        return {k[3]: replace(n, seconds=now - self._noted_at[k]) for k, n in mine.items()}

    async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None:
        self._drop(lambda k: k[:3] == (step, topic, partition) and k[3] < next_offset)

    def _drop(self, which: Callable[[tuple[str, str, int, int]], bool]) -> None:
        for k in [k for k in self.rows if which(k)]:
            del self.rows[k], self._noted_at[k]
