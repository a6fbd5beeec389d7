"""The one loop that runs every step: load, compute, state transaction, outbox delivery; commit is the caller's last
step (DESIGN, delivery rules 1, 2, 4)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from processors.step import Step
from schemas.log.codec import Codec
from schemas.log.leaders import Place
from streams.batch import Batch, Message, Partition, begun, by_partition
from streams.batch_frame import BatchFrame
from streams.deciding import Deciding
from streams.faults import Faults, Point
from streams.kept_outboxes import KeptOutboxes
from streams.ports import (
    Inline,
    LogLeaders,
    NoLeaders,
    Observer,
    Producer,
    RunnerConfig,
    Silent,
    Stopwatch,
    Upcoming,
    at_once,
    in_thread,
    nothing,
)
from streams.preparing import Preparing
from streams.rounds import Stop, SuspectBook, noted, rounds
from streams.source_log import SourceLog
from streams.state.cache import PartitionCache
from streams.state.loading import Reading
from streams.state.protocol import OutboxRow, StaleOwner, StateStore, StoreAway
from streams.suspects import NoSuspects, Suspects
from streams.topology import writers_of
from streams.turns import Turn
from streams.watch import Watch

_DEFAULTS = RunnerConfig()
_DELIVERY_SECONDS = 5.0
"""A delivery is tried for ever. After so long the process is no longer kept for it: neither does a suspect wait for an
outage of another step's topic, nor do other steps for one of its own."""


class StepRunner:
    """Runs one step over batches of any partitions. Not safe for concurrent calls; one a process and step."""

    def __init__(
        self,
        step: Step,
        store: StateStore,
        producer: Producer,
        codec: Codec,
        config: RunnerConfig = _DEFAULTS,
        *,
        faults: Faults | None = None,
        observer: Observer | None = None,
        compute: Inline = in_thread,
        seal: Inline = at_once,
        decide: Inline | None = None,
        watch: Watch | None = None,
        suspects: Suspects | None = None,
        leaders: LogLeaders | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`compute` runs models. `seal` runs what encodes and decodes values: where these are sealed, a key may have
        to be waited for, which an event loop must not. `decide` runs the decisions of a step that asks the
        recognisers in them (None: `seal` does). `watch` sees what is computed on, `suspects` has what was in hand when
        that took too long. `leaders`: of the log; None: it loses nothing. `clock` (s, the loop's by default) tells when
        what hung and is never given up is tried again."""
        self.step = step
        self._store = store
        self._watch = watch or Watch()
        self._reading = Reading(step, store, self._watch)
        self._producer = producer
        upstream = writers_of(step.source) if config.upstream is None else config.upstream
        self._frame = BatchFrame(step, codec, config.partitions, upstream)
        self._config = config
        self._faults = faults or Faults()
        self._observer = observer or Silent()
        self._seal = seal
        self._book = SuspectBook(step, suspects or NoSuspects(), self._observer, clock)
        self._preparing = Preparing(step, self._reading, compute, self._watch)
        decides = decide if decide is not None and step.asks else seal
        self._deciding = Deciding(step, self._frame, self._reading, decides, self._watch)
        leaders = leaders or NoLeaders()
        self._kept = KeptOutboxes(step.name, store, producer, leaders)
        self._source = SourceLog(step, leaders)
        self._parts: dict[int, Partition] = {}
        self._ahead: _Ahead | None = None

    async def process(self, messages: Sequence[Message], upcoming: Upcoming = nothing) -> None:
        """Take a batch through. On return every outcome is stored and delivered: the caller may commit.

        `upcoming`: asked once this batch is decided. What it names is decoded and goes through the models while this
        batch is stored and delivered; it reads state, and is decided, only when it is processed itself.
        A suspect is a batch of its own, and has the process for itself until it is delivered. Raises StaleOwner (the
        partitions belong to another worker; of the batch that came to it nothing was written) and whatever the store or
        the producer raise when they give up. After an exception the runner must be told `forget`.
        """
        clock = Stopwatch()
        batches = await self._made_ahead(messages)
        if batches is not None:
            async with self._watch.turn(False) as turn:
                self._require_owned(batches)
                await self._taken_through(batches, upcoming, clock, turn)
            return
        shares = by_partition(messages)
        parts = {p: await self._partition(p) for p in shares}
        several = rounds(shares, parts)
        for n, together in enumerate(several):
            last = n == len(several) - 1
            await self._round(together, parts, upcoming if last else nothing, clock if not n else Stopwatch())

    async def _round(
        self, together: Sequence[Message], parts: Mapping[int, Partition], upcoming: Upcoming, clock: Stopwatch
    ) -> None:
        """Sound records, or one suspect."""
        alone = noted(together[0], parts[together[0].partition]) is not None
        async with self._watch.turn(alone) as turn:
            batches = [begun(p, s, parts[p], alone) for p, s in by_partition(together).items()]
            self._require_owned(batches)
            await self._taken_through(await self._received(batches), upcoming, clock, turn)

    def _require_owned(self, batches: Sequence[Batch]) -> None:
        """After a wait for a turn. Raises StaleOwner: to whom they belong now begins with what is left."""
        if moved := [b.partition for b in batches if self._parts.get(b.partition) is not b.part]:
            raise StaleOwner(moved)

    async def _taken_through(self, batches: Sequence[Batch], upcoming: Upcoming, clock: Stopwatch, turn: Turn) -> None:
        if not batches:
            return
        clock.lap("prepare")
        await self._reading.load(batches)
        await self._preparing.complete(batches)
        clock.lap("load")
        self._faults.hit(self.step.name, Point.AFTER_LOAD)
        for b in batches:
            await self._deciding.decide(b)
        clock.lap("compute")
        self._faults.hit(self.step.name, Point.AFTER_COMPUTE)
        self._look_ahead(upcoming(), batches)
        await self._finish(batches, clock, turn)

    def forget(self, partitions: Sequence[int] | None = None) -> None:
        """Partitions moved away or a batch failed: positions and cached state are read again before use."""
        for p in list(self._parts) if partitions is None else partitions:
            self._parts.pop(p, None)
        if self._ahead is not None:
            self._ahead.sound = False

    async def leave(self, partitions: Sequence[int]) -> None:
        """Forget them in an orderly way: what was delivered is not delivered again by who comes next, as it must be
        after a crash. Raises StoreAway, which costs no more than that."""
        parts = {p: part for p in partitions if (part := self._parts.get(p)) is not None}
        offsets = {p: n for p, part in parts.items() if (n := part.position.next_offset) is not None}
        self.forget(partitions)
        if offsets:
            await self._store.settled(self.step.name, offsets, {p: parts[p].delivered for p in offsets})

    async def stored_offset(self, partition: int) -> int | None:
        """The offset that comes next in a partition; None when it was never started."""
        return (await self._partition(partition)).position.next_offset

    async def stops(self, messages: Sequence[Message]) -> list[Stop]:
        """Where this step goes no further for now, before ticks and erasures that hung it alone. To be asked before
        `process`, which tries whatever it is given: the caller holds back these partitions from there on."""
        parts = {p: await self._partition(p) for p in sorted({m.partition for m in messages})}
        if not any(part.suspects for part in parts.values()):
            return []
        return self._book.stops(sorted(messages, key=lambda m: (m.partition, m.offset)), parts)

    async def _partition(self, partition: int) -> Partition:
        """On first sight: read the position and deliver its outbox again (it may not have gone out)."""
        part = self._parts.get(partition)
        if part is None:
            async with self._watch.turn(False) as turn:
                part = self._parts[partition] = await self._begun(partition, turn)
        return part

    async def _begun(self, partition: int, turn: Turn) -> Partition:
        position, outbox = await self._store.position(self.step.name, partition)
        suspects = await self._book.of(partition, position)  # before anything is delivered: it may raise
        part = Partition(position, PartitionCache(), self._frame.owed(partition, position), suspects)
        with turn.release_after(_DELIVERY_SECONDS):
            await self._kept.begin(partition, part, outbox)
        if position.next_offset is not None:
            await self._kept.settle_erasures({partition: (position.next_offset, part, outbox)})
        return part

    async def _received(self, batches: Sequence[Batch]) -> list[Batch]:
        """Those with anything new, decoded and through the models."""
        await self._source.require_unbroken(batches)
        found = [b for b in batches if b.fresh]
        if found:
            self._faults.hit(self.step.name, Point.BEFORE_LOAD)
            for b in found:
                await self._seal(partial(self._receive, b))
            await self._preparing.prepare(found)
        return found

    def _receive(self, b: Batch) -> None:
        with self._watch.over_all(self.step.name, [b]):
            self._frame.receive(b, self._book.unreadable(b))
        self._book.mark(b)

    async def _received_ahead(self, batches: Sequence[Batch]) -> list[Batch]:
        async with self._watch.turn(False):
            return await self._received(batches)

    def _look_ahead(self, messages: Sequence[Message], current: Sequence[Batch]) -> None:
        """Begin with the batch after the current one, which goes on from where that will stand."""
        shares = by_partition(messages)
        if not messages or any(p not in self._parts for p in shares):
            return  # a partition's first batch delivers its outbox before
        if any(noted(m, self._parts[m.partition]) for m in messages):
            return  # they do not go together
        reached = {b.partition: b.position for b in current}
        batches = [begun(p, s, self._parts[p], position=reached.get(p)) for p, s in shares.items()]
        self._ahead = _Ahead(messages, asyncio.ensure_future(self._received_ahead(batches)))

    async def _made_ahead(self, messages: Sequence[Message]) -> list[Batch] | None:
        """These messages as they were prepared ahead; None where they were not, or where what came before them did
        not end as it should. Nothing else is prepared meanwhile: models are not for two at once."""
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            return None
        await asyncio.wait({ahead.work})
        same = [id(m) for m in ahead.messages] == [id(m) for m in messages]
        if ahead.work.exception() is not None or not (same and ahead.sound):
            return None  # what went wrong goes wrong again, where it is handled
        return ahead.work.result()

    async def _finish(self, batches: Sequence[Batch], clock: Stopwatch, turn: Turn) -> None:
        name = self.step.name
        with self._watch.over_all(name, batches):
            commits = [self._frame.commit(b) for b in batches]
        with self._watch.over_all(name, batches, waits=True):
            with turn.release_after(_DELIVERY_SECONDS):
                leaders = await self._kept.compare(batches, commits)
            commits = [replace(c, delivered=b.part.delivered) for b, c in zip(batches, commits, strict=True)]
            await self._store.commit(commits)
            clock.lap("transaction")
            self._faults.hit(name, Point.AFTER_TRANSACTION)
            with turn.release_after(_DELIVERY_SECONDS):
                ends = await self._deliver([row for c in commits for row in c.outbox])
            for b, c in zip(batches, commits, strict=True):
                self._kept.sent(b.part, c.outbox, leaders, ends)
            clock.lap("delivery")
            self._faults.hit(name, Point.AFTER_DELIVERY)
            with contextlib.suppress(StoreAway):  # the next batch replaces it
                await self._kept.settle_erasures(
                    {
                        c.partition: (c.position.next_offset, b.part, c.outbox)
                        for b, c in zip(batches, commits, strict=True)
                        if c.position.next_offset is not None
                    }
                )
        bound = self._config.cache_bytes // max(1, len(self._parts))
        for b in batches:
            b.part.position, b.part.owed = b.position, b.owed
            b.part.cache.shrink(bound)
            for word, n in b.counts.items():
                self._observer.outcome(self.step.name, word, n)
            for stats in b.readings:
                self._observer.read(stats)
        self._observer.batch(self.step.name, sum(len(b.fresh) for b in batches), clock.laps)
        for b in batches:
            await self._book.settled(b)

    async def _deliver(self, rows: list[OutboxRow]) -> Mapping[Place, int] | None:
        if type(self._faults) is Faults or len(rows) < 2:
            return await self._producer.deliver(rows)
        first = await self._producer.deliver(rows[: len(rows) // 2])
        self._faults.hit(self.step.name, Point.MID_DELIVERY)
        return {**(first or {}), **(await self._producer.deliver(rows[len(rows) // 2 :]) or {})}


@dataclass(slots=True)
class _Ahead:
    """The next batch on its way through the models. `sound` until a partition is forgotten: its positions hold."""

    messages: Sequence[Message]
    work: asyncio.Future[list[Batch]]
    sound: bool = True


__all__ = [
    "Inline",
    "Message",
    "Observer",
    "Producer",
    "RunnerConfig",
    "Silent",
    "StepRunner",
    "Upcoming",
    "at_once",
    "in_thread",
    "nothing",
]
