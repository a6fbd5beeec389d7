"""English as people write it to each other: sentences with nothing between, "he" of the turn before, moods (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.run_on_en import apart
from schemas.events.turns import Role
from tests.unit.extract.support import GENERAL, THURSDAY, extract


def statements_of(statement: str) -> list[str]:
    return [c.text for c in extract(statement, speaker="Ann") if c.source == "explicit"]


def answering(text: str, before: str, received: str) -> list[str]:
    """What is kept of a turn of Ann's behind one of hers and what another told her."""
    previous: tuple[tuple[Role, str], ...] = (("user", before), ("assistant", received))
    turn = TurnView(text, "user", "en", THURSDAY, speaker="Ann", previous=previous)
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("i rent a room in Ghent I am looking for a bigger flat",
         ["Ann rents a room in Ghent", "Ann is looking for a bigger flat"]),
        ("I split up with my fiance I don't know how to tell my aunt", ["Ann split up with their fiance"]),
        ("I am training for the rowing club in Ghent My parents are in Porto",
         ["Ann is training for the rowing club in Ghent", "Ann's parents are in Porto"]),
        ("no I didn't I had to sell my cello in May", ["Ann had to sell their cello in May 2025"]),
    ],
)  # fmt: skip
def test_sentences_with_nothing_between_are_told_apart(text: str, texts: list[str]) -> None:
    assert sorted(statements_of(text)) == sorted(texts)


@pytest.mark.parametrize(
    "text",
    [
        "the only job I have a chance at is in Ghent",
        "I think I am too old for rowing",
        "it is the way I feel so often",
        "I watched My neighbour twice",
        "Monday I'm rowing with my aunt",
        "he had rowing plans I was not invited to",
        "for six months I was not rowing",
    ],
)
def test_what_leads_on_is_not_parted(text: str) -> None:
    assert apart(text) == text


def test_sentences_parted_keep_their_places() -> None:
    assert apart("i rent alone I am looking for a flat") == "i rent alone\nI am looking for a flat"


@pytest.mark.parametrize(
    ("statement", "before", "received", "text"),
    [
        ("He sold the barge in May.", "My uncle is in hospital", "Oh no.", "Ann's uncle sold the barge in May"),
        ("I lied to her about money.", "my girlfriend left", "Why?", "Ann lied to their girlfriend"),
        ("She works on a ferry", "I am fine", "What does your niece do?", "Ann's niece works on a ferry"),
        ("He is a shelter dog", "We have a dog", "Cute", "Ann's dog is a shelter dog"),
        ("She works nights in Ghent", "My wife is a vet", "I see", "Ann's wife works nights in Ghent"),
    ],
)  # fmt: skip
def test_he_is_the_one_person_of_the_turns_just_before(statement: str, before: str, received: str, text: str) -> None:
    assert any(one.startswith(text) for one in answering(statement, before, received)), answering(
        statement, before, received
    )


@pytest.mark.parametrize(
    ("text", "before", "received"),
    [
        ("He sold the barge in May.", "My uncle fell out with my brother", "Oh"),
        ("He sold the barge in May.", "My uncle is in hospital", "My dad was there too"),
        ("He sold the barge in May.", "My niece is in hospital", "Oh"),
        ("She was rushing out to buy a cake", "We have a dog", "Cute"),
        ("He sold the barge in May.", "My niece works with Karl", "Oh"),
    ],
)
def test_of_several_or_of_anothers_people_nothing_is_told(text: str, before: str, received: str) -> None:
    assert answering(text, before, received) == []


def test_a_turn_that_another_speaker_may_have_said_names_nobody() -> None:
    previous: tuple[tuple[Role, str], ...] = (("user", "My uncle is in hospital"),)
    turn = TurnView("He sold the barge in May.", "user", "en", THURSDAY, speaker="Ann", previous=previous)
    assert [c for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"] == []


@pytest.mark.parametrize(
    "text",
    [
        "I am so sad and confused.",
        "I was totally blindsided.",
        "My dog is staring at me.",
        "My flatmate is having people over today",
        "I just wanted to vent about my week",
        "I am more than happy to listen.",
        "We have been chatting for hours.",
        "I have looked online.",
        "I am trapped in a few ways",
        "I was like 12 back then",
        "My son is a fan.",
        "My husband found out.",
        "Please respond and help me find my keys.",
        "Last winter when I visited my aunt",
        "I have been in the same situation myself.",
        "Just make a plan and a list",
        "I am in a sad mood",
        "My aunt is only mildly weirded out by the whole thing",
        "My aunt gave her 500 euros",
        "I am missing the sea Has to be soon",
    ],
)
def test_what_is_over_tomorrow_or_of_the_talk_is_not_told(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("We were together for six years.", "Ann and their partner were together for six years"),
        ("I use to row for a club in Ghent", "Ann used to row for a club in Ghent"),
        ("I ask because my neighbour bakes bread for a school", "Ann's neighbour bakes bread for a school"),
        ("I care for my mother, but she sadly passed away last March", "Ann's mother sadly passed away in March 2025"),
        ("I am very worried about my mortgage", "Ann is very worried about their mortgage"),
        ("I am sad because my aunt moved to Porto", "Ann's aunt moved to Porto"),
    ],
)
def test_what_lasts_is_told_whole(statement: str, text: str) -> None:
    assert any(text.lower() in one.lower() for one in statements_of(statement)), statements_of(statement)


@pytest.mark.parametrize(
    ("text", "question", "texts"),
    [
        ("Yeah i do", "Do you live alone?", ["Ann lives alone"]),
        ("Yes, I do", "Do you collect old stamps at all?", ["Ann collects old stamps"]),
        ("Yeah, well. But no, not really.", "Do you have a partner to talk to?", []),
        ("No, I have not", "Have you told the school already?", []),
    ],
)
def test_a_yes_says_what_was_asked_unless_it_is_taken_back(text: str, question: str, texts: list[str]) -> None:
    assert answering(text, "Hello", question) == texts


@pytest.mark.parametrize(
    "statement",
    [
        "You can never tell when I will ring for tea.",
        "When I have gotten help from my aunt the sums don't seem hard.",
        "Don't tell anyone!",
    ],
)
def test_what_is_no_order_to_the_assistant_is_not_told_as_one(statement: str) -> None:
    assert not [text for text in statements_of(statement) if "assistant" in text]
