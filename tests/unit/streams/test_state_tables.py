"""Typed rows over an owner's state: what is written is read again, and a row of another form says nothing of itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from processors.state_tables import (
    EventRows,
    IsoTime,
    JsonRows,
    Row,
    Single,
    SortableTime,
    Table,
    UnreadableRow,
    stored_as,
)
from processors.step import OwnerState
from schemas.events.envelope import Tick
from schemas.log import topics
from streams.state.cache import CachedOwner, NotRead, OwnerOverlay

SECRET = "zebra-4711"
NOW = datetime(2026, 11, 2, 1, tzinfo=UTC)


class Visit(Row):
    model_config = stored_as(place="p", counts="c", left_at="l")

    place: str
    counts: dict[str, int]
    left_at: SortableTime | None = Field(default=None, exclude_if=lambda value: value is None)


class Step(NamedTuple):
    at: IsoTime
    name: str


VISITS: Table[Visit] = Table("v/", JsonRows(Visit))
STEPS: Table[Step] = Table("", JsonRows(Step))
COUNT: Single[int] = Single("count", JsonRows(int))
TICKS: Table[Tick] = Table("tick/", EventRows(topics.TURNS, Tick))

texts = st.text(st.characters(codec="utf-8"))
times = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
numbers = st.integers(-(2**53), 2**53)
visits = st.tuples(texts, st.dictionaries(texts, numbers, max_size=4), st.none() | times).map(
    lambda drawn: Visit(place=drawn[0], counts=drawn[1], left_at=drawn[2])
)


def rows(**stored: bytes) -> OwnerOverlay:
    cached = CachedOwner(complete=True)
    for key, value in stored.items():
        cached.set(key, value)
    return OwnerOverlay(cached)


@given(visits, texts)
def test_a_row_that_is_written_is_read_again(visit: Visit, name: str) -> None:
    table = rows().table(VISITS)
    table.put(name, visit)
    assert table.get(name) == visit
    assert name in table
    assert list(table.items()) == [(name, visit)]
    table.delete(name)
    assert table.get(name) is None
    assert name not in table
    assert table.names() == []


@given(visits)
def test_equal_rows_are_equal_bytes_whatever_the_order_of_their_maps(visit: Visit) -> None:
    turned = visit.model_copy(update={"counts": dict(reversed(visit.counts.items()))})
    written = VISITS.format.encode(visit)
    assert VISITS.format.encode(turned) == written
    assert orjson.dumps(orjson.loads(written), option=orjson.OPT_SORT_KEYS) == written, "as OwnerState.put has it"


@given(st.builds(Step, times, texts), st.sampled_from([UTC, timezone(timedelta(0))]))
def test_a_named_tuple_is_stored_as_a_list(step: Step, zone: timezone) -> None:
    shifted = step._replace(at=step.at.astimezone(zone))
    raw = STEPS.format.encode(shifted)
    assert orjson.loads(raw) == [step.at.isoformat(), step.name]
    assert STEPS.format.decode(raw) == step


@given(st.lists(times, min_size=2, max_size=8))
def test_sortable_times_sort_as_texts(found: list[datetime]) -> None:
    stored = [orjson.loads(VISITS.format.encode(Visit(place="", counts={}, left_at=at)))["l"] for at in found]
    assert [t for _, t in sorted(zip(stored, found, strict=True))] == sorted(found)


def test_stored_names_are_the_aliases_and_what_is_excluded_is_absent() -> None:
    state: OwnerState = rows()
    state.table(VISITS).put("a", Visit(place="York", counts={"b": 2, "a": 1}), NOW)
    assert state.read("v/a") == b'{"c":{"a":1,"b":2},"p":"York"}'


def test_a_field_of_a_newer_version_is_left_out() -> None:
    state = rows(**{"v/a": b'{"c":{},"p":"York","z":1}'})
    assert state.table(VISITS).get("a") == Visit(place="York", counts={})


def test_tables_of_one_owner_do_not_see_each_other() -> None:
    state = rows(**{"v/a": b'{"c":{},"p":"York"}', "count": b"3", "w/a": b"{}"})
    assert state.table(VISITS).names() == ["a"]
    assert state.single(COUNT).get() == 3
    state.single(COUNT).put(4)
    state.single(COUNT).delete()
    assert state.single(COUNT).get() is None
    assert state.keys() == ["v/a", "w/a"], "in order, without what was deleted"


def test_an_event_row_has_the_bytes_of_its_topic() -> None:
    state = rows()
    tick = Tick(now=NOW)
    state.table(TICKS).put("1", tick)
    assert state.table(TICKS).get("1") == tick
    assert orjson.loads(state.read("tick/1") or b"")["type"] == "tick"


@pytest.mark.parametrize("raw", [b'{"c":{"zebra-4711":"x"},"p":"York"}', b'{"c":{},"p":["zebra-4711"]}', b"zebra-4711"])
def test_a_row_of_another_form_is_refused_without_its_content(raw: bytes) -> None:
    with pytest.raises(UnreadableRow) as caught:
        rows(**{"v/a": raw}).table(VISITS).get("a")
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__, "its cause holds the value"


def test_an_event_of_another_type_is_refused() -> None:
    with pytest.raises(UnreadableRow):
        rows(**{"tick/1": b'{"type":"zebra-4711"}'}).table(TICKS).get("1")


def test_what_was_not_read_is_asked_for() -> None:
    state = OwnerOverlay(CachedOwner(), "acme/user/ann")
    for ask in (lambda: state.table(VISITS).get("a"), lambda: state.table(VISITS).names(), state.single(COUNT).get):
        with pytest.raises(NotRead):
            ask()
