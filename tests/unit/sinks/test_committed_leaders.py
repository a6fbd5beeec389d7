"""Sinks commit with the leader of the last record, and go back where a log was cut (C1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from confluent_kafka import TopicPartition

from sinks.kafka import KafkaConsumer, KafkaSettings
from tests.unit.sinks.test_batch_bytes import TOPIC, Librdkafka, Raw


@dataclass
class Committing(Librdkafka):
    """Keeps what is committed: partition -> offset and leader."""

    done: dict[int, tuple[int, int | None]] = field(default_factory=dict)

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        self.done |= {p.partition: (p.offset, p.leader_epoch) for p in offsets}
        return offsets


def test_c1_a_commit_names_the_leader_of_the_record_before_it() -> None:
    fake = Committing(
        [Raw(0, 1, 0, 4), Raw(1, 1, 0, 4), Raw(2, 1, 0, 7), Raw(0, 1, 1, 0), Raw(0, 1, 2, None), Raw(9, 1, 3, 2)]
    )
    made = KafkaConsumer(KafkaSettings("127.0.0.1:1", "g"))
    made._consumer.close()
    made._consumer = cast(Any, fake)
    made.poll(500, 0.1)
    made.commit({(TOPIC, 0): 2, (TOPIC, 1): 1, (TOPIC, 2): 1, (TOPIC, 3): 5})
    assert fake.done == {0: (2, 4), 1: (1, 0), 2: (1, None), 3: (5, None)}, "of what is not known none is named"
    made.commit({(TOPIC, 0): 3})
    assert fake.done[0] == (3, 7)
    fake.waiting = [Raw(1, 1, 0, 8)]  # the log was cut: another record has the offset now
    made.poll(500, 0.1)
    made.commit({(TOPIC, 0): 2})
    assert fake.done[0] == (2, 8)
