"""Outbox delivery over confluent-kafka: idempotent, all replicas, the partition always explicit."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from schemas.log.leaders import Place
from schemas.log.topics import MAX_MESSAGE_BYTES, sent_key
from schemas.storage.connections import Bootstrap, librdkafka
from streams.state.protocol import OutboxRow

log = logging.getLogger(__name__)
_RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
_PERMANENT = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.TOPIC_AUTHORIZATION_FAILED})


class DeliveryError(Exception):
    """The broker will not take a record however often it is sent; the process must stop, uncommitted."""


class Produces(Protocol):
    """The part of librdkafka's producer that an outbox uses."""

    def produce(
        self, topic: str, value: bytes | None, key: bytes | None, partition: int,
        on_delivery: Callable[[KafkaError | None, Any], None], /, *, headers: list[tuple[str, str | bytes | None]],
    ) -> None:  # fmt: skip
        """Raises BufferError when too much is waiting, KafkaException for what is not taken at all."""
        ...


class Outbox:
    """`Producer` of the runtime over a producer whose reports somebody serves. `check` is called before anything is
    sent, and raises when this process may not send any more. `token`: see `sent_key`."""

    def __init__(
        self, producer: Produces, check: Callable[[], None] = lambda: None,
        token: Callable[[int], str] = secrets.token_hex,
    ) -> None:  # fmt: skip
        self._out, self._check, self._token = producer, check, token

    async def deliver(self, rows: Sequence[OutboxRow]) -> Mapping[Place, int]:
        """Send all rows again until every one is acknowledged: a repeated row is dropped by its reader. Returns the
        offset behind the last one in each partition. Raises DeliveryError for what no retry can mend."""
        attempt = 0
        ends: dict[Place, int] = {}
        while rows:
            self._check()
            failure = await self._once(rows, ends)
            if failure is None:
                break
            if failure.code() in _PERMANENT or failure.fatal():
                raise DeliveryError(failure.name())
            delay = _RETRY_SECONDS[min(attempt, len(_RETRY_SECONDS) - 1)]
            log.warning("outbox delivery failed, again in %.1f s", delay, extra={"error": failure.name()})
            await asyncio.sleep(delay)
            attempt += 1
        return ends

    async def _once(self, rows: Sequence[OutboxRow], ends: dict[Place, int]) -> KafkaError | None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[KafkaError | None] = loop.create_future()
        tally = _Tally(len(rows), loop, done, ends)
        for i, row in enumerate(rows):
            key = row.key if row.value is None else sent_key(row.topic, row.key, self._token)
            while True:
                try:
                    report = partial(tally.report, (row.topic, row.partition))
                    self._out.produce(row.topic, row.value, key, row.partition, report, headers=list(row.headers))
                    break
                except BufferError:
                    await asyncio.sleep(0.01)
                except KafkaException as exc:  # what comes after it must not overtake it
                    tally.give_up(len(rows) - i, exc.args[0])
                    return await done
        return await done


class KafkaOutbox(Outbox):
    """One poll thread serves delivery reports; safe for several runners of one loop."""

    def __init__(self, bootstrap: Bootstrap, client_id: str, check: Callable[[], None] = lambda: None) -> None:
        self._producer = Producer(
            {
                **librdkafka(bootstrap),
                "client.id": client_id,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "compression.type": "lz4",
                # No message may time out while later ones go through: its reader would take it for a redelivery.
                "delivery.timeout.ms": 0,
                "message.max.bytes": MAX_MESSAGE_BYTES,
                "log_level": 3,
            }
        )
        super().__init__(self._producer, check)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="outbox-poll", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._producer.flush(5)
        self._stop.set()
        self._thread.join(timeout=2)

    def _poll(self) -> None:
        while not self._stop.is_set():
            self._producer.poll(0.1)


class _Tally:
    """Counts delivery reports (called from the poll thread), notes into `ends` where records lie, and wakes the loop at
    the last one."""

    def __init__(
        self, count: int, loop: asyncio.AbstractEventLoop, done: asyncio.Future[Any], ends: dict[Place, int]
    ) -> None:
        self._left, self._ends = count, ends
        self._loop = loop
        self._done = done
        self._failure: KafkaError | None = None
        self._lock = threading.Lock()

    def report(self, place: Place, error: KafkaError | None, message: Message | None) -> None:
        offset = None if error is not None or message is None else message.offset()
        if offset is not None and offset >= 0:
            with self._lock:
                self._ends[place] = max(offset + 1, self._ends.get(place, 0))
        self.give_up(1, error)

    def give_up(self, count: int, error: KafkaError | None) -> None:
        """`count` rows are through, or will not be sent."""
        with self._lock:
            self._left -= count
            if error is not None:
                self._failure = error
            last = self._left == 0
        if last:
            self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if not self._done.done():
            self._done.set_result(self._failure)
