"""The simulated log under the contract of the real one, and what only a power cut does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

import pytest
from confluent_kafka import KafkaError, KafkaException

from sinks.protocol import CommitLost, Transient
from tests.simulation.broker import Broker
from tests.simulation.consumer import MemberConfig
from tests.simulation.log_contract import Answer, Got, GroupContract, LogContract, ProducerContract
from tests.simulation.loop import SimLoop
from tests.simulation.net import Net, Weather
from tests.simulation.partition import BrokerError, Partition, Record, Stored
from tests.simulation.producer import SimProducer
from tests.simulation.sink_consumer import SimSinkConsumer

T = TypeVar("T")


class SimMember(SimSinkConsumer):
    """A consumer of the sinks, in a process of its own."""

    def __init__(self, cluster: SimCluster, config: MemberConfig) -> None:
        super().__init__(cluster.net, cluster.broker, cluster.random, cluster.loop, config)
        self._process = cluster.loop.process("member")
        self._sim = cluster.loop
        self._moved: list[int] = []
        self.subscribe(config.topics, lambda places: self._moved.extend(p for _, p in places))

    def _block(self, work: Awaitable[T]) -> T:
        async def run() -> T:
            return await work

        found: T = self._sim.run_until_complete(self._sim.spawn(self._process, run()))
        return found

    def owns(self) -> frozenset[int]:
        return frozenset(p for _, p in self._in_group.positions)

    def gave_up(self) -> list[int]:
        return list(self._moved)

    def vanish(self) -> None:
        self._sim.kill(self._process)

    def freeze(self) -> None:
        self._process.frozen = True

    def thaw(self) -> None:
        self._process.frozen = False

    def close(self) -> None:
        self._block(self._in_group.leave())
        super().close()


class Wrapped:
    """As the contract has it."""

    def __init__(self, member: SimMember, topic: str) -> None:
        self._member, self._topic = member, topic
        self.owns, self.gave_up, self.close = member.owns, member.gave_up, member.close
        self.vanish, self.freeze, self.thaw = member.vanish, member.freeze, member.thaw

    def poll(self, seconds: float) -> list[Got]:
        found = self._member.poll(100, seconds)
        return [(m.partition, m.offset, m.value or b"") for m in found]

    def commit(self, offsets: Mapping[int, int]) -> Answer:
        try:
            self._member.commit({(self._topic, p): n for p, n in offsets.items()})
        except CommitLost:
            return "lost"
        except Transient:
            return "again"
        except KafkaException as exc:
            return "fenced" if exc.args[0].code() == KafkaError.FENCED_INSTANCE_ID else "lost"
        return "done"


class SimCluster:
    def __init__(self, seed: int, durable: bool = True) -> None:
        self.loop, self.random = SimLoop(seed), Random(seed)
        self.net, self.broker = Net(self.random), Broker(self.random, self.loop)
        self._durable, self._names = durable, iter(range(100))
        self._producer = SimProducer(self.net, self.broker, self.random, lambda: 1_700_000_000_000)

    def topic(self, partitions: int) -> str:
        name = f"topic-{next(self._names)}"
        self.broker.create(name, partitions, self._durable)
        return name

    def group(self) -> str:
        return f"group-{next(self._names)}"

    def send(self, topic: str, partition: int, values: Sequence[bytes]) -> list[int]:
        async def work() -> list[int]:
            return await asyncio.gather(*(self._producer.send(topic, partition, b"k", v, []) for v in values))

        return self._run(work())

    def send_disturbed(self, topic: str, values: Sequence[bytes]) -> list[int]:
        async def work() -> list[int]:
            self.broker.weather = Weather(lost=0.4, slow=5.0)
            sent = asyncio.gather(*(self._producer.send(topic, 0, b"k", v, []) for v in values))
            await asyncio.sleep(0.05)
            self.broker.crash(power=False)
            await asyncio.sleep(3)
            self.broker.start()
            return await sent

        found = self._run(work())
        self.broker.weather = Weather()
        return found

    def send_aborted(self, topic: str, values: Sequence[bytes]) -> None:
        log = self.broker.partition(topic, 0)
        log.append([Record(b"k", v, [], 0, visible=False) for v in (*values, b"")])
        log.flush()

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        self.broker.partition(topic, partition).delete_before(offset)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        log = self.broker.partition(topic, partition)
        return log.start, log.end

    def epoch(self, topic: str, partition: int) -> int:
        return self.broker.partition(topic, partition).epoch

    def restart(self) -> None:
        self.broker.crash(power=False)
        self._run(asyncio.sleep(2))
        self.broker.start()

    def member(self, group: str, topic: str, instance: str = "", session: float = 6.0) -> Wrapped:
        return Wrapped(SimMember(self, MemberConfig(group, (topic,), instance, session)), topic)

    def now(self) -> float:
        return self.loop.time()

    def _run(self, work: Awaitable[T]) -> T:
        found: T = self.loop.run_until_complete(work)
        return found


class _Seeded:
    @pytest.fixture(params=[1, 2, 3])
    def cluster(self, request: pytest.FixtureRequest) -> Iterator[SimCluster]:
        made = SimCluster(request.param)
        yield made
        made.loop.close()


class TestLog(_Seeded, LogContract):
    """Simulated."""


class TestProducer(_Seeded, ProducerContract):
    """Simulated."""


class TestGroups(_Seeded, GroupContract):
    """Simulated."""


def records(*values: bytes) -> list[Record]:
    return [Record(b"k", v, [], 0) for v in values]


def values(found: Sequence[Stored]) -> list[bytes | None]:
    return [s.record.value for s in found]


def test_a_power_cut_takes_what_was_not_flushed_and_nothing_else() -> None:
    log = Partition(durable=False)
    log.append(records(b"a", b"b"))
    log.flush()
    log.append(records(b"c"))
    assert values(log.read(0, 10)) == [b"a", b"b", b"c"], "it was acknowledged, and could be read"
    assert log.cut() == 1
    assert (values(log.read(0, 10)), log.end) == ([b"a", b"b"], 2)


def test_a_durable_log_shows_nothing_that_a_power_cut_could_take() -> None:
    log = Partition(durable=True)
    log.append(records(b"a"))
    assert log.read(0, 10) == []
    assert log.cut() == 0


def test_a_batch_that_is_on_the_disk_in_part_is_gone_as_a_whole() -> None:
    log = Partition(durable=False)
    log.append(records(b"a"))
    log.append(records(b"b", b"c", b"d"))
    log.flush(3)
    assert log.cut() == 3
    assert log.end == 1


def test_epochs_tell_of_a_log_that_was_cut_and_has_grown_again() -> None:
    log = Partition(durable=False)
    log.append(records(b"a", b"b", b"c"))
    log.flush(3)
    log.append(records(b"d", b"e"))
    log.cut()
    log.lead()
    log.append(records(b"x", b"y", b"z"))
    assert log.end_of_epoch(0) == (0, 3), "a reader that stood at 5 in this epoch was cut off"
    assert log.end_of_epoch(1) == (1, 6)
    assert [s.epoch for s in log.records] == [0, 0, 0, 1, 1, 1]


def test_partitions_are_cut_each_to_its_own_flush() -> None:
    cluster = SimCluster(1, durable=False)
    topic = cluster.topic(3)
    for p in range(3):
        cluster.send(topic, p, [b"a", b"b"])
    cluster.broker.partition(topic, 1).flush()
    cluster.broker.crash(power=True)
    assert [cluster.bounds(topic, p)[1] for p in range(3)] == [0, 2, 0]
    assert cluster.broker.lost == 4


def test_a_repeated_batch_is_known_and_a_gap_is_refused() -> None:
    log = Partition(durable=True)
    assert log.append(records(b"a", b"b"), 1, 0) == 0
    assert log.append(records(b"a", b"b"), 1, 0) == 0
    assert log.append(records(b"c"), 1, 2) == 2
    with pytest.raises(BrokerError) as refused:
        log.append(records(b"e"), 1, 4)
    assert refused.value.code == KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert log.end == 3


def test_what_is_known_of_a_producer_is_what_the_cut_left() -> None:
    log = Partition(durable=False)
    log.append(records(b"a", b"b"), 1, 0)
    log.flush()
    log.append(records(b"c"), 1, 2)
    log.cut()
    assert log.append(records(b"a", b"b"), 1, 0) == 0
    with pytest.raises(BrokerError):
        log.append(records(b"d"), 1, 3)
    assert log.append(records(b"c"), 1, 2) == 2


def test_commits_that_were_not_flushed_are_forgotten() -> None:
    cluster = SimCluster(2)
    topic, group = cluster.topic(1), cluster.group()
    cluster.send(topic, 0, [b"a", b"b"])
    member = cluster.member(group, topic)
    member.poll(5.0)
    assert member.commit({0: 1}) == "done"
    cluster.broker.group(group).flushed = 1
    assert member.commit({0: 2}) == "done"
    cluster.broker.crash(power=True)
    cluster.broker.start()
    assert cluster.broker.committed(group) == {(topic, 0): 1}


def test_compaction_leaves_the_last_of_each_key_and_every_offset_its_own() -> None:
    log = Partition(durable=True)
    log.append([Record(k, v, [], 0) for k, v in ((b"k", b"1"), (b"j", b"1"), (b"k", b"2"), (b"k", b"3"))])
    log.flush()
    log.compact(3)
    assert [(s.offset, s.record.value) for s in log.records] == [(1, b"1"), (3, b"3")]
    assert (log.end, values(log.read(0, 1))) == (4, [b"1"])
