"""Collapsing and decoding, apart from the loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from schemas.events.envelope import Marker, Tick
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import SessionCommand
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.owner import user
from sinks.collapse import caused_at, collapse, identity, memory_of, revision, runs, session_of
from sinks.decode import decode
from sinks.memory import MemorySink
from sinks.protocol import Item, Mark, Message, SinkBatch, Tombstone
from tests.unit.sinks.events import CODEC, NOW, checkpoint, decision, memory, message, session, turn


def items(*revisions: tuple[int, int]) -> list[Item]:
    return [Item(e, message(e, n)) for n, e in enumerate(memory(record, rev) for record, rev in revisions)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9))))
def test_one_item_a_record_with_the_highest_revision(pairs: list[tuple[int, int]]) -> None:
    """And no record is lost on the way: what gave way stands in `older`, newest first."""
    out = collapse(items(*pairs))
    highest = {f"record-{n}": max(r for m, r in pairs if m == n) for n, _ in pairs}
    assert {getattr(i.event, "record_id", ""): revision(i.event) for i in out} == highest
    assert sum(1 + len(i.older) for i in out) == len(pairs)
    for item in out:
        line = [revision(i.event) for i in (item, *item.older)]
        assert line == sorted(line, reverse=True)
        assert all(not i.older for i in item.older)


def test_at_equal_revisions_the_later_one_stands() -> None:
    first, second = message(decision(1), 1), message(decision(1), 2)
    (item,) = collapse([Item(decision(1), first), Item(decision(1), second)])
    assert item.message.offset == 2


def test_what_no_sink_writes_is_left_out() -> None:
    command = SessionCommand(tenant="t1", user_id="u1", session_id="s1", command="close", command_id="c")
    events: list[Event] = [Marker(), Tick(now=NOW), command]
    assert [identity(e) for e in events] == [None] * 3
    assert collapse([Item(e, message(e)) for e in events]) == []


def test_records_of_different_tenants_and_users_are_different() -> None:
    events = [
        turn(1), turn(1, tenant="t2"), turn(1, user_id="u2"), session(1), session(1, user_id="u2"), memory(1),
        memory(1, version=1), checkpoint(1), decision(1),
    ]  # fmt: skip
    assert len(collapse([Item(e, message(e)) for e in events])) == len(events)


def _item(what: str, number: int) -> Item:
    """`number`: a revision, of a memory marked as deleted where it is even; 0 for a null under the key."""
    if what == "session":
        state = session(1, max(number, 1))
        return _under(f"{state.owner.key}/{state.session_id}", state, number == 0)
    marked = {"op": "delete", "state": "deleted"} if number % 2 == 0 else {}
    update = memory(1, max(number, 1), **marked)
    return _under(update.row_key, update, number == 0)


def _under(key: str, event: SessionState | MemoryUpdate, nulled: bool) -> Item:
    m = replace(message(event), key=key.encode())
    return Item(Tombstone(m.topic, event.owner, key) if nulled else event, m)


def _stored(batches: Iterable[Sequence[Item]]) -> dict[tuple[Hashable, ...], Event]:
    """What a store keeps that writes the values of a batch before it looks at its nulls, as the stores do."""
    sink = MemorySink()
    for run in (run for batch in batches for run in runs(batch)):
        sink.write(SinkBatch(sorted(collapse(run), key=lambda i: isinstance(i.event, Tombstone))))
    return sink.rows


_RECORDS = st.tuples(st.sampled_from(["session", "memory"]), st.integers(0, 4))


@given(st.lists(st.lists(_RECORDS, max_size=6), max_size=4))
@example([[("session", 2)], [("session", 0), ("session", 1)]])
@example([[("session", 2), ("session", 0), ("session", 1)]])
@example([[("memory", 4)], [("memory", 0), ("memory", 1), ("memory", 0), ("memory", 2)]])
def test_what_a_store_keeps_does_not_depend_on_the_batches(batches: list[list[tuple[str, int]]]) -> None:
    found = [[_item(*pair) for pair in batch] for batch in batches]
    alone = [[item] for batch in found for item in batch]
    whole = [[item for batch in found for item in batch]]
    assert _stored(found) == _stored(alone) == _stored(whole)


def test_a_value_behind_a_null_under_its_key_is_written_apart_from_it() -> None:
    old, null, new, other = _item("session", 2), _item("session", 0), _item("session", 1), _item("memory", 1)
    assert runs([old, null, other, new]) == [[old, null, other], [new]]
    assert list(_stored([[old], [null, new]]).values()) == [new.event]
    assert runs([]) == [()]


def test_tombstones_name_memories_and_sessions() -> None:
    owner = user("t/1", "u 1")
    assert memory_of(Tombstone(topics.UPDATES.name, owner, "a/b/3")) == ("t/1", "a/b", 3)
    assert memory_of(Tombstone(topics.UPDATES.name, owner, "none")) is None
    assert memory_of(Tombstone(topics.SESSION_STATE.name, owner, "a/3")) is None
    assert session_of(Tombstone(topics.SESSION_STATE.name, owner, f"{owner.key}/s/1")) == ("t/1", "u 1", "s/1")
    assert session_of(Tombstone(topics.SESSION_STATE.name, owner, "other/s")) is None


def test_progress_is_per_stage_partition_and_root() -> None:
    root = "conversation.turns.v1/0"
    decoded = decode(
        CODEC,
        [
            message(memory(1), 1, 3, progress={root: 5, "memory.ledger.v1/0": 2}),
            message(memory(2), 2, 3, progress={root: 4}),
            message(turn(1), 1, 4, step="screen", progress={root: 9}),
        ],
    )
    assert decoded.progress == {
        Mark("gate:memory.updates.v1", 3, root): 5,
        Mark("gate:memory.updates.v1", 3, "memory.ledger.v1/0"): 2,
        Mark("screen:conversation.history.v1", 4, root): 9,
    }


def test_newest_tick_is_the_sweep() -> None:
    late, early = Tick(now=NOW), Tick(now=NOW.replace(hour=7))
    decoded = decode(CODEC, [message(t, topic=topics.HISTORY.name) for t in (late, early)])
    assert decoded.sweep == NOW


def test_headers_that_no_step_writes_are_poison() -> None:
    m = message(memory(1))
    broken = [
        [("progress", b"{"), *m.headers], [("progress", b'{"a": 1}')], [("progress", b'{"a": "x"}'), *m.headers],
        [("replay_for", b"sink-redis"), *m.headers],  # every sink would pass it by, and none would say so
    ]  # fmt: skip
    decoded = decode(CODEC, [Message(m.topic, 0, 0, m.key, m.value, h, 0) for h in broken])
    assert [p.reason for p in decoded.poison] == ["headers"] * 4
    assert decoded.items == []


def test_poison_message_holds_no_content() -> None:
    m = message(memory(1))
    value = (m.value or b"").replace(b'"importance":0.5', b'"importance":"my secret"')
    (poison,) = decode(CODEC, [Message(m.topic, 0, 0, m.key, value, m.headers, 0)]).poison
    assert "secret" not in poison.text
    assert "importance" in poison.text


def test_n3_a_session_that_a_tick_closes_is_not_as_late_as_its_last_turn_is_old() -> None:
    assert caused_at(session()) == NOW
    assert caused_at(session(status="closed")) == NOW, "by a command, which has a time of its own"
    assert caused_at(session(status="idle")) is None
