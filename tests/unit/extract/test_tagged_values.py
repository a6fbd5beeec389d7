"""Values that a field reader points at: taken where their field takes what stands there, and never from a denial or a
question. What the rules read themselves stays as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from inference.language import language_of
from inference.reader.protocol import AskedField, FieldSpan, TurnInput
from processors.reader.rules.protocol import TurnView, values_of
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import FieldSpec, Profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, THURSDAY


class Points:
    """A `FieldReader` that points at given words."""

    reader_id = "points"

    def __init__(self, words: dict[str, str], probability: float = 0.9) -> None:
        self._words, self._probability = words, probability
        self.asked: tuple[str, ...] = ()

    def read(self, turn: TurnInput, fields: Sequence[AskedField]) -> list[FieldSpan]:
        self.asked = tuple(f.name for f in fields)
        found = [(field, turn.content.find(words), words) for field, words in self._words.items()]
        return [FieldSpan(f, at, at + len(w), self._probability) for f, at, w in found if at >= 0]


def view(text: str, **more: Any) -> TurnView:
    return replace(TurnView(text, "user", language_of(text), THURSDAY), **more)


def read(text: str, profile: Profile, words: dict[str, str]) -> list[Candidate]:
    return RuleExtractor(Points(words)).extract(view(text), profile)


def held(text: str, profile: Profile, words: dict[str, str]) -> dict[str, Any]:
    return {name: value for c in read(text, profile, words) for name, value in values_of(c).items()}


@pytest.mark.parametrize(
    ("text", "field", "words", "value"),
    [
        ("been on the ferries since I was nineteen, deckhand mostly", "occupation", "deckhand", "deckhand"),
        ("another candle on the cake, which makes forty-one", "age", "forty-one", 41),
        ("shares a bed with a lurcher called Moss, I do", "pet", "lurcher", "lurcher"),
        ("一沾猫毛鼻子就遭殃，打小这样", "allergy", "猫毛", "猫毛"),
        ("厂里开叉车，开了小半辈子", "occupation", "开叉车", "开叉车"),
    ],
)
def test_what_a_field_takes_is_its_value(text: str, field: str, words: str, value: Any) -> None:
    assert RuleExtractor().extract(view(text), GENERAL) == [
        c for c in RuleExtractor().extract(view(text), GENERAL) if field not in values_of(c)
    ]
    found = held(text, GENERAL, {field: words})
    assert found[field] in (value, [value])


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("we have been wed a good while, us two", "age", "good while"),
        ("the flat is lovely and bright", "income", "lovely"),
        ("fix lifts for a living, forty-six now and the knees know it", "yearsOfExperience", "forty-six"),
        ("do you think I look like a deckhand?", "occupation", "deckhand"),
        ("I'm not a deckhand, whatever he says", "occupation", "deckhand"),
        ("我可没养过猫", "pet", "猫"),
        ("你说我像开叉车的吗？", "occupation", "开叉车"),
    ],
)
def test_what_it_does_not_take_or_is_denied_or_asked_is_none(text: str, field: str, words: str) -> None:
    assert field not in held(text, GENERAL, {field: words})


def test_a_span_grows_to_whole_words() -> None:
    text = "I deal in co-codamol all day, pharmacist"
    assert held(text, GENERAL, {"occupation": "harmac"})["occupation"] == "pharmacist"


def test_the_reading_of_a_value_is_the_probability() -> None:
    found = read("厂里开叉车，开了小半辈子", GENERAL, {"occupation": "开叉车"})
    (candidate,) = [c for c in found if c.field == "occupation"]
    assert candidate.reading == 0.9
    assert candidate.source == "explicit"


def test_what_the_rules_read_themselves_stays() -> None:
    text = "I'm 41 and I live in Leeds."
    assert held(text, GENERAL, {"age": "Leeds", "residence": "41"}) == held(text, GENERAL, {})


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [("I live in Inverness and I am allergic to peanuts.", "origin", "Inverness"), ("我住在杭州。", "origin", "杭州")],
)
def test_a_word_fills_one_field(text: str, field: str, words: str) -> None:
    assert held(text, GENERAL, {field: words}) == held(text, GENERAL, {})


def test_a_profile_asks_for_its_own_fields_by_name() -> None:
    own = FieldSpec(name="boatName", label={"en": "boat", "zh": "船"})
    profile = IMMIGRATION.model_copy(update={"fields": (*IMMIGRATION.fields, own)})
    points = Points({"boatName": "Saucy Sue"})
    found = RuleExtractor(points).extract(view("she's called the Saucy Sue, our old tub"), profile)
    assert "boatName" in points.asked
    assert ("boatName", "Saucy Sue") in [pair for c in found for pair in values_of(c).items()]
