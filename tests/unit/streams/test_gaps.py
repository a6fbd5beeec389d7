"""Offsets at which a consumer is shown nothing: markers of a transactional producer, records stepped over (N2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import errors
from faust.types import TP

from schemas.log import topics
from schemas.log.batch_window import Pace
from schemas.log.codec import Codec, header
from schemas.log.owner import partition, user
from schemas.log.topics import Cleanup
from streams.driver import MemoryLog, inline
from streams.faults import Faults
from streams.faust.intake import Fetched, Intake
from streams.faust.step_loop import _batch
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Position, StoreAway
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)
TOPIC = TP(topics.TURNS.name, P)


class Partition:
    """A log with holes, and the consumer that reads it."""

    def __init__(self, offsets: Sequence[int]) -> None:
        value = {o: Codec().value(turn(f"t{o}")) for o in offsets}
        self.log = {o: Message(TOPIC.topic, P, o, None, value[o], [], 1_700_000_000_000) for o in offsets}
        self.position, self.start, self.seeks = 0, 0, list[int]()

    def assignment(self) -> set[TP]:
        return {TOPIC}

    async def earliest_offsets(self, *partitions: TP) -> dict[TP, int]:
        return dict.fromkeys(partitions, self.start)

    async def seek(self, _: TP, offset: int) -> None:
        self.seeks.append(offset)
        self.position = offset

    def fetch(self, limit: int) -> list[Fetched]:
        found = [self.log[o] for o in sorted(self.log) if o >= self.position][:limit]
        if found:
            self.position = found[-1].offset + 1
        return [Fetched(1, m) for m in found]


def fetched(*offsets: int, generation: int = 1) -> list[Fetched]:
    return [Fetched(generation, Message(TOPIC.topic, P, o, None, b"", [], 1)) for o in offsets]


class Bench:
    """One step over that partition, as the app runs it."""

    def __init__(
        self, offsets: Sequence[int], store: MemoryStateStore | None = None, step: Counter | None = None
    ) -> None:
        self.consumer = Partition(offsets)
        self.app = SimpleNamespace(consumer=self.consumer, consumer_generation_id=1)
        self.intake = Intake(64, Pace(0.06, 0.02))
        self.log = MemoryLog(lambda: START)
        self.store = store or MemoryStateStore()
        self.runner = StepRunner(step or Counter(), self.store, self.log, Codec(), RunnerConfig(8), compute=inline)

    async def take(self, fetched: Sequence[Fetched]) -> None:
        await _batch(self.app, self.runner, fetched, self.intake, Faults())

    async def drain(self, limit: int = 10) -> None:
        for _ in range(20):
            fetched = self.consumer.fetch(limit)
            if not fetched:
                return
            await self.take(fetched)
        raise AssertionError("the same records come for ever")

    def counted(self) -> int:
        """Turns whose output is there; after a failure the last outbox goes out again."""
        return len({header(m.headers, "src") for m in self.log.partitions[topics.SESSION_STATE.name, P]})


@pytest.mark.parametrize("limit", [1, 2, 10])
async def test_n2_markers_of_a_transactional_producer_stop_nothing(limit: int) -> None:
    b = Bench([0, 1, 3, 4, 6, 9])
    await b.take(b.consumer.fetch(2))
    await b.drain(limit)
    assert await b.runner.stored_offset(P) == 10
    assert b.counted() == 6
    assert b.consumer.seeks == [s for s in b.consumer.seeks if s in (2, 5, 7)]
    assert len(set(b.consumer.seeks)) == len(b.consumer.seeks)


async def test_n2_a_consumer_that_was_moved_ahead_goes_back_and_skips_nothing() -> None:
    b = Bench([0, 1, 2, 3, 6, 7, 8])
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 7
    await b.drain()
    assert await b.runner.stored_offset(P) == 9
    assert b.counted() == 7


async def test_n2_a_marker_at_the_stored_offset_hides_no_record_behind_it() -> None:
    b = Bench([0, 1, 3, 4, 5, 6])
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 5
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (7, 6)
    assert b.consumer.seeks == [2, 2]


async def test_n2_what_was_on_its_way_when_the_consumer_went_back_is_no_proof() -> None:
    b = Bench([0, 1, 3, 4, 5, 6])
    await b.take(b.consumer.fetch(2))
    await b.take(b.consumer.fetch(1))
    late = [Fetched(1, b.consumer.log[o]) for o in (5, 6)]
    await b.take(late)
    assert await b.runner.stored_offset(P) == 2
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (7, 6)


async def test_n2_after_a_rebalance_the_same_record_proves_nothing() -> None:
    b = Bench([0, 1, 2, 3, 4])
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 3
    await b.take(b.consumer.fetch(1))  # goes back to 2
    b.intake.clear()
    b.consumer.position = 3  # the commit was there
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (5, 5)


async def test_n2_h12_what_retention_took_is_stepped_over_at_once_and_said(caplog: pytest.LogCaptureFixture) -> None:
    """A worker that was away for longer than the log keeps its records, or a Postgres put back from an old backup."""
    b = Bench([0, 1, 4, 5])
    await b.take(b.consumer.fetch(2))
    b.consumer.start = 4
    await b.drain()
    assert (await b.runner.stored_offset(P), b.consumer.seeks) == (6, [])
    texts = [r.getMessage() for r in caplog.records if r.levelname == "ERROR"]
    assert [m for m in texts if "records 2 to 3 are no longer in the log" in m] == texts
    assert len(texts) == 1


async def test_h12_of_what_retention_took_a_part_the_rest_is_read(caplog: pytest.LogCaptureFixture) -> None:
    """Postgres from a backup older than the log keeps records, commits from today: what lies between is in the log."""
    b = Bench([0, 1, 4, 5, 6, 7, 8])
    await b.take(b.consumer.fetch(2))
    b.consumer.start, b.consumer.position = 4, 7
    await b.drain(2)
    assert (await b.runner.stored_offset(P), b.counted(), b.consumer.seeks) == (9, 7, [4])
    texts = [r.getMessage() for r in caplog.records if r.levelname == "ERROR"]
    assert [m.partition(": records ")[2] for m in texts] == ["2 to 3 are no longer in the log, and were never read"]


async def test_h12_a_marker_where_the_log_begins_hides_nothing_and_stops_nothing() -> None:
    b = Bench([0, 1, 5, 6, 7, 8])
    await b.take(b.consumer.fetch(2))
    b.consumer.start, b.consumer.position = 4, 7
    await b.drain(2)
    assert (await b.runner.stored_offset(P), b.counted(), b.consumer.seeks) == (9, 6, [4, 4])


class OnKept(Counter):
    """Of a compacted topic, as the ledger is."""

    source = replace(topics.TURNS, cleanup=Cleanup.COMPACT)


async def test_h12_in_a_compacted_topic_too_a_consumer_goes_back_to_the_stored_offset() -> None:
    """Postgres from a backup, commits from today: the gate stepped over what was written to the ledger between them."""
    before = Bench([0, 1], step=OnKept())
    await before.drain()
    b = Bench(range(9), before.store, OnKept())
    b.consumer.position = 6
    await b.drain(2)
    assert (await b.runner.stored_offset(P), b.counted()) == (9, 9)
    assert b.consumer.seeks == [2]


@pytest.mark.parametrize("step", [Counter(), OnKept()])
async def test_h12_where_no_offset_is_stored_a_step_begins_with_what_the_log_has(step: Counter) -> None:
    """The backup is older than the first record of the partition, and the group's commit is not."""
    b = Bench(range(3, 9), step=step)
    b.consumer.start, b.consumer.position = 3, 6
    await b.drain(2)
    assert (await b.runner.stored_offset(P), b.counted(), b.consumer.seeks) == (9, 6, [3])


async def test_n2_where_compaction_left_gaps_a_consumer_goes_back_once_and_only_where_it_has_just_come_to() -> None:
    b = Bench([0, 1, 4, 5, 8, 12, 13], step=OnKept())
    await b.take(b.consumer.fetch(2))
    b.intake.clear()  # a rebalance: the commits are at 2
    await b.drain(1)
    assert (await b.runner.stored_offset(P), b.counted(), b.consumer.seeks) == (14, 7, [2])


async def test_n2_a_batch_in_hand_at_a_rebalance_says_nothing_of_where_the_consumer_is_put() -> None:
    b = Bench([0, 1, 2, 3, 4, 5], step=OnKept())
    whole = b.runner.process

    async def process(*given: Any) -> None:
        b.intake.clear()
        b.runner.process = whole  # type: ignore[method-assign]
        await whole(*given)

    b.runner.process = process  # type: ignore[method-assign, assignment]
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 4
    await b.drain()
    assert (b.counted(), b.consumer.seeks) == (6, [2])


async def test_n2_a_batch_in_hand_that_outlasts_its_revocation_says_nothing_of_the_next_time() -> None:
    """The rebalance waits for it only so long."""
    b = Bench([0, 1, 2, 3, 4, 5], step=OnKept())
    whole = b.runner.process

    async def process(*given: Any) -> None:
        b.intake.leave([TOPIC])
        b.runner.process = whole  # type: ignore[method-assign]
        await whole(*given)

    b.runner.process = process  # type: ignore[method-assign, assignment]
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 4
    await b.drain()
    assert (b.counted(), b.consumer.seeks) == (6, [2])


class Away:
    """Once, of a partition, no broker says where its log begins, or its consumer cannot be moved."""

    def __init__(self, inner: Partition, failure: Exception, call: str) -> None:
        self._inner, self._failure, self._call, self.failed = inner, failure, call, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def earliest_offsets(self, *partitions: TP) -> dict[TP, int]:
        self._fail("earliest_offsets", partitions)
        return await self._inner.earliest_offsets(*partitions)

    async def seek(self, tp: TP, offset: int) -> None:
        self._fail("seek", [tp])
        if tp == TOPIC:
            await self._inner.seek(tp, offset)

    def assignment(self) -> set[TP]:
        return {TOPIC, OTHER}

    def _fail(self, call: str, partitions: Sequence[TP]) -> None:
        if call == self._call and TOPIC in partitions and not self.failed:
            self.failed += 1
            raise self._failure


OTHER = TP(TOPIC.topic, (P + 1) % 8)
NO_ANSWER = [errors.KafkaTimeoutError(), errors.NodeNotReadyError(), TimeoutError()]


@pytest.mark.parametrize("failure", NO_ANSWER)
async def test_n2_a_log_that_is_away_is_asked_again_and_no_partition_is_half_moved(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """The other is asked first. Moved before the failure, its records would be taken for those that come again."""
    monkeypatch.setattr("streams.faust.step_loop._AWAY_SECONDS", (0.0,))
    b = Bench([0, 1, 2, 3])
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 3
    b.app.consumer = Away(b.consumer, failure, "earliest_offsets")
    await b.take([*_of_other(2), *b.consumer.fetch(1)])
    assert b.app.consumer.failed == 1
    assert (await b.runner.stored_offset(OTHER.partition), b.intake.went_back[OTHER]) == (None, (0, 2))
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (4, 4)


@pytest.mark.parametrize("failure", NO_ANSWER)
async def test_n2_where_no_offset_is_stored_a_log_that_is_away_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    monkeypatch.setattr("streams.faust.step_loop._AWAY_SECONDS", (0.0,))
    b = Bench(range(3, 9))
    b.consumer.start, b.consumer.position = 3, 6
    b.app.consumer = Away(b.consumer, failure, "earliest_offsets")
    await b.drain(2)
    assert (await b.runner.stored_offset(P), b.counted(), b.app.consumer.failed) == (9, 6, 1)


async def test_n2_a_partition_that_left_as_its_consumer_was_to_go_back_ends_nothing() -> None:
    b = Bench([0, 1, 2, 3])
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 3
    b.app.consumer = Away(b.consumer, errors.IllegalStateError("not assigned"), "seek")
    await b.take(b.consumer.fetch(1))
    assert (await b.runner.stored_offset(P), b.app.consumer.failed) == (2, 1)
    b.consumer.position = 3
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (4, 4)


def _of_other(offset: int) -> list[Fetched]:
    return [Fetched(1, Message(OTHER.topic, OTHER.partition, offset, None, b"{}", [], 1_700_000_000_000))]


class Brittle(MemoryStateStore):
    """Away once, when it is asked where another partition stands."""

    asked = 0

    async def position(self, step: str, partition: int) -> tuple[Position, list]:  # type: ignore[type-arg]
        self.asked += partition != P
        if partition != P and self.asked == 1:
            raise StoreAway("gone")
        return await super().position(step, partition)


async def test_n2_a_store_that_is_away_leaves_no_partition_half_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.faust.step_loop._AWAY_SECONDS", (0.0,))
    b = Bench([0, 1, 2, 3], Brittle())
    await b.take(b.consumer.fetch(2))
    b.consumer.position = 3
    other = (P + 1) % 8
    beside = Fetched(1, Message(TOPIC.topic, other, 0, None, b"{}", [], 1_700_000_000_000))
    b.consumer.assignment = lambda: {TOPIC, TP(TOPIC.topic, other)}  # type: ignore[method-assign]
    await b.take([*b.consumer.fetch(1), beside])
    await b.drain()
    assert (await b.runner.stored_offset(P), b.counted()) == (4, 4)


def test_n2_the_group_is_through_when_only_markers_are_left() -> None:
    intake = Intake(10, Pace(0.06, 0.02))
    intake.put(fetched(0, 1))
    intake.passed(TOPIC, 3)
    assert TOPIC not in intake.done, "they are in hand"
    intake.done[TOPIC] = 2
    intake.passed(TOPIC, 3)
    assert intake.done[TOPIC] == 3
    intake.passed(TOPIC, 2)
    assert intake.done[TOPIC] == 3


def test_n2_what_comes_again_is_not_passed() -> None:
    intake = Intake(10, Pace(0.06, 0.02))
    intake.put(fetched(0, 1))
    intake.done[TOPIC] = 1
    intake.clear()
    intake.passed(TOPIC, 3)
    assert intake.done[TOPIC] == 1
    intake.leave([TOPIC])
    assert intake.at_rest(TOPIC)


async def test_n2_markers_within_what_was_read_on_cost_no_second_read() -> None:
    b = Bench([0, 1, 3, 4, 6])
    for limit in (2, 2, 2):
        taken = b.consumer.fetch(limit)
        b.intake.put(taken)
        await b.take(taken)
    assert (await b.runner.stored_offset(P), b.counted(), b.consumer.seeks) == (7, 5, [])


def test_n2_only_what_was_read_on_tells_that_there_is_nothing_between() -> None:
    moved = Intake(10, Pace(0.06, 0.02))
    moved.put(fetched(0, 1))
    moved.clear()
    moved.put(fetched(7))
    assert not moved.nothing_between(TOPIC, 2, 7)
    moved.drop([TOPIC])
    moved.put(fetched(9))
    assert not moved.nothing_between(TOPIC, 8, 9)
    moved.leave([TOPIC])
    moved.put(fetched(20))
    moved.put(fetched(30, generation=2))
    assert not moved.nothing_between(TOPIC, 21, 30)
    moved.put(fetched(2, 3, 5, generation=2))
    assert moved.nothing_between(TOPIC, 4, 5)
    assert not moved.nothing_between(TOPIC, 31, 2)
