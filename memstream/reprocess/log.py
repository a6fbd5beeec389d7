"""Topics read from their starts to their present ends, by a consumer without a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from confluent_kafka import Consumer, KafkaException, TopicPartition

from memstream.reprocess.errors import BrokerAwayError
from memstream.reprocess.offsets import Place
from schemas.storage.connections import Bootstrap, librdkafka
from sinks.protocol import Message


class LogReader:
    """Commits nothing. Each `to_end` goes on where the last one ended."""

    def __init__(self, bootstrap: Bootstrap, places: Sequence[Place]) -> None:
        self._places = list(places)
        self._next: dict[Place, int] = {}
        self._consumer = Consumer(
            {
                **librdkafka(bootstrap), "group.id": "memstream-rebuild-fold", "enable.auto.commit": False,
                "enable.auto.offset.store": False, "auto.offset.reset": "earliest", "log_level": 3,
                "enable.partition.eof": True,
            }
        )  # fmt: skip

    def to_end(self, report_left: Callable[[int], None] = lambda left: None) -> Iterator[list[Message]]:
        """Batches up to the ends as they are now, in order in each partition. `report_left` hears how many records are
        left. Raises BrokerAwayError."""
        ends = self._ends()
        self._consumer.assign([TopicPartition(t, p, self._next[t, p]) for t, p in ends])
        while left := sum(max(0, end - self._next[place]) for place, end in ends.items()):
            report_left(left)
            yield self._take()
        self._consumer.unassign()

    def sizes(self) -> dict[Place, int]:
        """Records that a place holds at most. Raises BrokerAwayError."""
        ends = self._ends()
        return {place: max(0, ends.get(place, 0) - self._next[place]) for place in self._places}

    def position(self, place: Place) -> int:
        """The first offset of a place that was not read."""
        return self._next[place]

    def close(self) -> None:
        self._consumer.close()

    def _ends(self) -> dict[Place, int]:
        out: dict[Place, int] = {}
        for topic, partition in self._places:
            try:
                start, end = self._consumer.get_watermark_offsets(TopicPartition(topic, partition), 10)
            except KafkaException as exc:
                raise BrokerAwayError(f"the brokers do not answer ({exc.args[0].name()})") from None
            self._next[topic, partition] = max(start, self._next.get((topic, partition), 0))
            if self._next[topic, partition] < end:
                out[topic, partition] = end
        return out

    def _take(self) -> list[Message]:
        messages: list[Message] = []
        for raw in self._consumer.consume(1_000, 0.2):
            topic, partition, offset = raw.topic(), raw.partition(), raw.offset()
            assert topic is not None and partition is not None and offset is not None  # noqa: S101, PT018
            place, error = (topic, partition), raw.error()
            if error is not None:
                # The end of a partition: what compaction took below it will not come.
                self._next[place] = max(self._next[place], offset)
                continue
            self._next[place] = offset + 1
            pairs = cast("list[tuple[str, bytes | None]]", raw.headers() or [])
            headers = [(n, v or b"") for n, v in pairs]
            stamp = raw.timestamp()[1]
            messages.append(Message(topic, partition, offset, _bytes(raw.key()), _bytes(raw.value()), headers, stamp))
        return messages


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
