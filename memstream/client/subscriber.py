"""Subscribing to memory.updates (K5): typed, filtered, resumed; a change counts as seen once its handler returned."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from memstream.client.changes import (
    Change,
    MemoryChange,
    Positions,
    Wanted,
    change_of,
    dump_positions,
)
from memstream.client.errors import ClosedError, SealedError, UnavailableError
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryKind, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError, header
from schemas.log.dead_letters import REPLAY_FOR
from schemas.security.sealing import KeysAway
from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)
_TOPIC = topics.UPDATES.name
_BATCH = 200
_FINAL = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED, KafkaError.UNKNOWN_TOPIC_OR_PART,
)  # fmt: skip
Start = Literal["earliest", "latest"]


class Subscriber:
    """A member of a consumer group of memory.updates.

        with Subscriber("localhost:9092", group="crm", kinds={"fact"}, changes={"new", "superseded"}) as changes:
            changes.run(write_to_crm)

    At least once: the group's position moves past a change only after its handler has returned, so a process that
    dies goes on with the change that it was at. A handler that raises ends `run`; the change comes again, to the next
    `run` of this subscriber as to another member. Changes of one record come in order; members of a group share the
    partitions.
    """

    def __init__(
        self, bootstrap: Bootstrap, *, group: str, kinds: Iterable[MemoryKind] = (), changes: Iterable[Change] = (),
        users: Iterable[str] = (), projects: Iterable[str] = (), tenants: Iterable[str] = (),
        start: Start = "latest", resume: Positions | None = None, codec: Codec | None = None,
        on_erasure: Callable[[Erasure], object] | None = None, commit_seconds: float = 1.0, consumer: Any = None,
    ) -> None:  # fmt: skip
        """`start`: where a group begins that has no position yet. `resume` (partition -> next offset, as an event of
        GET /v1/updates names it): read all partitions from there and leave the group's position alone. `codec` opens
        sealed parts (memstream.keyring.wiring); without one a sealed value raises SealedError. `on_erasure` is told,
        in order and before the position moves, that a user, session, project or tenant is erased: what you keep of it,
        from before `accepted_at`, must go (it comes once a step, and for a tenant once a partition). `consumer` for
        tests."""
        self._wanted = Wanted(
            frozenset(kinds), frozenset(changes), frozenset(users), frozenset(projects), frozenset(tenants)
        )
        self._settings: dict[str, Any] = {
            **librdkafka(bootstrap),
            "group.id": group,
            "client.id": f"memstream-{group}",
            "auto.offset.reset": start,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "partition.assignment.strategy": "cooperative-sticky",
            "log_level": 3,
        }
        self._resume, self._codec, self._commit_seconds = resume, codec or Codec(), commit_seconds
        self._opens = codec is not None
        self._on_erasure = on_erasure
        self._consumer = consumer
        self._seen: dict[int, int] = {}
        self._unhandled: deque[Any] = deque()
        """What the consumer handed out and no handler has returned for: the consumer itself is past it already."""
        self._committed_at = 0.0
        self._stopping = threading.Event()
        self.undecodable = 0
        """Records that could not be read: another version, or sealed under a key that is gone."""

    def __enter__(self) -> Self:
        if self._consumer is None:
            self._consumer = Consumer(self._settings, logger=log)
        if self._resume is None:
            self._consumer.subscribe([_TOPIC], on_revoke=self._revoked)
        else:
            self._consumer.assign([TopicPartition(_TOPIC, p, offset) for p, offset in sorted(self._resume.items())])
            self._seen.update(self._resume)
        self._committed_at = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commits what was handled."""
        consumer, seen = self._consumer, dict(self._seen)
        self._consumer = None
        self._unhandled.clear()
        if consumer is not None:
            self._commit_to(consumer, seen)
            consumer.close()

    @property
    def positions(self) -> str:
        """Behind what was handled, as `Last-Event-ID` and `resume` take it (`load_positions`)."""
        return dump_positions(self._seen)

    def stop(self) -> None:
        """End `run` and iteration after the change that is being handled; safe from another thread."""
        self._stopping.set()

    def run(self, handle: Callable[[MemoryChange], object]) -> None:
        """Call `handle` for every change until `stop`. What it raises ends the run, uncommitted."""
        for change in self:
            handle(change)

    def __iter__(self) -> Iterator[MemoryChange]:
        """Every change that passes the filters; it counts as handled when the next one is asked for."""
        while not self._stopping.is_set():
            self._fetch(0.5)
            while self._unhandled:
                found, partition, offset = self._read(self._unhandled[0])
                if isinstance(found, MemoryChange):
                    yield found
                elif found is not None and self._on_erasure is not None:
                    self._on_erasure(found)
                self._unhandled.popleft()
                self._seen[partition] = offset + 1
                if self._stopping.is_set():
                    return
            self._commit_in_time()

    def poll(self, seconds: float) -> Sequence[tuple[MemoryChange | Erasure | None, int, int]]:
        """What came, with its place; None where it is filtered out or no change. Nothing of it counts as handled.
        Raises UnavailableError when the topic cannot be read, ClosedError, SealedError; the next call has it again."""
        self._fetch(seconds)
        out = [self._read(m) for m in self._unhandled]
        self._unhandled.clear()
        return out

    def _fetch(self, seconds: float) -> None:
        """The next records, where all that came before is handled."""
        if self._consumer is None:
            raise ClosedError("the subscriber is not open: use it as a context manager")
        if self._unhandled:
            return
        for message in self._consumer.consume(_BATCH, seconds):
            if (error := message.error()) is None:
                self._unhandled.append(message)
            else:
                self._check(error)

    def _read(self, message: Any) -> tuple[MemoryChange | Erasure | None, int, int]:
        return self._change(message), message.partition(), message.offset()

    def _check(self, error: KafkaError) -> None:
        """librdkafka mends what passes; the rest is the operator's."""
        if error.fatal() or error.code() in _FINAL:
            raise UnavailableError(f"{_TOPIC} cannot be read: {error.name()}", "kafka")

    def _change(self, message: Any) -> MemoryChange | Erasure | None:
        raw = message.headers() or ()
        if message.value() is None or header(raw, REPLAY_FOR) is not None:  # put back for one sink: it was told before
            return None
        try:
            event = self._codec.decode(_TOPIC, message.value())
        except KeysAway:
            raise UnavailableError("the keyring does not answer", "postgres") from None
        except DecodeError as exc:
            if exc.reason == "sealed" and not self._opens:
                raise SealedError(
                    f"{_TOPIC}: the value is sealed: give codec= (memstream.keyring.wiring.sealing_of),"
                    " or read GET /v1/updates"
                ) from None
            self.undecodable += 1
            place = {"partition": message.partition(), "offset": message.offset(), "reason": exc.reason}
            log.warning("an update could not be read", extra=place)
            return None
        if isinstance(event, Erasure):
            return event if self._wanted.concerns(event) else None
        if not isinstance(event, MemoryUpdate):
            return None
        headers = {k: v.decode("utf-8", "replace") for k, v in raw if v is not None}
        found = MemoryChange(change_of(event), event, message.partition(), message.offset(), headers)
        return found if found in self._wanted else None

    def _commit_in_time(self) -> None:
        if time.monotonic() - self._committed_at >= self._commit_seconds:
            self.commit()

    def commit(self) -> None:
        """Move the group's position behind what was handled. `run` and iteration do it every `commit_seconds`."""
        if self._consumer is not None:
            self._commit_to(self._consumer, self._seen)
        self._committed_at = time.monotonic()

    def _commit_to(self, consumer: Any, seen: Positions) -> None:
        if self._resume is not None or not seen:
            return
        try:
            consumer.commit(offsets=[TopicPartition(_TOPIC, p, o) for p, o in seen.items()], asynchronous=False)
        except KafkaException as exc:
            # Another member has the partition by now: it begins at the last commit, which is what at least once says.
            log.warning("positions were not committed", extra={"error": exc.args[0].name()})

    def _revoked(self, consumer: Any, partitions: Sequence[TopicPartition]) -> None:
        going = {p.partition: self._seen.pop(p.partition) for p in partitions if p.partition in self._seen}
        self._commit_to(consumer, going)


class AsyncSubscriber:
    """`Subscriber` for asynchronous code: it polls in a thread, handlers run on the loop."""

    def __init__(self, subscriber: Subscriber) -> None:
        self._subscriber = subscriber

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._subscriber.__enter__)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._subscriber.__exit__, kind, error, trace)

    @property
    def positions(self) -> str:
        """As `Subscriber.positions`."""
        return self._subscriber.positions

    def stop(self) -> None:
        self._subscriber.stop()

    async def run(self, handle: Callable[[MemoryChange], Awaitable[object]]) -> None:
        """Await `handle` for every change until `stop`. What it raises ends the run, uncommitted."""
        async for change in self:
            await handle(change)

    async def __aiter__(self) -> AsyncIterator[MemoryChange]:
        changes = iter(self._subscriber)
        while (found := await asyncio.to_thread(next, changes, None)) is not None:
            yield found
