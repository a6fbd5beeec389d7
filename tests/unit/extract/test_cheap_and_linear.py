"""The cheap first test (B9), linear time on hostile text, and the evaluation's counting."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from processors.reader.rules.evaluate import evaluate, matches, read
from processors.reader.rules.numbers import amount, english_integer, han_number
from processors.reader.rules.prefilter import promising
from processors.reader.rules.protocol import values_of
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.self_contained_zh import is_self_contained, tells_of_speaker
from processors.reader.rules.tidied_zh import tidy
from tests.examples import examples
from tests.linear import assert_linear
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract, values


@pytest.mark.parametrize(
    "text", ["I'm 32", "My name is Anna", "we decided on Redis", "TODO: docs", "remind me tomorrow", "call me Bo"]
)
def test_b9_statements_are_promising(text: str) -> None:
    assert promising(text, "en")


@pytest.mark.parametrize(
    "text", ["我今年32岁", "32岁", "浙大硕士毕业", "决定采用Redis", "提醒一下", "叫我小明", "没有孩子", "老婆是老师"]
)
def test_b9_chinese_statements_are_promising(text: str) -> None:
    assert promising(text, "zh")


@pytest.mark.parametrize("text", ["Hi!", "Thanks, great!", "ok", "What's the weather like?", ""])
def test_b9_chat_is_not_promising(text: str) -> None:
    assert not promising(text, "en")
    assert not promising("好的，谢谢", "zh")


def test_b9_a_bare_yes_is_promising_only_as_an_answer() -> None:
    assert not promising("yes", "en")
    assert promising("yes", "en", answers=True)
    assert promising("是的", "zh", answers=True)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.sampled_from(["I'm 32", "my", "we", "decided to use", "Redis", "nice", "Anna"]), max_size=8))
def test_b9_no_field_is_missed_by_the_cheap_test(words: list[str]) -> None:
    text = " ".join(words)
    if values(text):
        assert promising(text, "en")


UNITS = [
    "a ", "I ", "I am ", "my ", "and ", "so ", "well, ", "really ", "Aa ", "1", "1 ", "一", "我", "的", "，", "在北京",
    "大学", "是", "not ", "I work as a ", "years ", "a-", "_ ", '"', "“", "'", "if ", "in the ", "浙江", "市", "说",
    "想", "两百万", "and I ", "my sister ", "A. ", "...", "have a ", "English, ", "The ", "做了", "对", "|", "<", "```",
    "> ", "33, no wait, ", "不对，", "32公斤，", "Leeds, sorry, ", "allergic to ", "不是上海，", "我妈", "有个",
    "完", "了", "完的时候，", "me and my sister ", "my wife and I ", "my wife, ", "he asked me, do you ",
    ", man ", ", thanks ", "I am sad because my ", "Since my dad ", "I do love ", "did more ", ", Kate", "  ",
]  # fmt: skip


def _read(text: str) -> None:
    for profile in (GENERAL, IMMIGRATION):
        extract(text, profile)


@pytest.mark.parametrize("unit", UNITS)
def test_b9_time_is_linear_on_hostile_text(unit: str) -> None:
    _read(unit * 100)  # what is loaded once
    size = 12_000 if examples(12_000) == 12_000 else 4_000  # the whole length is for `make verify`
    assert_linear(_read, lambda size: (unit * (size // len(unit) + 1))[:size] + "x", size)


@pytest.mark.parametrize(
    ("unit", "end"),
    [("完", "票我买了"), ("完一下", "票我买了"), ("当晚上", "票我买了"), ("完", "，我妈给"), ("了", "x"), ("哈", "x")],
)
def test_b9_time_is_linear_before_the_speaker_and_at_the_end(unit: str, end: str) -> None:
    _read_zh(unit * 34 + end)  # where the ways to read it double with each unit, this does not end
    assert_linear(_read_zh, lambda size: (unit * (size // len(unit) + 1))[:size] + end, 4_000)


def _read_zh(text: str) -> None:
    """Tidy and judge one statement, of any length."""
    statement = tidy(text)
    tells_of_speaker(statement)
    is_self_contained(statement, of_other=False, of_kin=False, in_group=True)


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=200))
def test_d2_any_text_is_read_without_error(text: str) -> None:
    clean = text.replace("\x00", "").encode("utf-8", "ignore").decode()
    for candidate in extract(clean):
        assert candidate.text.strip()
        values_of(candidate)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("80万", 800_000),
        ("$120k", 120_000),
        ("1.5 million", 1_500_000),
        ("一百五十万", 1_500_000),
        ("1,200", 1_200),
        ("无", None),
    ],
)
def test_b2_amounts(text: str, number: int | None) -> None:
    assert amount(text) == number


def test_b2_numerals() -> None:
    assert [han_number(t) for t in ("三十二", "十五", "两", "一百零五", "32", "几")] == [32, 15, 2, 105, 32, None]
    assert [english_integer(t) for t in ("thirty-two", "12", "ninety", "soon")] == [32, 12, 90, None]


def test_c2_measures_keep_the_words_and_convert_the_value() -> None:
    assert [(c.text, c.value) for c in extract("I'm 5'10\" and weigh 160 lbs")] == [
        ("User is 5'10\"", 178),
        ("User weighs 160 lbs (5 February 2026)", 72.6),
    ]
    assert values("我身高175，体重140斤，血型A型") == {"height": 175, "weight": 70, "blood_type": "A"}
    assert values("My blood pressure is 140/90.") == {"bp_systolic": 140, "bp_diastolic": 90}
    assert "height" not in values("我妈妈身高160")


def test_evaluation_counts_cited_turns_and_informed_values() -> None:
    talk = [
        {
            "id": "c1",
            "qa": [{"evidence": ["D1:1"]}],
            "sessions": [
                {
                    "date_time": "1:56 pm on 8 May, 2023",
                    "turns": [
                        {
                            "dia_id": "D1:1",
                            "speaker": "Ann",
                            "text": "I adopted two kittens from the Battersea shelter.",
                        },
                        {"dia_id": "D1:2", "speaker": "Bo", "text": "Wow, that's great!"},
                    ],
                }
            ],
        }
    ]
    fact = {"id": "c1_o1", "fact": "Ann adopted two kittens.", "evidence": ["D1:1"]}
    figures = evaluate(read(json.dumps(talk), json.dumps(fact)), RuleExtractor(), GENERAL).figures()
    assert (figures["turns"], figures["memories"], figures["cited_recall"]) == (2, 1, 1.0)
    assert (figures["memories_matching_a_fact"], figures["cited_recall_at_random"]) == (1.0, 0.5)

    rows = [
        {"lang": "zh", "text": "我想找一家评分4.5分以上的酒店", "informs": [{"slot": "评分", "value": "4.5分以上"}]},
        {"lang": "en", "text": "ok", "informs": [{"slot": "city", "values": ["Leeds"]}]},
    ]
    figures = evaluate(read("\n".join(json.dumps(r) for r in rows)), RuleExtractor(), GENERAL).figures()
    assert (figures["values_kept"], figures["values_literal"], figures["values_not_literal"]) == (1.0, 1, 1)


def test_evaluation_matches_by_content_words() -> None:
    assert matches("Ann adopted two kittens from the shelter", "Ann has adopted kittens.")
    assert not matches("Ann adopted two kittens", "Bo likes sailing on the lake.")


def test_evaluation_refuses_another_shape() -> None:
    with pytest.raises(ValueError, match="evidence"):
        read("a,b\n1,2")
