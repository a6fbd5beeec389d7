"""Vaguer values cite the one that stands, others replace it (B4, D3, D4)."""

from __future__ import annotations

import pytest

from tests.unit.gate.bench import DAY, GateBench, candidate

VAGUER = [
    ("age", 32, False, "30+", False), ("age", 32, False, "30+", True), ("age", 32, False, 30, True),
    ("age", "35", False, "30+", False), ("age", 32, True, "30+", True), ("income", 812_000, False, 800_000, True),
    ("income", 812_000, False, "800000-1000000", True), ("income", 812_000, True, 800_000, True),
    ("income", "800000-900000", True, "500000-1000000", True), ("residence", "Camden, London", False, "london", False),
    ("residence", "杭州西湖区", False, "杭州", False), ("residence", "杭州市西湖区", False, "杭州", False),
]  # fmt: skip
NEWS = [
    ("age", 32, False, "40+", False), ("age", 42, False, "30+", False), ("age", 32, False, 40, True),
    ("age", "30+", False, 32, False), ("age", "30+", False, 35, True), ("income", 812_000, False, 900_000, True),
    ("income", 600_000, False, 1_000_000, True), ("income", 800_000, True, 812_000, False),
    ("income", "500000-1000000", True, "800000-900000", True), ("residence", "Camden, London", False, "Camden", False),
    ("residence", "杭州", False, "杭州西湖区", False), ("residence", "London", False, "New London", False),
    ("residence", "杭州西湖区", False, "西湖区", False), ("employer", "Acme, London", False, "London", False),
    ("age", "inf", True, "nan", True), ("smoker", True, False, 1, True), ("age", 0, False, 0.5, True),
]  # fmt: skip


@pytest.mark.parametrize(("field", "sharp", "sharp_about", "vague", "vague_about"), VAGUER)
async def test_d3_a_vaguer_value_cites_the_one_that_stands(
    gate: GateBench, field: str, sharp: object, sharp_about: bool, vague: object, vague_about: bool
) -> None:
    [first] = await gate.say(candidate("sharp words", field, sharp, approximate=sharp_about))
    at = gate.later(DAY)
    [kept] = await gate.say(candidate("vague words", field, vague, approximate=vague_about))
    assert (kept.row_key, kept.version, kept.sealed.value, kept.sealed.text) == (
        first.row_key, 1, sharp, "sharp words",
    )  # fmt: skip
    assert ([s.turn_id for s in kept.sources], kept.last_accessed_at) == (["turn-1", "turn-2"], at)
    assert gate.outcomes()[-1] == ("merged", "vaguer_value")
    assert gate.decisions[-1].record_id == first.record_id


@pytest.mark.parametrize(("field", "old", "old_about", "new", "new_about"), NEWS)
async def test_b4_a_sharper_or_another_value_replaces(
    gate: GateBench, field: str, old: object, old_about: bool, new: object, new_about: bool
) -> None:
    await gate.say(candidate("old words", field, old, approximate=old_about))
    gate.later(DAY)
    await gate.say(candidate("new words", field, new, approximate=new_about))
    assert gate.values(field) == [new]


async def test_d4_a_vaguer_statement_is_news_beside_an_inferred_value_and_restores_no_doubted_one(
    gate: GateBench,
) -> None:
    await gate.say(candidate("May be 32", "age", 32, source="inferred"))
    await gate.say(candidate("Is in their thirties", "age", "30+"))
    assert gate.values("age") == ["30+"]
    kept = (await gate.say(candidate("Is 33", "age", 33)))[-1]
    [doubted] = await gate.feedback(kept.record_id, correction="no")
    [still] = await gate.say(candidate("Is in their thirties", "age", "30+"))
    assert (still.confidence, still.state) == (doubted.confidence, "observed")


async def test_a_newer_extractor_may_say_a_vaguer_value_of_the_same_turn(gate: GateBench) -> None:
    await gate.say(candidate("Is 32", "age", 32), turn="t1")
    await gate.say(candidate("Is in their thirties", "age", "30+"), turn="t1", version=2)
    assert gate.values("age") == ["30+"]


async def test_fields_of_one_statement_are_judged_apart(gate: GateBench) -> None:
    await gate.say(candidate("32, earns 812,000", value={"age": 32, "income": 812_000}, fields=("age", "income")))
    value = {"age": "30+", "income": 1_200_000}
    await gate.say(candidate("In their thirties, earns 1.2 million", value=value, fields=tuple(value)))
    assert (gate.values("age"), gate.values("income")) == ([32], [1_200_000])
    assert gate.outcomes()[1:] == [("merged", "vaguer_value"), ("superseding", "field_changed")]
