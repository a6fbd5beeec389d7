"""A tick or an erasure that hangs its step is no dead letter: the step stops before it, says so, and tries again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from schemas.log.codec import Event
from streams.rounds import OUTCOME_STOPPED
from streams.runner import Message
from streams.state.protocol import StaleOwner
from streams.suspects import MOST_TIMES
from tests.unit.streams.bench import PLAIN, P, message
from tests.unit.streams.lives import AT, TOPIC, Lives
from tests.unit.streams.toy import START

TICK = Tick(now=START)
ERASURE = Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=START)
CONTROLS = pytest.mark.parametrize("event", [TICK, ERASURE], ids=["tick", "erasure"])


def control(offset: int, event: Event) -> Message:
    encoded = PLAIN.encode(event, "memstream/test", "id")
    return Message(TOPIC, P, offset, encoded.key, encoded.value, encoded.headers, AT)


def feed(event: Event) -> list[Message]:
    return [message(0, "t0"), message(1, "t1"), control(2, event), message(3, "t3")]


@CONTROLS
@pytest.mark.parametrize("phase", ["prepare", "reads", "handle"])
async def test_it_is_tried_again_and_again_and_goes_through_once_it_can(
    event: Event, phase: str, caplog: pytest.LogCaptureFixture
) -> None:
    lives = Lives(phase, controls=True)
    for n in range(1, MOST_TIMES + 3):
        assert await lives.live(feed(event)) is None
        assert lives.times()[2] == n
    assert lives.letters() == []
    assert lives.count() == b"2", "what is before it went through, and nothing behind it did"
    assert lives.slept == [60.0, 120.0], "longer each time: the other steps of its worker go on meanwhile"
    assert lives.counted.words[OUTCOME_STOPPED] == 2
    assert caplog.text.count("step counter stops before a tick or an erasure") == 2

    lives.mended = True
    last = await lives.live(feed(event))
    assert last is not None
    assert await last.stored_offset(P) == 4
    assert (lives.letters(), lives.count(), lives.times()) == ([], b"3", {})
    assert "held" not in lives.counted.words


@CONTROLS
async def test_the_pause_has_a_bound(event: Event) -> None:
    lives = Lives("handle", controls=True)
    lives.note(2)
    for _ in range(20):
        lives.note(2, alone=True)
    assert await lives.live(feed(event)) is None
    assert lives.slept == [960.0]


@CONTROLS
async def test_what_only_says_that_it_is_one_is_given_up(event: Event) -> None:
    """Headers are the writer's: a turn under those of an erasure waits for its pause, and is a dead letter then."""
    lives = Lives("handle")
    forged = replace(message(0, "hang on"), headers=control(0, event).headers)
    for _ in range(MOST_TIMES):
        assert await lives.live([forged]) is None
    assert await lives.live([forged]) is not None
    assert lives.letters() == [(b"0", b"held_too_long")]


async def test_a_partition_that_moves_away_in_the_pause_is_let_go() -> None:
    """Its next owner tries; here nothing more is done with it."""
    lives = Lives("handle", controls=True)
    lives.note(2)
    lives.note(2, alone=True)
    lives.note(2, alone=True)
    runner = lives.runner()

    async def move(seconds: float) -> None:
        runner.forget([P])

    runner._book._sleep = move
    with pytest.raises(StaleOwner):
        await runner.process(feed(TICK))
    assert lives.times() == {2: 3}
