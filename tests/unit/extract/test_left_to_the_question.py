"""What English talk leaves to the turn before it, and whom it mentions on the way (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.agreed_en import agreed_with
from processors.reader.rules.mentioned_en import mentioned
from processors.reader.rules.topic_en import Topic
from tests.unit.extract.support import extract


def texts_of(text: str, question: str | None = None) -> list[str]:
    return [c.text for c in extract(text, speaker="Ann", question=question) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("question", "text", "kept"),
    [
        ("Do you follow rugby at all?", "I used to play it in Porto.", "Ann used to play rugby in Porto"),
        ("Are you a jazz fan?", "I'm a big fan!", "Ann is a big fan of jazz"),
        ("Are you into comics?", "I got into them when I was in Ghent.", "Ann got into comics when they were in Ghent"),
        ("Do you watch cricket?", "I watch all the time.", "Ann watches cricket all the time"),
        ("I love chess. You?", "I never play it with my brother.", "Ann never plays chess with their brother"),
        ("Who is one of your favorite singers?", "Mine is Adele.", "Ann's favorite singer is Adele"),
        ("Do you have a favourite team?", "My favourite is Leeds.", "Ann's favourite team is Leeds"),
    ],
)
def test_an_answer_takes_its_thing_from_the_question(question: str, text: str, kept: str) -> None:
    assert kept in texts_of(text, question)


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Do you like the Alps?", "I used to watch it in Porto"),  # the Alps are "them"
        ("Do you like it?", "I used to play it in Porto"),
        ("Did you watch the game?", "I watch it every year"),  # which one, nobody knows
        ("How are you?", "I'm a big fan"),
        ("What did you do?", "mine is Adele"),
    ],
)
def test_a_clause_stays_where_its_thing_is_not_known(question: str, clause: str) -> None:
    assert Topic(question).named(clause) == clause


def test_what_the_speaker_likes_is_what_the_next_clause_is_of() -> None:
    assert texts_of("I love tennis. I used to play it with my uncle.")[-1] == "Ann used to play tennis with their uncle"


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        ("I grew up on a farm in Ghent.", "Same here! It was lovely.", "I grew up on a farm in Ghent"),
        ("Yes, I love opera. Do you?", "Nice, me too", "I love opera"),
        ("I don't watch much television.", "Me neither, I read", "I don't watch much television"),
        ("I am from Porto.", "So am I", "I am from Porto"),
    ],
)
def test_agreeing_in_a_word_says_the_same_of_oneself(question: str, text: str, shared: str) -> None:
    assert (agreed_with(question, text) or ("", 0))[0] == shared


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("I love my dog.", "Me too!"),  # whose dog
        ("I love that you came.", "Me too!"),
        ("I think rugby is dull.", "Same here"),
        ("I love opera.", "Me neither"),
        ("I love opera. It was long.", "Me too"),
        ("Do you love opera?", "Me too"),
        ("I love opera.", "Me too much of it bores"),
    ],
)
def test_no_agreement_of_what_is_the_others_or_an_opinion(question: str, text: str) -> None:
    assert agreed_with(question, text) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("They come by when my cats catch them.", "Ann has cats"),
        ("I'll have to ask my husband about it.", "Ann has a husband"),
        ("She was rude to my older sister.", "Ann has an older sister"),
    ],
)
def test_somebody_mentioned_is_told(text: str, kept: str) -> None:
    assert kept in texts_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I split up with my boyfriend",
        "she asked about my ex husband",
        "my dog walker is ill",
        "my brother-in-law is ill",
        "if I had my dog it would bark",
        "I walked my dog there when I was ten",
        "we stayed with my mother",
        "Maybe I could bring my parrot to Ghent",
        "My son is a fan",
    ],
)
def test_nobody_is_told_of_who_may_be_no_more_or_whom_all_have(text: str) -> None:
    assert list(mentioned(text, (), ())) == []


def test_somebody_told_of_is_not_mentioned_again() -> None:
    assert list(mentioned("ask my husband", ["{owner}'s husband is a vet"], ())) == []
    assert list(mentioned("ask my husband", (), ["my husband is ill"])) == []
    assert [c.text for c in extract("I'll ask my husband about it.") if c.text == "User has a husband"] == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("My parents are going through a divorce right now.", ["Ann's parents are going through a divorce"]),
        ("I had to relocate but my partner refused to come with me.",
         ["Ann had to relocate but their partner refused to come with Ann"]),
        ("I took my hobby of pottery and turned it into a small shop.",
         ["Ann took their hobby of pottery and turned it into a small shop"]),
        ("I think I might lose my job this spring.", ["Ann thinks they might lose their job in spring 2026"]),
        ("I thought about opening a bakery in Ghent.", ["Ann thought about opening a bakery in Ghent"]),
        ("I look forward to the regatta every year.", ["Ann looks forward to the regatta every year"]),
        ("We were together for a few years.", ["Ann and their partner were together for a few years"]),
        ("I live on my own.", ["Ann lives on their own"]),
        ("I'm not that into opera so it doesn't bother me.", ["Ann is not that into opera"]),
        ("We rode the horses of today near Porto.", ["Ann and others rode the horses of today near Porto"]),
        ("I watch the regatta, but other than that, I'm lost.", ["Ann watches the regatta"]),
    ],
)  # fmt: skip
def test_what_lasts_or_came_of_it_is_told_whole(text: str, texts: list[str]) -> None:
    assert [t for t in texts_of(text) if t in texts] == texts


@pytest.mark.parametrize(
    "text",
    [
        "I can't Harrison Ford played it well",
        "I have be introduced to a new step",
        "A habit my uncle taught me when I was ten",
        "next time I'm with my aunt and she sings in Ghent, I'll leave",
        "I listen to some, especially on the train",
        "I was sad to hear that the singer died",
        "I have never even seen skating on stage",
        "I'd love to see someone win with a spoon in Porto",
        "My uncle, who sang in a choir in Ghent",
        "I must have misspoken in Porto",
        "Don't get me wrong on rugby",
    ],
)
def test_what_is_cut_off_supposed_or_of_the_talk_is_not(text: str) -> None:
    assert texts_of(text) == []
