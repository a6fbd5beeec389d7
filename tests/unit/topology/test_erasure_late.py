"""What comes after an erasure: of before, however late or wrongly dated, stays out; of after is kept (N6)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest

from memstream.reprocess.amend_log import amendment
from processors.pii.stored_texts import record_of
from schemas.events.amendments import Amendment, AmendmentBody
from schemas.events.erasure import Erasure
from schemas.events.memory import Decision, MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import (
    CheckpointResult,
    CheckpointResultBody,
    ScreenedTurn,
    SessionCommand,
    SessionCommandBody,
)
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.dead_letters import REPLAY_FOR, REPLAY_OF
from schemas.log.owner import partition
from sinks.collapse import collapse, runs
from sinks.decode import decode
from sinks.memory import ALL_TOPICS, MemorySink
from sinks.protocol import Message, SinkBatch
from tests.unit.topology.erasure_bench import Bench
from tests.unit.topology.erasure_log import current_rows


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


async def test_n6_what_a_step_sends_again_leaves_a_kept_log_only_where_it_is_of_before_an_erasure(bench: Bench) -> None:
    """After a power cut the second sending may be all that the log holds."""
    bench.say("ann", "I keep my zebrawood in Kurrajong.")
    bench.say("bob", "I live in Leeds.")
    await bench.driver.run()
    ledger = {
        name: next(
            m for (topic, _), held in bench.driver.log.partitions.items() if topic == topics.LEDGER.name
            for m in held if m.key is not None and name.encode() in (m.key or b"") + (m.value or b"")
            and header(m.headers, "src") is not None and not topics.is_marker(m.key)
        )
        for name in ("ann", "bob")
    }  # fmt: skip
    bench.erase("ann")
    await bench.driver.run()
    for name, m in ledger.items():
        bench.driver.log.append(topics.LEDGER.name, m.partition, f"{name}~again".encode(), m.value, m.headers)
    await bench.driver.run()
    again = {
        name: [m.value is None for m in bench.driver.log.partitions[topics.LEDGER.name, ledger[name].partition]
               if m.key == f"{name}~again".encode()]
        for name in ledger
    }  # fmt: skip
    assert again == {"ann": [False, True], "bob": [False]}
    assert not bench.driver.dead_letters()


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
    body = MemoryCommandBody(text="I own a kayak.")
    own = command.model_copy(update={"command_id": "c10", "accepted_at": bench.driver.now, "sealed": body})
    bench.driver.pipe(topics.LEDGER, own)
    await bench.driver.run()
    assert [u for u in bench.memories("ann") if "Leeds" in u.sealed.text and u.version == u.revision == 1]
    kept = [u.known_at for u in bench.memories("ann") if "kayak" in u.sealed.text]
    assert kept
    assert min(kept) > ahead, "dated before the cut-off, sinks would take it for erased"
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not bench.driver.dead_letters()


@pytest.mark.parametrize("session", [None, "s1"])
@pytest.mark.parametrize("by_turn", [True, False])
async def test_n6_a_clock_that_was_set_back_before_the_erasure_leaves_nothing_of_before(
    bench: Bench, by_turn: bool, session: str | None
) -> None:
    """The session's last turn is older than the one before it, whose time the cut-off has to reach; what a command to
    the session dated ahead, its null takes, though what follows under its key has a lower revision."""
    ahead = bench.driver.now + timedelta(hours=3)
    if by_turn:
        bench.say("ann", "I keep my zebrawood in Kurrajong.", accepted_at=ahead)
    else:
        body = SessionCommandBody(user_snapshot={"hobby": "zebrawood"})
        patch = SessionCommand(
            tenant="acme", user_id="ann", session_id="ann-s1", command="patch", command_id="p", accepted_at=ahead,
            sealed=body,
        )  # fmt: skip
        bench.driver.pipe(topics.TURNS, patch)
    for _ in range(3):
        bench.say("ann", "I own a kayak.")
    await bench.driver.run()
    asked = bench.erase("ann", session).accepted_at
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    [cut] = [e for e in bench.driver.read(topics.HISTORY) if isinstance(e, Erasure)]
    assert (cut.accepted_at, cut.requested_at) == ((ahead, asked) if by_turn else (asked, None))
    for times in (1, 2):
        rows = _stored(bench, times).rows
        [kept] = [s for s in rows.values() if isinstance(s, SessionState) and s.session_id == "ann-s1"]
        assert (kept.revision, kept.turn_count) == (1, 1)
        assert [m.content for m in kept.sealed.window] == ["I live in Leeds."]
        assert "kayak" not in str(list(rows.values()))


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


@pytest.mark.parametrize("session", [None, "s1"])
@pytest.mark.parametrize("what", ["memory", "new", "decision", "turn"])
async def test_c9_an_amendment_of_what_was_read_before_an_erasure_is_refused(
    bench: Bench, what: str, session: str | None
) -> None:
    """A rescreen, regate or redate that began while an erasure was on its way read what it was about to take, and was
    accepted behind it; of a session it was refused in no case."""
    [memory] = [m for m in bench.memories("ann") if "Kurrajong" in m.sealed.text and m.kind == "fact"]
    [turn] = [t for t in bench.driver.read(topics.HISTORY) if isinstance(t, ScreenedTurn) and t.turn_id == "t1"]
    decided = [d for d in bench.driver.read(topics.DECISIONS) if isinstance(d, Decision) and d.turn_id == "t1"]
    at = bench.erase("ann", session).accepted_at
    await bench.driver.run()
    sent = at if what == "memory" and session else at + timedelta(seconds=1)
    fields: dict[str, Any] = {"tenant": "acme", "user_id": "ann", "amendment_id": "a", "accepted_at": sent}
    match what:
        case "turn":
            a = Amendment(**fields, cause="rescreen", what="turn", target="t1", session_id="ann-s1", expected=1,
                          sealed=AmendmentBody(record=record_of(turn, {})))  # fmt: skip
        case "decision":
            a = Amendment(**fields, cause="rescreen", what="decision", target=decided[0].decision_id, expected=1,
                          sealed=AmendmentBody(record=record_of(decided[0], {})))  # fmt: skip
        case _:
            expected = memory.revision if what == "memory" else 0
            target = memory.record_id if what == "memory" else "anew"
            record = {**record_of(memory, {}), "record_id": target}
            a = Amendment(**fields, cause="regate", what="memory", target=target, version=memory.version,
                          expected=expected, sealed=AmendmentBody(record=record))  # fmt: skip
    bench.driver.pipe(topics.TURNS if what == "turn" else topics.LEDGER, a)
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    ledger = bench.driver.log.partitions[topics.LEDGER.name, partition(a.owner, topics.EMBEDDED_PARTITIONS)]
    sent_as = [m.key for m in ledger if b'"type":"amendment"' in (m.value or b"")]
    assert [[m.value for m in ledger if m.key == key][-1] for key in sent_as] == [None] * (what != "turn")
    assert not [p for p, w in bench.held().items() if "Kurrajong" in w and p.startswith("state") and "user/ann" in p]
    assert "Kurrajong" not in _words(_stored(bench), "ann")


def _stored(bench: Bench, times: int = 1) -> MemorySink:
    """What a store has of the topics; `times`: how often it reads them, as after a crash."""
    sink = MemorySink()
    for (topic, _), log in times * sorted(bench.driver.log.partitions.items()):
        if topic in ALL_TOPICS:
            found = [Message(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms) for m in log]
            for items in map(collapse, runs(decode(bench.driver.codec, found).items)):
                sink.write(SinkBatch(items))
    return sink


def _words(sink: MemorySink, who: str) -> str:
    return str([row for row in sink.rows.values() if getattr(row, "owner_id", getattr(row, "user_id", "")) == who])


async def test_c9_what_came_into_the_ledger_before_the_erasure_leaves_the_stores_with_it(bench: Bench) -> None:
    """A command overtakes the turns, and a tick goes to the ledger at once: what they made was dated behind the
    cut-off, left the gate's state and the topic, and stood in Postgres for good."""
    bench.erase("ann")
    bench.driver.advance(timedelta(seconds=2))
    command = MemoryCommand(
        tenant="acme", user_id="ann", command="remember", command_id="overtakes", kind="fact",
        accepted_at=bench.driver.now, sealed=MemoryCommandBody(text="I own a quillbacked boat."),
    )  # fmt: skip
    bench.driver.pipe(topics.LEDGER, command)
    await bench.driver.run()
    bench.say("ann", "I live in Leeds.", "s1")
    await bench.driver.run()
    for times in (1, 2):
        words = _words(_stored(bench, times), "ann")
        assert "quillbacked" not in words
        assert "Leeds" in words


@pytest.mark.parametrize("session", [None, "s1"])
@pytest.mark.parametrize("own", [True, False])
async def test_c9_what_was_replaced_while_the_erasure_was_on_its_way_leaves_the_stores(
    bench: Bench, own: bool, session: str | None
) -> None:
    """A version that ended, by another record or by one of another session, was named nowhere: it is dated behind the
    cut-off, and a store removes by a null only what is marked as deleted. `own`: it ends by its record's next version.
    """
    [lives] = [m for m in bench.memories("ann") if m.field == "residence" and m.state == "active"]
    assert lives.session_id == "ann-s1"
    bench.erase("ann", session)
    for entry, city in (
        ({"command": "correct", "memory_id": lives.record_id}, "Leeds"),
        ({"command": "remember"}, "York"),
    ):
        bench.driver.advance(timedelta(seconds=2))
        named = {"memory_id": "b"} if city == "York" and not own else {}
        command = MemoryCommand(
            tenant="acme", user_id="ann", command_id=city, kind="fact", field="residence",
            accepted_at=bench.driver.now, sealed=MemoryCommandBody(text=f"I live in {city}.", value=city),
            **cast(Any, entry | named),
        )  # fmt: skip
        bench.driver.pipe(topics.LEDGER, command)
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    updates = [u for u in bench.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate) and "Leeds" in u.sealed.text]
    assert [u.state for u in updates] == ["active", "superseded"]
    for times in (1, 2):
        words = _words(_stored(bench, times), "ann")
        assert "Leeds" not in words
        assert ("York" in words) is (session is not None)


async def test_c9_an_amendment_that_was_applied_leaves_the_ledger_with_its_session(bench: Bench) -> None:
    [memory] = [m for m in bench.memories("ann") if "Kurrajong" in m.sealed.text and m.kind == "fact"]
    record = record_of(memory, {})
    sent = amendment(memory, "regate", "memory", memory.record_id, memory.revision, record, bench.driver.now, "regated")
    bench.driver.pipe(topics.LEDGER, sent)
    await bench.driver.run()
    assert [m.revision for m in bench.memories("ann") if m.record_id == memory.record_id] == [memory.revision + 1]
    e = bench.erase("ann", "s1")
    await bench.driver.run()
    log = bench.driver.log.partitions[topics.LEDGER.name, partition(e.owner, topics.EMBEDDED_PARTITIONS)]
    place = [m.key for m in log if b'"type":"amendment"' in (m.value or b"")]
    assert place == [key for _, _, key in current_rows((_Logged(m) for m in log), e) if key in place]


class _Logged:
    """A record as the eraser reads it."""

    def __init__(self, m: Any) -> None:
        self._m = m

    def topic(self) -> str:
        return str(self._m.topic)

    def partition(self) -> int:
        return int(self._m.partition)

    def offset(self) -> int:
        return 0

    def key(self) -> bytes | None:
        return cast("bytes | None", self._m.key)

    def value(self) -> bytes | None:
        return cast("bytes | None", self._m.value)

    def headers(self) -> Any:
        return self._m.headers

    def timestamp(self) -> tuple[int, int]:
        return 1, int(self._m.timestamp_ms)
