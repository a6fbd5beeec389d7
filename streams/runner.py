"""The one loop that runs every step: load, compute, state transaction, outbox delivery; commit is the caller's last
step (DESIGN, delivery rules 1, 2, 4)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from processors.step import Reject, Step
from schemas.events.envelope import Tick
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.security.sealing import KeysAway
from streams.batch import (
    MAX_OUTPUT_BYTES,
    Batch,
    BatchFrame,
    Item,
    Message,
    OutputTooLargeError,
    Partition,
    begun,
    by_partition,
)
from streams.faults import Faults, Point
from streams.rounds import SuspectBook, noted, rounds, slices
from streams.state.cache import NotRead, PartitionCache, RecordState
from streams.state.loading import Reading
from streams.state.protocol import OutboxRow, PartitionCommit, StaleOwner, StateStore, StoreAway, carries_erasure
from streams.suspects import HELD, NoSuspects, Suspects
from streams.topology import writers_of
from streams.watchdog import Watch

log = logging.getLogger(__name__)
Inline = Callable[[Callable[[], Any]], Awaitable[Any]]
Upcoming = Callable[[], Sequence[Message]]


def nothing() -> Sequence[Message]:
    """Of the next batch nothing is there yet."""
    return ()


class Producer(Protocol):
    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        """Returns when the broker has acknowledged every row, in order per partition. Retries what is transient."""
        ...


class Observer(Protocol):
    """What a step run reports (metrics are the caller's)."""

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...


class Silent:
    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class RunnerConfig:
    """`partitions`: the fixed count of owner-keyed topics; `cache_bytes`: state kept in memory between batches, all
    partitions of the step together. `upstream`: the steps that write its topic; None: as the topology says."""

    partitions: int = topics.EMBEDDED_PARTITIONS
    cache_bytes: int = 64 * 1024 * 1024
    upstream: Collection[str] | None = None


async def in_thread(call: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(call)


async def at_once(call: Callable[[], Any]) -> Any:
    return call()


class StepRunner:
    """Runs one step over batches of any partitions. Not safe for concurrent calls; one a process and step."""

    def __init__(
        self,
        step: Step,
        store: StateStore,
        producer: Producer,
        codec: Codec,
        config: RunnerConfig = RunnerConfig(),
        *,
        faults: Faults | None = None,
        observer: Observer | None = None,
        compute: Inline = in_thread,
        seal: Inline = at_once,
        watch: Watch | None = None,
        suspects: Suspects | None = None,
    ) -> None:
        """`compute` runs models. `seal` runs what encodes and decodes values: where these are sealed, a key may have
        to be waited for, which an event loop must not. `watch` sees what is computed on, `suspects` has what was in
        hand when that took too long."""
        self.step = step
        self._store = store
        self._reading = Reading(step, store)
        self._producer = producer
        upstream = writers_of(step.source) if config.upstream is None else config.upstream
        self._frame = BatchFrame(step, codec, config.partitions, upstream)
        self._config = config
        self._faults = faults or Faults()
        self._observer = observer or Silent()
        self._compute = compute
        self._seal = seal
        self._watch, self._book = watch or Watch(), SuspectBook(step, suspects or NoSuspects())
        self._parts: dict[int, Partition] = {}
        self._ahead: _Ahead | None = None

    async def process(self, messages: Sequence[Message], upcoming: Upcoming = nothing) -> None:
        """Take a batch through. On return every outcome is stored and delivered: the caller may commit.

        `upcoming`: asked once this batch is decided. What it names is decoded and goes through the models while this
        batch is stored and delivered; it reads state, and is decided, only when it is processed itself.
        A suspect is a batch of its own. Raises StaleOwner (the partitions belong to another worker; of the batch that
        came to it nothing was written) and whatever the store or the producer raise when they give up. After an
        exception the runner must be told `forget`.
        """
        clock = _Stopwatch()
        batches = await self._made_ahead(messages)
        if batches is not None:
            await self._taken_through(batches, upcoming, clock)
            return
        shares = by_partition(messages)
        parts = {p: await self._partition(p) for p in shares}
        several = rounds(shares, parts)
        for n, together in enumerate(several):
            batches = [begun(p, s, parts[p], parts[p].position) for p, s in by_partition(together).items()]
            if n and (moved := [b.partition for b in batches if self._parts.get(b.partition) is not b.part]):
                raise StaleOwner(moved)  # to whom they belong now begins with what is left
            received = await self._received(batches)
            last = n == len(several) - 1
            await self._taken_through(received, upcoming if last else nothing, clock if not n else _Stopwatch())

    async def _taken_through(self, batches: Sequence[Batch], upcoming: Upcoming, clock: _Stopwatch) -> None:
        if not batches:
            return
        clock.lap("prepare")
        await self._reading.load(batches)
        await self._complete(batches)
        clock.lap("load")
        self._faults.hit(self.step.name, Point.AFTER_LOAD)
        for b in batches:
            await self._decide(b)
        clock.lap("compute")
        self._faults.hit(self.step.name, Point.AFTER_COMPUTE)
        self._look_ahead(upcoming(), batches)
        await self._finish(batches, clock)

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
            await self._store.settled(self.step.name, offsets)

    async def stored_offset(self, partition: int) -> int | None:
        """The offset that comes next in a partition; None when it was never started."""
        return (await self._partition(partition)).position.next_offset

    async def _partition(self, partition: int) -> Partition:
        """On first sight: read the position and deliver its outbox again (it may not have gone out)."""
        part = self._parts.get(partition)
        if part is None:
            position, outbox = await self._store.position(self.step.name, partition)
            suspects = await self._book.of(partition, position)  # before anything is delivered: it may raise
            if outbox:
                await self._producer.deliver(outbox)
                if any(carries_erasure(row) for row in outbox) and position.next_offset is not None:
                    await self._store.settled(self.step.name, {partition: position.next_offset})
            part = self._parts[partition] = Partition(position, PartitionCache(), suspects=suspects)
        return part

    async def _received(self, batches: Sequence[Batch]) -> list[Batch]:
        """Those with anything new, decoded and through the models."""
        found = [b for b in batches if b.fresh]
        if found:
            self._faults.hit(self.step.name, Point.BEFORE_LOAD)
            for b in found:
                async with self._watch.turn(False):
                    await self._seal(partial(self._frame.receive, b))
                self._book.mark(b)
            await self._prepare([i for b in found for i in b.items])
        return found

    def _look_ahead(self, messages: Sequence[Message], current: Sequence[Batch]) -> None:
        """Begin with the batch after the current one, which goes on from where that will stand."""
        shares = by_partition(messages)
        if not messages or any(p not in self._parts for p in shares):
            return  # a partition's first batch delivers its outbox before
        if any(noted(m, self._parts[m.partition]) for m in messages):
            return  # they do not go together
        reached = {b.partition: b.position for b in current}
        batches = [begun(p, s, part := self._parts[p], reached.get(p, part.position)) for p, s in shares.items()]
        self._ahead = _Ahead(messages, asyncio.ensure_future(self._received(batches)))

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

    async def _prepare(self, items: list[Item]) -> None:
        """Models over the whole batch."""
        await self._isolated([i for i in items if not i.held], self._prepare_together)

    async def _prepare_together(self, items: Sequence[Item]) -> None:
        records = [i.record for i in items]
        self._prepared(items, await self._computed(items, lambda: self.step.prepare(records)))

    async def _complete(self, batches: Sequence[Batch]) -> None:
        """Models again, where what they have to do depends on the state."""
        if not self.step.completes:
            return
        owns = {id(i): b for b in batches for i in b.items}

        async def once(items: Sequence[Item]) -> None:
            records, prepared = [i.record for i in items], [i.prepared for i in items]
            states = [RecordState(owns[id(i)].part.cache) for i in items]
            done = await self._computed(items, lambda: self.step.complete(records, prepared, states))
            self._prepared(items, done)

        async def together(items: Sequence[Item]) -> None:
            """Of several, what one has not read yet fails them: one by one they are asked again, and it is read."""
            while True:
                try:
                    return await once(items)
                except NotRead as exc:
                    if len(items) > 1:
                        raise
                    await self._reading.fill(owns[id(items[0])], exc.reads)

        await self._isolated([i for b in batches for i in b.items if i.failed is None and not i.held], together)

    async def _computed(self, items: Sequence[Item], call: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """Watched from where it runs: it may wait for the models of another step before."""
        messages, alone = [i.message for i in items], any(i.alone for i in items)

        def watched() -> Sequence[Any]:
            with self._watch.over(self.step.name, messages, alone):
                return call()

        async with self._watch.turn(alone):
            done: Sequence[Any] = await self._compute(watched)
        return done

    def _prepared(self, items: Sequence[Item], done: Sequence[Any]) -> None:
        for item, prepared in zip(items, done, strict=True):
            item.prepared = prepared

    async def _isolated(self, items: list[Item], together: Callable[[Sequence[Item]], Awaitable[None]]) -> None:
        for part in slices(items):
            await self._isolated_slice(part, together)

    async def _isolated_slice(self, items: list[Item], together: Callable[[Sequence[Item]], Awaitable[None]]) -> None:
        """All at once; when that fails, record by record, so that one poison record fails alone."""
        try:
            await together(items)
        except (StoreAway, KeysAway):
            raise  # the records are sound: they wait for it
        except Exception:  # noqa: BLE001 - isolated below, each failure becomes a dead letter
            for item in items:
                try:
                    await together([item])
                except (StoreAway, KeysAway):
                    raise
                except Exception as exc:
                    log.exception("step %s raised: one record becomes a dead letter", self.step.name)
                    item.failed = type(exc).__name__

    async def _decide(self, b: Batch) -> None:
        """Record by record; where one needs more state than its reads named, that is loaded and it is decided anew."""
        left = deque(b.items)
        while left:
            async with self._watch.turn(any(i.alone for i in left)):
                missing: NotRead | None = await self._seal(partial(self._decided_until, b, left))
            if missing is not None:
                await self._reading.fill(b, missing.reads)

    def _decided_until(self, b: Batch, left: deque[Item]) -> NotRead | None:
        """Takes from `left` what is decided; returned is what the next one lacks."""
        while left:
            item = left[0]
            try:
                rows = self._decided(b, item)
            except NotRead as exc:
                return exc
            self._frame.ended(b, item, rows)
            if isinstance(item.record.event, Tick):
                b.swept(item.record.event.now)
            left.popleft()
        return None

    def _decided(self, b: Batch, item: Item) -> list[OutboxRow]:
        """One record: its state changes and outputs (returned) are kept together, or it becomes a dead letter and
        leaves none. Raises NotRead, and has changed nothing then."""
        if item.held:
            text = f"{self.step.name} hung or crashed with this record, or took too much memory, twice alone"
            self._frame.dead_letter(b, item.message, HELD, text)
            return []
        if item.failed is not None:
            self._frame.dead_letter(b, item.message, "step_failed", f"{self.step.name} raised {item.failed}")
            return []
        state = RecordState(b.part.cache)
        try:
            with self._watch.over(self.step.name, (item.message,), item.alone):
                outs = list(self.step.handle(item.record, item.prepared, state))
            reject = next((o for o in outs if isinstance(o, Reject)), None)
            rows = [] if reject else self._frame.rows(b, item, outs)
        except NotRead:
            state.drop()
            raise
        except KeysAway:
            raise  # the record is sound: it waits for the keyring
        except OutputTooLargeError:
            reject = Reject("too_large", f"value: what becomes of it is larger than {MAX_OUTPUT_BYTES} bytes")
        except Exception as exc:  # a step's bug costs one record, said so, never the stream
            log.exception("step %s raised: one record becomes a dead letter", self.step.name)
            reject = Reject("step_failed", f"{self.step.name} raised {type(exc).__name__}")
        if reject is not None:
            state.drop()
            self._frame.dead_letter(b, item.message, reject.reason, reject.message)
            return []
        b.writes.update(state.keep())
        b.outbox.extend(rows)
        b.count("handled")
        return rows

    async def _finish(self, batches: Sequence[Batch], clock: _Stopwatch) -> None:
        commits = [self._frame.commit(b) for b in batches]
        await self._store.commit(commits)
        clock.lap("transaction")
        self._faults.hit(self.step.name, Point.AFTER_TRANSACTION)
        await self._deliver([row for c in commits for row in c.outbox])
        clock.lap("delivery")
        self._faults.hit(self.step.name, Point.AFTER_DELIVERY)
        await self._settle_erasures(commits)
        bound = self._config.cache_bytes // max(1, len(self._parts))
        for b in batches:
            b.part.position, b.part.owed = b.position, b.owed
            b.part.cache.shrink(bound)
            for word, n in b.counts.items():
                self._observer.outcome(self.step.name, word, n)
        self._observer.batch(self.step.name, sum(len(b.fresh) for b in batches), clock.laps)
        for b in batches:
            await self._book.settled(b)

    async def _settle_erasures(self, commits: Sequence[PartitionCommit]) -> None:
        """An outbox with an erasure in it goes at once, and not with the next batch: it holds what was said before, and
        delivered once more it would stand behind the eraser's nulls (C9). The eraser waits until it is gone."""
        offsets = {
            c.partition: c.position.next_offset
            for c in commits
            if c.position.next_offset is not None and any(carries_erasure(row) for row in c.outbox)
        }
        if offsets:
            with contextlib.suppress(StoreAway):  # the next batch replaces it
                await self._store.settled(self.step.name, offsets)

    async def _deliver(self, rows: list[OutboxRow]) -> None:
        if type(self._faults) is not Faults and len(rows) > 1:
            await self._producer.deliver(rows[: len(rows) // 2])
            self._faults.hit(self.step.name, Point.MID_DELIVERY)
            rows = rows[len(rows) // 2 :]
        await self._producer.deliver(rows)


@dataclass(slots=True)
class _Ahead:
    """The next batch on its way through the models. `sound` until a partition is forgotten: its positions hold."""

    messages: Sequence[Message]
    work: asyncio.Future[list[Batch]]
    sound: bool = True


class _Stopwatch:
    """Seconds a phase, for metrics."""

    def __init__(self) -> None:
        self._last = asyncio.get_running_loop().time()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = asyncio.get_running_loop().time()
        self.laps[name] = now - self._last
        self._last = now


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
