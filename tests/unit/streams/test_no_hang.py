"""A record that holds its step is noted, its process ends, and in the next lives it is worked on alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from processors.step import Out, Record, StateSpace
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import partition, user
from streams.batch import Partition
from streams.driver import MemoryLog, inline
from streams.rounds import rounds
from streams.runner import Message, RunnerConfig, StepRunner, Upcoming, nothing
from streams.state.cache import PartitionCache
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, Position, StaleOwner, StoreAway
from streams.suspects import MOST_TIMES, MemorySuspects, Noted, Suspect
from streams.watchdog import SECTION_BYTES, Limits, Watchdog
from tests.unit.streams.bench import PLAIN, P, message
from tests.unit.streams.toy import START, Counter, turn

LIMIT = 300.0
AT = int(START.timestamp() * 1000)
TOPIC = topics.TURNS.name
OTHER = next(u for u in (f"u{n}" for n in range(99)) if partition(user("acme", u), 8) != P)
Q = partition(user("acme", OTHER), 8)


class Ended(BaseException):
    """The process is no more."""


class Clock:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def end() -> None:
    raise Ended


class Hanging(Counter):
    """Takes for ever in one phase with a turn that says `hang`, or with more than `most` turns: the watchdog's thread
    looks meanwhile."""

    def __init__(self, phase: str, most: int) -> None:
        super().__init__()
        self._phase, self._most = phase, most
        self.clock = Clock()
        self.watchdog: Watchdog | None = None

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        if self._phase == "prepare":
            self._work(records)
        return super().prepare(records)

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        if self._phase == "handle":
            self._work([record])
        return super().handle(record, prepared, state)

    def _work(self, records: Sequence[Record]) -> None:
        assert self.watchdog is not None
        hangs = [r for r in records if isinstance(r.event, TurnEvent) and r.event.sealed.content.startswith("hang")]
        while hangs or len(records) > self._most:
            self.clock.at += 1
            self.watchdog.look()


class Counted:
    """Observer: outcomes."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None:
        self.words[word] = self.words.get(word, 0) + count


class Lives:
    """Runners one after the other over what outlives them."""

    def __init__(self, phase: str, most: int = 99) -> None:
        self.phase, self.most = phase, most
        self.store, self.log = MemoryStateStore(), MemoryLog(lambda: START)
        self.suspects, self.counted = MemorySuspects(lambda: 0.0), Counted()
        self.ends = 0

    def runner(self) -> StepRunner:
        step = Hanging(self.phase, self.most)
        step.watchdog = Watchdog(Limits(LIMIT), self.suspects, end, clock=step.clock, cpu=lambda: 0.0)
        return StepRunner(
            step, self.store, self.log, Codec(), RunnerConfig(8), compute=inline, watch=step.watchdog,
            suspects=self.suspects, observer=self.counted,
        )  # fmt: skip

    async def live(self, feed: Sequence[Message], upcoming: Upcoming = nothing) -> StepRunner | None:
        """One life; the runner, where it goes on."""
        runner = self.runner()
        try:
            await runner.process(feed, upcoming)
        except Ended:
            self.ends += 1
            return None
        return runner

    def note(self, *offsets: int, topic: str = TOPIC, at: int = AT, alone: bool = False) -> None:
        self.suspects.note([Suspect("counter", topic, P, n, at) for n in offsets], alone)

    def times(self) -> dict[int, int]:
        return {offset: n.times for (*_, offset), n in self.suspects.rows.items()}

    def letters(self) -> list[tuple[bytes | None, bytes | None]]:
        found = [m for (t, _), line in self.log.partitions.items() if t == topics.DEAD_LETTERS.name for m in line]
        return [(header(m.headers, "source_offset"), header(m.headers, "reason")) for m in found]

    def count(self, name: str = "ann") -> bytes | None:
        owner = user("acme", name)
        return self.store.rows.get(("counter", partition(owner, 8)), {}).get(owner.key, {}).get("count")


def prepared(runner: StepRunner | None) -> list[int]:
    assert runner is not None
    assert isinstance(runner.step, Hanging)
    return runner.step.prepared


FEED = [message(n, text) for n, text in enumerate(["t0", "t1", "hang on", "t3", "t4"])]


@pytest.mark.parametrize("phase", ["prepare", "handle"])
async def test_the_record_is_a_dead_letter_and_nothing_around_it_is_lost(
    phase: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    lives = Lives(phase)
    assert await lives.live(FEED) is None
    assert lives.times() == (dict.fromkeys(range(5), 1) if phase == "prepare" else {2: 1}), "what was in hand then"
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
        async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None:
            raise StoreAway("gone")

    lives = Lives("prepare")
    lives.suspects = Away(lambda: 0.0)
    lives.note(1)
    assert await lives.live([message(n, f"t{n}") for n in range(3)]) is not None
    assert lives.counted.words == {"handled": 3, "tried_alone": 1}
    await lives.runner().stored_offset(P)
    assert lives.times() == {}, "it is dropped when the partition is begun again"


async def test_while_a_suspect_computes_nothing_else_does() -> None:
    dog = Watchdog(Limits(LIMIT), MemorySuspects(), end)
    said: list[str] = []
    go = asyncio.Event()

    async def compute(name: str, alone: bool) -> None:
        async with dog.turn(alone):
            said.append(f"{name} begins")
            await go.wait()
            said.append(f"{name} ends")

    tasks = [asyncio.ensure_future(compute(*what)) for what in (("a", False), ("b", False), ("s", True), ("c", False))]
    for _ in range(10):
        await asyncio.sleep(0)
    assert said == ["a begins", "b begins"]
    go.set()
    await asyncio.gather(*tasks)
    assert said[4:] == ["s begins", "s ends", "c begins", "c ends"]
