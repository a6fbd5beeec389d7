"""Has the log lost what a token names? A log that comes back shorter has a new leader (epoch), and gives the offsets
that it lost to other records: of an earlier leader it holds only what lies below where that one ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, Protocol

from query.config import QueryConfig
from query.pipeline.offsets import BrokersAwayError, OffsetReader, Place
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written

_SECONDS = 1.0
"""Longest wait for an answer of the brokers, and how long one holds, also that there was none."""
_MOST = 10_000
"""Ends of epochs that are remembered."""


class LostOffsets(NamedTuple):
    """Offsets of a partition that its log gave away once: nothing that lies from `first` up to `end` is read there."""

    place: Place
    first: int
    end: int


class EpochSource(Protocol):
    """The brokers. Both raise BrokersAwayError."""

    async def epochs_of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        """The present leader epoch of each partition."""
        ...

    async def ends_of(self, epochs: Mapping[Place, int]) -> Mapping[Place, int]:
        """Where a leader epoch of each partition ended; -1 where the log knows nothing of it."""
        ...


class LogEpochs:
    """What is known of the roots' leaders. The look at the pipeline tells it every two seconds."""

    def __init__(self, source: EpochSource | None, partitions: int) -> None:
        self._source = source
        self._places = [(topic, p) for topic in sorted(topics.ROOTS) for p in range(partitions)]
        self._known: dict[Place, int] = {}
        self._sure = False
        """False: brokers were away since, and may have lost something."""
        self._ends: dict[tuple[Place, int], tuple[int, int]] = {}
        """(partition, epoch) -> (leader epoch when this was asked, its end)."""
        self._asked_at = float("-inf")
        self._losses: Mapping[Place, Sequence[LostOffsets]] = {}
        self._turn = asyncio.Lock()

    def know_losses(self, losses: Iterable[LostOffsets]) -> None:
        """All that is known to have been lost, by this service and by recovery."""
        by_place: dict[Place, list[LostOffsets]] = {}
        for loss in losses:
            by_place.setdefault(loss.place, []).append(loss)
        self._losses = by_place

    def looked(self, epochs: Mapping[Place, int] | None) -> None:
        """What a look found; None: the brokers did not answer it."""
        self._sure = epochs is not None
        self._known = {**self._known, **(epochs or {})}  # anew: a write on its way has the former

    def at_send(self) -> Mapping[Place, int]:
        """The leaders that a write goes to which is sent now; none while they are not known."""
        return self._known if self._sure else {}

    async def lost(self, token: FreshnessToken) -> bool:
        """Whether the log has lost a write of the token, or may have, as the brokers cannot be asked. A write whose
        leader is not known counts as being there, unless its partition is known to have lost something there or
        before."""
        if any(self._may_be_lost(w) for w in token.writes):
            return True
        writes = [w for w in token.writes if w.epoch is not None]
        if writes and not self._sure:
            await self._look()
        others = [w for w in writes if self._known.get(_place(w)) != w.epoch]
        if not others or self._source is None:
            return bool(others)
        wanted = {(_place(w), w.epoch) for w in others if w.epoch is not None}
        ends = {x: end for x in wanted if (end := self._remembered(x)) is not None}
        try:
            for place, epoch in sorted(wanted - set(ends)):  # nearly always one: tokens name the newest write
                ends[place, epoch] = (await self._source.ends_of({place: epoch})).get(place, -1)
                self._remember((place, epoch), ends[place, epoch])
        except BrokersAwayError:
            return True
        return any(w.offset >= ends[_place(w), w.epoch] for w in others if w.epoch is not None)

    def _may_be_lost(self, w: Written) -> bool:
        losses = self._losses.get(_place(w), ())
        return any(loss.first <= w.offset and (w.epoch is None or w.offset < loss.end) for loss in losses)

    async def _look(self) -> None:
        """One question at a time, and one a second: many reads may wait for the answer."""
        now = asyncio.get_running_loop().time
        async with self._turn:
            if self._source is None or self._sure or now() < self._asked_at + _SECONDS:
                return
            with suppress(BrokersAwayError):
                self.looked(await self._source.epochs_of(self._places))
            self._asked_at = now()

    def _remembered(self, x: tuple[Place, int]) -> int | None:
        under, end = self._ends.get(x, (-1, -1))
        return end if under == self._known.get(x[0]) else None

    def _remember(self, x: tuple[Place, int], end: int) -> None:
        """Of former leaders alone: what the present one has still grows."""
        if (present := self._known.get(x[0], -1)) > x[1]:
            if len(self._ends) >= _MOST:
                self._ends.clear()
            self._ends[x] = present, end


class BrokerEpochs:
    """Asks over a connection and in a thread of its own, and waits for an answer for so many seconds."""

    def __init__(self, reader: OffsetReader, seconds: float = _SECONDS) -> None:
        self._reader, self._seconds = reader, seconds
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log-epochs")

    async def epochs_of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        return await self._in_time(lambda: self._reader.epochs(places))

    async def ends_of(self, epochs: Mapping[Place, int]) -> Mapping[Place, int]:
        return await self._in_time(lambda: self._reader.epoch_ends(epochs))

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._reader.close()

    async def _in_time(self, question: Callable[[], Mapping[Place, int]]) -> Mapping[Place, int]:
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.get_running_loop().run_in_executor(self._thread, question)
        except TimeoutError:
            raise BrokersAwayError from None


def log_epochs(config: QueryConfig) -> tuple[LogEpochs, Callable[[], None]]:
    """Over the configured brokers, and what closes it."""
    if not config.kafka:
        return LogEpochs(None, config.partitions), lambda: None
    source = BrokerEpochs(OffsetReader(config.kafka, config.partitions, _SECONDS))
    return LogEpochs(source, config.partitions), source.close


def _place(w: Written) -> Place:
    return w.topic, w.partition
