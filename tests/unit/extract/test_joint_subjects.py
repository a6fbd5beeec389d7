"""What somebody does with one of theirs is told of both; a question behind a statement, laughter, an outcry and the
name of the hearer are no part of it (B1, D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.joint_subjects_en import another_first, as_one, as_we, both, names_another
from tests.unit.extract.support import extract, values
from tests.unit.extract.test_free_statements import statements_of


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("My wife and I went to Malta for our honeymoon.", ["Ann and their wife went to Malta for their honeymoon"]),
        ("My boyfriend and I broke up in June.", ["Ann and their boyfriend broke up in June 2025"]),
        ("My friends and I play poker every Friday.", ["Ann and their friends play poker every Friday"]),
        ("Me and my brother own a bakery.", ["Ann and their brother own a bakery"]),
        ("My sister Ida and I run a shop.", ["Ann and their sister Ida run a shop"]),
        ("My mother and I are both teachers.", ["Ann and their mother are both teachers"]),
        ("I feed my sister and I sweep the yard on Mondays.",
         ["Ann feeds their sister", "Ann sweeps the yard on Mondays"]),
    ],
)  # fmt: skip
def test_a_subject_of_two_is_told_whole(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


def test_what_two_do_is_of_neither_alone() -> None:
    assert [c.text for c in extract("Me and my sister run a cafe in Leeds.")] == [
        "User and their sister run a cafe in Leeds"
    ]
    assert values("My wife and I live in Leeds.")["residence"] == "Leeds"


def test_places_of_the_turn_stay() -> None:
    text = "Well. Me and my sister Ida run a cafe."
    assert another_first(text) == "Well. My sister Ida and I  run a cafe."
    assert len(another_first(text)) == len(text)
    assert another_first("She told me and my sister left.") == "She told me and my sister left."


def test_both_are_named() -> None:
    assert as_we("my wife and I went") == "we went"
    assert as_we("my wife knows I went") == "my wife knows I went"
    assert as_one("my wife and I were there and we are off") == "I was there and we are off"
    assert as_one("my wife knows I went") == "my wife knows I went"
    assert both("My wife and I sold our car", "Ann") == "Ann and their wife sold their car"
    assert both("I sold our car", "Ann") == "I sold our car"
    assert names_another("my wife and I went", 0, 7)
    assert not names_another("I see my wife and I went", 0, 13)
    assert not names_another("my wife and I am off", 0, 7)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I used to play chess in Bergen, did you play that?", ["Ann used to play chess in Bergen"]),
        ("I have two dogs, how about you?", ["Ann has two dogs"]),
        ("I also enjoy tennis, do you?", ["Ann enjoys tennis"]),
        ("I might move to York, what do you think?", []),
        ("Do you think I own a boat, do you?", []),
    ],
)
def test_a_question_behind_a_statement_leaves_it(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("My favourite sport is definitely hockey ha!", ["Ann's favourite sport is definitely hockey"]),
        ("I went to the harbour museum in Oban, wow I was blown away!!", ["Ann went to the harbour museum in Oban"]),
        ("I never sleep before three in the morning (4)", ["Ann never sleeps before three in the morning"]),
        ("I finally repaired both bikes yesterday, Sam", ["Ann finally repaired both bikes on 4 February 2026"]),
        ("We moved to Leeds in May- we got another cat named Bailey too.",
         ["Ann moved to Leeds", "Ann and others got another cat named Bailey"]),
        ("I do love rhubarb cake.", ["Ann loves rhubarb cake"]),
        ("I did go to the Oban museum back in 2009.", ["Ann went to the Oban museum back in 2009"]),
        ("I stumbled across this bakery while hiking.", ["Ann stumbled across a bakery while hiking"]),
        ("I want to see the Oban pageant, probably not great", ["Ann wants to see the Oban pageant"]),
        ("I raised my niece on my own.", ["Ann raised their niece on their own"]),
        ("My kids saw Wreck It Ralph in March.", ["Ann's kids saw Wreck It Ralph in March 2025"]),
        ("I'm having a pottery show next month - can't wait!", ["Ann is having a pottery show in March 2026"]),
        ("My landlord is called Mr Brandt.", ["Ann's landlord is called Mr Brandt"]),
    ],
)  # fmt: skip
def test_only_the_statement_is_told(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("When I was a kid I lived on a farm in Ohio.", ["When Ann was a kid they lived on a farm in Ohio"]),
        ("While in Texas I saw the rodeo.", ["While in Texas Ann saw the rodeo"]),
        ("Since my dad died I can't sleep.", ["Since Ann's dad died Ann can't sleep"]),
        ("I'm feeling really sad because I failed a test.", ["Ann failed a test"]),
        ("I feel bad because I forgot it.", []),
        ("I've tried to find a therapist, but none of those in my network have time.",
         ["Ann has tried to find a therapist"]),
        ("Trying to eat healthier these days.", ["Ann is trying to eat healthier these days"]),
        ("Trying to eat healthier is hard these days.", []),
        ("I think my favourite sport is curling.", ["Ann thinks their favourite sport is curling"]),
        ("I think I'm going to check it out.", []),
        ("2 of my teams have lost half of their people.", ["2 of Ann's teams have lost half of their people"]),
    ],
)  # fmt: skip
def test_what_was_missed_is_found(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    "text",
    [
        "So while I think my performance is safe",
        "Especially with something that bleeds into my evenings in Oban",
        "Hurry up my kettle also broke in Oban",
        "We were shocked",
        "I was just kidding about the goat",
        "We are all at home",
        "I realized there's no point worrying about the weather in Oban",
        "I really like that we have talked about sports so much",
        "We were talking about the ferry to Oban",
        "Like we talking to nothingness in Oban",
        "I great up with a goat from Oban",
        "I did much more when I was younger",
        "I have seen both and the ice is covered in Oban",
        "I love escaping to",
        "My son would love that I'm sure",
        "One I really want to go to is in Oban",
        "I just googled the ferry to Oban",
        "I have not really considered that before",
        "I do not approach that level of zeal in Oban",
        "But just like music we got to see all the great films of Oban",
    ],
)
def test_what_is_no_statement_of_a_month_is_not_made(text: str) -> None:
    assert statements_of(text) == []


def test_an_outcry_is_no_answer() -> None:
    assert statements_of("Wow, I had no idea!", question="What is your favourite hockey team?") == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("My wife and I want to buy a house in Cork.", ["Ann and their wife want to buy a house in Cork"]),
        ("My mother and I don't speak.", ["Ann and their mother don't speak"]),
        ("My mother and I never got along.", ["Ann and their mother never got along"]),
        ("My wife and I'm going to Rome.", ["Ann is going to Rome"]),
        ("I asked my boss, and I got a raise.", ["Ann got a raise"]),
        ("My son asked me, do you love mum?", []),
        ("I got the flat, thanks to my sister.", ["Ann got the flat, thanks to their sister"]),
        ("I want to study abroad, probably Spain.", ["Ann wants to study abroad, probably Spain"]),
        ("I'm having twins, boy and girl!", ["Ann is having twins, boy and girl"]),
        ("I've visited Rome, Florence.", ["Ann has visited Rome, Florence"]),
        ("I noticed a lump on my neck in May.", ["Ann noticed a lump on their neck in May 2025"]),
        ("I love how my dog greets me.", ["Ann loves how their dog greets them"]),
        ("I'm growing up in a strict family.", ["Ann is growing up in a strict family"]),
        ("I'm a night nurse.", ["Ann is a night nurse"]),
        ("I have been a long day in Oban", []),
        ("I did better in maths than in art at school.", ["Ann did better in maths than in art at school"]),
        ("I spring clean every April.", ["Ann springs clean every April"]),
        ("I don't know anybody who likes Mondays.", []),
        ("My boss is named Karen Smith.", ["Ann's boss is called Karen Smith"]),
        ("My boss is named Karen But I call her Kay.", ["Ann's boss is called Karen"]),
    ],
)  # fmt: skip
def test_what_is_near_to_the_cut_is_told(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


def test_a_wish_of_two_is_a_wish() -> None:
    assert [c.kind for c in extract("My wife and I want to buy a house in Cork.")] == ["intent"]


def test_an_answer_may_begin_with_a_name() -> None:
    text = "Cool Ranch Doritos"
    assert statements_of(text, question="What's your favourite food?") == ["Ann's favourite food is Cool Ranch Doritos"]
