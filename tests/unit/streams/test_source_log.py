"""A log that was cut and has grown again while its step runs is noticed before a batch of it is stored (C1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from streams.batch import Message, Partition, begun
from streams.driver import inline
from streams.runner import RunnerConfig, StepRunner
from streams.source_log import LogCutError
from streams.state.cache import PartitionCache
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Position
from tests.unit.streams.cut_log import CutLog
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)
SOURCE = (topics.TURNS.name, P)


def record(offset: int, epoch: int | None) -> Message:
    value = Codec().value(turn(f"text {offset} of {epoch}"))
    return Message(topics.TURNS.name, P, offset, None, value, [], int(START.timestamp() * 1000), epoch)


class House:
    """Four turns were read under the first leader."""

    def __init__(self) -> None:
        self.log, self.store = CutLog(), MemoryStateStore()
        self.runner = StepRunner(
            Counter(), self.store, self.log, Codec(), RunnerConfig(8), compute=inline, leaders=self.log
        )
        self.log.partitions[SOURCE] = [record(n, 0) for n in range(4)]

    async def read(self, first: int, upcoming: tuple[Message, ...] = ()) -> None:
        await self.runner.process(self.log.partitions[SOURCE][first:], lambda: upcoming)

    async def next_offset(self) -> int | None:
        return (await self.store.position("counter", P))[0].next_offset


@pytest.fixture
async def house() -> House:
    made = House()
    await made.read(0)
    return made


@pytest.mark.parametrize("grown", [1, 2, 3], ids=["not as far", "as far", "past it"])
async def test_c1_what_was_written_over_a_loss_is_not_stored(house: House, grown: int) -> None:
    house.log.cut(SOURCE, 2)
    house.log.partitions[SOURCE] += [record(2 + n, 1) for n in range(grown)]
    with pytest.raises(LogCutError, match=r"counter: conversation\.turns"):
        await house.read(0 if grown < 3 else 4)
    assert await house.next_offset() == 4


async def test_c1_nor_is_it_in_the_batch_that_has_the_loss_in_it(house: House) -> None:
    """Fetched before the loss and behind it."""
    before = [record(4, 0), record(5, 0)]
    house.log.cut(SOURCE, 0)
    house.log.partitions[SOURCE] += [record(4, 1), record(5, 1), record(6, 1)]
    with pytest.raises(LogCutError, match="has lost records from 4 on"):
        await house.runner.process([*before, record(6, 1)])
    assert await house.next_offset() == 4


async def test_c1_nor_what_was_prepared_ahead(house: House) -> None:
    ahead = (record(6, 1),)
    house.log.cut(SOURCE, 0)
    house.log.partitions[SOURCE] += [record(4, 1), record(5, 1), *ahead]
    await house.runner.process([record(4, 0)], lambda: ahead)
    assert await house.next_offset() == 5
    with pytest.raises(LogCutError):
        await house.runner.process(ahead)
    assert await house.next_offset() == 5


async def test_another_leader_that_has_lost_nothing_is_read_on(house: House) -> None:
    house.log.lead(SOURCE)
    house.log.partitions[SOURCE] += [record(4, 1), record(5, 1)]
    await house.read(2)
    assert await house.next_offset() == 6
    assert house.log.questions == 1
    house.log.partitions[SOURCE].append(record(6, 1))
    await house.read(6)
    assert (await house.next_offset(), house.log.questions) == (7, 1), "of the same leader nobody is asked"


def test_the_leaders_that_another_one_followed() -> None:
    part = Partition(Position(10, {}, {}, 3), PartitionCache())
    share = [record(10, 3), record(11, None), record(12, 4), record(15, 4), record(16, 6)]
    assert begun(P, share, part).leaders_before == [(3, 11), (4, 16)]
    assert begun(P, share[2:], part).leaders_before == [(3, 10), (4, 16)]
    assert begun(P, share[2:3], replace_epoch(part, None)).leaders_before == []


def test_a_record_below_the_position_is_another_one_where_its_leader_is_later() -> None:
    part = Partition(Position(10, {}, {}, 3), PartitionCache())
    assert begun(P, [record(8, 3), record(9, 2), record(10, 4)], part).rewritten is None
    assert begun(P, [record(8, None)], part).rewritten is None
    found = begun(P, [record(7, 3), record(8, 4)], part).rewritten
    assert found is not None
    assert found.offset == 8
    assert begun(P, [record(8, 4)], replace_epoch(part, None)).rewritten is None


def replace_epoch(part: Partition, epoch: int | None) -> Partition:
    return Partition(replace(part.position, epoch=epoch), PartitionCache())
