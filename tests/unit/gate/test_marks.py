"""Marks over time: what is observed first and believed later, said again, undone, superseded or trimmed. Two records
name each other or neither does, and a date is that of the change that still holds."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from processors.memory import marks
from processors.memory.changes import judge
from processors.memory.replaced import row_of
from processors.memory.store import Standing
from processors.memory.values import iso
from schemas.events.memory import CHANGED_AT, CHANGED_ON, Given, MemoryUpdate, Span
from streams.state.cache import CachedOwner, OwnerOverlay
from tests.unit.gate.bench import DAY, HOUR, GateBench, candidate

pytestmark = pytest.mark.usefixtures("by_words")
PAIRS = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User plays tennis on Mondays", "User has given up tennis"),
        ("用户每周一打网球", "用户不再打网球了"),
    ],
)
TENNIS, LATER, LAST = "User plays tennis on Mondays", "User has given up tennis", "User no longer wants to play tennis"


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words alone decide, as beside an embedding model that no head knows."""
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)


def known(gate: GateBench, text: str) -> MemoryUpdate:
    """The newest version of the record with this text, active or observed."""
    [found] = [u for u in gate.view.values() if u.sealed.text == text and u.state in ("active", "observed")]
    return found


def names(gate: GateBench, text: str) -> set[str]:
    """Texts of the records that a record is marked with."""
    ids = {u.record_id: u.sealed.text for u in gate.view.values() if u.state in ("active", "observed")}
    return {ids[name] for name in known(gate, text).conflicts_with}


def changed_on(gate: GateBench, text: str) -> str | None:
    told: Any = known(gate, text).sealed.attributes.get(CHANGED_ON)
    return None if told is None else str(told)[:10]


def dated(gate: GateBench, text: str) -> set[str]:
    """Ids of the records that changed a record."""
    return dates(known(gate, text)).keys()


def dates(u: MemoryUpdate) -> dict[str, str]:
    at: Any = u.sealed.attributes.get(CHANGED_AT) or [None] * len(u.conflicts_with)
    return {name: when for name, when in zip(u.conflicts_with, at, strict=True) if when is not None}


def check(gate: GateBench) -> None:
    """Marks are mutual, dates are of named records, and of two records one at most has changed the other."""
    held = {u.record_id: u for u in gate.view.values() if u.state in ("active", "observed")}
    for u in held.values():
        at: Any = u.sealed.attributes.get(CHANGED_AT)
        assert (at is None) == (CHANGED_ON not in u.sealed.attributes)
        assert at is None or len(at) == len(u.conflicts_with)
        for name in u.conflicts_with:
            assert u.record_id in held[name].conflicts_with
            assert not (name in dates(u) and u.record_id in dates(held[name]))


async def pair(gate: GateBench, old: str = TENNIS, new: str = LATER) -> tuple[str, str]:
    """An earlier statement and a later one, two days after it; dates of both."""
    first = gate.driver.now.date().isoformat()
    await gate.say(candidate(old))
    gate.later(2 * DAY)
    await gate.say(candidate(new))
    assert names(gate, old) == {new}
    return first, gate.driver.now.date().isoformat()


# -- observed first ---------------------------------------------------------------------------------------------------


@PAIRS
async def test_d3_what_is_observed_first_is_judged_when_it_is_said_again(gate: GateBench, old: str, new: str) -> None:
    await gate.say(candidate(old))
    gate.later(8 * DAY)
    first = gate.driver.now.date().isoformat()
    await gate.say(candidate(new, source="inferred"))
    assert known(gate, new).state == "observed"
    assert names(gate, old) == set(), "what is only observed changes nothing"
    gate.later(DAY)
    await gate.say(candidate(new))
    assert known(gate, new).state == "active"
    assert names(gate, old) == {new}
    assert changed_on(gate, old) == first, "since it was said for the first time"
    check(gate)


@PAIRS
async def test_d3_what_is_observed_first_is_judged_when_it_is_confirmed(gate: GateBench, old: str, new: str) -> None:
    await gate.say(candidate(old))
    gate.later(2 * DAY)
    await gate.say(candidate(new, source="inferred"))
    gate.restart()
    await gate.feedback(known(gate, new).record_id, adopted=True)
    assert (names(gate, old), names(gate, new)) == ({new}, {old})
    assert (changed_on(gate, old) is None, changed_on(gate, new)) == (False, None)
    check(gate)


@PAIRS
async def test_d3_what_changed_it_while_it_was_only_observed_marks_it(gate: GateBench, old: str, new: str) -> None:
    await gate.say(candidate(old, source="inferred"))
    gate.later(8 * DAY)
    when = gate.driver.now.date().isoformat()
    await gate.say(candidate(new))
    assert names(gate, new) == set()
    gate.later(DAY)
    await gate.feedback(known(gate, old).record_id, adopted=True)
    assert (names(gate, old), changed_on(gate, old)) == ({new}, when)
    assert changed_on(gate, new) is None
    check(gate)


async def test_d3_feedback_that_waited_for_its_answer_raises_and_judges_alike(gate: GateBench) -> None:
    await gate.say(candidate(TENNIS))
    gate.later(DAY)
    await gate.say(candidate(LATER, source="inferred"))
    await gate.feedback(context_id="c", adopted=True)
    gate.pipe(
        Given(tenant="acme", user_id="ann", context_id="c", record_ids=(known(gate, LATER).record_id,),
              accepted_at=gate.driver.now)
    )  # fmt: skip
    await gate.run()
    assert names(gate, TENNIS) == {LATER}
    check(gate)


async def test_d3_what_is_doubted_changes_nothing_until_it_is_believed_again(gate: GateBench) -> None:
    _, when = await pair(gate)
    await gate.feedback(known(gate, LATER).record_id, correction="that is wrong")
    assert known(gate, LATER).state == "observed"
    assert changed_on(gate, TENNIS) is None
    check(gate)
    await gate.feedback(known(gate, LATER).record_id, adopted=True)
    assert changed_on(gate, TENNIS) == when
    check(gate)


async def test_b7_what_a_second_reading_words_anew_is_judged(gate: GateBench) -> None:
    await gate.say(candidate(TENNIS))
    gate.later(8 * DAY)
    place = Span(start=0, end=20)
    await gate.say(candidate("User gives tennis lessons", span=place), turn="t", model_asked=True)
    assert names(gate, TENNIS) == set()
    sharper = "User has stopped and no longer gives tennis lessons"
    await gate.say(candidate(sharper, span=place, literal=True), turn="t", extractor="model", model="m")
    assert names(gate, TENNIS) == {sharper}
    check(gate)


# -- said again -------------------------------------------------------------------------------------------------------


@PAIRS
async def test_d3_what_is_said_again_after_its_change_holds_again(gate: GateBench, old: str, new: str) -> None:
    await pair(gate, old, new)
    gate.later(2 * DAY)
    await gate.say(candidate(old))
    again = gate.driver.now.date().isoformat()
    assert (changed_on(gate, old), changed_on(gate, new)) == (None, again)
    check(gate)
    gate.later(DAY)
    await gate.say(candidate(new))
    assert (changed_on(gate, old), changed_on(gate, new)) == (gate.driver.now.date().isoformat(), None)
    check(gate)


async def test_d3_said_again_before_its_change_or_only_inferred_it_stays_changed(gate: GateBench) -> None:
    first, when = await pair(gate)
    at = known(gate, TENNIS).occurred_at
    assert first < when
    await gate.say(candidate(TENNIS), at=at + HOUR)
    assert len(known(gate, TENNIS).sources) == 2
    gate.later(DAY)
    await gate.say(candidate(TENNIS, source="inferred"))
    assert (changed_on(gate, TENNIS), changed_on(gate, LATER)) == (when, None)
    check(gate)


async def test_d3_only_the_changes_before_it_was_said_again_are_undone(gate: GateBench) -> None:
    _, when = await pair(gate)
    gate.later(2 * DAY)
    await gate.say(candidate(LAST))
    last = gate.driver.now.date().isoformat()
    assert {LATER, LAST} <= names(gate, TENNIS)
    await gate.say(candidate(TENNIS), at=known(gate, LATER).occurred_at + HOUR)
    assert when < last
    assert changed_on(gate, TENNIS) == last
    assert dated(gate, TENNIS) == {known(gate, LAST).record_id}
    assert known(gate, TENNIS).record_id in dated(gate, LATER)
    check(gate)


async def test_d3_a_value_that_is_said_or_remembered_again_holds_again(gate: GateBench) -> None:
    lives, left = candidate("Lives in Leeds", "residence", "Leeds"), candidate("User no longer lives in Leeds")
    await gate.say(lives)
    gate.later(300 * DAY)
    await gate.say(left)
    assert changed_on(gate, "Lives in Leeds") is not None
    gate.later(DAY)
    await gate.say(lives)
    assert (changed_on(gate, "Lives in Leeds"), changed_on(gate, left.text) is None) == (None, False)
    gate.later(DAY)
    await gate.say(left)
    assert changed_on(gate, "Lives in Leeds") is not None
    gate.later(DAY)
    await gate.do("remember", kind="fact", field="residence", value="Leeds", text="Lives in Leeds")
    assert (changed_on(gate, "Lives in Leeds"), changed_on(gate, left.text) is None) == (None, False)
    check(gate)


# -- undone -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", ["first", "last"])
@pytest.mark.parametrize("how", ["forget", "correct", "feedback"])
async def test_d3_the_date_of_a_change_goes_with_it_and_those_of_others_stay(
    gate: GateBench, gone: str, how: str
) -> None:
    _, first = await pair(gate)
    gate.later(2 * DAY)
    await gate.say(candidate(LAST))
    last = gate.driver.now.date().isoformat()
    assert changed_on(gate, TENNIS) == last
    name = known(gate, LATER if gone == "first" else LAST).record_id
    if how == "feedback":
        await gate.feedback(name, correction="that is wrong")
    else:
        await gate.do(how, name, **({"text": "User likes plums"} if how == "correct" else {}))
    assert changed_on(gate, TENNIS) == (last if gone == "first" else first)
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
        mine[name] = orjson.dumps({**orjson.loads(mine[name]), "u": row_of(stored)})
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
    standing, on = Standing(OwnerOverlay(CachedOwner(complete=True)), None, 0), "2026-12-24T00:00:00.000000+00:00"
    a, b = known(gate, A), known(gate, B)
    standing.put(a)
    body = b.sealed.model_copy(update={"attributes": {CHANGED_ON: on}})
    b = b.model_copy(update={"conflicts_with": (a.record_id,), "sealed": body})
    assert marks.dates_of(standing, b) == {}
    late = b.model_copy(update={"conflicts_with": ("gone", a.record_id)})
    assert marks.dates_of(standing, late) == {"gone": on}
    left = marks.with_marks(late, ["gone"], marks.dates_of(standing, late))
    assert left.sealed.attributes == {CHANGED_ON: on, CHANGED_AT: [on]}
    assert marks.unmarked(left).sealed.attributes == {}
