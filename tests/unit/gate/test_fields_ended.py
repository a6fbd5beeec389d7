"""A negation ends a value and sets none (B4)."""

from __future__ import annotations

from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate, study


async def test_b4_a_taste_that_is_over_ends(gate: GateBench) -> None:
    await gate.say(candidate("User likes coffee", "likes", "coffee", kind="preference"))
    gate.later(DAY)
    await gate.say(candidate("User no longer likes coffee", "likes", "coffee", kind="preference", negated=True))
    assert gate.values("likes") == []
    assert gate.outcomes()[-1] == ("superseding", "negated")


async def test_b4_what_ended_at_a_told_time_ends(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(3 * DAY)
    left = candidate("Left Leeds last week", "residence", "Leeds", negated=True, occurred_from=START - 4 * DAY)
    await gate.say(left)
    assert gate.values("residence") == []


async def test_b4_a_negation_retires_the_value_and_sets_nothing(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    removed = gate.later(DAY)
    await gate.say(candidate("No longer lives in York", "residence", "York", negated=True))
    assert gate.values("residence") == ["Leeds"], "another value is meant"
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True))
    assert gate.values("residence") == []
    assert gate.as_of(removed - HOUR, "residence") == ["Leeds"]
    assert gate.as_of(removed + HOUR, "residence") == []


async def test_b4_a_negation_with_nothing_to_retire_holds_no_field(gate: GateBench) -> None:
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True))
    assert gate.active("residence") == []
    gate.later(DAY)
    await gate.say(candidate("Lives in Leeds again", "residence", "Leeds"))
    assert gate.values("residence") == ["Leeds"]


async def test_b4_a_negation_of_one_field_leaves_the_others_of_its_statement(gate: GateBench) -> None:
    await gate.say(study("Leeds", "MSc", "Physics"))
    gate.later(DAY)
    await gate.say(candidate("Not at Leeds any more", "university", "Leeds", negated=True))
    assert gate.values("university") == []
    assert gate.values("education") == ["MSc"]
    assert gate.values("major") == ["Physics"]


async def test_b4_a_late_negation_does_not_retire_what_came_after_it(gate: GateBench) -> None:
    gate.later(DAY)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True), at=START)
    assert gate.values("residence") == ["Leeds"]
