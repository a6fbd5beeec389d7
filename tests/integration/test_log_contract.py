"""The contract of the log, groups and producer on a real broker: what the simulated ones are held to."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from confluent_kafka import Consumer, IsolationLevel, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.cimpl import NewTopic

from tests.integration.conftest import BackgroundStack
from tests.integration.log_member import RemoteMember
from tests.patience import until
from tests.simulation.log_contract import PATIENCE, GroupContract, LogContract, ProducerContract

pytestmark = pytest.mark.integration


class RealCluster:
    def __init__(self, stack: BackgroundStack) -> None:
        self._stack, self._servers = stack, stack.addresses.kafka
        self._admin = AdminClient({"bootstrap.servers": self._servers})
        self._members: list[RemoteMember] = []

    def topic(self, partitions: int) -> str:
        name = f"contract-{uuid.uuid4().hex}"
        for made in self._admin.create_topics([NewTopic(name, partitions, 1, config={"flush.messages": "1"})]).values():
            made.result(PATIENCE)
        for p in range(partitions):
            self.bounds(name, p)
        return name

    def group(self) -> str:
        return f"contract-{uuid.uuid4().hex}"

    def send(self, topic: str, partition: int, values: Sequence[bytes]) -> list[int]:
        return self._sent(topic, partition, values, lambda n: None)

    def send_disturbed(self, topic: str, values: Sequence[bytes]) -> list[int]:
        def disturb(n: int) -> None:
            if n == len(values) // 2:
                self.restart()

        return self._sent(topic, 0, values, disturb)

    def send_aborted(self, topic: str, values: Sequence[bytes]) -> None:
        producer = Producer({"bootstrap.servers": self._servers, "transactional.id": f"aborts-{topic}"})
        producer.init_transactions(PATIENCE)
        producer.begin_transaction()
        for v in values:
            producer.produce(topic, key=b"k", value=v, partition=0)
        assert producer.flush(PATIENCE) == 0
        producer.abort_transaction(PATIENCE)

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        for done in self._admin.delete_records([TopicPartition(topic, partition, offset)]).values():
            done.result(PATIENCE)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        probe = Consumer({"bootstrap.servers": self._servers, "group.id": "contract-probe"})
        place = TopicPartition(topic, partition)
        try:
            low, high = until(
                f"a leader of {topic}", lambda: probe.get_watermark_offsets(place, timeout=10), errors=(KafkaException,)
            )
            return int(low), int(high)
        finally:
            probe.close()

    def epoch(self, topic: str, partition: int) -> int:
        place = TopicPartition(topic, partition)

        def ask() -> int | None:
            # A client that knew the log of before a restart stays fenced.
            admin = AdminClient({"bootstrap.servers": self._servers})
            request = admin.list_offsets(
                {place: OffsetSpec.latest()},  # type: ignore[no-untyped-call]
                isolation_level=IsolationLevel.READ_UNCOMMITTED,
                request_timeout=30,
            )
            found: int | None = request[place].result(PATIENCE).leader_epoch
            return found

        found = until("the leader epoch", ask, lambda _: True, errors=(KafkaException,))
        return -1 if found is None else found

    def restart(self) -> None:
        self._stack.kill("kafka")

    def member(self, group: str, topic: str, instance: str = "", session: float = 6.0) -> RemoteMember:
        made = RemoteMember(self._servers, group, topic, instance, session)
        self._members.append(made)
        return made

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        for member in self._members:
            member.vanish()

    def _sent(self, topic: str, partition: int, values: Sequence[bytes], beside: Any) -> list[int]:
        producer = Producer(
            {
                "bootstrap.servers": self._servers, "enable.idempotence": True, "linger.ms": 0, "log_level": 0,
                "batch.num.messages": 10, "delivery.timeout.ms": int(PATIENCE * 1000),
            }
        )  # fmt: skip
        offsets: dict[int, int] = {}

        def report(number: int, error: Any, message: Any) -> None:
            assert error is None, error
            offsets[number] = message.offset()

        for n, v in enumerate(values):
            producer.produce(
                topic, key=b"k", value=v, partition=partition,
                on_delivery=partial(report, n),
            )  # fmt: skip
            producer.poll(0)
            beside(n)
        assert producer.flush(PATIENCE) == 0
        return [offsets[n] for n in range(len(values))]


@pytest.fixture
def cluster(running_stack: BackgroundStack) -> Iterator[RealCluster]:
    made = RealCluster(running_stack)
    yield made
    made.close()


class TestLogOnKafka(LogContract):
    """Over a broker."""


class TestProducerOnKafka(ProducerContract):
    """Over a broker."""


class TestGroupsOnKafka(GroupContract):
    """Over a broker."""
