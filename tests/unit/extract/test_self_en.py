"""English self-statements: what is said, and what states nothing of the owner (B1, B2, B4)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract, values


def test_b1_one_sentence_with_several_facts() -> None:
    assert [(c.text, c.field, c.value) for c in extract("I'm 32 and work as a nurse in Leeds")] == [
        ("User is 32", "age", 32),
        ("User works as a nurse", "occupation", "nurse"),
        ("User works in Leeds", "residence", "Leeds"),
    ]
    assert [c.text for c in extract("I'm 32.", speaker="Anna")] == ["Anna is 32"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("i live in leeds and i am 32", {"residence": "leeds", "age": 32}),
        ("I'm in my thirties.", {"age": "30+"}),
        ("Hi, I'm Anna. I have two kids and a dog named Max.", {"name": "Anna", "hasChildren": True, "pet": "dog"}),
        (
            "I'm a software engineer with 10 years of experience.",
            {"occupation": "software engineer", "yearsOfExperience": 10},
        ),
        ("I earn about $120k a year.", {"income": 120_000}),
        (
            "I have a master's degree in computer science from MIT.",
            {"education": "master", "major": "computer science", "university": "MIT"},
        ),
        ("I'm originally from China but I moved to London two years ago.", {"origin": "China", "residence": "London"}),
        ("I don't have any kids.", {"hasChildren": False}),
        ("I have no kids.", {"hasChildren": False}),
        ("I am allergic to peanuts.", {"allergy": "peanuts"}),
        ("I was diagnosed with type 2 diabetes in 2019.", {"condition": "type 2 diabetes"}),
        ("I'm married.", {"maritalStatus": "married"}),
        ("My favourite colour is blue.", {"favourite colour": "blue"}),
        ("I prefer tea over coffee.", {"prefers": "tea"}),
        ("I'm a vegetarian.", {"diet": "vegetarian"}),
    ],
)
def test_b1_plain_statements(text: str, fields: dict[str, object]) -> None:
    assert values(text) == fields


@pytest.mark.parametrize(
    "text",
    [
        "If I'm 32, can I apply?",
        'She said "I\'m 32 and work as a nurse"',
        "Am I 32?",
        "My brother is 32 and works as a chef in Paris.",
        "My doctor says I am 32",
        "Everyone thinks I'm 25",
        "Imagine I'm 50 and retired.",
        "I wish I was 25.",
        "I'm 5 minutes away",
        "I'm 100% sure",
        "I lived in Berlin for 3 years.",
        "Find me a place to buy and live in San Jose.",
        "I'm a huge help",
        "I live in fear",
        "I'm from the future",
        "I work for myself",
        "i live in the moment",
        "I love it when you say that",
    ],
)
def test_b1_what_states_no_field_of_the_owner(text: str) -> None:
    assert values(text) == {}


def test_b4_corrections_name_what_they_replace() -> None:
    for text in ("I'm not 32, I'm 33.", "Actually I'm 33, not 32."):
        (age,) = extract(text)
        assert (age.field, age.value, age.negated, age.attributes["replaces"]) == ("age", 33, False, 32)


def test_b4_negations_are_kept() -> None:
    (home,) = extract("I no longer live in London.")
    assert (home.field, home.value, home.negated) == ("residence", "London", True)
    assert home.text == "User does not live in London"
    (tongue,) = extract("I don't speak German.")
    assert (tongue.field, tongue.value, tongue.negated) == ("language", "German", True)


def test_d9_several_values_are_several_memories() -> None:
    assert [(c.text, c.value) for c in extract("I speak English and French.")] == [
        ("User speaks English", "English"),
        ("User speaks French", "French"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I've lived here with my sister since 2010 and we often walk in the Yorkshire Dales",
            ["Ann has lived with their sister since 2010", "Ann and others often walk in the Yorkshire Dales"],
        ),
        (
            "We went hiking near Lake Tahoe and it made me happy",
            ["Ann and others went hiking near Lake Tahoe and it made Ann happy"],
        ),
        (
            "Just signed up for a woodwork course at the Battersea centre",
            ["Ann just signed up for a woodwork course at the Battersea centre"],
        ),
        (
            "Going to woodwork course has helped me relax after the accident",
            ["Going to woodwork course has helped Ann relax after the accident"],
        ),
        (
            'My teacher said "I am proud" after the recital in Boston',
            ['Ann\'s teacher said "I am proud" after the recital in Boston'],
        ),
    ],
)  # fmt: skip
def test_d2_sentences_stand_alone_with_their_owner(text: str, expected: list[str]) -> None:
    assert [c.text for c in extract(text, speaker="Ann")] == expected
