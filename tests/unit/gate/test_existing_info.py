"""B3: what a caller holds already (`existingInfo`) is skipped when it is said again, from the turn to the decision."""

from __future__ import annotations

from typing import Any

import pytest

from processors.memory import existing_info
from processors.memory.values import canonical
from processors.ports import Models
from schemas.events.documents import ProjectCandidate
from schemas.events.memory import Candidate, Decision, Extraction, HotValue, Span
from schemas.events.turns import MAX_HELD, TurnBody
from schemas.log import topics
from tests.unit.gate.bench import GateBench, candidate, study
from tests.unit.topology.erasure_bench import Bench


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models)


async def say(gate: GateBench, statement: Any, held: dict[str, Any], *more: Any, **kw: Any) -> None:
    event = gate.extraction(statement, *more, **kw)
    body = event.sealed.model_copy(update={"existing_info": held})
    gate.pipe(event.model_copy(update={"sealed": body}))
    await gate.run()


def read(text: str, *field: Any, start: int = 0, **kw: Any) -> Candidate:
    """Of the turn's characters from `start` on."""
    return candidate(text, *field, span=Span(start=start, end=start + 20), literal=True, **kw)


@pytest.mark.parametrize(("value", "held", "approximate"), [
    (32, 32, False), (32, "32", False), ("Leeds", " leeds ", False), ("30+", 32, False), (False, False, False),
    ("TTPS", ["QMAS", "TTPS"], False), (800_000, 812_000, True),
])  # fmt: skip
async def test_b3_what_the_caller_holds_is_skipped_and_not_stored(
    gate: GateBench, value: Any, held: Any, approximate: bool
) -> None:
    await say(gate, candidate("It is so", "detail", value, approximate=approximate), {"detail": held})
    assert gate.active() == []
    [result] = gate.decisions
    assert (result.reason.outcome, result.reason.rule, result.fields) == ("skipped", "known_to_caller", ("detail",))


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


SIGNS = "British sign language"
HELD = {"language": SIGNS, "residence": "York"}
"""`language` takes several values."""


@pytest.mark.parametrize(("first", "better", "field"), [
    (read("Speaks sign language", "language", "sign language"), read(f"Speaks {SIGNS}", "language", SIGNS), "language"),
    (read("Settled in York", kind="fact"), read("Has settled in York", "residence", "York"), "residence"),
    (read("Lives in Leeds", "residence", "Leeds", kind="preference"), read("Lives in York", "residence", "York"),
     "residence"),
], ids=["one of several values", "a field gained", "another kind"])  # fmt: skip
@pytest.mark.parametrize("again", ["another reader", "a newer version"])
async def test_b3_b7_what_a_reading_replaces_is_replaced_though_the_caller_holds_the_new_value(
    gate: GateBench, first: Candidate, better: Candidate, field: str, again: str
) -> None:
    """The record of the first reading ends for it: skipped, nothing would be left of what the turn says."""
    await say(gate, first, HELD, turn="t", model_asked=True)
    assert [u.sealed.text for u in gate.active()] == [first.text]
    how: dict[str, Any] = {"extractor": "model", "model": "m"} if again == "another reader" else {"version": 2}
    await say(gate, better, HELD, turn="t", **how)
    assert [u.sealed.text for u in gate.active()] == [better.text]
    assert gate.values(field) == [HELD[field]]


async def test_b3_b7_an_older_value_does_not_come_back_for_one_that_the_caller_holds(gate: GateBench) -> None:
    kind: dict[str, Any] = {"kind": "preference"}
    await gate.say(candidate("Lives in Hull", "residence", "Hull", **kind))
    await say(gate, read("Lives in Leeds", "residence", "Leeds", **kind), HELD, turn="t", model_asked=True)
    held = read("Lives in York", "residence", "York")
    await say(gate, held, HELD, turn="t", extractor="model", model="m")
    assert "York" in gate.values("residence")
    assert "Leeds" not in gate.values("residence")


@pytest.mark.parametrize("how", [{"extractor": "model", "model": "m"}, {"version": 2}])
async def test_b3_b7_what_replaces_nothing_is_skipped_by_every_reading(gate: GateBench, how: dict[str, Any]) -> None:
    """Of one statement a part is held, and the rest is stored; beside it stands another one."""
    statement = study("MIT", "BSc", "physics").model_copy(update={"span": Span(start=0, end=40), "literal": True})
    beside = read("Lives in Leeds", "residence", "Leeds", start=50)
    held = {"education": "BSc"}
    await say(gate, statement, held, beside, turn="t", model_asked=True)
    await say(gate, statement, held, beside, turn="t", **how)
    assert gate.active("education") == []
    assert (gate.values("university"), gate.values("residence")) == (["MIT"], ["Leeds"])
    skipped = [d for d in gate.decisions if d.reason.rule == "known_to_caller"]
    assert [d.fields for d in skipped] == [("education",), ("education",)]


async def test_b3_a4_what_a_project_learns_is_not_held_back_by_one_caller(gate: GateBench) -> None:
    hot = HotValue(type="status", key="enrolled", value=40)
    statement = candidate("40 are enrolled", "enrolled", 40, hot=hot)
    await say(gate, statement, {"enrolled": 40}, project_id="p")
    [result] = [e for e in gate.to_project if isinstance(e, ProjectCandidate)]
    assert result.sealed.candidate.hot == hot
    assert gate.values("enrolled") == [40]


async def test_n2_what_the_caller_holds_is_brought_into_form_once(
    gate: GateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[Any] = []

    def counted(value: Any) -> str:
        requests.append(value)
        return canonical(value)

    monkeypatch.setattr(existing_info, "canonical", counted)
    held = [f"town {n}" for n in range(MAX_HELD)]
    texts = [candidate(f"Speaks {n}", "language", f"language {n}") for n in range(20)]
    await say(gate, texts[0], {"language": held}, *texts[1:])
    assert len(gate.values("language")) == 20
    assert len(requests) == MAX_HELD + 20


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
    results = [d for d in bench.driver.read(topics.DECISIONS) if isinstance(d, Decision)]
    assert {d.reason.outcome for d in results if "age" in d.fields} == {"skipped"}
    [read] = [e for e in bench.driver.read(topics.LEDGER) if isinstance(e, Extraction)]
    assert read.sealed.existing_info == {"age": held["age"]}, "of the rest nothing is kept"
    for (topic, _), part in bench.driver.log.partitions.items():
        if topic != topics.TURNS.name:
            assert all(mail.encode() not in (m.value or b"") for m in part), topic
