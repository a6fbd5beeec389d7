"""Batches between Faust's consumer and a step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from faust.types import TP

from schemas.log import topics
from schemas.log.batch_window import Pace
from streams.batch import Message
from streams.faust.intake import Fetched, Intake


def records(offsets: Sequence[int], partition: int = 0) -> list[Fetched]:
    return [Fetched(1, Message(topics.TURNS.name, partition, o, None, b"{}", [], 1)) for o in offsets]


def offsets(batch: Sequence[Fetched]) -> list[int]:
    return [f.message.offset for f in batch]


async def next_batch(intake: Intake) -> list[int]:
    async for batch in intake.batches():
        return offsets(batch)
    raise AssertionError("batches never end")


def test_a_full_batch_waits_for_nothing_and_keeps_its_order() -> None:
    async def run() -> None:
        intake = Intake(3, Pace(3600, 3600))
        intake.put(records(range(5)))
        assert await next_batch(intake) == [0, 1, 2]
        intake.put(records([5]))
        assert await next_batch(intake) == [3, 4, 5]

    asyncio.run(run())


def large(offset: int, size: int) -> Fetched:
    return Fetched(1, Message(topics.TURNS.name, 0, offset, None, b"x" * size, [], 1))


def test_a_batch_is_bounded_in_bytes_and_waits_for_nothing_then() -> None:
    async def run() -> None:
        intake = Intake(64, Pace(3600, 3600), most_bytes=100)
        intake.put([large(0, 60), large(1, 40), large(2, 50), large(3, 300), large(4, 100)])
        assert [await next_batch(intake) for _ in range(4)] == [[0, 1], [2], [3], [4]]

    asyncio.run(run())


def test_no_more_is_fetched_while_two_batches_of_bytes_wait() -> None:
    async def run() -> None:
        intake = Intake(64, Pace(3600, 3600), most_bytes=100)
        intake.put([large(0, 150), large(1, 60)])
        room = asyncio.create_task(intake.room())
        await asyncio.sleep(0)
        assert not room.done()
        assert await next_batch(intake) == [0]
        await room
        intake.put([large(2, 150)])
        intake.drop([TP(topics.TURNS.name, 0)])
        await intake.room()
        intake.put([large(1, 30), large(2, 80)])
        assert await next_batch(intake) == [1]

    asyncio.run(run())


def test_what_is_there_goes_when_the_time_is_over() -> None:
    async def run() -> None:
        intake = Intake(64, Pace(0))
        intake.put(records([7, 8]))
        assert await next_batch(intake) == [7, 8]

    asyncio.run(run())


def test_records_that_arrive_while_a_batch_waits_go_with_it() -> None:
    async def run() -> None:
        intake = Intake(2, Pace(3600, 3600))
        waiting = asyncio.create_task(next_batch(intake))
        intake.put(records([1]))
        await asyncio.sleep(0)
        assert not waiting.done()
        intake.put(records([2]))
        assert await waiting == [1, 2]

    asyncio.run(run())


def test_a_record_that_waited_while_a_batch_was_worked_on_waits_no_longer() -> None:
    async def run() -> None:
        clock = [0.0]
        intake = Intake(64, Pace(3600, 3600), clock=lambda: clock[0])
        intake.put(records([1]))
        assert intake.ahead() == []
        clock[0] = 3600
        intake.put(records([2]))
        assert await next_batch(intake) == [1, 2]

    asyncio.run(run())


def test_what_is_given_ahead_is_the_next_batch_whatever_comes_meanwhile() -> None:
    async def run() -> None:
        intake = Intake(2, Pace(3600, 3600))
        intake.put(records(range(3)))
        assert offsets(intake.ahead()) == [0, 1]
        intake.put(records([3]))
        assert offsets(intake.ahead()) == [0, 1]
        assert await next_batch(intake) == [0, 1]
        assert await next_batch(intake) == [2, 3]

    asyncio.run(run())


def test_of_what_is_given_ahead_nothing_is_left_that_moved_away() -> None:
    async def run() -> None:
        intake = Intake(3, Pace(0))
        intake.put([*records([1, 2], partition=0), *records([5], partition=1)])
        assert len(intake.ahead()) == 3
        intake.drop([TP(topics.TURNS.name, 0)])
        assert await next_batch(intake) == [5]
        intake.put(records([6]))
        assert offsets(intake.ahead()) == [6]
        intake.clear()
        intake.put(records([7]))
        assert await next_batch(intake) == [7]

    asyncio.run(run())


def test_what_was_on_its_way_when_the_consumer_went_back_goes_with_nothing_of_what_comes_then() -> None:
    """In one batch and in order, 2, 3 and 9 would be stored as all up to 9."""

    async def run() -> None:
        intake = Intake(64, Pace(0))
        tp = TP(topics.TURNS.name, 0)
        intake.hold(tp, 2, 0.0)
        intake.release(tp)
        intake.put([*records([9]), *records([5], partition=1)])
        assert len(intake.ahead()) == 2
        intake.put(records([2, 3]))
        intake.put(records([4]))
        assert await next_batch(intake) == [5]
        assert await next_batch(intake) == [2, 3, 4]
        assert intake.sought == {tp}, "what was taken before is looked at, in a compacted topic, too"

    asyncio.run(run())


def test_there_is_room_for_two_batches() -> None:
    async def run() -> None:
        intake = Intake(2, Pace(0))
        intake.put(records(range(4)))
        room = asyncio.create_task(intake.room())
        await asyncio.sleep(0)
        assert not room.done()
        await next_batch(intake)
        await room

    asyncio.run(run())


def test_what_moved_away_is_forgotten_and_the_rest_stays() -> None:
    async def run() -> None:
        intake = Intake(64, Pace(0))
        intake.put([*records([1, 2], partition=0), *records([5], partition=1)])
        intake.drop([TP(topics.TURNS.name, 0)])
        assert await next_batch(intake) == [5]
        intake.put(records([9]))
        intake.clear()
        intake.put(records([10]))
        assert await next_batch(intake) == [10]

    asyncio.run(run())
