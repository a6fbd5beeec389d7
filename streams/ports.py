"""What a step's runner is given: who delivers, who hears of outcomes, where it computes, its bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.log import topics
from schemas.log.leaders import Place
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
    async def deliver(self, rows: Sequence[OutboxRow]) -> Mapping[Place, int] | None:
        """Returns when the broker has acknowledged every row, in order per partition: the offset behind the last one
        in each, None where that is not known. Retries what is transient."""
        ...


class LogAway(Exception):  # noqa: N818 - as StoreAway
    """No broker said in time what a log holds."""


class LogLeaders(Protocol):
    """The brokers, asked for the leaders (epochs) of partitions."""

    async def present(self, places: Iterable[Place]) -> Mapping[Place, int]:
        """As of a few seconds ago: a write may go to a later one. Left out is what no broker names. Raises LogAway."""
        ...

    async def ends(self, asked: Iterable[tuple[Place, int]]) -> Mapping[tuple[Place, int], int]:
        """Where these leaders ended, as the log has it now: -1 where it knows nothing of one. Raises LogAway."""
        ...


class NoLeaders:
    """A log that loses nothing."""

    async def present(self, places: Iterable[Place]) -> Mapping[Place, int]:
        return {}

    async def ends(self, asked: Iterable[tuple[Place, int]]) -> Mapping[tuple[Place, int], int]:
        return {}


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
