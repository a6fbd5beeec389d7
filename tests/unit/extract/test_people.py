"""People of the owner are named by their relation where the turn, or one before it, says who they are (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from tests.unit.extract.support import GENERAL, THURSDAY, extract


def statements_of(statement: str) -> list[str]:
    return [c.text for c in extract(statement, speaker="Ann") if c.source == "explicit"]


def among_people(text: str, before: str = "How are you all?") -> list[str]:
    """What is kept of a turn of Ann's after somebody else's."""
    turn = TurnView(text, "user", "en", THURSDAY, speaker="Ann", previous=(("user", before),))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


def later(text: str, before: str) -> list[str]:
    """What is kept of a turn of the only user after an earlier one of theirs."""
    turn = TurnView(text, "user", "en", THURSDAY, previous=(("user", before), ("assistant", "Noted.")))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Our niece Tilda plays the oboe. Tilda's off to music school in Bergen this autumn.",
         "Ann's niece Tilda is off to music school in Bergen in autumn 2026"),
        ("My brother bought a barge in May. He lives on it near Ely.", "Ann's brother bought a barge in May 2025"),
        ("My uncle sold the bakery. He's retired from baking since Easter.",
         "Ann's uncle is retired from baking since Easter"),
        ("Hubby's on nights at the depot until March", "Ann's hubby is on nights at the depot until March"),
        ("the wife has started a pottery course on Mondays", "Ann's wife has started a pottery course on Mondays"),
        ("My cat hid for a week. Her left eye was infected by a thorn.",
         "Ann's cat's left eye was infected by a thorn"),
        ("My tutor is Dr Lindqvist, she wants every essay in Garamond",
         "Ann's tutor Dr Lindqvist wants every essay in Garamond"),
        ("There's my aunt. She's a welder in Bergen.", "Ann's aunt is a welder in Bergen"),
        ("My uncle runs a barge in Bergen. He's never visited Rome or Oslo.",
         "Ann's uncle has never visited Rome or Oslo"),
        ("My uncle runs a barge in Bergen. He's never late for the ferry.", "Ann's uncle is never late for the ferry"),
        ("Rowan's my flatmate. Rowan can't eat peanuts or sesame.", "Ann's flatmate Rowan can't eat peanuts or sesame"),
    ],
)  # fmt: skip
def test_somebody_known_is_named_by_their_relation(statement: str, text: str) -> None:
    assert text in statements_of(statement)


@pytest.mark.parametrize(
    ("statement", "never"),
    [
        ("My sister and her friend Jo share a flat. She is allergic to nuts.", "allergic"),
        ("My brother bought a barge. She plays the oboe in Bergen.", "oboe"),
        ("The carer comes to my aunt on Mondays and she parks on the lawn in Bergen", "aunt parks"),
        ("There's my aunt. She's a welder in Bergen.", "There"),
        ("My son met a man at the station. He sells carpets from Izmir.", "carpets"),
        ("Tilda's off to music school in Bergen this autumn.", "Tilda"),
        ("the boss of the cartel was shot in Bergen", "boss"),
        ("The husband's car is red and old", "husband is"),
        ("She plays the oboe in Bergen since the autumn.", "oboe"),
    ],
)
def test_nobody_is_taken_for_somebody_else(statement: str, never: str) -> None:
    assert not [text for text in statements_of(statement) if never in text]


def test_a_name_of_an_earlier_turn_of_the_same_user_is_known() -> None:
    assert later("Tilda's in the upper school now, doing maths and Latin", "My niece Tilda is in primary school") == [
        "User's niece Tilda is in the upper school now, doing maths and Latin"
    ]
    assert later("Tilda's in the upper school now", "Tilda is a singer from Bergen") == []


def test_in_a_group_a_name_of_another_speakers_turn_is_not_ones_own() -> None:
    assert among_people("Tilda's in the upper school now", "My niece Tilda is in primary school") == []
