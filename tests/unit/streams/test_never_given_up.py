"""A tick or an erasure that hangs its step is no dead letter: the step stops before it in its partition, says so, and
tries again; everything else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from faust.types import TP

from processors.step import Reads
from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Event
from streams.faults import Faults
from streams.faust.intake import Fetched
from streams.faust.step_loop import StepLoop, _batch, _seek_due
from streams.rounds import OUTCOME_STOPPED, is_control
from streams.runner import Message
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Rows, StoreAway
from streams.suspects import GIVEN_UP_BY_HAND, MOST_TIMES, Noted
from tests.patience import PATIENCE, eventually
from tests.unit.streams.bench import PLAIN, P, message
from tests.unit.streams.lives import AT, OTHER, TOPIC, Hanging, Lives, Q, Worker
from tests.unit.streams.toy import START, Counter, turn

TICK = Tick(now=START)
ERASURE = Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=START)
CONTROLS = pytest.mark.parametrize("event", [TICK, ERASURE], ids=["tick", "erasure"])


def control(offset: int, event: Event, partition: int = P) -> Message:
    encoded = PLAIN.encode(event, "memstream/test", "id")
    return Message(TOPIC, partition, offset, encoded.key, encoded.value, encoded.headers, AT)


def theirs(*offsets: int) -> list[Message]:
    """Of another partition."""
    return [Message(TOPIC, Q, n, None, PLAIN.value(turn(f"t{n}", OTHER)), [], AT) for n in offsets]


def feed(event: Event) -> list[Message]:
    return [message(0, "t0"), message(1, "t1"), control(2, event), message(3, "t3"), *theirs(0, 1)]


def stopping(phase: str = "handle", alone: int = MOST_TIMES - 1) -> Lives:
    """What is at offset 2 hung alone so many times."""
    lives = Lives(phase, controls=True)
    lives.note(2)
    for _ in range(alone):
        lives.note(2, alone=True)
    return lives


@CONTROLS
@pytest.mark.parametrize("phase", ["decode", "prepare", "reads", "handle"])
async def test_it_is_tried_again_and_again_and_goes_through_once_it_can(
    event: Event, phase: str, caplog: pytest.LogCaptureFixture
) -> None:
    lives = Lives(phase, controls=True)
    for n in range(1, MOST_TIMES + 1):
        assert await Worker(lives, feed(event)).ends()
        assert lives.times()[2] == n
    for n, pause in enumerate((60.0, 120.0)):
        worker = Worker(lives, feed(event))
        assert not await worker.ends()
        lives.now.at += pause - 1
        assert not await worker.ends()
        assert lives.times()[2] == MOST_TIMES + n
        lives.now.at += 1
        assert await worker.ends(), "longer each time: everything else goes on meanwhile"
        assert lives.times()[2] == MOST_TIMES + n + 1
    assert lives.letters() == []
    assert lives.count() == b"2", "what is before it went through, and nothing behind it did"
    assert lives.counted.words[OUTCOME_STOPPED] == 2
    assert caplog.text.count("step counter stops before a tick or an erasure") == 2

    lives.mended = True
    last = Worker(lives, feed(event))
    await last.goes_on()
    lives.now.at += 240
    await last.goes_on()
    assert (last.done(), last.seeks) == ({P: 4, Q: 2}, [(P, 2)])
    assert (lives.letters(), lives.count(), lives.times()) == ([], b"3", {})
    assert "held" not in lives.counted.words


@CONTROLS
async def test_what_hangs_when_its_batch_is_encoded_is_no_exception(event: Event) -> None:
    """After it is decided: a step that has nothing to say marks how far it is."""
    lives = stopping("commit", alone=MOST_TIMES - 2)
    assert await Worker(lives, feed(event)).ends()
    assert lives.times() == {2: MOST_TIMES}
    worker = Worker(lives, feed(event))
    await worker.goes_on()
    assert (worker.done(), lives.letters()) == ({P: 2, Q: 2}, [])


@CONTROLS
async def test_other_partitions_of_the_step_go_on_and_are_committed(event: Event) -> None:
    lives = stopping()
    worker = Worker(lives, feed(event))
    await worker.goes_on()
    assert worker.done() == {P: 2, Q: 2}
    worker.feed += [message(4, "t4"), *theirs(2, 3)]
    await worker.goes_on()
    assert worker.done() == {P: 2, Q: 4}
    worker.intake.passed(TP(TOPIC, P), 9)
    assert worker.done()[P] == 2, "a consumer that read on proves nothing"
    assert (lives.count(), lives.count(OTHER)) == (b"2", b"4")


@CONTROLS
async def test_the_pause_has_a_bound(event: Event) -> None:
    lives = stopping(alone=20)
    found = await lives.runner().stops(feed(event))
    assert [(s.partition, s.offset, s.seconds) for s in found] == [(P, 2, 960.0)]


async def test_a_pause_goes_on_where_the_process_before_left_it() -> None:
    """Other records and upgrades end processes, too; of two that stop their partitions the one that comes first in each
    life would put off the other for ever."""
    lives = stopping()
    lives.suspects._clock = lives.now
    assert not await Worker(lives, feed(TICK)).ends()
    lives.now.at = 59
    worker = Worker(lives, feed(TICK))
    assert not await worker.ends()
    lives.now.at = 60
    assert await worker.ends()
    lives.now.at = 60 + 119
    assert not await Worker(lives, feed(TICK)).ends()
    lives.now.at = 60 + 120
    assert await Worker(lives, feed(TICK)).ends(), "what is due is tried at the first sight"
    assert lives.counted.words[OUTCOME_STOPPED] == 3


async def test_several_partitions_wait_beside_each_other() -> None:
    lives = Lives("handle")
    worker = Worker(lives, [control(0, TICK), control(0, TICK, Q)])
    for p in (P, Q):
        lives.suspects.rows["counter", TOPIC, p, 0] = Noted(AT, MOST_TIMES)
        lives.suspects._noted_at["counter", TOPIC, p, 0] = 0.0
    await worker.goes_on()
    lives.now.at += 60
    await worker.goes_on()
    assert worker.done() == {P: 1, Q: 1}


class Away(MemoryStateStore):
    """Gone for the first `times` loads."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        self.times -= 1
        if self.times >= 0:
            raise StoreAway("gone")
        return await super().load(step, wanted)


async def test_a_store_that_is_away_after_the_pause_costs_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.faust.step_loop._AWAY_SECONDS", (0.0,))
    lives = stopping()
    lives.store = store = Away(0)
    worker = Worker(lives, feed(TICK)[:4])
    await worker.goes_on()
    step = worker.runner.step
    assert isinstance(step, Hanging)
    step.mended, lives.now.at, store.times = True, 60.0, 2
    await worker.goes_on()
    assert (worker.done(), store.times < 0) == ({P: 4}, True)
    assert lives.counted.words[OUTCOME_STOPPED] == 1


async def test_a_partition_that_is_revoked_waits_for_no_pause() -> None:
    """Its next owner tries; here nothing more is done with it, and the rebalance takes no time."""
    lives = stopping()
    worker = Worker(lives, feed(TICK))
    loop = StepLoop(worker, worker.runner, worker.intake, Faults(), PATIENCE, lambda: None)
    await worker.goes_on()
    assert not loop._busy.locked()
    await loop.revoked([P])
    worker.intake.leave([TP(TOPIC, P)])
    lives.now.at += 1_000
    await worker.goes_on()
    assert (worker.seeks, lives.times()) == ([], {2: MOST_TIMES})


async def test_a_partition_that_is_left_while_the_consumer_goes_back_is_let_go() -> None:
    lives = stopping()
    worker = Worker(lives, feed(TICK))
    await worker.goes_on()
    lives.now.at += 60

    async def seek(partition: TP, offset: int) -> None:
        worker.intake.leave([partition])

    worker.seek = seek  # type: ignore[method-assign]
    await _seek_due(worker, worker.runner, worker.intake)
    assert (worker.intake.due(), worker.intake.sought) == ({}, set())


async def test_in_a_rebalance_no_consumer_is_moved() -> None:
    lives = stopping()
    worker = Worker(lives, feed(TICK))
    worker.intake.hold(TP(TOPIC, P), 2, 0.0)
    loop = StepLoop(worker, worker.runner, worker.intake, Faults(), PATIENCE, lambda: None)
    loop._moving.set()
    running = asyncio.create_task(loop.run())
    for _ in range(10):
        await asyncio.sleep(0)
    running.cancel()
    assert worker.seeks == []
    assert worker.intake.due() == {}, "it is put off"


async def test_an_idle_loop_goes_back_when_it_is_due() -> None:
    """Nothing else comes that would wake it."""
    lives = stopping()
    worker = Worker(lives, [])
    worker.intake.hold(TP(TOPIC, P), 2, 0.0)
    loop = StepLoop(worker, worker.runner, worker.intake, Faults(), PATIENCE, lambda: None)
    running = asyncio.create_task(loop.run())
    assert await eventually("the consumer to go back", lambda: asyncio.sleep(0, worker.seeks)) == [(P, 2)]
    running.cancel()


@pytest.mark.parametrize("cleanup", topics.Cleanup)
async def test_what_was_on_its_way_when_the_consumer_went_back_does_not_overtake_it(
    cleanup: topics.Cleanup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a compacted topic, too, where offsets have gaps of their own."""
    monkeypatch.setattr(Counter, "source", replace(topics.TURNS, cleanup=cleanup))
    lives = stopping()
    worker = Worker(lives, [message(0, "t0"), message(1, "t1"), control(2, TICK), message(3, "t3")])
    await worker.goes_on()
    lives.now.at += 60
    await _seek_due(worker, worker.runner, worker.intake)
    await _batch(worker, worker.runner, [Fetched(1, message(3, "t3"))], worker.intake, Faults())
    assert worker.done() == {P: 2}
    for _ in range(3):
        if await worker.ends():
            break
    assert lives.times() == {2: MOST_TIMES + 1}
    assert lives.count() == b"2"


@CONTROLS
async def test_it_needs_no_headers_to_be_known(event: Event) -> None:
    """A client of Kafka's own writes none."""
    bare = replace(control(2, event), headers=[])
    assert is_control(bare)
    lives = stopping("decode", alone=MOST_TIMES)
    worker = Worker(lives, [message(0, "t0"), message(1, "t1"), bare])
    await worker.goes_on()
    assert (worker.done(), lives.letters()) == ({P: 2}, [])


@CONTROLS
@pytest.mark.parametrize(("phase", "tries"), [("handle", MOST_TIMES), ("decode", MOST_TIMES + 1)])
async def test_headers_that_say_so_hold_nothing_up(event: Event, phase: str, tries: int) -> None:
    """They are the writer's: a turn under those of an erasure is given up as any other."""
    lives = Lives(phase)
    forged = replace(message(0, "hang on"), headers=control(0, event).headers)
    for _ in range(tries):
        assert await Worker(lives, [forged]).ends()
    assert not await Worker(lives, [forged]).ends()
    assert lives.letters() == [(b"0", b"held_too_long")]
    assert OUTCOME_STOPPED not in lives.counted.words


def test_a_text_that_speaks_of_one_is_none() -> None:
    assert not is_control(message(0, 'say {"type":"tick"} or "type":"erasure"'))


@CONTROLS
async def test_an_operator_may_give_it_up(event: Event) -> None:
    """The way out where even decoding hangs; it is undecoded then, and can be replayed."""
    lives = stopping("decode", alone=MOST_TIMES)
    worker = Worker(lives, feed(event))
    await worker.goes_on()
    lives.suspects.rows["counter", TOPIC, P, 2] = Noted(AT, GIVEN_UP_BY_HAND)
    lives.now.at += 120
    await worker.goes_on()
    assert lives.letters() == [(b"2", b"held_too_long")]
    assert (worker.done(), lives.count(), lives.times()) == ({P: 4, Q: 2}, b"3", {})
