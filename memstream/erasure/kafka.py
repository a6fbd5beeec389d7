"""Topics of real brokers, as the eraser and the looks for leaks read and write them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from memstream.erasure.ports import NO_OFFSETS, Away, Outgoing, Stored
from schemas.storage.connections import Bootstrap, librdkafka

_POLL_SECONDS = 0.2
_FLUSH_SECONDS = 30.0


class KafkaTopics:
    """Not for the hot path: an erasure is rare. `timeout`: seconds without a record, after which a read ends."""

    def __init__(self, bootstrap: Bootstrap, timeout: float = 10.0) -> None:
        self._bootstrap, self._timeout = bootstrap, timeout

    def read(
        self, places: Sequence[tuple[str, int]], since: Mapping[tuple[str, int], int] = NO_OFFSETS
    ) -> Iterator[Stored]:
        """By one consumer: each one more costs most of a second before its first record."""
        try:
            yield from read_to_end(self._bootstrap, places, self._timeout, since)
        except KafkaException as exc:
            raise _away(exc) from None

    def write(self, records: Iterable[Outgoing]) -> None:
        """By a producer of its own: one that has failed for good fails for ever."""
        failed: list[KafkaError] = []

        def delivered(error: KafkaError | None, _: Message) -> None:
            if error is not None:
                failed.append(error)

        try:
            producer = Producer(
                {**librdkafka(self._bootstrap), "enable.idempotence": True, "client.id": "memstream-eraser",
                 "log_level": 3}
            )  # fmt: skip
            for r in records:
                _produce(producer, r, delivered)
            left = producer.flush(_FLUSH_SECONDS)
        except KafkaException as exc:
            raise _away(exc) from None
        if failed:
            raise Away(f"{failed[0].name()}: {len(failed)} records were not taken")
        if left:
            raise Away(f"_TIMED_OUT: {left} records were not acknowledged")


def _produce(producer: Producer, r: Outgoing, on_delivery: object) -> None:
    while True:
        try:
            producer.produce(r.topic, r.value, r.key, r.partition, on_delivery, headers=list(r.headers))  # type: ignore[arg-type]
        except BufferError:  # a tenant has more than the producer holds
            producer.poll(1.0)
        else:
            producer.poll(0)
            return


def _away(exc: KafkaException) -> Away:
    error = exc.args[0] if exc.args else None
    return Away(error.name() if isinstance(error, KafkaError) else type(exc).__name__)


def read_to_end(
    bootstrap: Bootstrap,
    places: Sequence[tuple[str, int]],
    timeout: float,
    since: Mapping[tuple[str, int], int] = NO_OFFSETS,
) -> Iterator[Message]:
    """Every record of these partitions (topic, number), from the start of each to its end as it is when it is reached.
    `since`: where to begin with some; what is not in the log is reset to its start (`auto.offset.reset`).

    Raises KafkaException, also after `timeout` seconds without a record.
    """
    consumer = Consumer(
        {
            **librdkafka(bootstrap), "group.id": "memstream-erasure", "enable.auto.commit": False,
            "enable.partition.eof": True, "auto.offset.reset": "earliest", "log_level": 3,
            # Of each partition; the library's own 64 MB would be gigabytes over all topics.
            "queued.max.messages.kbytes": 1_024,
        }
    )  # fmt: skip
    try:
        consumer.assign([TopicPartition(*place, since.get(place, OFFSET_BEGINNING)) for place in places])
        left, last_message = set(places), time.monotonic()
        while left:  # ticks go on: an end may be reached more than once
            batch: Sequence[Message] = consumer.consume(1_000, _POLL_SECONDS)
            last_message = time.monotonic() if batch else last_message
            if time.monotonic() - last_message > timeout:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "the end of a partition was not reached"))
            for m in batch:
                error = m.error()
                if error is None:
                    yield m
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard((m.topic() or "", m.partition() or 0))
                else:
                    raise KafkaException(error)
    finally:
        consumer.close()
