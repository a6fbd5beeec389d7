"""A turn in two languages: each sentence is heard, and told in its own language (B1)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import Language
from processors.reader.rules.two_languages import by_language
from tests.unit.extract.support import extract


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "我今年32岁，浙大计算机硕士毕业。I work as a nurse in Leeds.",
            ["用户32岁", "浙江大学计算机硕士毕业", "User works as a nurse", "User works in Leeds"],
        ),
        (
            "I work as a nurse in Leeds. 我今年32岁。",
            ["User works as a nurse", "User works in Leeds", "用户32岁"],
        ),
        ("我在杭州上班，住在杭州。I'm 32.", ["目前住在杭州", "User is 32"]),
        ("My sister Anna lives in Rome. 我喜欢喝咖啡。", ["User's sister Anna lives in Rome", "用户喜欢喝咖啡"]),
        ("我叫李雷。Please remind me to call mom.", ["用户名叫李雷", "User wants to be reminded to call mom"]),
    ],
)
def test_b1_each_sentence_is_told_in_its_own_language(text: str, expected: list[str]) -> None:
    texts = [c.text for c in extract(text)]
    assert [t for t in expected if t in texts] == expected, texts
    assert [t for t in texts if t in expected] == expected, "in the order of the text"


def test_n8_a_time_is_that_of_its_own_sentence() -> None:
    moved, went = extract("I moved to York in 2020. 上周五我去了西湖看音乐喷泉。")
    assert (moved.time_text, moved.occurred_from) == ("2020", datetime(2020, 1, 1, tzinfo=UTC))
    assert (went.time_text, went.occurred_from) == ("上周五", datetime(2026, 1, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    "text",
    [
        "我今年32岁。Do I work as a nurse?",
        "我今年32岁。If I lived in Leeds, I would work as a nurse.",
        "我今年32岁。她说：“I live in Paris. I work as a nurse.”",
        "I am 32. 我是不是住在苏州？",
        "I am 32. 我哥哥住在苏州。",
    ],
)
def test_b1_what_states_nothing_in_one_language_states_nothing_beside_another(text: str) -> None:
    assert [c.field for c in extract(text) if c.field] == ["age"]


@pytest.mark.parametrize(
    "text",
    [
        "我住在杭州，最喜欢的歌是 My Heart Will Go On。Just do it.",
        "我用 Redis。PostgreSQL also works.",
        "The word 你好 means hello. I like it.",
        "I live in Leeds. 加油。",
        "I live in Tokyo. 私は東京に住んでいます。",
        "我今年32岁，住在杭州。",
        "I'm 32 and live in Leeds.",
    ],
)
def test_a_turn_in_one_language_is_read_as_it_is(text: str) -> None:
    own: Language = "zh" if text.startswith("我") else "en"
    assert by_language(text, own) == [(own, text)]


def test_places_stay_true() -> None:
    text = "我今年32岁。Do I work? 我住在杭州。"
    own, other = by_language(text, "zh")
    assert own == ("zh", "我今年32岁。         ? 我住在杭州。")
    assert other == ("en", " " * 7 + "Do I work?" + " " * 7)
