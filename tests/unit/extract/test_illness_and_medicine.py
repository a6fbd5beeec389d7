"""What people say of their illnesses and medicines in passing, in both languages (B1, C11)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import load_profile
from tests.unit.extract.support import extract

HEALTH = load_profile("health")


def fields(text: str, name: str) -> list[Any]:
    """What a turn says of one field, denials left out."""
    return [values_of(c)[name] for c in extract(text, HEALTH) if name in values_of(c) and not c.negated]


@pytest.mark.parametrize(
    ("text", "illnesses"),
    [
        ("我对青霉素过敏，还有高血压", ["高血压"]),
        ("我有高血压，还有糖尿病，还有痛风。", ["高血压", "糖尿病", "痛风"]),
        ("我今年60岁，而且还有冠心病。", ["冠心病"]),
        ("我对青霉素过敏，还有，我有高血压。", ["高血压"]),
    ],
)
def test_b1_still_having_behind_a_fact_is_having(text: str, illnesses: list[str]) -> None:
    assert fields(text, "medical_history") == illnesses


@pytest.mark.parametrize(
    "text",
    [
        "我想了解糖尿病，还有高血压。",
        "我怕得糖尿病，还有高血压。",
        "我是医生，专门治糖尿病，还有高血压。",
        "我妈有糖尿病，还有高血压。",
        "我对青霉素过敏，还有我妈有高血压。",
    ],
)
def test_b1_still_having_behind_a_verb_and_its_object_joins_another_object(text: str) -> None:
    assert fields(text, "medical_history") == []


@pytest.mark.parametrize(
    ("text", "medicines"),
    [
        ("I take ibuprofen.", ["ibuprofen"]),
        ("I'm taking losartan for my blood pressure.", ["losartan"]),
        ("I take ibuprofen, naproxen and rosuvastatin daily.", ["ibuprofen", "naproxen", "rosuvastatin"]),
        ("I've been taking sertraline since March.", ["sertraline"]),
        ("我吃布洛芬。", ["布洛芬"]),
        ("我一直吃缬沙坦控制血压。", ["缬沙坦"]),
        ("我每天吃厄贝沙坦和瑞舒伐他汀。", ["厄贝沙坦", "瑞舒伐他汀"]),
    ],
)
def test_b1_a_medicine_is_known_by_the_stem_of_its_name(text: str, medicines: list[str]) -> None:
    assert fields(text, "medications") == medicines


@pytest.mark.parametrize(
    "text",
    [
        "I take pictures.",
        "I take yoga classes.",
        "I take April off.",
        "My mom takes ibuprofen.",
        "I want to take ibuprofen.",
        "I used to take ibuprofen.",
        "I don't take ibuprofen.",
        "Should I take ibuprofen?",
        "我吃阿莫西林过敏。",
        "我吃过布洛芬。",
        "我不吃布洛芬。",
        "我想吃布洛芬。",
        "我妈在吃布洛芬。",
        "我可以吃布洛芬吗？",
        "我每天吃苹果。",
    ],
)
def test_b1_what_is_no_medicine_or_not_taken_fills_nothing(text: str) -> None:
    assert fields(text, "medications") == []


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("I must not take aspirin", "medications"), ("I mustn't take aspirin", "medications"),
        ("Don't use insulin", "medications"), ("Don't have asthma", "medical_history"),
        ("I was told I don't have asthma", "medical_history"),
    ],
)  # fmt: skip
def test_b1_what_is_denied_or_forbidden_with_its_verb_is_no_value(text: str, field: str) -> None:
    assert fields(text, field) == []
    assert [c.negated for c in extract(text, HEALTH) if c.field == field] == [True]
