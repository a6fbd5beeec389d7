"""What a step's runner is given: who delivers, who hears of outcomes, where it computes, its bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.log import topics
from schemas.reading_stats import ReadingStats
from streams.batch import Message
from streams.state.protocol import OutboxRow

Inline = Callable[[Callable[[], Any]], Awaitable[Any]]
Upcoming = Callable[[], Sequence[Message]]


def nothing() -> Sequence[Message]:
    """Of the next batch nothing is there yet."""
    return ()


async def in_thread(call: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(call)


async def at_once(call: Callable[[], Any]) -> Any:
    return call()


class Producer(Protocol):
    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        """Returns when the broker has acknowledged every row, in order per partition. Retries what is transient."""
        ...


class Observer(Protocol):
    """What a step run reports (metrics are the caller's)."""

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...

    def read(self, stats: ReadingStats) -> None:
        """Of one turn."""
        ...


class Silent:
    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...

    def read(self, stats: ReadingStats) -> None: ...


@dataclass(frozen=True, slots=True)
class RunnerConfig:
    """`partitions`: the fixed count of owner-keyed topics; `cache_bytes`: state kept in memory between batches, all
    partitions of the step together. `upstream`: the steps that write its topic; None: as the topology says."""

    partitions: int = topics.EMBEDDED_PARTITIONS
    cache_bytes: int = 64 * 1024 * 1024
    upstream: Collection[str] | None = None


class Stopwatch:
    """Seconds a phase, for metrics."""

    def __init__(self) -> None:
        self._last = asyncio.get_running_loop().time()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = asyncio.get_running_loop().time()
        self.laps[name] = now - self._last
        self._last = now
