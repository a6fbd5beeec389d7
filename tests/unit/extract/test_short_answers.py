"""Short answers that name what somebody must not have or is not to be given: always made, in both languages (B1)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import load_profile
from tests.unit.extract.support import GENERAL, extract

HEALTH = load_profile("health")
NONE_EN = (
    "none", "No", "nope", "nil", "No known allergies", "Not that I know of", "not sure", "I don't think so",
    "good question", "later please", "N/A", "zero", "who cares", "yes", "What do you mean?",
)  # fmt: skip
NONE_ZH = (
    "没有", "没有没有", "无", "暂无", "不清楚", "都不过敏", "有", "先看看", "可能青霉素", "哪种都不过敏", "什么意思",
)  # fmt: skip


def _firm(text: str, question: str) -> list[tuple[str, object]]:
    """The field values that an answer states outright."""
    return [
        (name, value)
        for c in extract(text, question=question)
        if c.source == "explicit" and not c.negated
        for name, value in values_of(c).items()
    ]


@pytest.mark.parametrize(
    ("question", "text", "things"),
    [
        ("Any allergies?", "penicillin", ["penicillin"]),
        ("Any allergies?", "Penicillin.", ["penicillin"]),
        ("Any drug allergies I should know about?", "Sulfa drugs", ["sulfa drugs"]),
        ("Are you allergic to anything?", "Yes, peanuts and shellfish", ["peanuts", "shellfish"]),
        ("What are you allergic to?", "ibuprofen, my face swells up", ["ibuprofen"]),
        ("对什么药过敏吗?", "磺胺", ["磺胺"]),
        ("有没有对什么药过敏？", "磺胺，吃了起一身疹子", ["磺胺"]),
        ("您有药物过敏史吗？", "有，青霉素", ["青霉素"]),
        ("你对什么过敏？", "花粉和芒果", ["花粉", "芒果"]),
    ],
)
def test_b1_an_allergy_that_answers_is_made(question: str, text: str, things: list[str]) -> None:
    assert _firm(text, question) == [("allergy", thing) for thing in things]


@pytest.mark.parametrize(
    ("question", "text", "field", "things"),
    [
        ("Is there anything you don't eat?", "pork", "avoids", ["pork"]),
        ("Any dietary restrictions?", "no gluten", "avoids", ["gluten"]),
        ("Do you have any dietary requirements?", "halal, and no fish for the little one", "diet", ["halal"]),
        ("有什么忌口吗？", "香菜", "avoids", ["香菜"]),
        ("有没有什么不能吃的?", "海鲜、花生", "avoids", ["海鲜", "花生"]),
    ],
)
def test_b1_what_is_never_eaten_is_made(question: str, text: str, field: str, things: list[str]) -> None:
    assert _firm(text, question) == [(field, thing) for thing in things]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        *(("Any allergies?", text) for text in NONE_EN),
        *(("对什么药过敏吗?", text) for text in NONE_ZH),
        ("有忌口吗？", "六个，一个回族同事，别点猪肉"),
        ("Any dietary requirements?", "only that there's enough of it"),
        ("What do you take for your allergies?", "cetirizine"),
        ("When did your allergies start?", "spring"),
        ("Does your son have any allergies?", "peanuts"),
        ("你儿子对什么过敏吗？", "花生"),
        ("过敏的时候吃什么药？", "氯雷他定"),
        ("Why don't you eat?", "stress"),
    ],
)
def test_b1_an_answer_that_names_nothing_of_the_users_states_nothing(question: str, text: str) -> None:
    assert _firm(text, question) == []


def test_b1_a_profile_names_the_fields() -> None:
    (stated,) = extract("penicillin", HEALTH, question="Any allergies?")
    assert stated.text == "User is allergic to penicillin"
    assert set(values_of(stated)) == {"allergies", "drug_allergies"}


def test_b1_what_nobody_asked_is_no_answer() -> None:
    assert [c for c in extract("penicillin", GENERAL) if values_of(c)] == []
