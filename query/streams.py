"""Reading topics for callers: the stream of updates, and dead letters by their headers. Blocking; used in threads."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)
BATCH = 200


class TopicAwayError(Exception):
    """The brokers did not answer, or not in time with all that was asked for."""


@dataclass(frozen=True, slots=True)
class Read:
    """A record as it came; `timestamp_ms` is the log's."""

    partition: int
    offset: int
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]
    timestamp_ms: int
    key: bytes | None = None


class TopicReader:
    """One consumer without a group: it commits nothing and disturbs nobody. Use from one thread at a time. With
    `ends`, `reached` says which partitions were read to their end."""

    def __init__(
        self, bootstrap: Bootstrap, topic: str, partitions: int, timeout: float = 5.0, ends: bool = False
    ) -> None:
        self._topic, self._partitions, self._timeout = topic, partitions, timeout
        self.reached: dict[int, int] = {}
        self._consumer = Consumer(
            {
                **librdkafka(bootstrap),
                "group.id": f"memstream-query-{uuid4().hex}",
                "client.id": "memstream-query-stream",
                "enable.auto.commit": False,
                "enable.partition.eof": ends,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 100,
                "queued.max.messages.kbytes": 8_192,
                "log_level": 3,
            },
            logger=log,
        )

    def bounds(self) -> dict[int, tuple[int, int]]:
        """Partition -> first offset and end. Raises TopicAwayError."""
        try:
            return {
                p: self._consumer.get_watermark_offsets(TopicPartition(self._topic, p), self._timeout)
                for p in range(self._partitions)
            }
        except KafkaException:
            raise TopicAwayError from None

    def start(self, offsets: Mapping[int, int]) -> None:
        """Read on from these offsets."""
        self.reached = {}
        self._consumer.assign([TopicPartition(self._topic, p, offset) for p, offset in sorted(offsets.items())])

    def next(self, seconds: float, most: int = BATCH) -> list[Read]:
        """What came within `seconds`, as soon as there is something; in order in each partition."""
        first = self._consumer.poll(seconds)
        if first is None:
            return []
        rest = self._consumer.consume(most - 1, 0.0) if most > 1 else []
        for m in (first, *rest):
            self._note_end(m)
        return [_read(m) for m in (first, *rest) if m.error() is None]

    def _note_end(self, message: Any) -> None:
        error = message.error()
        if error is not None and error.code() == KafkaError._PARTITION_EOF:
            self.reached[message.partition()] = message.offset()

    def close(self) -> None:
        self._consumer.close()


def _read(message: Any) -> Read:
    return Read(
        message.partition(),
        message.offset(),
        message.value(),
        message.headers() or (),
        message.timestamp()[1],
        message.key(),
    )


def window(
    reader: TopicReader, ends: Mapping[int, int], starts: Mapping[int, int], seconds: float
) -> list[Read]:
    """All records of [start, end) of each partition that the log still has. Raises TopicAwayError where nothing more
    came for `seconds`: what is missing then is not gone."""
    left = {p: ends[p] for p in ends if starts[p] < ends[p]}
    if not left:
        return []
    reader.start({p: starts[p] for p in left})
    out: list[Read] = []
    until = time.monotonic() + seconds
    while left:
        batch = reader.next(max(0.0, until - time.monotonic()))
        for record in batch:
            end = left.get(record.partition)
            if end is None:
                continue
            if record.offset < end:
                out.append(record)
            if record.offset >= end - 1:
                del left[record.partition]
        # The last offsets may hold nothing to read: compaction and retention have taken them.
        left = {p: end for p, end in left.items() if reader.reached.get(p, -1) < end}
        if batch:
            until = time.monotonic() + seconds
        elif left and time.monotonic() >= until:
            raise TopicAwayError
    return out
