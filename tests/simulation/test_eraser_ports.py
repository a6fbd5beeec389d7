"""What stands for the eraser's register and topics, under the contracts of the real ones; and how they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from itertools import count
from random import Random
from typing import Any

import pytest

from memstream.erasure.ports import Away, Outgoing, Register, Topics
from schemas.events.erasure import Erasure
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, PartitionCommit, Position, Write
from tests.simulation.broker import Broker
from tests.simulation.erasing import SimTopics
from tests.simulation.loop import SimLoop
from tests.simulation.net import AwayError, Net, Weather
from tests.simulation.producer import SimProducer
from tests.simulation.register import MemoryRegister, SimRegister
from tests.unit.erasure.register_contract import CUT, RegisterContract, erasure
from tests.unit.erasure.topics_contract import TopicsContract


class _InMemory:
    def __init__(self) -> None:
        seconds = count()
        self.state = MemoryStateStore()
        self.data = MemoryRegister(lambda: CUT + timedelta(seconds=next(seconds)), self.state)
        self.passed: list[str] = []
        self.away = False

    def begin(self, e: Erasure) -> None:
        self.data.begin(e)

    def found(self, e: Erasure, where: str, counts: Mapping[str, int]) -> None:
        self.data.found(e, where, counts)

    def late(self, name: str) -> None:
        self.data.came_late([name])

    def holds(self, owner: str, key: str) -> None:
        self._commit("screen", Position(len(self.state.rows)), [Write(owner, key, b"1")], [])

    def outbox(self, step: str, rows: Sequence[OutboxRow]) -> None:
        self._commit(step, Position(1), [], rows)

    def opened(self) -> AbstractContextManager[Register]:
        return nullcontext(SimRegister(self.data, self._ask, self.passed.append))

    def _ask(self, call: Callable[[], Any], writes: bool) -> Any:
        if self.away:
            raise AwayError("postgres")
        return call()

    def _commit(self, step: str, position: Position, writes: list[Write], outbox: Sequence[OutboxRow]) -> None:
        expected = self.state.next_offsets().get((step, 0))
        work = self.state.commit([PartitionCommit(step, 0, expected, position, writes, outbox)])
        with pytest.raises(StopIteration):
            work.send(None)


class TestSimRegister(RegisterContract):
    @pytest.fixture
    def at(self) -> _InMemory:
        return _InMemory()

    def report(self, at: Any) -> Any:
        return at.data.entries["e1"].report

    def test_a_server_that_does_not_answer_is_away(self, at: _InMemory) -> None:
        at.begin(erasure())
        at.away = True
        with at.opened() as register, pytest.raises(Away):
            register.under_way()


class _Topics:
    def __init__(self) -> None:
        self.loop, self.topic, random = SimLoop(3), "kept", Random(3)
        self.broker, self._net, self._random = Broker(random, self.loop), Net(random), random
        self.broker.create(self.topic, 2)
        self.passed: list[str] = []

    def topics(self) -> Topics:
        def producer() -> SimProducer:
            return SimProducer(self._net, self.broker, self._random, lambda: 1, 30.0)

        return SimTopics(self._net, self.broker, self.loop, producer, self.passed.append)


@pytest.fixture
def at() -> Iterator[_Topics]:
    made = _Topics()
    yield made
    made.loop.close()


class TestSimTopics(TopicsContract):
    @pytest.fixture(name="at")
    def _at(self, at: _Topics) -> _Topics:
        return at


def test_brokers_that_are_away_are_told_and_what_was_sent_may_stand(at: _Topics) -> None:
    at.broker.weather = Weather(lost=1.0)
    with pytest.raises(Away):
        at.topics().write([Outgoing(at.topic, 0, b"k", None, [])])
    with pytest.raises(Away):
        list(at.topics().read([(at.topic, 0)]))
    at.broker.weather = Weather()
    assert [m.key() for m in at.topics().read([(at.topic, 0)])] == [b"k"]
