"""B4: a value that its speaker puts right a long time after, without naming what it is of."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.memory import Candidate
from tests.unit.gate.bench import DAY, GateBench, candidate

YEARS = {"unit": "years", "not_of": ["age"]}


TEXT = "User corrects an earlier statement"


def correction(old: float, new: float, **attributes: Any) -> Candidate:
    named = {"replaces": old, "correct_value": new, "correction": True, **attributes}
    return candidate(TEXT, kind="fact", attributes=named)


@pytest.mark.parametrize(("text", "right", "language"), [
    ("User has 10 years of experience", "User has 11 years of experience", "en"),
    ("用户工作10年", "用户工作11年", "zh"),
    ("用户工作十年", "工作年限：11", "zh"),
])  # fmt: skip
async def test_b4_the_one_value_of_that_unit_ends_for_its_correction(
    gate: GateBench, text: str, right: str, language: str
) -> None:
    await gate.say(candidate(text, "yearsOfExperience", 10), candidate("User is 40", "age", 40), language=language)
    gate.later(60 * DAY)
    await gate.say(correction(10, 11, **YEARS), language=language)
    [held] = gate.active("yearsOfExperience")
    assert (held.sealed.value, held.sealed.text, held.version) == (11, right, 2)
    assert (held.reason.outcome, held.reason.rule) == ("superseding", "corrected")
    assert held.sealed.attributes == {"replaces": 10, "correction": True}
    [old] = [u for u in gate.log if u.record_id == held.record_id and u.state == "superseded"]
    assert (old.sealed.value, old.reason.rule) == (10, "corrected")
    assert gate.values("age") == [40]


async def test_b4_a_value_of_another_unit_or_that_the_words_cannot_mean_is_not_corrected(gate: GateBench) -> None:
    """"10 years" are no age, and no weight."""
    await gate.say(candidate("User is 10", "age", 10), candidate("User has 10 cats", "cats", 10))
    gate.later(60 * DAY)
    await gate.say(correction(10, 11, **YEARS))
    assert gate.values("age") == gate.values("cats") == [10]
    [statement] = [u for u in gate.view.values() if u.state == "active" and u.field is None]
    assert (statement.sealed.text, statement.conflicts_with) == (TEXT, ())


async def test_b4_of_two_that_it_may_mean_all_stand_and_name_each_other(gate: GateBench) -> None:
    await gate.say(candidate("User has 10 years of experience", "yearsOfExperience", 10))
    await gate.say(candidate("User has 10 cats", "cats", 10))
    gate.later(60 * DAY)
    await gate.say(correction(10, 11))
    assert gate.values("yearsOfExperience") == gate.values("cats") == [10]
    [statement] = [u for u in gate.view.values() if u.state == "active" and u.field is None]
    two = gate.active("yearsOfExperience") + gate.active("cats")
    assert set(statement.conflicts_with) == {u.record_id for u in two}
    assert {u.conflicts_with for u in two} == {(statement.record_id,)}


async def test_b4_what_was_said_later_of_somebody_else_or_has_another_value_stands(gate: GateBench) -> None:
    await gate.say(candidate("Bob has 10 years of experience", "yearsOfExperience", 10, attributes={"about": "Bob"}))
    await gate.say(candidate("User has 7 years of experience", "yearsOfExperience", 7))
    gate.later(60 * DAY)
    await gate.say(correction(10, 11, **YEARS))
    assert sorted(gate.values("yearsOfExperience")) == [7, 10]


async def test_b4_of_several_beside_each_other_the_one_that_was_wrong_ends(gate: GateBench) -> None:
    await gate.say(candidate("User speaks Danish", "language", "Danish"))
    await gate.say(candidate("User speaks French", "language", "French"))
    gate.later(60 * DAY)
    await gate.say(candidate("User speaks Dutch", "language", "Dutch", attributes={"replaces": "Danish"}))
    assert sorted(gate.values("language")) == ["Dutch", "French"]
    assert gate.outcomes()[-1] == ("superseding", "corrected")


async def test_b4_a_value_that_names_the_wrong_one_and_its_field_says_so(gate: GateBench) -> None:
    await gate.say(candidate("User is 32", "age", 32))
    gate.later(60 * DAY)
    await gate.say(candidate("User is 33", "age", 33, attributes={"replaces": 32}))
    [held] = gate.active("age")
    assert (held.sealed.value, held.reason.rule) == (33, "corrected")
