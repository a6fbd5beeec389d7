"""English statements that stand alone: what a pronoun, "the" thing or a time before "I" may mean within them."""

from __future__ import annotations

import pytest

from processors.reader.rules.antecedents_en import names_person, names_several, names_thing
from processors.reader.rules.dated_en import dated
from processors.reader.rules.joint_subjects_en import as_one
from processors.reader.rules.known_things_en import is_known_by_the_talk
from processors.reader.rules.people_en import People
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.tidied_en import tidy
from tests.unit.extract.support import GENERAL, THURSDAY


def kept(text: str, taken: str = "I see.") -> list[str]:
    """What is kept of a turn of Ann's that answers somebody."""
    turn = TurnView(text, "user", "en", THURSDAY, speaker="Ann", previous=(("assistant", taken),))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("points", "is_kept"),
    [
        ("I told my aunt it was too wet", "I told my aunt her boat was too wet"),
        ("My aunt says it is closing", "My aunt has a shop and it is closing"),
        ("I have a hard time getting it", "I have a boat and love it"),
        ("I took a year off to do it", "I took a course to finish it"),
        ("My aunt says they are closing", "My aunt sold her boats because they are old"),
        ("I was told they would call", "My parents said they would call"),
        ("My uncle was sure they lost", "My cousins were sure they lost"),
        ("I moved to Oban because she wanted to", "I moved to Oban because my aunt said she wanted to"),
        ("I was in Oban with her", "I was in Oban with my aunt"),
        ("My cats love chasing them", "My cats see birds and chase them"),
        ("I sold my free one", "I miss my loved ones"),
        ("I heard that is closed", "I have a cousin that is a baker"),
    ],
)
def test_a_pronoun_has_what_it_means_in_its_statement(points: str, is_kept: str) -> None:
    assert not resolved(points)
    assert resolved(is_kept)


@pytest.mark.parametrize(
    "text",
    [
        "I find it hard to make friends",
        "It is hard for me to sleep at night",
        "It takes me an hour to drive to work",
        "It has been two years since my dad died",
        "My boss made it clear that I would lose my job",
        "When it comes to music I like jazz",
        "I make it to church every Sunday",
        "It rains every day where I live",
    ],
)
def test_it_may_point_at_nothing(text: str) -> None:
    assert resolved(text)


def test_a_person_is_no_thing_and_a_place_no_person() -> None:
    assert not names_thing("I told my sister ")
    assert names_thing("I sold my sister's bike ")
    assert not names_thing("I had a lot ")
    assert not names_person("I moved to Oban ")
    assert names_person("I met Freya ")
    assert not names_several("my mother says ")
    assert names_several("my mother and my aunt said ")


@pytest.mark.parametrize(
    ("one_of_many", "known"),
    [
        ("I love the city", "I live in the city"),
        ("I signed up for the program last week", "I signed up for the program of my church last week"),
        ("I like the company", "My uncle has a bakery and I like the company"),
        ("I met the lady again", "I met the lady who taught me"),
        ("I got the results", "I watch the news"),
        ("the whole team lost", "I swim on the relay team"),
        ("I finally finished the project", "I finally finished the dishes"),
        ("I need to hand in the assignment", "I need to hand in the assignment for Spanish"),
        ("my husband hated the restaurant", "my husband hated the restaurant where we ate"),
        ("I quit the job", "I have been on all the job sites"),
        ("I told the group", "I told the Oban group"),
    ],
)
def test_the_thing_is_one_that_the_statement_says_more_of(one_of_many: str, known: str) -> None:
    assert is_known_by_the_talk(one_of_many)
    assert not is_known_by_the_talk(known)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's very hard for me to make friends", "I find it very hard to make friends"),
        ("it was hard for me to leave", "I found it hard to leave"),
        ("I remember when my parents lived in Oban", "my parents lived in Oban"),
        ("I remember when I was five", "I remember when I was five"),
        ("my brother is the one who plays chess", "my brother plays chess"),
        ("I'm just burnt out on school", "I'm burnt out on school"),
        ("I'm just about done", "I'm just about done"),
        ("I just liked owls", "I liked owls"),
        ("I just met an owl", "I just met an owl"),
        ("I have been reading on radios which is why I ask", "I have been reading on radios"),
        ("I use my phone since it's more consistent", "I use my phone"),
        ("I saw a few games when I lived close by but wow", "I saw a few games when I lived close by"),
        ("we play chess with friends its awesome", "we play chess with friends"),
        ("I lost its box", "I lost its box"),
        ("I never seen Oban", "I have never seen Oban"),
        ("I never went to Oban", "I never went to Oban"),
        ("Oban is my favourite", "I like Oban best"),
        ("it is my favourite", "it is my favourite"),
        ("my favorite bands would be Kiss and Abba", "my favorite bands are Kiss and Abba"),
        ("we have a daughter named Lily", "I have a daughter named Lily"),
        ("we have a cellar", "we have a cellar"),
    ],
)
def test_talk_is_put_as_one_would_write_it(text: str, expected: str) -> None:
    assert tidy(text) == expected


def named(*spoken: str) -> str:
    """The last of some clauses with whom it points at by name."""
    people = People()
    for clause in spoken[:-1]:
        people.hear(clause)
    return people.named(spoken[-1])


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        (("We have two kids, Mia and Leo", "they both row"), "my kids both row"),
        (("my parents lived in Oban for a few years", "they loved it"), "my parents loved it"),
        (("my parents like the neighbors", "they row"), "they row"),
        (("I have three dogs", "they're all old"), "my dogs are all old"),
        (("My friend Jo is getting married", "I'm her bridesmaid"), "I'm my friend Jo's bridesmaid"),
        (("my mom is ill", "I live in her house"), "I live in my mom's house"),
        (("my mom is ill", "I gave her money"), "I gave her money"),
    ],
)
def test_whose_and_they_are_the_speakers_own_where_one_is_named(spoken: tuple[str, ...], expected: str) -> None:
    assert named(*spoken) == expected


def test_two_are_the_subject_behind_a_time() -> None:
    assert as_one("Before the war my aunt and I traveled") == "Before the war I traveled"
    assert as_one("I went with my wife and I loved it") == "I went with my wife and I loved it"


def test_a_season_of_now_is_that_of_the_year() -> None:
    assert dated("Ann rowed to Oban this summer", THURSDAY) == "Ann rowed to Oban in summer 2026"
    assert dated("Ann rows to Oban this winter", THURSDAY) == "Ann rows to Oban this winter"
    assert dated("Ann is free until this summer", THURSDAY) == "Ann is free until this summer"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When I was in college, I rowed every day.", ["When Ann was in college, they rowed every day"]),
        ("Before the pandemic, I rowed in Oban.", ["Before the pandemic, Ann rowed in Oban"]),
        ("Growing up in Texas, we never saw snow.", ["Growing up in Texas, Ann and others never saw snow"]),
        ("Because of my back, I can't lift boxes.", ["Because of Ann's back, they can't lift boxes"]),
        ("Since I lost my job I have trouble sleeping.", ["Since Ann lost their job they have trouble sleeping"]),
        ("On the other hand, I sing in Oban.", ["Ann sings in Oban"]),
        ("In my free time I like to paint and hike.", ["In Ann's free time they like to paint and hike"]),
        ("It's hard for me to make friends since we moved here.", ["Ann finds it hard to make friends"]),
        ("I have a mutual friend that is a lawyer.", ["Ann has a mutual friend that is a lawyer"]),
        ("Both of my parents are bakers.", ["Both of Ann's parents are bakers"]),
        ("I have to row to Oban next Tuesday.", ["Ann has to row to Oban on 10 February 2026"]),
        ("I got into the program, so I'm moving to Oban.", ["Ann is moving to Oban"]),
        ("I have seen old episodes from time to time.", []),
        ("I always ask myself \"does this help?\"", []),
        ("I want to be a better person.", []),
        ("I guessed the line was straight in Oban.", []),
    ],
)
def test_what_is_kept_stands_alone(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


def test_a_value_does_not_hide_a_name() -> None:
    assert "Ann has a daughter named Lily" in kept("I am glad, we have a daughter named Lily.")


def test_a_game_that_is_named_since_is_no_longer_the_one_asked_about() -> None:
    taken = "Did you ever play the N64?"
    assert kept("I didn't play that one but I remember playing mega man. I loved that game too.", taken) == []
