"""D5: people, places and firms in English that the words around them tell; texts of our own."""

import pytest

from inference.pii.analyzer import PiiAnalyzer
from inference.pii.english_refine import refine
from inference.pii.english_vocabulary import is_english
from inference.protocols import EntitySpan


def named(text: str) -> list[tuple[str, str]]:
    """What lexicon and context find without the network."""
    return [(span.entity, text[span.start : span.end]) for span in refine(text, [])]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("She moved her savings to Commerzbank.", ("ORGANIZATION", "Commerzbank")),  # listed
        ("My aunt buys all of it at Carrefour.", ("ORGANIZATION", "Carrefour")),  # a town in the network's eyes
        ("Then Volmira & Ruvik GmbH sent a bill.", ("ORGANIZATION", "Volmira & Ruvik GmbH")),  # by its form
        ("He reads law at the University of Volmira.", ("ORGANIZATION", "University of Volmira")),
        ("We swam in the Dordogne until dark.", ("LOCATION", "Dordogne")),
        ("a long drive from Hamburg to Basel", ("LOCATION", "Basel")),  # a family name too
    ],
)
def test_d5_firms_and_places_that_are_known_by_name_or_form(text: str, span: tuple[str, str]) -> None:
    assert span in named(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We invited Saverka, Michael, Elizabeth and Anna.", "Saverka"),  # in a list of people
        ("we invited saverká, michael, elizabeth and anna", "saverká"),
        ("Volmira, can you send me the file?", "Volmira"),  # spoken to
        ("Volmira's husband is a baker.", "Volmira"),  # owns what only people have
        ("Here's Volmira's new address: see below", "Volmira"),
        ("Volmira lives in a small house.", "Volmira"),  # does what only people do
        ("Volmira began writing at ten.", "Volmira"),
        ("Volmira: where were you?\nMichael: at home.", "Volmira"),  # a speaker beside a known one
        ("What's your last name? User: Volmira", "Volmira"),  # an answer
        ("my name is volmira", "volmira"),
        ("Ruvik J Volmira called again", "Ruvik J Volmira"),  # an initial between two unknown words
        ("Ruvik Volmira\nAccountant\n12 High Street", "Ruvik Volmira"),  # the first line of a card
        ("a call with heather volmirek today", "heather volmirek"),
        ("Brad Key directed, and later Key starred in it.", "Key"),  # an ordinary word that is a family name here
    ],
)
def test_d5_people_that_only_the_context_tells(text: str, name: str) -> None:
    assert ("PERSON", name) in named(text)


@pytest.mark.parametrize(
    "text",
    [
        "The Princess Royal opened the bridge.",
        "My card has been lost, Can I block it?",
        "Depends, what does it cost?",
        "Hmmmm, what do you think?",
        "What's your name? I've forgotten it. Do tell.",
        "what is her name? be sure to ask",
        "Flour, Sugar and Butter are in the cupboard.",
        "Google's phone number is on the page.",
        "We went to Czech Republic and El Salvador, then to Cape Verde.",
        "Lilly Open Innovation Drug Discovery funds it.",
        "I've began to like it.",
    ],
)
def test_nobody_is_found_by_context_where_nobody_is(text: str) -> None:
    assert [name for entity, name in named(text) if entity == "PERSON"] == []


@pytest.mark.parametrize(
    ("text", "entity", "name"),
    [
        ("She spent a year at Jones, Mitchell and Williams.", "ORGANIZATION", "Jones, Mitchell and Williams"),
        ("Jones, Mitchell and Williams is a law firm.", "ORGANIZATION", "Jones, Mitchell and Williams"),
        ("We'll meet Friday at Taylor-Jones.", "ORGANIZATION", "Taylor-Jones"),
        ("The founders Jones, Mitchell and Williams met at school.", "PERSON", "Jones"),
        ("Anna Taylor-Jones called.", "PERSON", "Anna Taylor-Jones"),
        ("They celebrated their tenth year in Quincy.", "LOCATION", "Quincy"),
        ("He is originally from Dolores.", "LOCATION", "Dolores"),
        ("We were in Quincy's kitchen, and it is in Quincy's car.", "PERSON", "Quincy"),
        ("Who is coming to Czech Republic with me?", "LOCATION", "Czech Republic"),
    ],
)
def test_d5_firms_and_places_with_the_names_of_people(text: str, entity: str, name: str) -> None:
    assert (entity, name) in named(text)


def test_d5_a_town_behind_its_street_is_no_person(analyzer: PiiAnalyzer) -> None:
    texts = ["Send it to 12 Hill Street, Campos 31200.", "Send it to 12 Hill Street, Anna will open the door."]
    town, person = analyzer.analyze(texts, ["en", "en"])
    assert "PERSON" not in {span.entity for span in town}
    assert [texts[1][span.start : span.end] for span in person if span.entity == "PERSON"] == ["Anna"]


@pytest.mark.parametrize("guess", ["Guilty Pleasures", "Salesperson", "Kickboxing"])
def test_a_guess_of_ordinary_words_is_nobody(guess: str) -> None:
    text = f"My favourite is {guess} of last year."
    start = text.index(guess)
    assert refine(text, [EntitySpan("PERSON", start, start + len(guess), 0.85, "network")]) == []


def test_english_words_with_endings_and_prefixes() -> None:
    assert all(map(is_english, ("depends", "planned", "ladies", "unlikely")))
    assert not any(map(is_english, ("volmira", "saverka", "inessa", "renato")))


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("She married a Bruneian and became a Sikh.", ["Bruneian", "Sikh"]),
        ("Togolese and Uzbek students share the house.", ["Togolese", "Uzbek"]),
        ("Two Malawians and a Methodist came.", ["Malawians", "Methodist"]),
        ("I am Polish.", ["Polish"]),
        ("Polish your shoes.", []),
        ("i am togolese and my wife is brazilian", ["togolese", "brazilian"]),
        ("Apt. 4, Nuuk, Greenlander 3900", []),
        ("Nicosia, Cyprus (Greek)", []),
        ("polish the table", []),
        ("He speaks Danish and takes Welsh lessons.", []),
        ("They flew with British Airways over the Indian Ocean.", []),
        ("She said it in Catalan.", []),
    ],
)
def test_d5_nationalities_and_religions_by_a_closed_list(text: str, people: list[str]) -> None:
    assert [name for entity, name in named(text) if entity == "NRP"] == people
