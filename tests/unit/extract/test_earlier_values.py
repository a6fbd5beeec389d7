"""B4: a number that was said another time and is put right in a turn of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from processors.reader.rules.protocol import Language, TurnView, values_of
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import load_profile

GENERAL = load_profile("general")
YEARS, KG = {"unit": "years", "not_of": ["age"]}, {"unit": "kg", "not_of": []}


def read(text: str) -> list[Candidate]:
    language: Language = "en" if text.isascii() else "zh"
    turn = TurnView(text, "user", language, datetime(2026, 11, 5, 9, tzinfo=UTC))
    return RuleExtractor().extract(turn, GENERAL)


@pytest.mark.parametrize(("text", "old", "new", "unit"), [
    ("last time I said 10 years, it's really 11", 10, 11, YEARS),
    ("I told you 10 years last time, but it's actually 11", 10, 11, YEARS),
    ("I said 80 kg last week, make that 82 kg", 80, 82, KG),
    ("last time I said I was 32, I'm actually 33", 32, 33, {}),
    ("上次说10年，其实是11年", 10, 11, YEARS),
    ("之前说工作了6年，其实是7年", 6, 7, YEARS),
    ("上次说的是80公斤，应该是82公斤", 80, 82, KG),
])  # fmt: skip
def test_b4_what_was_said_and_what_is_right_are_told(text: str, old: int, new: int, unit: dict[str, Any]) -> None:
    [found] = read(text)
    assert (found.kind, values_of(found)) == ("fact", {})
    assert found.attributes == {"replaces": old, "correct_value": new, "correction": True, **unit}


def test_b4_an_age_is_told_as_one() -> None:
    [found] = read("上次我说我40岁，其实是41岁")
    assert (values_of(found), found.attributes) == ({"age": 41}, {"replaces": 40})


@pytest.mark.parametrize("text", [
    "last time I said 10 years, and you laughed", "he said 10 years last time, it's really 11",
    "last time I said 10 kg, it's really 11 years", "I said 10 years, it was a joke",
    "上次说10年，结果过了11年", "医生上次说10年，其实是11年", "上次说10公斤，其实是11年",
])  # fmt: skip
def test_b4_a_tale_and_anothers_words_put_nothing_right(text: str) -> None:
    assert not any("correct_value" in c.attributes for c in read(text))
