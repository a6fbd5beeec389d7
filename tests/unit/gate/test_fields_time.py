"""When a value holds: told times, late turns, history (B4, N8)."""

from __future__ import annotations

from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate, study


async def test_b4_a_later_turn_between_does_not_take_the_rest_for_newer_than_it_is(gate: GateBench) -> None:
    """The university was told on day 0; that the major changed on day 2 does not make it news of day 2."""
    await gate.say(study("Leeds", "MSc", "Physics"))
    gate.later(2 * DAY)
    await gate.say(candidate("Major is music", "major", "Music"))
    await gate.say(candidate("At York now", "university", "York"), at=START + DAY)
    assert gate.values("university") == ["York"]


async def test_n8_what_was_said_earlier_but_came_late_is_history(gate: GateBench) -> None:
    gate.later(10 * DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    before = START + DAY
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), at=before)
    assert gate.values("residence") == ["York"]
    assert gate.outcomes()[-1] == ("superseding", "older_than_standing")
    assert gate.as_of(before + HOUR, "residence") == ["Leeds"]
    assert gate.as_of(gate.driver.now + HOUR, "residence") == ["York"]


async def test_n8_of_several_fields_only_those_with_something_newer_are_history(gate: GateBench) -> None:
    gate.later(10 * DAY)
    await gate.say(candidate("Major is music", "major", "Music"))
    await gate.say(study("Leeds", "MSc", "Physics"), at=START + DAY)
    assert gate.values("major") == ["Music"]
    assert gate.values("university") == ["Leeds"]
    assert gate.values("education") == ["MSc"]


async def test_n8_the_time_that_a_statement_refers_to_is_its_valid_time(gate: GateBench) -> None:
    await gate.say(candidate("Moved to York in May", "residence", "York", occurred_from="2026-05-01T00:00:00Z"))
    [kept] = gate.active("residence")
    assert kept.valid_from is not None
    assert kept.valid_from.isoformat() == "2026-05-01T00:00:00+00:00"
    assert kept.occurred_at == START


async def test_b4_a_change_told_with_its_time_replaces_a_value_whose_beginning_nobody_told(gate: GateBench) -> None:
    """Said on day 3: "I moved to York last week", that is before "I live in Leeds" was said, on day 0."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(3 * DAY)
    await gate.say(candidate("Moved to York", "residence", "York", occurred_from=START - 4 * DAY))
    assert gate.values("residence") == ["York"]
    assert gate.as_of(START - 2 * DAY, "residence") == ["York"]
    assert gate.outcomes()[-1] == ("superseding", "field_changed")


async def test_n8_of_two_told_times_the_later_one_stands(gate: GateBench) -> None:
    await gate.say(candidate("Moved to York", "residence", "York", occurred_from=START - 7 * DAY))
    gate.later(3 * DAY)
    await gate.say(candidate("Moved to Leeds in 2019", "residence", "Leeds", occurred_from="2019-01-01T00:00:00Z"))
    assert gate.values("residence") == ["York"]
    assert gate.as_of(START - 30 * DAY, "residence") == ["Leeds"]


async def test_n8_what_was_said_again_since_is_not_replaced_by_what_came_late(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(5 * DAY)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.say(candidate("Lives in York", "residence", "York"), at=START + 3 * DAY)
    assert gate.values("residence") == ["Leeds"]


async def test_n8_a_wish_for_a_time_to_come_holds_from_when_it_was_said(gate: GateBench) -> None:
    """"The year after next at best", and a day later "next year": the first had not begun, and barred the second."""
    for value, begins in (("2028", START + 700 * DAY), ("2027", START + 340 * DAY)):
        await gate.say(candidate(f"Ideally in {value}", "timeline", value, occurred_from=begins))
        assert gate.as_of(gate.driver.now, "timeline") == [value]
        gate.later(DAY)
    assert gate.values("timeline") == ["2027"]
    assert gate.outcomes()[-1] == ("superseding", "field_changed")
    await gate.say(candidate("Ideally soon", "timeline", "soon"))
    assert gate.values("timeline") == ["soon"]
