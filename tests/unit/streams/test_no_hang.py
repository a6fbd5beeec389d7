"""A record that holds its step is written down, its process ends, and the next life gives it up alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from processors.step import Out, Record, StateSpace
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import user
from streams.driver import MemoryLog, inline
from streams.in_hand import InHand
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import StoreAway
from streams.suspects import MOST_TIMES, MemorySuspects, Suspect
from streams.trials import Trials
from streams.watchdog import Watchdog
from tests.unit.streams.bench import P, message
from tests.unit.streams.toy import START, Counter

LIMIT = 300.0
ROOT = Path(__file__).parents[3]


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
    """Takes for ever in one phase with a turn that says `hang`: the watchdog's thread looks meanwhile."""

    def __init__(self, phase: str) -> None:
        super().__init__()
        self._phase = phase
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
        if any(isinstance(r.event, TurnEvent) and r.event.sealed.content.startswith("hang") for r in records):
            self.clock.at += LIMIT + 1
            self.watchdog.look()


class Lives:
    """Runners one after the other over what outlives them. `passes`: what the trial says of a record that hangs."""

    def __init__(self, phase: str, passes: bool = False) -> None:
        self.phase, self.passes = phase, passes
        self.store, self.log, self.suspects = MemoryStateStore(), MemoryLog(lambda: START), MemorySuspects()
        self.tried: list[int] = []
        self.away = False

    async def trial(self, m: Message) -> bool:
        if self.away:
            raise StoreAway("no child")
        self.tried.append(m.offset)
        return self.passes or b"hang" not in (m.value or b"")

    def runner(self) -> StepRunner:
        step = Hanging(self.phase)
        step.watchdog = Watchdog(LIMIT, self.suspects, end, clock=step.clock)
        return StepRunner(
            step, self.store, self.log, Codec(), RunnerConfig(8), compute=inline, watch=step.watchdog,
            trials=Trials(step.name, self.suspects, self.trial),
        )  # fmt: skip

    def letters(self) -> list[tuple[bytes | None, bytes | None]]:
        found = [m for (t, _), line in self.log.partitions.items() if t == topics.DEAD_LETTERS.name for m in line]
        return [(header(m.headers, "source_offset"), header(m.headers, "reason")) for m in found]

    async def count(self) -> bytes:
        return self.store.rows["counter", P][user("acme", "ann").key]["count"]


FEED = [message(n, text) for n, text in enumerate(["t0", "t1", "hang on", "t3", "t4"])]


@pytest.mark.parametrize("phase", ["prepare", "handle"])
async def test_the_record_is_a_dead_letter_and_nothing_around_it_is_lost(phase: str) -> None:
    lives = Lives(phase)
    with pytest.raises(Ended):
        await lives.runner().process(FEED)
    noted = {s.offset for s in lives.suspects.times}
    assert noted == (set(range(5)) if phase == "prepare" else {2}), "what was in hand then"
    assert {(s.step, s.topic, s.partition) for s in lives.suspects.times} == {("counter", topics.TURNS.name, P)}
    second = lives.runner()
    await second.process(FEED)
    assert lives.tried == sorted(noted)
    assert lives.letters() == [(b"2", b"held_too_long")]
    assert await lives.count() == b"4"
    assert await second.stored_offset(P) == 5
    assert lives.suspects.times == {}
    await second.process([message(5, "t5")])
    assert lives.tried == sorted(noted), "what comes behind is no suspect"


async def test_suspects_that_pass_are_worked_on_one_by_one() -> None:
    """Together they may be too much: each is prepared by itself, the rest of the batch as ever."""
    lives = Lives("prepare", passes=True)
    lives.suspects.note([Suspect("counter", topics.TURNS.name, P, n) for n in (0, 1)])
    runner = lives.runner()
    await runner.process([message(n, f"t{n}") for n in range(4)])
    step = runner.step
    assert isinstance(step, Hanging)
    assert step.prepared == [1, 1, 2]
    assert lives.letters() == []
    assert await lives.count() == b"4"


async def test_one_that_passes_apart_and_hangs_here_is_given_up_in_the_end() -> None:
    lives = Lives("handle", passes=True)
    for _ in range(MOST_TIMES):
        with pytest.raises(Ended):
            await lives.runner().process(FEED)
    await lives.runner().process(FEED)
    assert lives.tried == [2] * (MOST_TIMES - 1)
    assert lives.letters() == [(b"2", b"held_too_long")]
    assert await lives.count() == b"4"


async def test_where_nobody_can_try_it_it_waits() -> None:
    lives = Lives("handle")
    with pytest.raises(Ended):
        await lives.runner().process(FEED)
    lives.away = True
    with pytest.raises(StoreAway):
        await lives.runner().process(FEED)
    assert lives.letters() == []
    assert {s.offset for s in lives.suspects.times} == {2}


def test_only_what_took_too_long_is_written_down() -> None:
    clock, suspects, ended = Clock(), MemorySuspects(), []
    dog = Watchdog(LIMIT, suspects, lambda: ended.append(clock.at), clock=clock)
    with dog.over("gate", [message(1, "t1")]):
        clock.at = LIMIT
        with dog.over("extract", [message(2, "t2")]):
            dog.look()
            assert not ended
            clock.at += 1
            dog.look()
    assert ended == [LIMIT + 1]
    assert set(suspects.times) == {Suspect("gate", topics.TURNS.name, P, 1)}
    dog.look()
    assert len(ended) == 1, "it is over"


def test_what_is_in_hand_is_told_where_a_trace_was_left(tmp_path: Path) -> None:
    first = InHand(tmp_path, "worker")
    first.clear(first.put("gate", [message(9, "done")]))
    first.put("gate", [message(3, "t3"), message(5, "t5")])
    beside = InHand(tmp_path, "worker")
    beside.put("gate", [message(7, "t7")])
    first.close()
    again = InHand(tmp_path, "worker")
    assert again.left() == [], "it was killed for something else"
    again.put("gate", [message(3, "t3"), message(5, "t5")])
    os.write(again.trace, b"Timeout")
    again.close()
    third = InHand(tmp_path, "worker")
    assert third.left() == [Suspect("gate", topics.TURNS.name, P, n) for n in (3, 4, 5)]
    assert third.left() == []
    third.close()
    beside.close()


def test_more_than_there_are_slots_for_is_left_out(tmp_path: Path) -> None:
    hand = InHand(tmp_path, "worker")
    slots = [hand.put("gate", [message(n, "t")]) for n in range(20)]
    assert slots.count(None) == 4
    hand.clear(slots[0])
    assert hand.put("gate", [message(30, "t")]) == slots[0]
    hand.close()


PROGRAM = """
import re, sys
from pathlib import Path
from streams import watchdog
from streams.in_hand import InHand
from streams.runner import Message
from streams.suspects import MemorySuspects
watchdog.GRACE_SECONDS = 0.5
dog = watchdog.Watchdog(0.5, MemorySuspects(), lambda: None, InHand(Path(sys.argv[1]), "worker"))
dog.start()
with dog.over("gate", [Message("memory.ledger.v1", 3, 41, None, b"", [], 0)]):
    re.match("(a+)+$", "a" * 60 + "b")
"""


def test_code_that_stops_every_thread_is_ended_and_named(tmp_path: Path) -> None:
    """A match of `re` never lets go of the interpreter."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr.decode()
    suspects = MemorySuspects()
    dog = Watchdog(LIMIT, suspects, end, InHand(tmp_path, "worker"))
    dog.start()
    dog.stop()
    assert set(suspects.times) == {Suspect("gate", "memory.ledger.v1", 3, 41)}
