"""D5: people in English by their relation to somebody, and names that are things; texts of our own."""

import pytest

from inference.pii.english_refine import refine
from inference.protocols import EntitySpan


def people(text: str, guesses: tuple[EntitySpan, ...] = ()) -> list[str]:
    return [text[s.start : s.end] for s in refine(text, guesses) if s.entity == "PERSON"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my husband mark is allergic to nuts", "mark"),
        ("my ex dean keeps calling", "dean"),
        ("My boss is Volmira.", "Volmira"),
        ("Our dentist Volmira Saverka retired.", "Volmira Saverka"),
        ("I've got lunch with Volmira at one.", "Volmira"),
        ("i had tea with hope yesterday", "hope"),
        ("Rich and Penny are getting divorced.", "Rich"),
        ("Volmira forgot his charger again.", "Volmira"),
        ("Volmira can't make it on Friday.", "Volmira"),
        ("Send the form to Saverká please.", "Saverká"),
    ],
)
def test_d5_a_relation_shows_who_is_somebody(text: str, name: str) -> None:
    assert name in people(text)


def test_d5_a_relation_that_no_firm_has_outdoes_the_network() -> None:
    text = "Volmira forgot her keys."
    assert people(text, (EntitySpan("ORGANIZATION", 0, 7, 0.85, "spacy"),)) == ["Volmira"]
    text = "Our accountant is Volmira."
    assert people(text, (EntitySpan("ORGANIZATION", 18, 25, 0.85, "spacy"),)) == []


@pytest.mark.parametrize(
    "text",
    [
        "my sister may come later",
        "my son will call you",
        "My boss is late.",
        "I drive my dad's Volvo.",
        "We had tea with milk.",
        "Python and Ruby are both fine.",
        "Ruby 3.3 is faster.",
        "Sandy beaches are nice.",
        "Frank advice helps.",
        "Ivy grew over the window.",
        "The Bill was passed.",
        "I ordered a Margherita.",
        "We watched the film Amelie twice.",
    ],
)
def test_d5_what_has_a_name_of_somebody_and_is_a_thing(text: str) -> None:
    assert people(text) == []


@pytest.mark.parametrize(
    "text", ["Ruby is my aunt.", "Frank answers every mail.", "Ivy baked a cake.", "A Sarah called for you."]
)
def test_d5_a_person_of_such_a_name_stays(text: str) -> None:
    assert people(text) != []
