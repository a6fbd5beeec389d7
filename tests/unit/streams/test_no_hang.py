"""A record that holds its step is noted, its process ends, and in the next lives it is worked on alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.batch import Partition
from streams.driver import MemoryLog
from streams.rounds import rounds
from streams.runner import Message
from streams.sections import SECTION_BYTES
from streams.state.cache import PartitionCache
from streams.state.protocol import OutboxRow, Position, StaleOwner, StoreAway
from streams.suspects import MOST_TIMES, MemorySuspects, Noted
from streams.watchdog import Limits, Watchdog
from tests.unit.streams.bench import PLAIN, P, message
from tests.unit.streams.lives import AT, LIMIT, OTHER, TOPIC, Lives, Q, end, prepared
from tests.unit.streams.toy import START, turn

FEED = [message(n, text) for n, text in enumerate(["t0", "t1", "hang on", "t3", "t4"])]


@pytest.mark.parametrize("phase", ["prepare", "reads", "then_reads", "complete", "handle", "encode"])
async def test_the_record_is_a_dead_letter_and_nothing_around_it_is_lost(
    phase: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    lives = Lives(phase)
    assert await lives.live(FEED) is None
    alone = phase in ("handle", "encode")
    assert lives.times() == ({2: 1} if alone else dict.fromkeys(range(5), 1)), "what was in hand then"
    assert await lives.live(FEED) is None
    assert (lives.times()[2], lives.count()) == (2, b"2"), "those before it are through, and it was alone"
    assert await lives.live(FEED) is None
    assert lives.times()[2] == MOST_TIMES
    last = await lives.live(FEED)
    assert last is not None
    assert lives.ends == 3, "a bad record costs three limits at most"
    assert lives.letters() == [(b"2", b"held_too_long")]
    assert lives.count() == b"4"
    assert await last.stored_offset(P) == 5
    assert lives.times() == {}
    assert lives.counted.words["held"] == 1
    assert "hang on" not in caplog.text


async def test_a_record_that_hangs_when_it_is_decoded_is_a_dead_letter_undecoded() -> None:
    """It is decoded once more to be given up, as who waits for it may hear then: one limit more."""
    lives = Lives("decode")
    for n in range(MOST_TIMES + 1):
        assert await lives.live(FEED) is None
        assert lives.times()[2] == n + 1
    assert await lives.live(FEED) is not None
    assert (lives.letters(), lives.count(), lives.times()) == ([(b"2", b"held_too_long")], b"4", {})
    assert lives.counted.words["held"] == 1


async def test_sound_records_are_never_given_up() -> None:
    """Together they are too much, however often; alone each passes."""
    lives = Lives("prepare", most=3)
    for _ in range(MOST_TIMES + 1):
        lives.note(*range(5))
    assert lives.times() == dict.fromkeys(range(5), 1)
    runner = await lives.live([message(n, f"t{n}") for n in range(5)])
    assert prepared(runner) == [1] * 5
    assert (lives.letters(), lives.count(), lives.times()) == ([], b"5", {})
    assert lives.counted.words["tried_alone"] == 5


async def test_a_batch_ends_before_a_suspect_and_goes_on_behind_it() -> None:
    lives = Lives("prepare")
    lives.note(2)
    runner = await lives.live([message(n, f"t{n}") for n in range(5)])
    assert prepared(runner) == [2, 1, 2]
    assert lives.count() == b"5"


async def test_only_the_very_record_is_a_suspect() -> None:
    """Not one of another topic, nor another one at that offset (a log that was made anew)."""
    lives = Lives("prepare")
    lives.note(1, topic="older.turns.v1")
    lives.note(2, at=AT - 1)
    runner = await lives.live([message(n, f"t{n}") for n in range(4)])
    assert prepared(runner) == [4]


async def test_other_partitions_go_on_before_the_suspect() -> None:
    lives = Lives("handle")
    lives.note(0)
    theirs = [Message(TOPIC, Q, n, None, PLAIN.value(turn(f"t{n}", OTHER)), [], AT) for n in range(3)]
    assert await lives.live([message(0, "hang on"), message(1, "t1"), *theirs]) is None
    assert (lives.count(OTHER), lives.count()) == (b"3", None)


async def test_a_batch_of_large_records_goes_through_the_models_in_slices() -> None:
    """All of 8 MiB would take longer than a step may, and all of it would be suspect."""
    lives = Lives("prepare")
    sizes = [tenths * SECTION_BYTES // 10 for tenths in (0, 4, 4, 4, 0, 12, 0)]
    feed = [replace(message(n, f"t{n}"), key=b"k" * size) for n, size in enumerate(sizes)]
    assert prepared(await lives.live(feed)) == [3, 2, 1, 1]
    assert lives.count() == b"7"


def test_rounds_keep_the_order_of_each_partition() -> None:
    def part(*suspects: int) -> Partition:
        return Partition(Position(), PartitionCache(), suspects={n: Noted(AT, 1) for n in suspects})

    def feed(p: int) -> list[Message]:
        return [Message(TOPIC, p, n, None, b"", [], AT) for n in range(4)]

    found = rounds({1: feed(1), 2: feed(2), 3: feed(3)}, {1: part(0, 1), 2: part(2), 3: part()})
    names = [[(m.partition, m.offset) for m in together] for together in found]
    assert names == [
        [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 3)], [(1, 0)], [(1, 1)], [(1, 2), (1, 3)], [(2, 2)], [(2, 3)],
    ]  # fmt: skip


async def test_what_holds_suspects_is_not_prepared_ahead() -> None:
    lives = Lives("prepare")
    lives.note(2)
    feed = [message(n, f"t{n}") for n in range(4)]
    runner = await lives.live(feed[:1], lambda: feed[1:])
    assert runner is not None
    await runner.process(feed[1:])
    assert prepared(runner) == [1, 1, 1, 1]
    assert lives.count() == b"4"


async def test_a_partition_that_moves_away_in_between_is_let_go() -> None:
    lives = Lives("prepare")
    lives.note(1)
    runner = lives.runner()

    class Moving(MemoryLog):
        async def deliver(self, rows: Sequence[OutboxRow]) -> None:
            runner.forget([P])

    runner._producer = Moving(lambda: START)
    with pytest.raises(StaleOwner):
        await runner.process([message(n, f"t{n}") for n in range(3)])
    assert lives.count() == b"1", "what was in hand ended as it began"


async def test_a_store_that_goes_away_at_the_end_costs_no_counts() -> None:
    class Away(MemorySuspects):
        away = True

        async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None:
            if self.away:
                raise StoreAway("gone")
            await super().passed(step, topic, partition, next_offset)

    lives = Lives("prepare")
    lives.suspects = suspects = Away(lambda: 0.0)
    lives.note(1)
    feed = [message(n, f"t{n}") for n in range(4)]
    runner = await lives.live(feed[:3])
    assert runner is not None
    assert lives.counted.words == {"handled": 3, "tried_alone": 1}
    assert lives.times() == {1: 1}
    suspects.away = False
    await runner.process(feed[1:])
    assert lives.times() == {}, "it is dropped with the next batch"
    lives.note(1)
    await lives.runner().stored_offset(P)
    assert lives.times() == {}, "and when the partition is begun again"


async def test_while_a_suspect_computes_nothing_else_does() -> None:
    dog = Watchdog(Limits(LIMIT), MemorySuspects(), end)
    statement: list[str] = []
    go = asyncio.Event()

    async def compute(name: str, alone: bool) -> None:
        async with dog.turn(alone):
            statement.append(f"{name} begins")
            await go.wait()
            statement.append(f"{name} ends")

    tasks = [asyncio.ensure_future(compute(*what)) for what in (("a", False), ("b", False), ("s", True), ("c", False))]
    for _ in range(10):
        await asyncio.sleep(0)
    assert statement == ["a begins", "b begins"]
    go.set()
    await asyncio.gather(*tasks)
    assert statement[4:] == ["s begins", "s ends", "c begins", "c ends"]
