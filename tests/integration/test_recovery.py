"""Recovery on a real broker and Postgres: a log that is shorter than what was read of it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from confluent_kafka import Message, Producer, TopicPartition

from memstream import topics as provisioning
from memstream.recovery import ShortLog, ShortLogError, recover, require_whole_logs, short_logs
from schemas import migrations
from schemas.log import topics
from schemas.storage.connections import brokers_of
from tests.integration.conftest import BackgroundStack, started
from tests.patience import PATIENCE
from tests.records import read_to_end

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
PARTITIONS, PARTITION = 8, 3
TURNS = topics.TURNS.name


@pytest.fixture
def servers() -> Iterator[BackgroundStack]:
    with started("the servers", lambda folder, seconds: BackgroundStack(folder, seconds=seconds)) as stack:
        provisioning.apply(stack.addresses.kafka, PARTITIONS, 1)
        migrations.upgrade(stack.addresses.postgres)
        yield stack


def written(kafka: str, *values: bytes) -> list[int]:
    """Offsets of records that were written to the partition."""
    offsets: list[int] = []

    def note(error: object, message: Message) -> None:
        assert error is None
        offset = message.offset()
        assert offset is not None
        offsets.append(offset)

    producer = Producer({"bootstrap.servers": kafka, "log_level": 0})
    for value in values:
        producer.produce(TURNS, value=value, partition=PARTITION, on_delivery=note)
    assert producer.flush(PATIENCE) == 0
    return offsets


def read(kafka: str) -> list[bytes]:
    """The committed records, from the start to the end."""
    found = read_to_end(kafka, [TopicPartition(TURNS, PARTITION, 0)])
    return [value for message in found if (value := message.value()) is not None]


def test_lost_offsets_are_occupied_and_nothing_else_is_touched(servers: BackgroundStack) -> None:
    kafka, dsn = servers.addresses.kafka, servers.addresses.postgres
    brokers = brokers_of(kafka)
    before = [f"before {n}".encode() for n in range(5)]
    assert written(kafka, *before) == [0, 1, 2, 3, 4]
    assert short_logs(brokers, dsn, PARTITIONS) == []
    with psycopg.connect(dsn) as conn:
        for partition, offset in ((PARTITION, 12), (PARTITION + 1, 0)):
            conn.execute(
                "INSERT INTO stream.positions (step, partition, next_offset, progress, seen, outbox, updated_at) "
                "VALUES ('screen', %s, %s, '{}', '{}', '', now())",
                (partition, offset),
            )
    short = ShortLog(TURNS, PARTITION, end=5, reached=12)
    assert short_logs(brokers, dsn, PARTITIONS) == [short]
    with pytest.raises(ShortLogError, match="memstream recover"):
        require_whole_logs(brokers, dsn, PARTITIONS)
    assert recover(brokers, dsn, PARTITIONS) == [short]
    require_whole_logs(brokers, dsn, PARTITIONS)
    assert recover(brokers, dsn, PARTITIONS) == []
    with psycopg.connect(dsn) as conn:
        losses = conn.execute("SELECT topic, partition, first_offset, next_offset FROM ops.log_losses").fetchall()
    assert losses == [(TURNS, PARTITION, 5, 12)]
    assert written(kafka, b"after") >= [12]
    assert read(kafka) == [*before, b"after"]


def test_c1_what_was_written_over_a_loss_is_sent_again_behind_its_readers(servers: BackgroundStack) -> None:
    """A leader of which the log knows nothing has lost all; three of five offsets had been read under it."""
    kafka, dsn = servers.addresses.kafka, servers.addresses.postgres
    brokers = brokers_of(kafka)
    since = [f"since {n}".encode() for n in range(5)]
    assert written(kafka, *since) == [0, 1, 2, 3, 4]
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "INSERT INTO stream.positions (step, partition, next_offset, progress, seen, outbox, no_erasure_at, "
            "leader_epoch, leader_offset, updated_at) VALUES ('screen', %s, 3, '{}', '{}', '', 3, 999, 3, now())",
            (PARTITION,),
        )
        conn.execute("INSERT INTO stream.former_leaders VALUES ('screen', %s, 998, 2)", (PARTITION,))
    grown = ShortLog(TURNS, PARTITION, end=0, reached=3, written=5)
    assert short_logs(brokers, dsn, PARTITIONS) == [grown]
    with pytest.raises(ShortLogError, match="has grown to 5 since; stop all"):
        require_whole_logs(brokers, dsn, PARTITIONS)
    assert recover(brokers, dsn, PARTITIONS) == [grown]
    assert recover(brokers, dsn, PARTITIONS) == []
    with psycopg.connect(dsn) as conn:
        position = "SELECT next_offset, no_erasure_at, leader_epoch, leader_offset FROM stream.positions"
        assert conn.execute(position).fetchall() == [(5, 5, None, None)]
        assert conn.execute("SELECT count(*) FROM stream.former_leaders").fetchone() == (0,)
        losses = conn.execute("SELECT topic, partition, first_offset, next_offset, lost FROM ops.log_losses")
        assert losses.fetchall() == [(TURNS, PARTITION, 0, 5, 3)]
    assert read(kafka) == [*since, *since]
