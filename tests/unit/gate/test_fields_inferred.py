"""What is inferred or only likely, and what was said outright (B4, D4)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.unit.gate.bench import DAY, GateBench, candidate


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("home", ["York", "Hull"])
async def test_b4_a_home_said_outright_leaves_the_place_of_work(gate: GateBench, home: str, together: bool) -> None:
    works = candidate("Works in York", "residence", "York", attributes={"implied": True})
    lives = candidate(f"Lives in {home}", "residence", home, ordinal=1)
    await gate.say(works, *([lives] if together else []))
    if not together:
        gate.later(DAY)
        await gate.say(lives)
    assert gate.values("residence") == [home]
    assert sorted(u.sealed.text for u in gate.active()) == [f"Lives in {home}", "Works in York"]
    [work] = [u for u in gate.active() if u.field is None]
    assert (work.sealed.value, work.sealed.attributes, work.reason.rule) == (None, {}, "value_stated")
    [home_is] = gate.active("residence")
    assert (work.sources == home_is.sources) is together, "each cites the turn that said it"
    gate.later(DAY)
    await gate.say(candidate("Works in York", "residence", "York", attributes={"implied": True}))
    assert gate.values("residence") == [home], "what is only likely replaces it no more"
    assert len(gate.active()) == 2, "said again, it is one statement"


async def test_b4_a_home_that_somebody_moved_to_ends_the_place_of_work_before(gate: GateBench) -> None:
    await gate.say(candidate("Works in York", "residence", "York", attributes={"implied": True}))
    gate.later(DAY)
    await gate.say(candidate("Moved to Hull", "residence", "Hull", attributes={"moved": True}))
    assert [u.sealed.text for u in gate.active()] == ["Moved to Hull"]


async def test_b4_where_somebody_works_never_replaces_where_they_live(gate: GateBench) -> None:
    await gate.say(candidate("Works in Leeds", "residence", "Leeds", attributes={"implied": True}))
    gate.later(DAY)
    await gate.say(candidate("Works in Hull", "residence", "Hull", attributes={"implied": True}))
    assert gate.values("residence") == ["Hull"]
    assert [u.sealed.text for u in gate.active()] == ["Works in Hull"], "another place of work takes its place"
    gate.later(DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    await gate.say(candidate("Commutes to Derby", "residence", "Derby", attributes={"implied": True}))
    assert gate.values("residence") == ["York"]
    assert sorted(u.sealed.text for u in gate.active()) == ["Commutes to Derby", "Lives in York", "Works in Hull"]


async def test_d4_inferred_never_replaces_explicit(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(DAY)
    assert await gate.say(candidate("Seems to live in York", "residence", "York", source="inferred")) == []
    assert await gate.say(candidate("Left Leeds?", "residence", "Leeds", source="inferred", negated=True)) == []
    assert gate.values("residence") == ["Leeds"]
    assert gate.outcomes()[-2:] == [("refused", "explicit_stands")] * 2


@pytest.mark.parametrize(
    ("confidence", "state"), [("0.6", "observed"), ("0.7", "observed"), ("0.7001", "active"), ("1", "active")]
)
async def test_d4_read_only_above_seven_tenths(gate: GateBench, confidence: str, state: str) -> None:
    [kept] = await gate.say(candidate("Seems fond of tea", "drink", "tea", source="inferred", confidence=confidence))
    assert kept.state == state
    assert kept.confidence == Decimal(confidence)


async def test_d4_said_outright_confirms_what_was_inferred(gate: GateBench) -> None:
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    assert gate.active("drink") == [], "inferring it again makes it no surer"
    await gate.say(candidate("Likes tea", "drink", "tea", kind="preference"))
    [kept] = gate.active("drink")
    assert (kept.source, kept.confidence) == ("confirmed", Decimal(1))


async def test_d4_an_explicit_value_replaces_an_inferred_one(gate: GateBench) -> None:
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    await gate.say(candidate("Likes coffee", "drink", "coffee", kind="preference"))
    assert gate.values("drink") == ["coffee"]


async def test_a_low_reading_is_observed_with_that_reason_and_its_probability(gate: GateBench) -> None:
    low = candidate("Bought a piano", source="inferred", low_reading=0.0312)
    [observed] = await gate.say(low)
    assert (observed.state, observed.confidence) == ("observed", Decimal("0.6"))
    assert (observed.reason.gate, observed.reason.rule, observed.reason.score) == ("confidence", "low_reading", 0.0312)
    assert gate.decisions[-1].reason == observed.reason
    assert gate.decisions[-1].record_id == observed.record_id


async def test_a_low_reading_of_a_log_of_before_is_lifted_by_what_is_said_outright(gate: GateBench) -> None:
    await gate.say(candidate("Bought a piano", source="inferred", low_reading=0.0312))
    gate.later(DAY)
    [active] = await gate.say(candidate("Bought a piano"))
    assert (active.state, active.source, len(active.sources)) == ("active", "confirmed", 2)
