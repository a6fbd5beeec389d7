"""Dead letters of sinks that are replayed behind an erasure (C9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from schemas.log.codec import Event
from schemas.log.dead_letters import REPLAY_OF, SOURCE_TIME
from schemas.log.owner import Owner, user
from sinks.collapse import collapse
from sinks.erased_replays import Cut, WithoutErased
from sinks.memory import MemorySink
from sinks.protocol import Item, SinkBatch, Transient
from tests.unit.sinks.events import NOW, checkpoint, decision, hot, memory, message, session, turn

HOUR = timedelta(hours=1)
REPLAYED = NOW + 9 * HOUR


class Erasures:
    def __init__(self, *cuts: Cut) -> None:
        self.cuts, self.asked = cuts, list[Sequence[Owner]]()
        self.away = False

    def __call__(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        self.asked.append(owners)
        if self.away:
            raise Transient("OperationalError 57P01")
        return self.cuts


def _item(event: Event, replayed: bool = True, source: datetime = NOW) -> Item:
    m = message(event)
    if replayed:
        told = [(REPLAY_OF, b"0:7"), (SOURCE_TIME, str(int(source.timestamp() * 1000)).encode())]
        m = replace(m, headers=[*m.headers, *told], timestamp_ms=int(REPLAYED.timestamp() * 1000))
    return Item(event, m)


def _left(erasures: Erasures, *items: Item) -> list[Any]:
    sink = MemorySink()
    WithoutErased(sink, erasures).write(SinkBatch(collapse(items)))
    return list(sink.rows.values())


@pytest.mark.parametrize("event", [turn(1), memory(1), decision(1), session(1), checkpoint(1)], ids=lambda e: e.type)
def test_c9_a_replayed_letter_of_who_was_erased_since_writes_nothing(event: Any) -> None:
    """A store had refused it. Put back by an operator, behind the erasure, it stood in the store again for good."""
    assert _left(Erasures(Cut("t1", "u1", None, NOW + HOUR)), _item(event)) == []
    assert _left(Erasures(Cut("t1", None, None, NOW + HOUR)), _item(event)) == []
    assert _left(Erasures(Cut("t1", "u2", None, NOW + HOUR)), _item(event)) == [event]
    assert _left(Erasures(Cut("t1", "u1", None, NOW - HOUR)), _item(event)) == [event]
    own = getattr(event, "session_id", None)
    assert _left(Erasures(Cut("t1", "u1", "elsewhere", NOW + HOUR)), _item(event)) == [event]
    assert _left(Erasures(Cut("t1", "u1", own or "s1", NOW + HOUR)), _item(event)) == ([] if own else [event])


def test_c9_what_a_clock_dated_ahead_is_of_the_time_at_which_it_came() -> None:
    ahead = turn(1, accepted_at=NOW + 5 * HOUR)
    assert _left(Erasures(Cut("t1", "u1", None, NOW + HOUR)), _item(ahead)) == []
    assert _left(Erasures(Cut("t1", "u1", None, NOW + HOUR)), _item(ahead, source=NOW + 2 * HOUR)) == [ahead]


def test_what_is_no_replay_or_no_users_is_not_asked_for() -> None:
    erasures = Erasures(Cut("t1", "u1", None, NOW + HOUR))
    assert len(_left(erasures, _item(turn(1), replayed=False), _item(hot(1)))) == 2
    assert erasures.asked == []


def test_c9_of_a_record_that_came_back_the_newer_one_stays() -> None:
    """Its revisions have started over: the replay has the higher one, and hides it in the batch."""
    old, new = memory(1, 5, "before"), memory(1, 1, "behind", known_at=NOW + 2 * HOUR)
    assert _left(Erasures(Cut("t1", "u1", None, NOW + HOUR)), _item(new, replayed=False), _item(old)) == [new]


def test_n2_while_it_is_not_known_the_batch_waits() -> None:
    erasures = Erasures()
    erasures.away = True
    with pytest.raises(Transient):
        _left(erasures, _item(turn(1)))
    assert erasures.asked == [[user("t1", "u1")]]
