"""What a sink's worker is given: the `Consumer` and `DeadLetters` of its protocol, blocking, over the simulated log."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException

from schemas.log import topics
from schemas.log.codec import Headers
from schemas.log.leaders import LeaderSpans
from sinks.kafka import _classified
from sinks.protocol import Message, Revoked, Transient, Undelivered
from tests.simulation.blocking import block_on
from tests.simulation.broker import Broker
from tests.simulation.consumer import FencedError, Member, MemberConfig, report_failure
from tests.simulation.groups import Place
from tests.simulation.net import AwayError, Net
from tests.simulation.partition import BrokerError, Stored
from tests.simulation.producer import SimProducer

T = TypeVar("T")


class SimClock:
    """The clock of a process: the world's, and what it goes wrong by (`skew`, seconds)."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start: datetime, skew: float = 0.0) -> None:
        self._loop, self._start, self.skew = loop, start, skew

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._loop.time() + self.skew)

    def now_ms(self) -> int:
        return int(self.now().timestamp() * 1000)

    def monotonic(self) -> float:
        return self._loop.time()

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        if not stop.is_set():
            block_on(asyncio.sleep(seconds), self._loop)
        return stop.is_set()


class SimSinkConsumer:
    """As `sinks.kafka.KafkaConsumer`: rebalances happen inside `poll`, heartbeats beside it."""

    def __init__(
        self, net: Net, broker: Broker, random: Random, loop: asyncio.AbstractEventLoop, config: MemberConfig
    ) -> None:
        self._net, self._broker, self._random, self._loop, self._config = net, broker, random, loop, config
        self._member: Member | None = None
        self._tell: Revoked = _ignore
        self._paused = False
        self._leaders = LeaderSpans()
        self._ops: list[tuple[frozenset[Place], asyncio.Future[None]]] = []
        """Partitions that go as soon as the caller has been told."""
        self._op = asyncio.Event()
        self._joins: asyncio.Task[None] | None = None
        self._fenced = False

    def subscribe(self, topics: Sequence[str], revoked: Revoked) -> None:
        self._tell = revoked
        c = self._config
        config = MemberConfig(c.group, tuple(topics), c.instance, c.session, cooperative=True, validates=True)
        self._member = Member(self._net, self._broker, self._random, config, self._revoked, self._assigned)
        self._block(self._begin())

    def poll(self, max_records: int, timeout: float, linger: float = 0.0) -> list[Message]:
        found = self._block(self._poll(max_records, timeout))
        if found and linger and len(found) < max_records:
            found += self._block(self._poll(max_records - len(found), linger))
        return found

    def pause(self) -> None:
        self._paused = True
        self._in_group.paused.update(self._in_group.positions)

    def resume(self) -> None:
        self._paused = False
        self._in_group.paused.clear()

    def commit(self, offsets: Mapping[tuple[str, int], int]) -> None:
        try:
            leaders = {at: epoch for at, n in offsets.items() if (epoch := self._leaders.of(at, n - 1)) is not None}
            self._block(self._in_group.commit(offsets, leaders))
        except FencedError as exc:
            raise KafkaException(KafkaError(KafkaError.FENCED_INSTANCE_ID)) from exc
        except BrokerError as exc:
            raise _classified(KafkaException(KafkaError(exc.code))) from exc
        except AwayError:
            raise Transient("_TRANSPORT") from None

    def waiting(self) -> Mapping[tuple[str, int], int] | None:
        if not self._broker.up:
            return None
        done = self._broker.committed(self._config.group)
        mine = self._in_group.positions or {p: 0 for p in self._broker.everything() if p[0] in self._config.topics}
        out = {}
        for place in mine:
            log = self._broker.partition(*place)
            if max(done.get(place, -1), log.start) < log.visible_end:
                out[place] = done.get(place, -1)
        return out

    @property
    def member(self) -> Member | None:
        """None before it has subscribed."""
        return self._member

    def close(self) -> None:
        if self._member is not None:
            self._member.stop()
        if self._joins is not None:
            self._joins.cancel()

    @property
    def _in_group(self) -> Member:
        assert self._member is not None
        return self._member

    async def _begin(self) -> None:
        member = self._in_group
        self._op = member.wake = asyncio.Event()
        member.start()
        member.rejoin.set()
        self._joins = asyncio.ensure_future(self._join())
        self._joins.add_done_callback(report_failure)

    async def _join(self) -> None:
        """Beside the caller, as librdkafka's thread."""
        try:
            while True:
                await self._in_group.rejoin.wait()
                await self._in_group.join()
        except FencedError:
            self._fenced = True
            self._op.set()

    async def _poll(self, limit: int, seconds: float) -> list[Message]:
        member, until = self._in_group, self._loop.time() + seconds
        while True:
            self._serve()
            if member.positions:
                found = await member.fetch(limit, max(0.0, until - self._loop.time()))
                for place, records in found.items():
                    for s in records:
                        self._leaders.note(place, s.offset, s.epoch)
                got = [message_of(p, s) for p, records in found.items() for s in records if p in member.positions]
                if got:
                    return got
            else:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(until):
                        await self._op.wait()
            if self._loop.time() >= until:
                self._serve()
                return []

    def _serve(self) -> None:
        """Rebalances tell what goes from within `poll` alone. Raises KafkaException in a member that was fenced."""
        self._op.clear()
        if self._fenced:
            raise KafkaException(KafkaError(KafkaError.FENCED_INSTANCE_ID))
        ops, self._ops = self._ops, []
        for places, done in ops:
            self._tell(sorted(places))
            for place in places:
                self._in_group.positions.pop(place, None)
                self._in_group.paused.discard(place)
            done.set_result(None)

    async def _revoked(self, places: frozenset[Place]) -> None:
        done: asyncio.Future[None] = self._loop.create_future()
        self._ops.append((places, done))
        self._op.set()
        await done

    async def _assigned(self, places: frozenset[Place]) -> None:
        if self._paused:
            self._in_group.paused.update(places)
        self._op.set()

    def _block(self, work: Awaitable[T]) -> T:
        return block_on(work, self._loop)


class SimDeadLetters:
    """As `sinks.kafka.KafkaDeadLetters`."""

    def __init__(self, producer: Callable[[], SimProducer], loop: asyncio.AbstractEventLoop) -> None:
        self._producer, self._loop = producer, loop

    def deliver(self, message: Message, headers: Headers) -> None:
        async def send() -> int:
            return await self._producer().send(
                topics.DEAD_LETTERS.name, message.partition, message.key, message.value, headers
            )

        try:
            block_on(send(), self._loop)
        except AwayError as exc:
            raise Undelivered(str(exc)) from None

    def close(self) -> None:
        """Nothing waits."""


def message_of(place: Place, s: Stored) -> Message:
    r = s.record
    return Message(place[0], place[1], s.offset, r.key, r.value, r.headers, r.timestamp_ms)


def _ignore(partitions: Sequence[tuple[str, int]]) -> None:
    """Before a worker subscribes there is nothing in hand."""
