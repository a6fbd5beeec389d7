"""What English talk says of its speaker in a word, subjects of two, measures that are no ages, and corrections that
have a turn of their own (B1, B3, D2)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import EXPLICIT, RuleExtractor
from tests.unit.extract.support import GENERAL, THURSDAY, extract, values


def kept(text: str, *, asked: str | None = None) -> list[str]:
    return [c.text for c in extract(text, asked=asked) if c.confidence == EXPLICIT and not c.attributes.get("ends")]


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("Born in Kochi, and Bengaluru has been home since 2016.", "residence", "Bengaluru"),
        ("Lisbon has been home for ten years", "residence", "Lisbon"),
        ("Home's Leeds these days", "residence", "Leeds"),
        ("So the move is done, we're Margate people now", "residence", "Margate"),
        ("Polish is my mother tongue", "language", "Polish"),
        ("As a vegetarian I avoid gelatine", "diet", "vegetarian"),
        ("As a teacher I have Fridays off", "occupation", "teacher"),
        ("I'm 45, married, 70 kg", "maritalStatus", "married"),
        ("I'm 51 and a half", "age", 51),
        ("I'm 40 and live alone", "age", 40),
        ("I have kids at home", "hasChildren", True),
        ("Talk to me in Polish please", "response_language", "Polish"),
        ("Please speak to me in Spanish", "response_language", "Spanish"),
        ("Stop calling me dear. Just Anneke is fine.", "name", "Anneke"),
        ("I'm a vegetarian, so never suggest meat", "diet", "vegetarian"),
    ],
)
def test_b1_a_value_said_in_a_word(said: str, field: str, value: Any) -> None:
    found = [(c.field, c.value) for c in extract(said) if c.confidence == EXPLICIT and not c.negated]
    assert (field, value) in found


@pytest.mark.parametrize(
    "said",
    [
        "I'm 1.82 m tall", "I'm 6.1 ft", "I'm four and a half hours ahead of London",
        "I'm five and a quarter hours behind London", "I'm three and a half months pregnant",
    ],
)  # fmt: skip
def test_b1_a_measure_is_no_age(said: str) -> None:
    assert "age" not in values(said)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My husband holds a Canadian passport, mine is Sri Lankan", "User's passport is Sri Lankan"),
        ("His birthday is in May and mine is in June", "User's birthday is in June"),
        ("if I mention Dev, that's my brother-in-law, not the software", "User's brother-in-law is called Dev"),
        ("Adopted a kitten last week. Her name is Pip", "User's kitten is called Pip"),
        ("Not a smoker", "User is not a smoker"),
        ("The commute's fifty minutes each way", "The commute's fifty minutes each way"),
        ("I've given up coffee", "User has given up coffee"),
        ("I'd sooner walk than drive", "User would rather walk than drive"),
        ("let's use Redis then, the team knows it", "User decided to use Redis"),
        ("we'll stick to the same childminder, moving him now would upset him",
         "User and others will stick to the same childminder"),
        ("Horror films, yes. Gore, no.", "User does not like Gore"),
        ("Jazz while I cook, silence when I work", "User likes silence when they work"),
        ("I prefer two options over one, and cite the source every time", "User prefers two options over one"),
        ("Tom and I are vegetarians", "User and Tom are vegetarians"),
        ("Me and Josie are vegan", "User and Josie are vegan"),
        ("Lucy and I run a bakery in Hull", "User and Lucy run a bakery in Hull"),
        ("Dad and I restore old cars", "User and their dad restore old cars"),
    ],
)  # fmt: skip
def test_d2_a_statement_said_in_a_word(said: str, text: str) -> None:
    assert text in kept(said)


@pytest.mark.parametrize(
    "said",
    [
        "Agreed and I will sign it", "Sunday and I still work", "As a student I lived in York", "Not sure about that",
        "Not bad at all", "Let's see then", "let's do the maths then", "nothing while I sleep, thanks",
        "Aisle, please. I get sick back there",
    ],
)  # fmt: skip
def test_d2_what_says_nothing_of_the_kind_is_not_read_so(said: str) -> None:
    assert kept(said) == []


def test_b1_who_has_no_children_under_an_age_may_have_others() -> None:
    assert values("no, mine are both grown up", asked="Do you have any children under 18?") == {}
    assert values("no", asked="Do you have any children?") == {"hasChildren": False}


@pytest.mark.parametrize(
    ("before", "said", "field", "value"),
    [
        ("My birthday is the 4th of May", "no wait it's the 14th of May, fat fingers", "birthday", "the 14th of May"),
        ("I'm 34.", "sorry, 43", "age", 43),
        ("Hello there. I live in Leeds.", "oops, I meant York", "residence", "York"),
        ("I weigh 80 kg", "sorry, 82 kg, typo", "weight", 82),
    ],
)
def test_b3_a_correction_in_a_turn_of_its_own_is_read_with_the_turn_before(
    before: str, said: str, field: str, value: Any
) -> None:
    assert (field, value) in [(c.field, c.value) for c in _after(before, said)]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I live in Leeds.", "Sorry, York is lovely"),
        ("I have three cats.", "no wait, it's cold outside"),
        ("What is on the 4th of July?", "no wait, the 5th of July"),
        ("I live in Leeds and work in Hull.", "oops, I meant York"),
    ],
)
def test_b3_what_corrects_no_one_value_corrects_nothing(before: str, said: str) -> None:
    assert [c.value for c in _after(before, said) if c.value is not None] == []


def _after(before: str, said: str) -> list[Any]:
    previous: tuple[tuple[Role, str], ...] = (("user", before), ("assistant", "Noted."))
    turn = TurnView(said, "user", "en", THURSDAY, GENERAL.time_zone, previous=previous)
    return RuleExtractor().extract(turn, GENERAL)
