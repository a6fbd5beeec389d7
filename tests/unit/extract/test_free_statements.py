"""A memory is made where it is better than its turn: whole, resolved, sayable in a month (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.rules import EXPLICIT
from tests.unit.extract.support import extract


def statements_of(statement: str, *, speaker: str | None = "Ann", question: str | None = None) -> list[str]:
    """What is read of a turn: what is only observed is not."""
    return [c.text for c in extract(statement, speaker=speaker, question=question) if c.confidence == EXPLICIT]


@pytest.mark.parametrize(
    "text",
    [
        "Yea that was so funny lol",
        "I think her last one was better.",
        "They were great, weren't they",
        "I saw that too!",
        "My brother does but he hates it",
        "Travel teaches humility and opens the mind.",
        "Glad you made it, have a great evening!",
        "Melting the butter slowly is the trick.",
        "Enjoy each other's company and play some cards.",
        "Would be a nice place for a wedding",
        "I'm cooking pasta for dinner right now",
        "The fear of snakes is hard-wired in human brains.",
        "这种的更好看一些",
        "抱抱洞主，一切都会好起来的",
        "你先别急，多休息两天再说",
        "她昨天又没来上课",
        "缘分到了自然就好了",
        "hhh笑死我了",
        "在吗在吗",
        "给你一片海，愿你自由，愿你快乐，愿我忘记",
    ],
)
def test_what_does_not_stand_alone_is_left_to_its_turn(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Yea, I moved my piano to Leeds lol", ["Ann moved their piano to Leeds"]),
        ("Oh! I planted six tomato seedlings yesterday 🍅", ["Ann planted six tomato seedlings on 4 February 2026"]),
        ("Re Bob: I dont eat shellfish at weddings", ["Ann doesn't eat shellfish at weddings"]),
        ("Been learning the cello since March", ["Ann has been learning the cello since March"]),
        ("Mum sold the caravan in May", ["Ann's mum sold the caravan in May 2025"]),
        ("I met this guy from Perth at the climbing gym", ["Ann met a guy from Perth at the climbing gym"]),
        (
            "I had a pet gecko once, but it died because my flat was freezing",
            ["Ann had a pet gecko once, but it died because their flat was freezing"],
        ),
        ("Re 洞主: 我昨天把腰扭伤了😭😭", ["小雅2026年2月4日把腰扭伤了"]),
        ("哈哈哈我去年考下了潜水证～", ["小雅2025年考下了潜水证"]),
        ("嗯嗯，我跟男朋友在一起三年了", ["小雅跟男朋友在一起三年了"]),
    ],
)
def test_what_chat_leaves_is_not_written_down(text: str, texts: list[str]) -> None:
    assert statements_of(text, speaker="Ann" if text.isascii() or "🍅" in text else "小雅") == texts


def test_one_thing_said_is_one_memory() -> None:
    text = "I've been furloughed since August, and I've been repairing bikes for the neighbours."
    assert statements_of(text) == [
        "Ann has been furloughed since August 2025",
        "Ann has been repairing bikes for the neighbours",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "So I was at the garage and the mechanic kept going on about tyres and brakes and oil and whether the belt"
        " would hold until Easter and I nodded and paid and drove home through the rain without once asking why",
        "那天我去修车的时候师傅一直跟我说轮胎说刹车说机油还说皮带可能撑不到过年然后我就一直点头付了钱冒着雨开回家了一句为什么都没问",
    ],
)
def test_a_rambling_turn_is_not_repeated(text: str) -> None:
    words = len(text.split()) if text.isascii() else len(text)
    assert all(len(t.split() if text.isascii() else t) < 0.75 * words for t in statements_of(text))


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("Which city is it?", "Portland, OR", "Asked “Which city is it?”, Ann answered “Portland, OR”"),
        (None, "日坛公园的评分是多少？", "小雅问过“日坛公园的评分是多少”"),
        (None, "你知道首都博物馆的电话吗？", "小雅问过“你知道首都博物馆的电话吗”"),
    ],
)  # fmt: skip
def test_what_is_asked_or_answered_once_is_only_observed(question: str | None, statement: str, text: str) -> None:
    speaker = "Ann" if statement.isascii() else "小雅"
    (once,) = extract(statement, speaker=speaker, question=question)
    assert (once.text, once.source) == (text, "inferred")
    assert statements_of(statement, speaker=speaker, question=question) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("老系统是PHP 5.6写的，文档也没有", "老系统是PHP 5.6写的，文档也没有"),
        ("合并代码要两个人点头，主干不叫master", "合并代码要两个人点头，主干不叫master"),
        ("The staging database fell over twice this week", "The staging database fell over twice this week"),
    ],
)
def test_a_projects_own_sentences_are_kept_as_said(statement: str, text: str) -> None:
    (kept,) = extract(statement, project="atlas")
    assert (kept.text, kept.confidence) == (text, EXPLICIT)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("The importer runs nightly, and nobody has touched the parser since May",
         ["The importer runs nightly", "Nobody has touched the parser since May"]),
        ("No outages since March, and we doubled the cache",
         ["No outages since March", "The team doubled the cache"]),
        ("Happy Friday, the importer moved to Oban", ["The importer moved to Oban"]),
        ("We dropped the beta flag and it broke the build",
         ["The team dropped the beta flag and it broke the build"]),
    ],
)  # fmt: skip
def test_clauses_of_a_project_with_subjects_of_their_own_are_apart(text: str, texts: list[str]) -> None:
    assert [c.text for c in extract(text, project="atlas")] == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "shellfish gives me a rash and nuts make me wheeze",
            ["User is allergic to shellfish", "Nuts make User wheeze"],
        ),
        (
            "penicillin brings me out in hives, always has, and plasters make me itch",
            ["User is allergic to penicillin", "Plasters make User itch"],
        ),
        (
            "My niece has started school so the council wants me moved to days",
            ["User's niece has started school", "The council wants User moved to days"],
        ),
        ("I row on Sundays, the boat's kept in Oban", ["User rows on Sundays", "The boat is kept in Oban"]),
        ("Love the new flat, hate the stairs", ["User hates the stairs", "User loves the new flat"]),
        ("The ferry leaves at 7:45 and the bus arrives at 9", ["The ferry leaves at 7:45", "The bus arrives at 9"]),
        ("No leeks for me, I'm allergic", ["User is allergic"]),
        ("No wonder I have back pain", ["User has back pain"]),
    ],
)
def test_what_follows_of_another_subject_is_told_too(text: str, texts: list[str]) -> None:
    assert statements_of(text, speaker=None) == texts


def test_what_only_looks_like_an_answer_to_somebody_is_read() -> None:
    assert statements_of("Reminder: I moved the dentist to Friday 3pm")
    assert statements_of("我去过海底捞(西单店)吃了三次", speaker="小雅") == ["小雅去过海底捞(西单店)吃了三次"]
