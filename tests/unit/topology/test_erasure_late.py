"""What comes after an erasure: of before, however late or wrongly dated, stays out; of after is kept (N6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.events.turns import (
    CheckpointResult,
    CheckpointResultBody,
)
from schemas.log import topics
from schemas.log.dead_letters import REPLAY_FOR, REPLAY_OF
from schemas.log.owner import partition
from tests.unit.topology.erasure_bench import Bench


async def test_n6_what_was_accepted_before_is_dropped_however_late_it_comes(bench: Bench) -> None:
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    bench.erase("ann")
    await bench.driver.run()
    count = len(bench.driver.log.partitions)
    bench.driver.pipe(topics.TURNS, old)  # a replayed dead letter, a client's retry
    answer = CheckpointResult(
        tenant="acme", user_id="ann", session_id="ann-s1", segment=0, last_turn_id="t1", recent_turns=8, status="done",
        extractive=False, job_id="j", asked_at=old.accepted_at, sealed=CheckpointResultBody(summary="zebrawood"),
    )  # fmt: skip
    bench.driver.pipe(topics.TURNS, answer)
    late = MemoryCommand(
        tenant="acme", user_id="ann", command="remember", command_id="late", kind="fact", accepted_at=old.accepted_at,
        sealed=MemoryCommandBody(text="I own a quillback."),
    )  # fmt: skip
    bench.driver.pipe(topics.LEDGER, late)
    await bench.driver.run()
    assert count == len(bench.driver.log.partitions)
    assert not bench.driver.dead_letters()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not [p for p in bench.held() if "late" in p], "a refused record of a kept topic is nulled"
    history = bench.driver.read(topics.HISTORY)
    erased_at = max(i for i, e in enumerate(history) if isinstance(e, Erasure))
    assert not [e for e in history[erased_at + 1 :] if getattr(e, "user_id", "") == "ann"]


async def test_n6_a_user_who_returns_starts_anew(bench: Bench) -> None:
    bench.erase("ann")
    await bench.driver.run()
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    lives = [u for u in bench.memories("ann") if "Leeds" in u.sealed.text]
    assert [(u.version, u.revision, u.state) for u in lives] == [(1, 1, "active")]
    assert not bench.driver.dead_letters()


@pytest.mark.parametrize("rewind", [1, 40])
async def test_n6_a_restart_and_redelivery_do_not_bring_it_back(bench: Bench, rewind: int) -> None:
    bench.erase("ann")
    await bench.driver.run()
    bench.driver.restart(rewind=rewind)
    bench.say("bob", "我喜欢喝茶。")
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]


async def test_n6_what_a_clock_dated_ahead_goes_with_the_rest_and_what_is_said_after_is_kept(bench: Bench) -> None:
    ahead = bench.driver.now + timedelta(hours=3)
    wrong = bench.say("ann", "I keep my zebrawood in Kurrajong.", accepted_at=ahead)
    command = MemoryCommand(
        tenant="acme", user_id="ann", command="remember", command_id="c9", kind="fact",
        accepted_at=ahead + timedelta(minutes=1), sealed=MemoryCommandBody(text="I own a quillback."),
    )  # fmt: skip
    bench.driver.pipe(topics.LEDGER, command)
    await bench.driver.run()
    assert [m for m in bench.memories("ann") if "quillback" in m.sealed.text]
    bench.erase("ann")
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    cuts = {t: [e for e in bench.driver.read(t) if isinstance(e, Erasure)] for t in (topics.HISTORY, topics.UPDATES)}
    assert {e.accepted_at for e in cuts[topics.HISTORY]} == {ahead}, "stores delete by this time"
    assert {e.accepted_at for e in cuts[topics.UPDATES]} == {ahead}
    answer = CheckpointResult(
        tenant="acme", user_id="ann", session_id="ann-s1", segment=0, last_turn_id="t1", recent_turns=8, status="done",
        extractive=False, job_id="j", asked_at=wrong.accepted_at, sealed=CheckpointResultBody(summary="zebrawood"),
    )  # fmt: skip
    bench.driver.pipe(topics.TURNS, answer)
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    assert [u for u in bench.memories("ann") if "Leeds" in u.sealed.text and u.version == u.revision == 1]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not bench.driver.dead_letters()


async def test_n6_what_is_dated_before_an_erasure_stays_out_however_late_it_comes(bench: Bench) -> None:
    """A mirror that lags, a topic put back from a backup, a letter replayed: the words of before look like those of a
    user whose clock was set back since, who is therefore heard again when that clock has passed the erasure."""
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    back = bench.driver.now
    bench.driver.advance(timedelta(hours=3))
    cut = bench.erase("ann").accepted_at
    await bench.driver.run()
    bench.driver.pipe(topics.TURNS, old)
    p = partition(old.owner, topics.EMBEDDED_PARTITIONS)
    letter = bench.driver.codec.encode(old, "memstream/replay", "dead-letter/0:0")
    bench.driver.pipe_raw(topics.TURNS, p, letter.value, [(REPLAY_OF, b"0:0"), (REPLAY_FOR, b"screen")])
    bench.driver.now = back
    bench.driver.pipe(topics.TURNS, old.model_copy(update={"turn_id": "mirrored", "accepted_at": None}))
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    assert not [u for u in bench.memories("ann") if "Leeds" in u.sealed.text]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    bench.driver.now = cut
    bench.say("ann", "I live in York.")
    await bench.driver.run()
    assert [u for u in bench.memories("ann") if "York" in u.sealed.text]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not bench.driver.dead_letters()
