"""A worker that was frozen while others went on (N2): it ends instead of sending what is old by now."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.log import topics
from schemas.log.owner import partition, user
from streams.driver import MemoryLog, TopologyDriver, inline
from streams.faust.lease import FrozenError, Lease
from streams.runner import RunnerConfig, StepRunner
from streams.state.protocol import OutboxRow, StaleOwner
from tests.crash.log import source_of, without_redelivered
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class FrozenProducer:
    """Its process stops between the state transaction and the delivery, for as long as `meanwhile` takes."""

    def __init__(self, log: MemoryLog, lease: Lease, clock: Clock, d: TopologyDriver) -> None:
        self._log, self._lease, self._clock, self._other = log, lease, clock, d
        self.armed = False

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        if self.armed:
            self.armed = False
            self._clock.now += 12
            for content in ("three", "four"):
                self._other.pipe(topics.TURNS, turn(content))
            await self._other.run()
        self._lease.check()
        await self._log.deliver(rows)


def counts(d: TopologyDriver) -> list[int]:
    log = without_redelivered(d.log.partitions[topics.SESSION_STATE.name, P])
    events = [d.codec.decode(m.topic, m.value) for m in log]
    return [e.revision for e in events if e.type == "session_state"]  # type: ignore[union-attr]


async def test_n2_a_frozen_worker_delivers_nothing_when_it_wakes() -> None:
    """What it had stored was delivered by the worker that took over, before anything newer."""
    d = TopologyDriver([Counter()], START)
    clock = Clock()
    ended: list[bool] = []
    producer = FrozenProducer(d.log, Lease(5, lambda: ended.append(True), clock), clock, d)
    frozen = StepRunner(Counter(), d.store, producer, d.codec, RunnerConfig(8), compute=inline)
    d.pipe(topics.TURNS, turn("one"))
    await frozen.process(d.log.partitions[topics.TURNS.name, P])
    d.pipe(topics.TURNS, turn("two"))
    producer.armed = True
    with pytest.raises(FrozenError):
        await frozen.process(d.log.partitions[topics.TURNS.name, P][1:])
    assert counts(d) == [1, 2, 3, 4]
    last = [m for m in d.log.partitions[topics.SESSION_STATE.name, P] if not topics.is_marker(m.key)][-1]
    assert source_of(last) == (f"counter/{P}", 3, 0)


async def test_n2_a_worker_whose_partition_moved_stores_nothing() -> None:
    d = TopologyDriver([Counter()], START)
    slow = StepRunner(Counter(), d.store, d.log, d.codec, RunnerConfig(8), compute=inline)
    d.pipe(topics.TURNS, turn("one"))
    await slow.process(d.log.partitions[topics.TURNS.name, P])
    for content in ("two", "three"):
        d.pipe(topics.TURNS, turn(content))
    await d.run()
    with pytest.raises(StaleOwner):
        await slow.process(d.log.partitions[topics.TURNS.name, P][1:2])
    slow.forget()
    await slow.process(d.log.partitions[topics.TURNS.name, P][1:])
    assert counts(d) == [1, 2, 3]


def test_a_gap_ends_the_process_and_a_slow_beat_does_not() -> None:
    clock, ended = Clock(), []
    lease = Lease(5, lambda: ended.append(True), clock)
    for _ in range(4):
        clock.now += 4.9
        lease.check()
        lease.beat()
    assert not ended
    clock.now += 5.1
    with pytest.raises(FrozenError):
        lease.check()
    lease.beat()
    assert ended == [True]
