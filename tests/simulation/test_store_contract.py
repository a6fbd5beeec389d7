"""The simulated stores under the contracts of the real ones, and what connections do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schemas.log import topics
from schemas.log.codec import Headers
from sinks.memory import ALL_TOPICS, MemorySink
from sinks.protocol import Message, Sink, Transient
from sinks.worker import Worker
from streams.state.protocol import PartitionCommit, Position, StaleOwner, StateStore, StoreAway, Write
from tests.simulation.broker import Broker
from tests.simulation.consumer import MemberConfig
from tests.simulation.loop import SimLoop
from tests.simulation.net import Net, Server, Weather
from tests.simulation.partition import Record
from tests.simulation.producer import SimProducer
from tests.simulation.sink_consumer import SimClock, SimDeadLetters, SimSinkConsumer
from tests.simulation.sinks import StormySink
from tests.simulation.store import SimStateStore, StateServer
from tests.unit.sinks import events
from tests.unit.sinks.contract import SinkContract, Store
from tests.unit.sinks.events import CODEC, NOW, batch, memory
from tests.unit.sinks.test_memory_sink import _Rows
from tests.unit.sinks.worker_contract import WorkerContract
from tests.unit.streams.state_contract import StateStoreContract


class TestSimStateStore(StateStoreContract):
    """On the test's own loop: nothing in it needs the simulated one."""

    @pytest.fixture
    async def store(self) -> StateStore:
        server = StateServer(Random(1), asyncio.get_running_loop())
        server.longest = 0.001
        return SimStateStore(Net(Random(2), 0.0, 0.0005), server)

    @pytest.fixture
    def step(self) -> str:
        return "step"


class _Pair:
    """One server, and a store of two workers each."""

    def __init__(self, seed: int) -> None:
        self.loop = SimLoop(seed)
        random = Random(seed)
        self.server = StateServer(random, self.loop)
        self.one, self.two = (SimStateStore(Net(random), self.server, 2.0) for _ in range(2))

    def next_offset(self) -> int | None:
        return self.server.data.next_offsets().get(("step", 0))


@pytest.fixture
def pair() -> Iterator[_Pair]:
    made = _Pair(4)
    yield made
    made.loop.close()


def commit(expected: int | None, nxt: int, value: bytes = b"1") -> list[PartitionCommit]:
    return [PartitionCommit("step", 0, expected, Position(nxt), [Write("o", "k", value)], [])]


def test_a_commit_whose_answer_is_lost_stands(pair: _Pair) -> None:
    pair.server.weather = Weather(lost=1.0)
    with pytest.raises(StoreAway):
        pair.loop.run_until_complete(pair.one.commit(commit(None, 5)))
    assert pair.next_offset() == 5


def test_n2_a_commit_may_be_carried_out_after_its_caller_gave_up_and_the_guard_decides(pair: _Pair) -> None:
    async def work() -> None:
        pair.server.longest = 30.0
        late = asyncio.ensure_future(pair.one.commit(commit(None, 5, b"late")))
        await asyncio.sleep(0.5)
        assert pair.next_offset() is None
        with pytest.raises(StaleOwner):
            await pair.two.commit(commit(None, 3, b"second"))  # it waits for the lock, and looks again
        await asyncio.wait({late})

    pair.loop.run_until_complete(work())
    assert pair.next_offset() == 5


def test_of_transactions_under_way_a_crash_leaves_nothing(pair: _Pair) -> None:
    async def work() -> None:
        pair.server.longest = 30.0
        under_way = asyncio.ensure_future(pair.one.commit(commit(None, 5)))
        await asyncio.sleep(0.1)
        pair.server.stop()
        await asyncio.sleep(1.0)
        pair.server.start()
        with pytest.raises(StoreAway):
            await under_way
        pair.server.longest = 0.01
        await pair.two.commit(commit(None, 3))

    pair.loop.run_until_complete(work())
    assert pair.next_offset() == 3


class _Stormy(_Rows):
    def sink(self) -> StormySink:  # type: ignore[override]  # it is around what it was
        return StormySink(super().sink(), Server("store-redis"), Random(1), lambda seconds: None)


class TestStormySink(SinkContract):
    """In calm weather a store is what it was."""

    @pytest.fixture(params=["turn", "memory", "session"])
    def store(self, request: pytest.FixtureRequest) -> Store:
        return _Stormy(getattr(events, request.param))


@pytest.mark.parametrize(("name", "whole"), [("store-postgres", True), ("store-redis", False)])
def test_of_a_write_that_breaks_off_a_part_may_stand_where_there_are_no_transactions(name: str, whole: bool) -> None:
    server, held = Server(name), MemorySink()
    waits = iter(range(10))

    def wait(seconds: float) -> None:
        if next(waits) == 1:
            server.stop()

    with pytest.raises(Transient):
        StormySink(held, server, Random(1), wait).write(batch(*(memory(n) for n in range(6))))
    assert (len(held.rows) in (0, 6)) is whole


class SimLog:
    """The catalogue's topics on a simulated broker, read by one static member."""

    def __init__(self) -> None:
        self.loop, self.random = SimLoop(3), Random(3)
        self.net, self.broker = Net(self.random), Broker(self.random, self.loop)
        self.clock = SimClock(self.loop, NOW)
        for name in (*ALL_TOPICS, topics.DEAD_LETTERS.name):
            self.broker.create(name, topics.EMBEDDED_PARTITIONS)
        self._consumer: SimSinkConsumer | None = None

    def send(self, *messages: Message) -> list[Message]:
        out = []
        for m in messages:
            log = self.broker.partition(m.topic, m.partition)
            out.append(replace(m, offset=log.append([Record(m.key, m.value, m.headers, m.timestamp_ms)])))
            log.flush()
        return out

    def worker(self, sink: Sink, **options: Any) -> Worker:
        if self._consumer is not None:
            self._consumer.close()
        config = MemberConfig("group", ALL_TOPICS, "one")
        self._consumer = SimSinkConsumer(self.net, self.broker, self.random, self.loop, config)
        producer = SimProducer(self.net, self.broker, self.random, self.clock.now_ms, 30.0)
        letters = options.pop("dead_letters", SimDeadLetters(lambda: producer, self.loop))
        worker = Worker(sink, self._consumer, letters, CODEC, clock=self.clock, **options)
        worker.start()
        return worker

    def committed(self, topic: str, partition: int) -> int | None:
        return self.broker.committed("group").get((topic, partition))

    def dead_letters(self) -> list[tuple[bytes | None, bytes | None, Headers]]:
        found = [s.record for p in self.broker.topics[topics.DEAD_LETTERS.name] for s in p.records]
        return [(r.key, r.value, r.headers) for r in found]


class TestWorkerOnSimulatedLog(WorkerContract):
    @pytest.fixture
    def log(self) -> Iterator[SimLog]:
        made = SimLog()
        yield made
        made.loop.close()
