"""Marks over time: what is observed first and believed later, and what is said again. Two records name each other or
neither does, and a date is that of the change that still holds."""

from __future__ import annotations

import pytest

from processors.memory.changes import judge
from schemas.events.memory import Given, Span
from tests.unit.gate.bench import DAY, HOUR, GateBench, candidate
from tests.unit.gate.marks_bench import LAST, LATER, PAIRS, TENNIS, changed_on, check, dated, known, names, pair

pytestmark = pytest.mark.usefixtures("by_words")


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words alone decide, as beside an embedding model that no head knows."""
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)


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
