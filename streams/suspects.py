"""Records that a step did not get through in time: who notes them, who keeps them, who tries them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

MOST_TIMES = 3
"""So often a record may hold up its step, passing alone in between, before it is given up untried."""
HELD = "held_too_long"
"""Reason of the dead letter."""


class Suspect(NamedTuple):
    """An offset of what a step reads. The others of a batch that hung with it are suspects, too."""

    step: str
    topic: str
    partition: int
    offset: int


class Suspects(Protocol):
    """Kept beside the positions: a partition may move to another worker meanwhile."""

    def note(self, suspects: Sequence[Suspect]) -> None:
        """Once more each. Blocks, for some seconds at most: for a thread. Raises nothing: who notes ends anyway."""
        ...

    async def of(self, step: str, partition: int) -> dict[int, int]:
        """Offset -> how often it was noted. Raises StoreAway."""
        ...

    async def passed(self, step: str, partition: int, next_offset: int) -> None:
        """Those below are stored: forgotten. Raises StoreAway."""
        ...


class NoSuspects:
    """Of a runner that nobody watches."""

    def note(self, suspects: Sequence[Suspect]) -> None: ...

    async def of(self, step: str, partition: int) -> dict[int, int]:
        return {}

    async def passed(self, step: str, partition: int, next_offset: int) -> None: ...


class MemorySuspects:
    """For tests: outlives the runners, as a table does."""

    def __init__(self) -> None:
        self.times: dict[Suspect, int] = {}

    def note(self, suspects: Sequence[Suspect]) -> None:
        for s in suspects:
            self.times[s] = self.times.get(s, 0) + 1

    async def of(self, step: str, partition: int) -> dict[int, int]:
        return {s.offset: n for s, n in self.times.items() if (s.step, s.partition) == (step, partition)}

    async def passed(self, step: str, partition: int, next_offset: int) -> None:
        for s in [s for s in self.times if (s.step, s.partition) == (step, partition) and s.offset < next_offset]:
            del self.times[s]
