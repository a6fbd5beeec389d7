"""librdkafka's idempotent producer, as far as its callers can tell: order per partition, repetition, sequences."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from confluent_kafka import KafkaError

from schemas.log.codec import Headers
from tests.simulation.broker import Broker
from tests.simulation.groups import Place
from tests.simulation.net import AwayError, Net, pause
from tests.simulation.partition import BrokerError, Record

Report = Callable[[KafkaError | None, Any], None]
_QUEUE = 100_000


@dataclass(frozen=True, slots=True)
class Sent:
    """What a report names."""

    topic_name: str
    partition_number: int
    first: int

    def offset(self) -> int:
        return self.first


@dataclass(slots=True)
class _Queued:
    record: Record
    report: Report


class SimProducer:
    """One request a partition is on its way at a time, so that none overtakes another. `timeout`: seconds after which a
    record is given up; None: never. What was given up may still arrive; the next records get a new producer id, as
    librdkafka raises its epoch. `now_ms`: the clock of its process."""

    def __init__(
        self, net: Net, broker: Broker, random: Random, now_ms: Callable[[], int], timeout: float | None = None,
        most: int = 50,
    ) -> None:  # fmt: skip
        self._net, self._broker, self._random, self._now_ms = net, broker, random, now_ms
        self._timeout, self._most = timeout, most
        self._queues: dict[Place, deque[_Queued]] = {}
        self._busy: set[Place] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._id = broker.producer_id()
        self._sequences: dict[Place, int] = {}
        self._waiting = 0
        self._fatal: KafkaError | None = None

    def __len__(self) -> int:
        return self._waiting

    def produce(
        self, topic: str, value: bytes | None, key: bytes | None, partition: int, on_delivery: Report, /, *,
        headers: list[tuple[str, str | bytes | None]],
    ) -> None:  # fmt: skip
        if self._waiting >= _QUEUE:
            raise BufferError
        place = (topic, partition)
        self._queues.setdefault(place, deque()).append(
            _Queued(Record(key, value, _bytes(headers), self._now_ms()), on_delivery)
        )
        self._waiting += 1
        if place not in self._busy:
            self._busy.add(place)
            task = asyncio.ensure_future(self._drain(place))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    async def send(self, topic: str, partition: int, key: bytes | None, value: bytes | None, headers: Headers) -> int:
        """One record; its offset. Raises AwayError when it was not acknowledged in time."""
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def report(error: KafkaError | None, message: Any) -> None:
            if error is None:
                done.set_result(message.offset())
            else:
                done.set_exception(AwayError(error.name()))

        self.produce(topic, value, key, partition, report, headers=list(headers))
        return await done

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (exc := task.exception()) is not None:
            task.get_loop().call_exception_handler({"message": "the producer", "exception": exc})

    async def _drain(self, place: Place) -> None:
        queue = self._queues[place]
        await asyncio.sleep(0.002)  # linger.ms
        while queue:
            count = min(len(queue), self._random.randint(1, self._most))
            await self._batch(place, [queue.popleft() for _ in range(count)])
        self._busy.discard(place)

    async def _batch(self, place: Place, batch: list[_Queued]) -> None:
        records = [q.record for q in batch]
        began, tries, me = asyncio.get_running_loop().time(), 0, self._id
        sequence = self._sequences.get(place, 0)
        while self._fatal is None:
            try:
                offset = await self._net.call(
                    self._broker, lambda: self._broker.produce(*place, records, me, sequence), within=3.0
                )
            except (AwayError, BrokerError) as exc:
                if isinstance(exc, BrokerError) and exc.code == KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER:
                    self._fatal = KafkaError(exc.code, fatal=True)
                    break
                tries += 1
                if self._timeout is not None and asyncio.get_running_loop().time() - began > self._timeout:
                    self._renew()
                    self._deliver(batch, place, KafkaError(KafkaError._MSG_TIMED_OUT), 0)
                    return
                await pause(self._random, tries)
            else:
                if me == self._id:
                    self._sequences[place] = sequence + len(batch)
                self._deliver(batch, place, None, offset)
                return
        self._deliver(batch, place, self._fatal, 0)

    def _renew(self) -> None:
        self._id = self._broker.producer_id()
        self._sequences.clear()

    def _deliver(self, batch: list[_Queued], place: Place, error: KafkaError | None, base: int) -> None:
        self._waiting -= len(batch)
        for i, queued in enumerate(batch):
            queued.report(error, None if error is not None else Sent(*place, base + i))


def _bytes(headers: list[tuple[str, str | bytes | None]]) -> Headers:
    """As they arrive: bytes, and none without a value."""
    return [(key, value.encode() if isinstance(value, str) else value) for key, value in headers if value is not None]
