"""What English talk points at: things asked of by name, people called by a last name, "the plot" of what?"""

from __future__ import annotations

import pytest

from processors.reader.rules.full_names_en import full_names, in_full
from processors.reader.rules.known_things_en import is_known_by_the_talk
from processors.reader.rules.person_en import expand
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.rules import RuleExtractor
from schemas.events.turns import Role
from tests.unit.extract.support import GENERAL, THURSDAY, extract


def kept(text: str, question: str = "I see.", before: str = "") -> list[str]:
    """What is kept of a turn of Ann's that answers somebody, behind one of hers."""
    previous: tuple[tuple[Role, str], ...] = (("user", before), ("assistant", question))
    turn = TurnView(text, "user", "en", THURSDAY, speaker="Ann", previous=previous if before else previous[1:])
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Do you play rugby?", "I never really liked the sport.", "Ann never really liked rugby"),
        ("Have you seen Vertigo?", "Yes, it's one of my favourite films", "Vertigo is one of Ann's favourite films"),
        ("Do you like cricket?", "It was very slow for me.", "Ann found cricket very slow"),
        ("I love the Alps. Are you a fan?", "I am not really a fan.", "Ann is not really a fan of the Alps"),
        ("Are you a Bowie fan?", "I only like his early songs.", "Ann only likes Bowie's early songs"),
        ("I love opera.", "I find it boring.", "Ann finds opera boring"),
        ("Do you play bridge?", "Yes, I play occasionally.", "Ann plays bridge occasionally"),
        ("Do you read any other comic strips?", "I tried to get into them as a child.",
         "Ann tried to get into comic strips as a child"),
        ("I like old stamps. I have a few.", "I used to collect them.", "Ann used to collect old stamps"),
    ],
)  # fmt: skip
def test_what_was_asked_of_by_name_is_told_by_its_name(question: str, text: str, expected: str) -> None:
    assert expected in kept(text, question)


def test_what_one_asked_oneself_is_asked_back() -> None:
    assert kept("I like it a lot.", "Of course, and you?", "Have you seen Vertigo?") == ["Ann likes Vertigo a lot"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Do you like cricket?", "I find it hard to sleep"),
        ("Do you like cricket?", "I liked his early songs"),
        ("How was school?", "I never liked the sport"),
    ],
)
def test_nothing_is_named_where_it_is_not_sure_what_is_meant(question: str, text: str) -> None:
    assert not [one for one in kept(text, question) if "cricket" in one or "sport" in one]


@pytest.mark.parametrize(
    ("talk", "statement", "expected"),
    [
        ("I saw Greta Holm in Oslo", "Ann likes Holm", "Ann likes Greta Holm"),
        ("Greta Holm is great", "Ann follows Holm and Berg", "Ann follows Greta Holm and Berg"),
        ("I met Greta Holm. I know Piet Holm is her son", "Ann likes Holm", "Ann likes Holm"),
        ("Watch Holm play", "Ann likes Holm", "Ann likes Holm"),
        ("We live in New Malden", "Ann works in Malden", "Ann works in Malden"),
        ("I saw Greta Holm", "Ann met Piet Holm", "Ann met Piet Holm"),
    ],
)
def test_a_last_name_is_written_in_full_where_the_talk_has_one_of_it(talk: str, statement: str, expected: str) -> None:
    assert in_full(full_names([talk]))(statement) == expected


def test_whoever_answers_calls_by_the_last_name() -> None:
    assert kept("I like Holm.", "My favourite is Greta Holm.") == ["Ann likes Greta Holm"]


@pytest.mark.parametrize("text", ["I like the atmosphere", "I don't know anyone in the class", "I hated the ending"])
def test_a_part_says_nothing_without_what_it_is_of(text: str) -> None:
    assert is_known_by_the_talk(text)
    assert kept(text) == []


@pytest.mark.parametrize(
    "text",
    ["I like the atmosphere of old pubs", "I saw Vertigo and hated the ending", "I joined the class for beginners",
     "I took a class and knew nobody in the class"],
)  # fmt: skip
def test_what_the_statement_names_needs_no_talk(text: str) -> None:
    assert not is_known_by_the_talk(text)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("my husband's keen on rowing", "my husband is keen on rowing"),
        ("My aunt's a vet", "My aunt is a vet"),
        ("my sister's really allergic to nuts", "my sister is really allergic to nuts"),
        ("our teacher's been in Oslo", "our teacher has been in Oslo"),
        ("my husband's new boat sank", "my husband's new boat sank"),
        ("my aunt's sick leave ended", "my aunt's sick leave ended"),
        ("my wife's cooking is good", "my wife's cooking is good"),
    ],
)
def test_what_is_short_for_is_or_has_is_written_out(text: str, full: str) -> None:
    assert expand(text) == full


@pytest.mark.parametrize(
    ("text", "is_resolved"),
    [
        ("my parents came and he cried", False),
        ("my family says he should go", False),
        ("my uncle came and he cried", True),
        ("my family member says he should go", True),
        ("I like birds that sing", True),
        ("I like that song", False),
    ],
)
def test_he_is_one_person(text: str, is_resolved: bool) -> None:
    assert resolved(text) is is_resolved


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My exam is in a few days.", ["Ann's exam is a few days after 5 February 2026"]),
        ("I moved to Oslo a few weeks ago.", ["Ann moved to Oslo a few weeks before 5 February 2026"]),
        ("I hate people who lie", ["Ann hates people who lie"]),
        ("I loved my old flat due to illness I lost it", ["Ann loved their old flat"]),
        ("Ha ha, my uncle is a clown in Oslo.", ["Ann's uncle is a clown in Oslo"]),
        ("But then again I work on sails for old boats", ["Ann works on sails for old boats"]),
        ("Just like chess!", []),
        ("I feel so ashamed of my old flat", ["Ann feels so ashamed of their old flat"]),
        ("Rowing is the only sport I like to watch", ["Rowing is the only sport Ann likes to watch"]),
        ("I'm in my twenties.", ["Ann is in their twenties"]),
        ("Yep, so I'm on my own with this and the papers that are due worry me", []),
        ("I would really like to listen", []),
        ("my aunt and i are fine, we are tired of our old boat", ["Ann and their aunt are tired of their old boat"]),
        ("they freak out, saying my plan failed and I am the problem in the house", []),
        ("I love owls. I hate it when they scream", ["Ann loves owls"]),
        ("Keeps me interested and focused", []),
        ("It was no fun with all my allergies", ["Ann has allergies"]),
        ("I have stressful job", ["Ann has a stressful job"]),
        ("I don't have a boat for the river (also no time)", ["Ann doesn't have a boat for the river"]),
        ("I would start my own bakery", []),
        ("I watch more rugby than cricket, but yes I do", ["Ann watches more rugby than cricket"]),
        ("I dance tango with my uncle every now and then", ["Ann dances tango with their uncle every now and then"]),
        ("I re watched Vertigo with my aunt", ["Ann re watched Vertigo with Ann's aunt"]),
        ("I used to a rowing fan", []),
        ("you look sad. Am I correct", []),
        ("My old club, didn't win in Oslo", ["Ann's old club didn't win in Oslo"]),
        ("The Oslo Owls. I've been watching them since I was a kid.",
         ["Ann has been watching the Oslo Owls since Ann was a kid"]),
        ("It is so hard not to have my sister with me", []),
        ('My favourite villain is "Captain Cold"', ['Ann\'s favourite villain is "Captain Cold"']),
    ],
)
def test_what_is_kept_of_a_turn_stands_alone(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


def test_a_task_of_ones_own_is_told_to_an_assistant() -> None:
    assert any(c.episode_type == "task" for c in extract("Yep, I have to hand in my essay by Friday"))
