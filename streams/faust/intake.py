"""Faust's consumer, which hands on what it fetched as a whole.

Faust takes every record through two tasks, a queue and a stream of its own (about 350 microseconds of CPU a record and
hop, and a timer that fires fifty times a second in each idle step). A step needs none of that: it takes batches, in
order, and says how far it is. Membership, rebalancing, fetching and commits stay Faust's.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from faust.transport.drivers import aiokafka
from faust.types import TP

from schemas.log.batch_window import Pace
from schemas.log.leaders import LeaderSpans
from streams.batch import Message
from streams.faust.batch_leaders import note_leaders

MOST_BYTES = 8 * 1024 * 1024
"""Of a batch: what becomes of it is one transaction, and stands in memory several times over."""
_HOLES = 1_024
"""Remembered per partition: more than there are records between the consumer and its step."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A record, and the group's generation in which it was fetched."""

    generation: int
    message: Message


class _Held(NamedTuple):
    offset: int
    due: float


class Intake:
    """Records between the consumer and its step, in the order of each partition. A batch is taken when its first record
    has waited for as long as the pace says, or with `batch` of them, or with `most_bytes` (a larger record goes alone).
    `clock` in seconds."""

    def __init__(
        self, batch: int, pace: Pace, clock: Callable[[], float] = time.monotonic, most_bytes: int = MOST_BYTES
    ) -> None:
        self._batch, self._pace, self._clock, self._most_bytes = batch, pace, clock, most_bytes
        self._bytes = 0
        """Of what waits."""
        self._waiting: deque[tuple[float, Fetched]] = deque()
        self._next: list[Fetched] = []
        self._some, self._full, self._room = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._room.set()
        self.done: dict[TP, int] = {}
        """Per partition, the first offset that is not stored and delivered: what may be committed."""
        self._handed: dict[TP, int] = {}
        """Per partition, the end of what came."""
        self._run: dict[TP, tuple[int, int]] = {}
        """Per partition, generation and end of what came since the consumer was last moved."""
        self._holes: dict[TP, deque[tuple[int, int]]] = {}
        self.went_back: dict[TP, tuple[int, int]] = {}
        """Per partition, the stored offset that was gone back to and the first record that stood behind it."""
        self._held: dict[TP, _Held] = {}
        """Partitions whose step stops before a record: what comes of them is read again when that is due."""
        self.sought: set[TP] = set()
        """Partitions to which the consumer went back for such a record, until something of them is through."""
        self.leaders = LeaderSpans()
        """Of what the consumer fetched."""
        self.begun: set[TP] = set()
        """Partitions of which something is through since the consumer was put at its commits."""

    def put(self, records: Iterable[Fetched]) -> None:
        now, came = self._clock(), 0
        for f in records:
            if TP(f.message.topic, f.message.partition) in self._held:
                continue
            self._note(f)
            self._waiting.append((now, f))
            self._bytes += _size(f.message)
            came += 1
        self._pace.came(came)
        self._signal()

    def _note(self, f: Fetched) -> None:
        """The consumer reads on without a gap: what it leaves out is no record. Where it went back, what was on its way
        then comes again: beside it in one batch, what lies between would be stepped over."""
        tp, offset = TP(f.message.topic, f.message.partition), f.message.offset
        generation, end = self._run.get(tp, (f.generation, offset))
        if generation == f.generation and offset < end:
            self.drop([tp])
            self.sought.add(tp)
        if generation == f.generation and end < offset:
            self._holes.setdefault(tp, deque(maxlen=_HOLES)).append((end, offset))
        self._run[tp] = f.generation, offset + 1
        self._handed[tp] = offset + 1

    def nothing_between(self, tp: TP, end: int, offset: int) -> bool:
        """Whether the consumer read from one to the other and found no record."""
        return (end, offset) in self._holes.get(tp, ())

    async def room(self) -> None:
        """Returns when less than two batches wait, by records and by bytes."""
        await self._room.wait()

    def at_rest(self, tp: TP) -> bool:
        """All that came of it is stored and delivered."""
        return self.done.get(tp, 0) >= self._handed.get(tp, 0)

    def passed(self, tp: TP, position: int) -> None:
        """The consumer found no records below `position` but those that it handed on. What stands there otherwise
        (commit markers of a transactional producer) is done with, or the group would seem to be behind for ever."""
        if tp not in self._held and self.at_rest(tp):
            self.done[tp] = max(position, self.done.get(tp, 0))

    def clear(self) -> None:
        self._waiting.clear()
        self._bytes = 0
        self._next = []
        self._run.clear()
        self.went_back, self.begun = {}, set()  # new ones: who still holds the old speaks of what was read before
        self._signal()

    def drop(self, partitions: Collection[TP]) -> None:
        """Forget what waits of these: it comes again, here or to who owns them next."""
        for tp in partitions:
            self._run.pop(tp, None)
        dropped = {(tp.topic, tp.partition) for tp in partitions}
        self._waiting = deque(w for w in self._waiting if (w[1].message.topic, w[1].message.partition) not in dropped)
        self._bytes = sum(_size(f.message) for _, f in self._waiting)
        self._next = [f for f in self._next if (f.message.topic, f.message.partition) not in dropped]
        self._signal()

    def leave(self, partitions: Collection[TP]) -> None:
        """They belong to others now."""
        self.went_back = {tp: at for tp, at in self.went_back.items() if tp not in partitions}
        self.begun = self.begun.difference(partitions)  # a new one, as in `clear`
        for tp in partitions:
            self.done.pop(tp, None)
            self._handed.pop(tp, None)
            self._held.pop(tp, None)
            self.sought.discard(tp)

    def hold(self, tp: TP, offset: int, seconds: float) -> None:
        """Nothing of it from `offset` on for so long."""
        self._held[tp] = _Held(offset, self._clock() + seconds)
        self.drop([tp])

    def due(self) -> dict[TP, int]:
        """What is held no longer, and the offset to go back to."""
        now = self._clock()
        return {tp: held.offset for tp, held in self._held.items() if held.due <= now}

    def release(self, tp: TP) -> None:
        """The consumer has gone back to it; or it was left meanwhile."""
        if self._held.pop(tp, None) is not None:
            self.sought.add(tp)

    def ahead(self) -> list[Fetched]:
        """What `batches` gives next, where its time has come already, so that it can be prepared before; else nothing.
        What arrives meanwhile goes into the batch after it."""
        if not self._next and self._waiting and (self._is_full() or self._left() <= 0):
            self._next = self._take()
        return self._next

    async def batches(self) -> AsyncIterator[list[Fetched]]:
        """An empty one where something that is held becomes due before anything comes."""
        while True:
            if self._next:
                taken, self._next = self._next, []
                yield taken
                continue
            if not await self._came():
                yield []
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._left()):
                    await self._full.wait()
            if taken := self._take():
                yield taken

    async def _came(self) -> bool:
        first = min((held.due for held in self._held.values()), default=None)
        try:
            async with asyncio.timeout(None if first is None else max(0.0, first - self._clock())):
                await self._some.wait()
        except TimeoutError:
            return False
        return True

    def _left(self) -> float:
        """Seconds until the first that waits has waited long enough."""
        return self._waiting[0][0] + self._pace.wait() - self._clock() if self._waiting else 0.0

    def _take(self) -> list[Fetched]:
        taken: list[Fetched] = []
        size = 0
        while self._waiting and len(taken) < self._batch:
            more = _size(self._waiting[0][1].message)
            if taken and size + more > self._most_bytes:
                break
            size += more
            taken.append(self._waiting.popleft()[1])
        self._bytes -= size
        self._signal()
        return taken

    def _is_full(self) -> bool:
        return len(self._waiting) >= self._batch or self._bytes >= self._most_bytes

    def _signal(self) -> None:
        count = len(self._waiting)
        _switch(self._some, count > 0)
        _switch(self._full, self._is_full())
        _switch(self._room, count < 2 * self._batch and self._bytes < 2 * self._most_bytes)


def _size(m: Message) -> int:
    return len(m.key or b"") + len(m.value or b"") + sum(len(k) + len(v) for k, v in m.headers)


def _switch(event: asyncio.Event, on: bool) -> None:
    if on:
        event.set()
    else:
        event.clear()


class _Committed(aiokafka.AIOKafkaConsumerThread):  # type: ignore[misc]  # Faust ships no types
    """Faust's, which is shown what aborted transactions wrote only where Faust itself writes in transactions."""

    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer = super()._create_worker_consumer(transport)
        consumer._isolation_level = "read_committed"  # read when it starts; Faust takes no option for it
        note_leaders(consumer._client, transport.intake.leaders)
        return consumer


class Consumer(aiokafka.Consumer):  # type: ignore[misc]  # Faust ships no types
    """Faust's, without what it does record by record: draining, acknowledging, watching streams that are not used."""

    async def _drain_messages(self, fetcher: Any) -> None:
        intake = self.transport.intake
        try:
            while not (self.should_stop or fetcher.should_stop):
                records, active = await self._wait_next_records(1.0)
                if not self.flow_active:
                    await self._back_to_commits()
                else:
                    if records:
                        intake.put(self._fetched(records, active))
                    await self._pass_markers(set(active or ()) - set(records or ()))
                await intake.room()
        except (*self.consumer_stopped_errors, asyncio.CancelledError):
            if not self.transport.app.should_stop:
                raise

    async def _pass_markers(self, without_records: Collection[TP]) -> None:
        """Nothing else takes records from the fetcher: where the consumer stands, all below was handed on."""
        intake = self.transport.intake
        for tp in without_records:
            try:
                if intake.at_rest(tp) and (self.highwater(tp) or 0) > intake.done.get(tp, 0):
                    reading = intake.went_back
                    position = await self.position(tp) or 0
                    if reading is intake.went_back:  # not moved meanwhile
                        intake.passed(tp, position)
            except Exception as exc:  # noqa: BLE001 - in a rebalance it may be gone; then it is another's
                self.log.info("no position of %s: %s", tp, type(exc).__name__)

    def _fetched(self, records: Any, active: Collection[TP]) -> Iterable[Fetched]:
        generation = self.app.consumer_generation_id
        leaders = self.transport.intake.leaders
        for tp, found in records.items():
            if tp in active:
                for r in found:
                    yield Fetched(generation, _message(r, leaders))

    async def _back_to_commits(self) -> None:
        """What was fetched while the flow was stopped is read again."""
        try:
            await self.perform_seek()
        except Exception as exc:  # noqa: BLE001 - as Faust does: in a rebalance the seek may fail, and follows it anyway
            self.log.warning("could not seek to the commits: %s", type(exc).__name__)

    async def perform_seek(self) -> None:
        """Back to the commits: what waits comes once more."""
        self.transport.intake.clear()
        await super().perform_seek()

    async def force_commit(self, topics: Any = None, start_new_transaction: bool = True) -> bool:
        """Commit how far the step is, where that is beyond the last commit."""
        mine = self.assignment()
        done = self.transport.intake.done
        ahead = {tp: n for tp, n in done.items() if tp in mine and n > (self._committed_offset.get(tp) or -1)}
        if not ahead or not await self._commit(ahead):
            return False
        self._committed_offset.update(ahead)
        return True

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        self.transport.intake.drop(revoked)
        await super().on_partitions_revoked(revoked)
        self.transport.intake.leave(revoked)

    def _new_consumer_thread(self) -> _Committed:
        return _Committed(self, loop=self.loop, beacon=self.beacon)

    async def verify_all_partitions_active(self) -> None:
        """It looks at streams; here the service's readiness watches whether committed offsets move."""


class Transport(aiokafka.Transport):  # type: ignore[misc]  # as above
    """Faust's transport with that consumer."""

    Consumer = Consumer

    def __init__(self, url: Any, app: Any, intake: Intake) -> None:
        super().__init__(url, app)
        self.intake = intake


def _message(r: Any, leaders: LeaderSpans) -> Message:
    return Message(
        r.topic, r.partition, r.offset, r.key, r.value, [(k, v or b"") for k, v in r.headers], r.timestamp or 0,
        leaders.of((r.topic, r.partition), r.offset),
    )  # fmt: skip
