"""English as friends type it: no capitals, no apostrophes, no subject, and much that is only talk (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.rules import EXPLICIT
from tests.unit.extract.support import extract


def statements_of(statement: str, *, speaker: str | None = "Ann", question: str | None = None) -> list[str]:
    """What is read of a turn: what is only observed is not."""
    return [c.text for c in extract(statement, speaker=speaker, question=question) if c.confidence == EXPLICIT]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("i gave up sugar two winters ago", "Ann gave up sugar two winters ago"),
        ("work at a bakery. hate it.", "Ann works at a bakery"),
        ("not really into golf but my uncle has a boat in Hull", "Ann is not really into golf"),
        ("cant stand olives tbh, never could", "Ann can't stand olives"),
        ("Used to smoke but quit when my nephew was born", "Ann used to smoke but quit when their nephew was born"),
        (
            "i played cello for 8 years and then gave it up when i moved to Ghent",
            "Ann played cello for 8 years and then gave it up when they moved to Ghent",
        ),
        ("I love hiking, what's your favourite thing to do outside?", "Ann loves hiking"),
        ("I'm from Ohio but my gran raised me in Kent, where did you grow up?", "Ann's gran raised Ann in Kent"),
        ("I moved to Leeds lol my flat is tiny", "Ann's flat is tiny"),
        ("haha ya I'm terrible at darts", "Ann is terrible at darts"),
        ("I have to admit my favourite band is Blur", "Ann's favourite band is Blur"),
        ("I know my son used to collect stamps", "Ann's son used to collect stamps"),
        ("It's hard because I have to teach my children at home", "Ann has to teach their children at home"),
        ("My brother loves those old horror movies like that", "Ann's brother loves old horror movies"),
        ("My cousin is flying in tomorrow", "Ann's cousin is flying in on 6 February 2026"),
    ],
)  # fmt: skip
def test_what_people_type_is_read(statement: str, text: str) -> None:
    assert text in statements_of(statement)


def test_who_is_had_is_known_by_it() -> None:
    assert "Ann's dog is a whippet named Gus" in statements_of("we have a dog too, he's a whippet named Gus")
    assert "Ann's brother lives in Austin" in statements_of("I have a brother, he lives in Austin")
    assert "Ann visits their mom every day" in statements_of("My mom is in hospital. I visit her every day.")
    assert not any("visits" in text for text in statements_of("My mom met Kim. I visit her every day."))


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("Do you have any pets?", "yep, two rats", "Ann has two rats"),
        ("What are your hobbies?", "well, like playing the banjo", "Ann likes playing the banjo"),
    ],
)
def test_what_is_named_is_the_answer(question: str, statement: str, text: str) -> None:
    assert text in statements_of(statement, question=question)


def test_what_is_denied_beside_something_else_states_nothing() -> None:
    assert (
        statements_of("No, I used to when I was a child", question="Do you also play chess, as well as tennis?") == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "Mostly my feelings",
        "I'm looking for some helpful tips",
        "I really need some guidance",
        "I have a problem",
        "I'm still mum",
        "I got mad",
        "I have met so many",
        "I haven't watched the rest",
        "I used to play when I was a kid",
        "I watch every Sunday",
        "I don't to break up my family",
        "I can never follow that puck",
        "I'm not entirely sure I could sit through it all",
        "im so lost and confused everything is upside down",
        "I think it's because I am a failure and bad at my job",
        "I REALLY WORRIED FOR MY JOB",
        "He has been around for years. Been to the finals 8 times with the Bears.",
        "Reading from section 3, I agree that Jaws is the best",
        "My wife was all in on the movie",
        "I'd want to just hide all of the time",
        "I will be looking there, unfortunately January is quiet",
        "If she loves you, she will come back and never leave you again.",
    ],
)
def test_what_is_only_talk_is_not(text: str) -> None:
    assert statements_of(text) == []


def test_several_share_what_is_theirs() -> None:
    assert statements_of("We learned to settle our quarrels by talking out our mistakes") == [
        "Ann and others learned to settle their quarrels by talking out their mistakes"
    ]
