"""Marks that go: changes that are undone, superseded or trimmed, and rows that an earlier gate has kept."""

from __future__ import annotations

import orjson
import pytest

from processors.memory import marks
from processors.memory.changes import judge
from processors.memory.rows import stored_update
from processors.memory.store import UserMemoryStore
from processors.memory.values import iso
from schemas.events.memory import CHANGED_AT, CHANGED_ON
from streams.state.cache import CachedOwner, OwnerOverlay
from tests.unit.gate.bench import DAY, HOUR, GateBench, candidate
from tests.unit.gate.marks_bench import LAST, LATER, PAIRS, TENNIS, changed_on, check, dated, dates, known, names, pair

pytestmark = pytest.mark.usefixtures("by_words")


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words alone decide, as beside an embedding model that no head knows."""
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)


# -- undone -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("removed", ["first", "last"])
@pytest.mark.parametrize("how", ["forget", "correct", "feedback"])
async def test_d3_the_date_of_a_change_goes_with_it_and_those_of_others_stay(
    gate: GateBench, removed: str, how: str
) -> None:
    _, first = await pair(gate)
    gate.later(2 * DAY)
    await gate.say(candidate(LAST))
    last = gate.driver.now.date().isoformat()
    assert changed_on(gate, TENNIS) == last
    name = known(gate, LATER if removed == "first" else LAST).record_id
    if how == "feedback":
        await gate.feedback(name, correction="that is wrong")
    else:
        await gate.do(how, name, **({"text": "User likes plums"} if how == "correct" else {}))
    assert changed_on(gate, TENNIS) == (last if removed == "first" else first)
    check(gate)


async def test_d3_a_contradiction_that_stays_keeps_no_date_of_a_change_that_went(gate: GateBench) -> None:
    await pair(gate)
    gate.later(HOUR)
    await gate.say(candidate("User does not play tennis on Mondays"))
    denied = known(gate, "User does not play tennis on Mondays")
    held = known(gate, TENNIS)
    assert denied.record_id in held.conflicts_with
    await gate.do("forget", known(gate, LATER).record_id)
    assert dated(gate, TENNIS) <= {denied.record_id}
    check(gate)


async def test_d3_what_another_reading_takes_back_takes_its_date_along(gate: GateBench) -> None:
    await gate.say(candidate(TENNIS))
    gate.later(DAY)
    at = gate.driver.now
    await gate.say(candidate(LATER), turn="t", at=at)
    gate.later(DAY)
    await gate.say(candidate(LAST))
    await gate.say(turn="t", at=at, version=2)
    assert names(gate, TENNIS) == {LAST}
    assert dated(gate, TENNIS) == {known(gate, LAST).record_id}
    check(gate)


@PAIRS
@pytest.mark.parametrize("restarts", [False, True])
async def test_d3_said_again_and_taken_back_it_is_changed_as_before(
    gate: GateBench, old: str, new: str, restarts: bool
) -> None:
    _, second = await pair(gate, old, new)
    gate.later(2 * DAY)
    at = gate.driver.now
    await gate.say(candidate(old), turn="t3", at=at)
    assert (changed_on(gate, old), changed_on(gate, new)) == (None, at.date().isoformat())
    gate.later(DAY)
    if restarts:
        gate.restart()
    await gate.say(turn="t3", at=at, version=2)
    assert len(known(gate, old).sources) == 1
    assert (names(gate, old), changed_on(gate, old), changed_on(gate, new)) == ({new}, second, None)
    check(gate)


async def test_d3_said_again_twice_and_taken_back_once_it_holds_since_the_other_time(gate: GateBench) -> None:
    await pair(gate)
    gate.later(DAY)
    at = gate.driver.now
    await gate.say(candidate(TENNIS), turn="t3", at=at)
    gate.later(DAY)
    last = gate.driver.now.date().isoformat()
    await gate.say(candidate(TENNIS))
    await gate.say(turn="t3", at=at, version=2)
    assert (changed_on(gate, TENNIS), changed_on(gate, LATER)) == (None, last)
    check(gate)


async def test_d3_taken_back_the_first_saying_of_a_change_leaves_its_next_one(gate: GateBench) -> None:
    await gate.say(candidate(TENNIS))
    gate.later(DAY)
    at = gate.driver.now
    await gate.say(candidate(LATER), turn="t2", at=at)
    gate.later(DAY)
    last = gate.driver.now.date().isoformat()
    await gate.say(candidate(LATER))
    assert changed_on(gate, TENNIS) == at.date().isoformat()
    await gate.say(turn="t2", at=at, version=2)
    assert (changed_on(gate, TENNIS), changed_on(gate, LATER)) == (last, None)
    check(gate)


async def test_d3_taken_back_said_again_leaves_other_changes_as_they_are(gate: GateBench) -> None:
    _, second = await pair(gate)
    gate.later(DAY)
    at = gate.driver.now
    await gate.say(candidate(TENNIS), turn="t3", at=at)
    gate.later(DAY)
    await gate.say(candidate(LAST))
    last = known(gate, LAST).record_id
    assert dated(gate, TENNIS) == {last}
    await gate.say(turn="t3", at=at, version=2)
    assert dates(known(gate, TENNIS))[known(gate, LATER).record_id][:10] == second
    assert dated(gate, TENNIS) == {last, known(gate, LATER).record_id}
    assert dated(gate, LATER) == set()
    check(gate)


async def test_d3_nothing_names_a_value_that_another_one_superseded(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(DAY)
    await gate.say(candidate("User no longer lives in Leeds"))
    assert names(gate, "User no longer lives in Leeds") == {"Lives in Leeds"}
    gate.later(DAY)
    await gate.say(candidate("Home is York", "residence", "York"))
    assert (names(gate, "User no longer lives in Leeds"), names(gate, "Home is York")) == (set(), set())
    check(gate)


async def test_d3_of_too_many_marks_both_sides_lose_the_oldest(
    gate: GateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "MAX_SOURCES", 2)
    await gate.say(candidate(TENNIS))
    news = [LATER, LAST, "User stopped tennis, the knee hurts", "User quit tennis for good"]
    for text in news:
        gate.later(8 * DAY)
        await gate.say(candidate(text))
        check(gate)
    assert len(known(gate, TENNIS).conflicts_with) == 2


# -- rows of an earlier gate ------------------------------------------------------------------------------------------

A, B, C = "User plays chess", "User collects stamps", "User sails a dinghy"


async def stored_chain(gate: GateBench) -> list[str]:
    """Three records as an earlier gate kept them, with one date for all marks: B changed A, and C changed B. When each
    was said."""
    when = []
    for text in (A, B, C):
        when.append(gate.driver.now.date().isoformat())
        await gate.say(candidate(text))
        gate.later(DAY)
    a, b, c = (known(gate, text) for text in (A, B, C))
    for u, others, by in ((a, [b], b), (b, [a, c], c), (c, [b], None)):
        body = u.sealed.model_copy(update={"attributes": {} if by is None else {CHANGED_ON: iso(by.occurred_at)}})
        stored = u.model_copy(update={"conflicts_with": tuple(o.record_id for o in others), "sealed": body})
        gate.view[u.row_key] = stored
        [mine] = [r for table in gate.store.rows.values() for r in table.values() if f"m/{u.record_id}" in r]
        name = f"m/{u.record_id}"
        mine[name] = orjson.dumps({**orjson.loads(mine[name]), "u": stored_update(stored)})
    gate.restart()
    return when


async def test_d3_of_a_stored_chain_of_three_each_keeps_the_date_of_what_changed_it(gate: GateBench) -> None:
    _, second, _ = await stored_chain(gate)
    again = gate.driver.now.date().isoformat()
    await gate.say(candidate(B))
    assert (changed_on(gate, A), changed_on(gate, B), changed_on(gate, C)) == (second, None, again)
    await gate.say(candidate(A))
    assert (changed_on(gate, A), changed_on(gate, B), changed_on(gate, C)) == (None, again, again)
    check(gate)


async def test_d3_the_one_date_of_a_stored_record_goes_with_what_changed_it(gate: GateBench) -> None:
    await stored_chain(gate)
    await gate.do("forget", known(gate, C).record_id)
    assert (names(gate, B), changed_on(gate, B)) == ({A}, None)
    await gate.say(candidate(A))
    assert (changed_on(gate, A), changed_on(gate, B)) == (None, gate.driver.now.date().isoformat())
    check(gate)


async def test_d3_where_nothing_was_said_at_the_stored_date_the_last_that_is_later_has_it(gate: GateBench) -> None:
    await gate.say(candidate(A))
    gate.later(DAY)
    await gate.say(candidate(B))
    store, on = UserMemoryStore(OwnerOverlay(CachedOwner(complete=True)), None, 0), "2026-12-24T00:00:00.000000+00:00"
    a, b = known(gate, A), known(gate, B)
    store.put(a)
    body = b.sealed.model_copy(update={"attributes": {CHANGED_ON: on}})
    b = b.model_copy(update={"conflicts_with": (a.record_id,), "sealed": body})
    assert marks.dates_of(store, b) == {}
    late = b.model_copy(update={"conflicts_with": ("gone", a.record_id)})
    assert marks.dates_of(store, late) == {"gone": on}
    left = marks.with_marks(late, ["gone"], marks.dates_of(store, late))
    assert left.sealed.attributes == {CHANGED_ON: on, CHANGED_AT: [on]}
    assert marks.unmarked(left).sealed.attributes == {}
