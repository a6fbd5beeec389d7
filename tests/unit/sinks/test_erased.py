"""What comes to a sink behind an erasure of its owner (C9): late, or as a dead letter that is replayed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.dead_letters import REPLAY_OF, SOURCE_TIME
from schemas.log.owner import Owner, user
from schemas.log.topics import Cleanup
from sinks.collapse import collapse
from sinks.erased import Cut, WithoutErased
from sinks.memory import MemorySink
from sinks.protocol import Item, SinkBatch, Transient
from tests.unit.sinks.events import NOW, checkpoint, decision, hot, memory, message, session, turn

HOUR = timedelta(hours=1)
REPLAYED = NOW + 9 * HOUR


class Erasures:
    """`known`: those that the register held when the sink began."""

    def __init__(self, *cuts: Cut, known: Sequence[Cut] = ()) -> None:
        self.cuts, self.known, self.asked = cuts, known, list[Sequence[Owner]]()
        self.late: list[Collection[str]] = []
        self.away = False

    def newest(self, most: int) -> Sequence[Cut]:
        return self.known[-most:]

    def of(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        self.asked.append(owners)
        self._answer()
        return self.cuts

    def came_late(self, erasure_ids: Collection[str]) -> None:
        self.late.append(set(erasure_ids))
        self._answer()

    def _answer(self) -> None:
        if self.away:
            raise Transient("OperationalError 57P01")


def cut(user_id: str | None = "u1", session_id: str | None = None, at: datetime = NOW + HOUR, **over: Any) -> Cut:
    return Cut("e1", "t1", user_id, session_id, at, **over)


def _item(event: Event, replayed: bool = True, source: datetime = NOW) -> Item:
    m = message(event)
    if replayed:
        results = [(REPLAY_OF, b"0:7"), (SOURCE_TIME, str(int(source.timestamp() * 1000)).encode())]
        m = replace(m, headers=[*m.headers, *results], timestamp_ms=int(REPLAYED.timestamp() * 1000))
    return Item(event, m)


def _left(erasures: Erasures, *items: Item) -> list[Any]:
    sink = MemorySink()
    WithoutErased(sink, erasures).write(SinkBatch(collapse(items)))
    return list(sink.rows.values())


@pytest.mark.parametrize("event", [turn(1), memory(1), decision(1), session(1), checkpoint(1)], ids=lambda e: e.type)
def test_c9_a_replayed_letter_of_who_was_erased_since_writes_nothing(event: Any) -> None:
    """A store had refused it. Put back by an operator, behind the erasure, it stood in the store again for good."""
    assert _left(Erasures(cut()), _item(event)) == []
    assert _left(Erasures(cut(None)), _item(event)) == []
    assert _left(Erasures(cut("u2")), _item(event)) == [event]
    assert _left(Erasures(cut(at=NOW - HOUR)), _item(event)) == [event]
    own = getattr(event, "session_id", None)
    assert _left(Erasures(cut(session_id="elsewhere")), _item(event)) == [event]
    assert _left(Erasures(cut(session_id=own or "s1")), _item(event)) == ([] if own else [event])


def test_c9_what_a_clock_dated_ahead_is_of_the_time_at_which_it_came() -> None:
    ahead = turn(1, accepted_at=NOW + 5 * HOUR)
    assert _left(Erasures(cut()), _item(ahead)) == []
    assert _left(Erasures(cut()), _item(ahead, source=NOW + 2 * HOUR)) == [ahead]


def test_what_is_no_replay_or_no_users_is_not_asked_for() -> None:
    erasures = Erasures(cut())
    assert len(_left(erasures, _item(turn(1), replayed=False), _item(hot(1)))) == 2
    assert erasures.asked == []


def test_c9_of_a_record_that_came_back_the_newer_one_stays() -> None:
    """Its revisions have started over: the replay has the higher one, and hides it in the batch."""
    old, new = memory(1, 5, "before"), memory(1, 1, "behind", known_at=NOW + 2 * HOUR)
    assert _left(Erasures(cut()), _item(new, replayed=False), _item(old)) == [new]


def test_n2_while_it_is_not_known_the_batch_waits() -> None:
    erasures = Erasures()
    erasures.away = True
    with pytest.raises(Transient):
        _left(erasures, _item(turn(1)))
    assert erasures.asked == [[user("t1", "u1")]]


EVENTS = [turn(1), memory(1), decision(1), session(1), checkpoint(1)]
LATER = NOW + 2 * HOUR
BACK = [
    turn(1, accepted_at=LATER), memory(1, known_at=LATER), decision(1, accepted_at=LATER), session(1, updated_at=LATER),
    checkpoint(1, created_at=LATER),
]  # fmt: skip


def erasure(at: datetime = NOW + HOUR, **over: Any) -> Erasure:
    fields: dict[str, Any] = {"scope": "user", "user_id": "u1", "stage": "gate", **over}
    return Erasure(tenant="t1", erasure_id="e1", accepted_at=at, **fields)


def _sent(event: Event, src: str = "", partition: int = 0) -> Item:
    m = message(event)
    results = [(k, v) for k, v in m.headers if k != "src"] + ([("src", src.encode())] if src else [])
    return Item(event, replace(m, headers=results, partition=partition))


def _written(erasures: Erasures, *batches: Sequence[Item], tells: bool = True, most: int = 10) -> MemorySink:
    store = MemorySink()
    sink = WithoutErased(store, erasures, tells=tells, most=most)
    sink.ensure()
    for items in batches:
        sink.write(SinkBatch(collapse(items)))
    return store


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: e.type)
def test_c9_what_a_frozen_process_sent_late_writes_nothing(event: Any) -> None:
    """It lies behind the erasure, and behind the null of its key."""
    here = message(event).topic
    kept = topics.BY_NAME[here].cleanup is not Cleanup.DELETE
    passing = Item(erasure(), replace(message(event), value=b"{}"))
    ways: list[tuple[Erasures, list[Item]]] = [
        (Erasures(), [passing]), (Erasures(known=[cut()]), []), (Erasures(known=[cut(None)]), []),
    ]  # fmt: skip
    for erasures, first in ways:
        assert _written(erasures, first, [_sent(event)]).rows == {}
        assert erasures.late == ([{"e1"}] if kept else []), "the eraser has to null it"
    for erasures in (Erasures(known=[cut("u2")]), Erasures(known=[cut(session_id="elsewhere")])):
        assert list(_written(erasures, [_sent(event)]).rows.values()) == [event]
    quiet = Erasures(known=[cut()])
    _written(quiet, [_sent(event)], tells=False)
    assert quiet.late == []


@pytest.mark.parametrize("event", BACK, ids=lambda e: e.type)
def test_c9_who_comes_back_is_remembered_anew(event: Any) -> None:
    assert list(_written(Erasures(known=[cut()]), [_sent(event)]).rows.values()) == [event]


def test_c9_what_came_with_an_erasure_is_written_before_it_and_counted() -> None:
    found: list[dict[str, int]] = []
    store = MemorySink(findings=lambda e, place, counts: found.append(counts))
    sink = WithoutErased(store, Erasures())
    first = _sent(memory(1))
    sink.write(SinkBatch([first, Item(erasure(), replace(first.message, value=b"{}"))]))
    assert (store.rows, found) == ({}, [{"memories": 1}])


def test_c9_the_order_of_the_step_tells_what_a_clock_dated_ahead() -> None:
    """One partition of the step wrote it before the erasure, whatever its date; another says nothing of the order."""
    ahead = memory(1, known_at=NOW + 5 * HOUR)
    passing = _sent(erasure(), "gate/3:10:4")
    passing = replace(passing, message=replace(passing.message, topic=message(ahead).topic))
    for src, kept in (("gate/3:10:3", 0), ("gate/3:9:7", 0), ("gate/3:11:0", 1), ("gate/2:9:0", 1), ("", 1)):
        assert len(_written(Erasures(), [passing], [_sent(ahead, src)]).rows) == kept, src


def test_c9_what_a_project_keeps_of_the_user_comes_back_no_more_once_it_was_given_up() -> None:
    kept, of_other = hot(1, user_id="u1"), hot(2, user_id="u2")
    given_up = erasure(stage="project")
    passing = Item(given_up, replace(message(kept), value=b"{}"))
    assert len(_written(Erasures(known=[cut()]), [_sent(kept)]).rows) == 1, "its deletion follows"
    assert list(_written(Erasures(), [passing], [_sent(kept), _sent(of_other)]).rows.values()) == [of_other]
    assert _written(Erasures(known=[cut(done=True)]), [_sent(kept)]).rows == {}
    removed = hot(1, user_id="u1", op="delete", state="deleted")
    assert len(_written(Erasures(known=[cut(done=True)]), [_sent(removed)]).rows) == 1


def test_c9_the_newest_erasures_are_remembered() -> None:
    known = [cut()._replace(erasure_id=f"e{n}", user_id=f"u{n}") for n in range(1, 4)]
    left = [_written(Erasures(known=known), [_sent(turn(1, user_id=f"u{n}"))], most=2).rows for n in range(1, 4)]
    assert list(map(len, left)) == [1, 0, 0]


def test_n2_the_batch_waits_while_the_eraser_cannot_be_told() -> None:
    erasures = Erasures(known=[cut()])
    erasures.away = True
    with pytest.raises(Transient):
        _written(erasures, [_sent(session(1))])
