"""The service's one producer: idempotent, all replicas, partition given, outcome awaited (CONTRACT "Writing")."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka import KafkaError, KafkaException, Producer

from schemas.log.codec import Headers
from schemas.log.topics import sent_key
from schemas.storage.connections import Bootstrap, librdkafka


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One encoded event and where it goes. Its time in the log is when it is written: retention counts from it."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class Log(Protocol):
    """Writes records to the log."""

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        """Return the offset of each record once the brokers have acknowledged it, None where they did not.

        Raises QueueFullError, before anything is sent, when too much is waiting already.
        """
        ...

    def close(self) -> None: ...


class QueueFullError(Exception):
    """Too many records wait for the brokers."""


class Produces(Protocol):
    """A producer as librdkafka's: reports are served by somebody else. Its length is what waits."""

    def __len__(self) -> int: ...

    def produce(
        self, topic: str, value: bytes | None, key: bytes | None, partition: int, on_delivery: Any, /, *,
        headers: list[tuple[str, str | bytes | None]],
    ) -> None:  # fmt: skip
        """Raises BufferError when too much is waiting, KafkaException for what is not taken at all."""
        ...


class ReportedLog:
    """A `Log` over producers whose reports somebody serves. `made` makes one: a new one after a fatal error. `token`:
    see `sent_key`."""

    def __init__(
        self, made: Callable[[], Produces], max_queued: int, timeout: float,
        token: Callable[[int], str] = secrets.token_hex,
    ) -> None:  # fmt: skip
        self._made, self._max_queued, self._timeout, self._token = made, max_queued, timeout, token
        self._producer = made()

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        if len(self._producer) + len(records) > self._max_queued:
            raise QueueFullError
        waiting = _Waiting(len(records), asyncio.get_running_loop())
        producer = self._producer
        for place, record in enumerate(records):
            key = record.key if record.value is None else sent_key(record.topic, record.key, self._token)
            try:
                producer.produce(
                    record.topic, record.value, key, record.partition, waiting.report(place),
                    headers=list(record.headers),
                )  # fmt: skip
            except (BufferError, KafkaException) as exc:
                waiting.failed(place)
                if isinstance(exc, KafkaException) and _fatal(exc):
                    self._renew(producer)
        try:
            # librdkafka reports every record within its own timeout; the margin is for a client that hangs.
            await asyncio.wait_for(waiting.done, self._timeout + 5.0)
        except TimeoutError:
            return list(waiting.offsets)
        if waiting.fatal:
            self._renew(producer)
        return list(waiting.offsets)

    def close(self) -> None:
        """Nothing waits."""

    def _renew(self, broken: Produces) -> None:
        """After a fatal error an idempotent producer sends nothing any more."""
        if self._producer is broken:
            self._producer = self._made()


class KafkaLog(ReportedLog):
    """Over librdkafka. One thread serves delivery reports; callers never block the event loop."""

    _producer: Producer

    def __init__(self, bootstrap: Bootstrap, *, max_queued: int = 20_000, timeout: float = 10.0) -> None:
        settings: dict[str, Any] = {
            **librdkafka(bootstrap),
            "client.id": "memstream-query",
            "enable.idempotence": True,
            "acks": "all",
            "linger.ms": 2,
            "compression.type": "lz4",
            "message.timeout.ms": int(timeout * 1000),
            "message.max.bytes": 2_097_152,
            "queue.buffering.max.messages": max_queued * 2,
            "log_level": 3,
            "logger": logging.getLogger(__name__),
        }
        super().__init__(lambda: Producer(settings), max_queued, timeout)
        self._open = True
        self._poller = threading.Thread(target=self._poll, name="producer-poll", daemon=True)
        self._poller.start()

    def _poll(self) -> None:
        while self._open:
            self._producer.poll(0.05)

    def close(self) -> None:
        self._producer.flush(5.0)
        self._open = False
        self._poller.join(2.0)
        self._producer.close()


class _Waiting:
    """The outcomes of one call, counted down by the poll thread."""

    def __init__(self, count: int, loop: asyncio.AbstractEventLoop) -> None:
        self.offsets: list[int | None] = [None] * count
        self.fatal = False
        self.done: asyncio.Future[None] = loop.create_future()
        self._left = count
        self._loop = loop
        self._lock = threading.Lock()
        if count == 0:
            self.done.set_result(None)

    def report(self, place: int) -> Any:
        def on_delivery(error: KafkaError | None, message: Any) -> None:
            if error is None:
                self.offsets[place] = message.offset()
            elif error.fatal():
                self.fatal = True
            self._count()

        return on_delivery

    def failed(self, place: int) -> None:
        self._count()

    def _count(self) -> None:
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


def _fatal(exc: KafkaException) -> bool:
    error = exc.args[0] if exc.args else None
    return isinstance(error, KafkaError) and bool(error.fatal())
