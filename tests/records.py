"""Records as they lie on a broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from tests.patience import until


def end_of(consumer: Consumer, topic: str, partition: int) -> int:
    """The offset behind the last one. A partition just made, or whose broker just came back, has no leader yet."""
    place = TopicPartition(topic, partition)
    message = f"the end of {topic}/{partition}"
    _, end = until(message, lambda: consumer.get_watermark_offsets(place, timeout=30), errors=(KafkaException,))
    return int(end)


def read_to_end(
    servers: str, places: Sequence[TopicPartition], ends: Mapping[int, int] | None = None
) -> list[Message]:
    """The records of partitions of one topic from the offsets of `places` on, up to their present ends, or to `ends`
    (partition -> the offset behind the last). By position: compaction and the markers of transactions take offsets at
    which nothing is to be read."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers, "group.id": uuid4().hex, "enable.auto.commit": False, "log_level": 0,
            "auto.offset.reset": "earliest", "enable.partition.eof": True,
        }
    )  # fmt: skip
    try:
        left = dict(ends or {p.partition: end_of(consumer, p.topic, p.partition) for p in places})
        starts = [TopicPartition(p.topic, p.partition, max(p.offset, 0)) for p in places]
        left = {p.partition: left[p.partition] for p in starts if left[p.partition] > p.offset}
        consumer.assign([p for p in starts if p.partition in left])
        found: list[Message] = []

        def more() -> dict[int, int]:
            for m in consumer.consume(1_000, 0.2):
                partition, offset = int(m.partition() or 0), int(m.offset() or 0)
                if partition not in left:
                    continue
                error = m.error()
                if error is None:
                    if offset < left[partition]:
                        found.append(m)
                elif error.code() != KafkaError._PARTITION_EOF:
                    continue
                # At the end of a partition its offset is that of the next record.
                if offset + (error is None) >= left[partition]:
                    del left[partition]
            return left

        if left:
            until(f"the records of {places[0].topic}", more, lambda rest: not rest, pause=0)
        return found
    finally:
        consumer.close()
