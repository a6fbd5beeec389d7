"""What a model says of a turn is kept only where words of the turn carry it, and where these are the speaker's."""

from __future__ import annotations

import tomllib
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import pytest

from processors.reader.quotation_support import QuotationSupport, denies, located, quotation_support, words_of
from processors.reader.rules.protocol import TurnView
from schemas.events.memory import Span
from schemas.profile.model import load_profile

DATA = tomllib.loads((files("processors.reader") / "carried.toml").read_text(encoding="utf-8"))
AT = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def found(
    statement: str, quote: str, text: str, values: dict[str, Any] | None = None, **kw: Any
) -> QuotationSupport | str:
    han = any("\u4e00" <= c <= "\u9fff" for c in statement)
    turn = TurnView(
        content=statement, role="user", language="zh" if han else "en", occurred_at=AT,
        previous=kw.pop("previous", ()), speaker=kw.pop("speaker", None), reply=kw.pop("reply", ""),
    )  # fmt: skip
    profile = load_profile(kw.pop("profile", "immigration"))
    kind, negated = kw.pop("kind", "fact"), kw.pop("negated", False)
    return quotation_support(text, values or {}, quote, turn, profile, kind=kind, negated=negated)


@pytest.mark.parametrize(
    ("statement", "quote", "text", "values"),
    [
        ("I live in Headingley in Leeds.", "I live in Headingley in Leeds", "User lives in Headingley in Leeds", {}),
        ("I am thirty-two.", "I am thirty-two", "User is 32 years old.", {"age": 32}),
        ("I earn about 80k a year.", "I earn about 80k a year", "User earns 80000 a year", {"annualIncome": 80_000}),
        ("These days I reside in Lisbon.", "I reside in Lisbon", "User lives in Lisbon.",
         {"currentLocation": "Lisbon"}),
        ("I don't eat meat any more.", "I don't eat meat any more", "User does not eat meat any more", {}),
        ("I work as a nurse in Leeds", "work as a nurse in Leeds", "User works in Leeds as a nurse", {}),
        ("我今年32岁，住在杭州。", "我今年32岁", "用户今年32岁。", {"age": 32}),
        ("我已经在里斯本定居。", "已经在里斯本定居", "用户住在里斯本。", {"currentLocation": "里斯本"}),
        ("浙大计算机硕士毕业的", "浙大计算机硕士毕业", "用户是浙江大学计算机硕士",
         {"education": "硕士", "university": "浙江大学", "major": "计算机"}),
        ("年薪大概80万", "年薪大概80万", "年薪约80万", {"annualIncome": 800_000}),
        ("我不喜欢香菜", "我不喜欢香菜", "用户不喜欢香菜", {}),
    ],
)  # fmt: skip
def test_b1_words_of_the_turn_carry_it(statement: str, quote: str, text: str, values: dict[str, Any]) -> None:
    place = found(statement, quote, text, values)
    assert isinstance(place, QuotationSupport), place
    assert place.literal
    assert statement[place.span.start : place.span.end].strip("。.") == quote.strip("。.")


@pytest.mark.parametrize(
    ("statement", "quote", "text", "values", "why"),
    [
        ("I live in Leeds.", "I live in York", "User lives in York", {}, "not_said"),
        ("I live in Leeds.", "I live in Leeds", "User loves Leeds", {}, "not_carried"),
        ("I live in Leeds.", "I live in Leeds", "User lives in Leeds with three cats", {}, "not_carried"),
        ("I live in Leeds.", "I live in Leeds", "User does not live in Leeds", {}, "polarity"),
        ("I don't live in Leeds.", "live in Leeds", "User lives in Leeds", {}, "polarity"),
        ("I live in Leeds and my job is in York.", "I live in Leeds and my job is in York", "User lives in York", {},
         "not_carried"),
        ("I live in Leeds.", "I live in Leeds", "User lives in Leeds", {"age": 32}, "not_carried"),
        ("Should I move to Leeds?", "I move to Leeds", "User moves to Leeds", {}, "not_stated"),
        ("If I lived in Leeds, I would cycle.", "I lived in Leeds", "User lived in Leeds", {}, "not_stated"),
        ("My sister lives in Leeds.", "lives in Leeds", "User lives in Leeds", {}, "not_of_the_speaker"),
        ("My sister lives in Leeds.", "My sister lives in Leeds", "User's sister lives in Leeds",
         {"currentLocation": "Leeds"}, "not_of_the_speaker"),
        ('The song goes "I live in Leeds".', "I live in Leeds", "User lives in Leeds", {}, "not_carried"),
        ("我住在利兹，公司在约克。", "我住在利兹，公司在约克", "用户住在约克", {}, "not_carried"),
        ("我今年32岁。", "我今年32岁", "用户今年33岁", {}, "not_carried"),
        ("我今年32岁。", "我今年32岁", "用户是32岁的护士", {}, "not_carried"),
        ("我不住在杭州。", "住在杭州", "用户住在杭州", {}, "polarity"),
        ("我应该搬到杭州吗？", "我应该搬到杭州", "用户搬到杭州", {}, "not_stated"),
        ("如果我住在杭州就好了", "我住在杭州", "用户住在杭州", {}, "not_stated"),
        ("我妈妈住在杭州。", "住在杭州", "用户住在杭州", {"currentLocation": "杭州"}, "not_of_the_speaker"),
    ],
)  # fmt: skip
def test_b1_what_no_word_carries_is_nobodys(
    statement: str, quote: str, text: str, values: dict[str, Any], why: str
) -> None:
    assert found(statement, quote, text, values) == why


@pytest.mark.parametrize(
    ("statement", "text"),
    [("My sister lives in Leeds.", "User's sister lives in Leeds"), ("我妈妈住在杭州。", "用户的妈妈住在杭州")],
)
def test_b8_of_another_it_is_said_as_the_others(statement: str, text: str) -> None:
    assert isinstance(found(statement, statement, text), QuotationSupport)


def test_a_request_is_an_intent_though_it_asks() -> None:
    text = "Can you book a table for Friday?"
    assert found(text, text, "User wants a table booked for Friday", kind="intent") == "not_carried"
    assert isinstance(found(text, text, "Book a table for Friday", kind="intent"), QuotationSupport)
    assert found(text, text, "Book a table for Friday") == "not_stated"


def test_words_between_are_few_and_make_it_less_than_literal() -> None:
    text = "I moved yesterday to Lisbon."
    place = found(text, text, "User moved to Lisbon.")
    assert isinstance(place, QuotationSupport)
    assert not place.literal
    assert found("I moved with two old suitcases to Lisbon.", "I moved with two old suitcases to Lisbon",
                 "User moved to Lisbon.") == "not_carried"  # fmt: skip


def test_b1_a_yes_states_what_was_asked_and_a_no_does_not() -> None:
    request = (("assistant", "So you are 32 years old?"),)
    text = "User is 32 years old."
    yes = found("Yes.", "you are 32 years old", text, {"age": 32}, previous=request)
    assert yes == QuotationSupport(Span(start=0, end=4), True)
    assert found("No.", "you are 32 years old", text, {"age": 32}, previous=request) == "not_stated"
    assert found("Yes.", "you are 33 years old", text, {"age": 32}, previous=request) == "not_said"


def test_b1_what_asks_to_be_confirmed_counts_with_a_yes() -> None:
    text = "So I live in Leeds now, right?"
    assert found(text, "I live in Leeds now", "User lives in Leeds") == "not_stated"
    assert isinstance(found(text, "I live in Leeds now", "User lives in Leeds", reply="Yes, you do."), QuotationSupport)


@pytest.mark.parametrize("quote", ["", " ", "?!", "\u3000"])
def test_an_empty_quotation_stands_nowhere(quote: str) -> None:
    assert located(quote, "I live in Leeds.") is None


def test_a_quotation_is_found_whatever_its_case_and_white_space() -> None:
    assert located("live IN\nLeeds", "I  live in Leeds.") == Span(start=3, end=16)
    assert located("STRASSE", "Die Straße") == Span(start=4, end=10)


@pytest.mark.parametrize("text", ["a" * 100_000, "我" * 100_000, "\u202e" * 1_000, "🙂" * 10_000, "a, " * 30_000])
def test_whatever_is_quoted_ends(text: str) -> None:
    assert isinstance(found(text, text, text[:900]), str | QuotationSupport)


@pytest.mark.parametrize(("clauses", "carries"), [(12, True), (13, False)])
def test_a_quotation_over_many_clauses_is_a_paste(clauses: int, carries: bool) -> None:
    text = " ".join(["I live in Leeds."] * clauses)
    place = found(text, text, "User lives in Leeds")
    assert isinstance(place, QuotationSupport) if carries else place == "not_carried"


def test_statements_are_compared_without_their_owner() -> None:
    assert words_of("User has lived in Leeds") == words_of("Ann lives in Leeds", ["Ann"])
    assert words_of("用户住在杭州") == words_of("目前定居杭州")
    assert denies("User no longer lives in Leeds")
    assert not denies("User lives in Leeds")


def test_a_word_is_of_one_class() -> None:
    words = [word for line in DATA["classes"] for word in line.split()] + DATA["passed_over"].split()
    assert [w for w, n in Counter(words).items() if n > 1] == []


@pytest.mark.parametrize("value", ["live", "work", "住"])
def test_b2_a_word_of_a_frame_is_no_value(value: str) -> None:
    text = "我住在杭州。" if value == "住" else f"I {value} in Leeds."
    assert found(text, text, text.replace("I ", "User "), {"currentLocation": value}) == "not_carried"


@pytest.mark.parametrize(
    ("statement", "text"),
    [("I gave my red bike to Ann", "User gave Ann to bike red"), ("我在杭州开会", "用户会开州杭")],
)
def test_b1_the_words_of_a_turn_in_another_order_are_not_its_statement(statement: str, text: str) -> None:
    assert found(statement, statement, text) == "not_carried"


def test_b2_a_statement_names_its_values() -> None:
    text = "I live in Leeds"
    assert found(text, text, "User lives in Leeds", {"currentLocation": "Leeds"}) != "not_carried"
    assert found("I am 32 and live", "I am 32 and live", "User is alive", {"age": 32}) == "not_carried"
