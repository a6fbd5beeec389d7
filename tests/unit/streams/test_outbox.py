"""The outbox over librdkafka's mock cluster: order, partitions, headers, permanent failures."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from schemas.log.topics import MAX_MESSAGE_BYTES
from streams.kafka import DeliveryError, KafkaOutbox
from streams.state.protocol import OutboxRow
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[str]:
    cluster = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 0})
    broker = next(iter(cluster.list_topics(timeout=PATIENCE).brokers.values()))
    yield f"{broker.host}:{broker.port}"
    cluster.flush(1)


@pytest.fixture
def outbox(bootstrap: str) -> Iterator[KafkaOutbox]:
    box = KafkaOutbox(bootstrap, "test")
    yield box
    box.close()


def read(bootstrap: str, topic: str, partition: int, count: int) -> list[tuple[bytes | None, bytes | None, object]]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "auto.offset.reset": "earliest"})
    consumer.assign([TopicPartition(topic, partition, 0)])
    found = consumer.consume(count, timeout=PATIENCE)
    consumer.close()
    assert not [m for m in found if m.error()]
    return [(m.key(), m.value(), m.headers()) for m in found]


def row(topic: str, partition: int, value: bytes | None, key: bytes | None = b"k") -> OutboxRow:
    return OutboxRow(0, 0, topic, partition, key, value, [("src", b"a"), ("src", b"b")])


async def test_rows_arrive_in_order_in_their_partitions(outbox: KafkaOutbox, bootstrap: str) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    rows = [row(topic, i % 3, str(i).encode()) for i in range(300)] + [row(topic, 0, None, None)]
    await outbox.deliver(rows)
    await outbox.deliver([])
    headers = [("src", b"a"), ("src", b"b")]
    for p in range(3):
        want = [(r.key, r.value, headers) for r in rows if r.partition == p]
        assert read(bootstrap, topic, p, len(want)) == want


async def test_after_a_row_that_cannot_be_sent_nothing_overtakes_it(outbox: KafkaOutbox, bootstrap: str) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    rows = [row(topic, 0, b"before"), row(topic, 0, b"x" * (MAX_MESSAGE_BYTES + 1)), row(topic, 0, b"after")]
    with pytest.raises(DeliveryError, match="MSG_SIZE_TOO_LARGE") as failure:
        await outbox.deliver(rows)
    assert "xxx" not in str(failure.value)
    await outbox.deliver([row(topic, 0, b"end")])
    assert [v for _, v, _ in read(bootstrap, topic, 0, 2)] == [b"before", b"end"]
