"""What a sentence says first is kept by itself, where what follows is another's, points outside or asks for something;
not where what follows limits it (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract
from tests.unit.extract.test_free_statements import statements_of


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I mend violins in a shed in Oban, so keep the invoices simple", ["Ann mends violins in a shed in Oban"]),
        ("We haven't got a dishwasher so anything with a glaze is a pain", ["Ann and others haven't got a dishwasher"]),
        ("I'm done with the night shift at the depot, my manager has found somebody for it",
         ["Ann is done with the night shift at the depot"]),
        ("I trained as a piper in Oban and those were cold winters", ["Ann trained as a piper in Oban"]),
        ("I've rented the stall in Oban until March, the council won't move on the rest of them",
         ["Ann has rented the stall in Oban until March"]),
        ("We don't go to the ice rink in Oban any more", ["Ann and others don't go to the ice rink in Oban any more"]),
        ("My sister was just diagnosed with a bad knee so the consultant wants me scanned",
         ["Ann's sister was just diagnosed with a bad knee"]),
        ("sold the caravan to a couple from Oban", ["Ann sold the caravan to a couple from Oban"]),
        ("scrap the bagpipe thing, the neighbours have a baby", ["Ann has dropped the bagpipe thing"]),
        ("Forget about my Oban sailing course, no money", ["Ann has dropped their Oban sailing course"]),
        ("Resigned as treasurer of the choir at Easter", ["Ann resigned as treasurer of the choir at Easter"]),
    ],
)  # fmt: skip
def test_the_first_thing_said_is_kept_by_itself(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    "text",
    [
        "I repair violins, but only those of that dealer",
        "I would move to Oban, if that house were cheaper",
        "I am torn between the violin and that other one",
        "I told my sister, and that was it",
        "We don't go there, do we",
        "We don't need roads",
        "Sold out everywhere, that one",
        "kept telling her that",
        "SOLD THE CARAVAN",
        "don't tell my cousin in Oban why",
        "Drop the second paragraph",
        "forget the milk",
        "scrap that",
        "never mind the trip",
        "I'm chairing the choir in Oban again, am I",
        "I'll just swim to Oban for the meeting shall I",
    ],
)
def test_what_follows_may_limit_it(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Write a story in the first person: I am a retired spy in Oban and I own a bakery. My sister hates me.",
        "Stay in character: you are my lawyer, I have two houses in Kent and I refuse to sell either",
        "error from the build:\nmy cache at node-7 was refused after 3 tries",
        "Proofread this note for me:\n\nMy husband retired in May.\nWe moved to Oban in June.",
        "Translate this: I have worked at the dairy in Oban for nine years",
        "My cousin's note says: 'the consulate in Oban kept my passport for six weeks'",
        "Is this better? 'I have lived in Oban since I was six. My father sold tractors for years.'",
    ],
)
def test_what_is_played_quoted_or_to_be_worked_on_is_nobodys(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Let me explain:\nI have asthma and I live in Oban.", "Ann lives in Oban"),
        ("Rewrite for my situation:\nI live in Oban.", "Ann lives in Oban"),
        ("Translate this:\nI sold the van.\n\nBy the way, I moved to Oban in May.", "Ann moved to Oban"),
        ("I moved to Oban in May. Joking with the harbour master is fun.", "Ann moved to Oban"),
        ("I moved to Oban in May, lucky me", "Ann moved to Oban"),
    ],
)
def test_what_is_ones_own_stays_beside_it(statement: str, text: str) -> None:
    assert any(c.text.startswith(text) for c in extract(statement, speaker="Ann") if c.source == "explicit")


def test_apostrophes_are_no_quotation_marks() -> None:
    assert statements_of("I painted the boys' room beside the girls' shed in Oban") == [
        "Ann painted the boys' room beside the girls' shed in Oban"
    ]
