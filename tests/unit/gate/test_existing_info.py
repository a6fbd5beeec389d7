"""B3: what a caller holds already (`existingInfo`) is skipped when it is said again, from the turn to the decision."""

from __future__ import annotations

from typing import Any

import pytest

from processors.ports import Models
from schemas.events.memory import Decision, Extraction
from schemas.events.turns import TurnBody
from schemas.log import topics
from tests.unit.gate.bench import GateBench, candidate, study
from tests.unit.topology.erasure_bench import Bench


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models)


async def say(gate: GateBench, said: Any, held: dict[str, Any]) -> None:
    event = gate.extraction(said)
    body = event.sealed.model_copy(update={"existing_info": held})
    gate.pipe(event.model_copy(update={"sealed": body}))
    await gate.run()


@pytest.mark.parametrize(("value", "held", "approximate"), [
    (32, 32, False), (32, "32", False), ("Leeds", " leeds ", False), ("30+", 32, False), (False, False, False),
    ("TTPS", ["QMAS", "TTPS"], False), (800_000, 812_000, True),
])  # fmt: skip
async def test_b3_what_the_caller_holds_is_skipped_and_not_stored(
    gate: GateBench, value: Any, held: Any, approximate: bool
) -> None:
    await say(gate, candidate("It is so", "detail", value, approximate=approximate), {"detail": held})
    assert gate.active() == []
    [told] = gate.decisions
    assert (told.reason.outcome, told.reason.rule, told.fields) == ("skipped", "known_to_caller", ("detail",))


@pytest.mark.parametrize("held", [{}, {"detail": None}, {"detail": ""}, {"detail": 33}, {"other": 32}, {"detail": []}])
async def test_b4_another_value_or_none_is_news(gate: GateBench, held: dict[str, Any]) -> None:
    await say(gate, candidate("Is 32 years old", "detail", 32), held)
    assert gate.values("detail") == [32]


async def test_b4_b3_a_value_in_the_place_of_what_stands_is_stored_though_the_caller_holds_it(gate: GateBench) -> None:
    """The caller has heard of it elsewhere; the memory has not, and what it keeps is over."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await say(gate, candidate("Lives in York", "residence", "York"), {"residence": "York"})
    assert gate.values("residence") == ["York"]


async def test_b3_of_a_statement_of_several_fields_the_rest_is_stored(gate: GateBench) -> None:
    await say(gate, study("清华大学", "硕士", "计算机"), {"education": "硕士"})
    assert gate.active("education") == []
    assert (gate.values("university"), gate.values("major")) == (["清华大学"], ["计算机"])
    skipped = [d for d in gate.decisions if d.reason.outcome == "skipped"]
    assert [d.fields for d in skipped] == [("education",)]


async def test_b3_what_is_said_of_somebody_else_is_none_of_the_users_fields(gate: GateBench) -> None:
    await say(gate, candidate("User's wife is 32", "age", 32, attributes={"about": "wife"}), {"age": 32})
    assert gate.values("age") == [32]


@pytest.mark.parametrize(("text", "held", "mail"), [
    ("我今年32岁，住在杭州。", {"age": 32, "note": "写信给 ana.petrova@example.org"}, "ana.petrova"),
    ("I'm 32 and I live in Leeds.", {"age": "32", "note": ["ana.petrova@example.org"]}, "ana.petrova"),
])  # fmt: skip
async def test_b3_d5_from_the_turn_to_the_decision_behind_policy(
    models: Models, text: str, held: dict[str, Any], mail: str
) -> None:
    bench = Bench(models, "immigration")
    bench.say("ann", text, sealed=TurnBody(content=text, existing_info=held))
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    kept = {name for u in bench.memories("ann") for name in (u.field, *u.fields)}
    assert "age" not in kept
    assert "currentLocation" in kept
    told = [d for d in bench.driver.read(topics.DECISIONS) if isinstance(d, Decision)]
    assert {d.reason.outcome for d in told if "age" in d.fields} == {"skipped"}
    [read] = [e for e in bench.driver.read(topics.LEDGER) if isinstance(e, Extraction)]
    assert read.sealed.existing_info == {"age": held["age"]}, "of the rest nothing is kept"
    for (topic, _), part in bench.driver.log.partitions.items():
        if topic != topics.TURNS.name:
            assert all(mail.encode() not in (m.value or b"") for m in part), topic
