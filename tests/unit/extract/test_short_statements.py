"""What English talk says of its speaker in a word, subjects of two, measures that are no ages, and corrections that
have a turn of their own (B1, B3, D2)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import EXPLICIT, RuleExtractor
from tests.unit.extract.support import GENERAL, THURSDAY, extract, values


def kept(text: str, *, question: str | None = None) -> list[str]:
    return [
        c.text for c in extract(text, question=question) if c.confidence == EXPLICIT and not c.attributes.get("ends")
    ]


@pytest.mark.parametrize(
    ("text", "field", "value"),
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
def test_b1_a_value_said_in_a_word(text: str, field: str, value: Any) -> None:
    found = [(c.field, c.value) for c in extract(text) if c.confidence == EXPLICIT and not c.negated]
    assert (field, value) in found


@pytest.mark.parametrize(
    "text",
    [
        "I'm 1.82 m tall", "I'm 6.1 ft", "I'm four and a half hours ahead of London",
        "I'm five and a quarter hours behind London", "I'm three and a half months pregnant",
    ],
)  # fmt: skip
def test_b1_a_measure_is_no_age(text: str) -> None:
    assert "age" not in values(text)


@pytest.mark.parametrize(
    ("statement", "text"),
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
def test_d2_a_statement_said_in_a_word(statement: str, text: str) -> None:
    assert text in kept(statement)


@pytest.mark.parametrize(
    "text",
    [
        "Agreed and I will sign it", "Sunday and I still work", "As a student I lived in York", "Not sure about that",
        "Not bad at all", "Let's see then", "let's do the maths then", "nothing while I sleep, thanks",
        "Aisle, please. I get sick back there",
    ],
)  # fmt: skip
def test_d2_what_says_nothing_of_the_kind_is_not_read_so(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We're Apple people now", "I'm a Morning person now", "As an example I live in Leeds",
        "As a test I said I live in Leeds", "My brother left Hull and Leeds has been home for him since May",
        "Lisbon has been my mum's home for years",
    ],
)  # fmt: skip
def test_b1_what_names_no_home_of_the_speaker_fills_none(text: str) -> None:
    assert "residence" not in values(text)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("I have a dog. My vet is great. Her name is Anna", "User's dog is called Anna"),
        ("My teacher has a dog. His name is Rex", "User's dog is called Rex"),
        ("We fed a goat at the zoo. Her name is Betty", "User's goat is called Betty"),
        ("I met a dog lover. Her name is Jo", "User's dog is called Jo"),
        ("The hotel has a pool, mine is a small room", "User's pool is a small room"),
        ("My husband has a dog and mine is a cat", "User's and is a cat"),
        ("Python is my first language", "User speaks Python"),
        ("As a last resort I take ibuprofen", "User takes ibuprofen"),
        ("As a favour I work Saturdays", "User works Saturdays"),
    ],
)
def test_d2_what_is_of_another_or_now_and_then_is_not_told_so(statement: str, text: str) -> None:
    assert text not in kept(statement)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("As a child I lived in York", "As a child User lived in York"),
        ("As the manager I sign the invoices", "As the manager User signs the invoices"),
        ("As a doctor I work nights", "User is a doctor"),
        ("As a diabetic I avoid sugar", "User avoids sugar"),
        ("Don't react well to codeine", "User doesn't react well to codeine"),
        ("Don't digest gluten", "User doesn't digest gluten"),
        ("Don't handle stress well", "User doesn't handle stress well"),
        ("My dog is old. His name is Rex", "User's dog is called Rex"),
        ("I'm 34 and a bit of a geek", "User is 34"),
    ],
)
def test_d2_what_is_the_speakers_stays(statement: str, text: str) -> None:
    assert text in kept(statement)


def test_b1_who_has_no_children_under_an_age_may_have_others() -> None:
    assert values("no, mine are both grown up", question="Do you have any children under 18?") == {}
    assert values("no", question="Do you have any children?") == {"hasChildren": False}


@pytest.mark.parametrize(
    ("before", "text", "field", "value"),
    [
        ("My birthday is the 4th of May", "no wait it's the 14th of May, fat fingers", "birthday", "the 14th of May"),
        ("I'm 34.", "sorry, 43", "age", 43),
        ("Hello there. I live in Leeds.", "oops, I meant York", "residence", "York"),
        ("I weigh 80 kg", "sorry, 82 kg, typo", "weight", 82),
        ("I work at Tesco", "no, at Asda", "employer", "Asda"),
        ("I live in Leeds", "no, in York", "residence", "York"),
    ],
)
def test_b3_a_correction_in_a_turn_of_its_own_is_read_with_the_turn_before(
    before: str, text: str, field: str, value: Any
) -> None:
    assert (field, value) in [(c.field, c.value) for c in _after(before, text)]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Leeds.", "Sorry, York is lovely"),
        ("I have three cats.", "no wait, it's cold outside"),
        ("What is on the 4th of July?", "no wait, the 5th of July"),
        ("I live in Leeds and work in Hull.", "oops, I meant York"),
        ("I work at Tesco", "no, in York"),
        ("My name is Anna", "sorry, in York"),
    ],
)
def test_b3_what_corrects_no_one_value_corrects_nothing(before: str, text: str) -> None:
    assert [c.value for c in _after(before, text) if c.value is not None] == []


def test_b3_what_answers_a_question_corrects_nothing_before_it() -> None:
    request = "Shall I book for four?"
    assert [c.value for c in _after("I have 2 kids.", "no, 3", reply=request) if c.value is not None] == []
    intended = _after("I live in Leeds.", "oops, I meant York", reply="Do you like it there?")
    assert ("residence", "York") in [(c.field, c.value) for c in intended]


def _after(before: str, text: str, *, reply: str = "Noted.") -> list[Any]:
    previous: tuple[tuple[Role, str], ...] = (("user", before), ("assistant", reply))
    turn = TurnView(text, "user", "en", THURSDAY, GENERAL.time_zone, previous=previous)
    return RuleExtractor().extract(turn, GENERAL)
