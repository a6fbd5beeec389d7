"""Extractive summaries: what they keep, what they leave out, and that they keep to their bound (E2, E3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import pytest

from processors.language.item_numbers import unnumbered
from processors.language.summarize import Contribution, summarise
from processors.ports import Models
from processors.project.rollup import Spoken
from processors.project.week_lines import lines, small_talk

EN = (
    Contribution("Hi! How are you?"), Contribution("Hello, I am fine, thanks.", "assistant"),
    Contribution("I am planning to move from Porto to Lisbon in March 2027. Lovely weather today."),
    Contribution("Great! What is your budget?", "assistant"),
    Contribution("My budget is 1,200 euros a month and I need two bedrooms."),
    Contribution("Two bedrooms for 1,200 euros are easier to find in Almada than in the centre.", "assistant"),
    Contribution("Ok. Thanks."), Contribution("I have a dog, so a garden would be nice."),
    Contribution("I have a dog so a garden would be nice!"),
    Contribution("Sure, cool.", "assistant"),
)  # fmt: skip
ZH = (
    Contribution("你好！"),
    Contribution("您好，有什么可以帮您？", "assistant"),
    Contribution("我打算2027年3月从上海搬到杭州。今天天气不错。"),
    Contribution("您的预算是多少？", "assistant"),
    Contribution("我的预算是每月六千元，需要两个房间。"),
    Contribution("六千元的两居室在滨江区比在西湖区更容易找到。", "assistant"),
    Contribution("好的，谢谢。"),
    Contribution("我养了一只狗，最好有个院子。"),
    Contribution("我养了一只狗，最好有个院子！"),
    Contribution("好的。", "assistant"),
)
Language = Literal["en", "zh"]
AT = datetime(2026, 11, 23, 9, tzinfo=UTC)


def short(models: Models, texts: tuple[Contribution, ...], tokens: int, language: Language) -> str:
    return summarise(texts, models.embedder.embed, models.counter("o200k_base").count, tokens, language)


@pytest.mark.parametrize(
    ("texts", "language", "kept", "left"),
    [
        (EN, "en", ["March 2027", "1,200 euros", "dog"], ["How are you", "What is your budget", "Sure", "Thanks"]),
        (ZH, "zh", ["2027年3月", "六千元", "狗"], ["您好", "多少", "谢谢"]),
    ],
)
def test_facts_stay_and_small_talk_goes(
    models: Models, texts: tuple[Contribution, ...], language: Language, kept: list[str], left: list[str]
) -> None:
    text = short(models, texts, 70, language)
    assert all(k in text for k in kept)
    assert not any(x in text for x in left)
    assert text.count(kept[-1]) == 1  # said twice, kept once


@pytest.mark.parametrize("tokens", [0, 1, 5, 20, 60, 400])
@pytest.mark.parametrize(("texts", "language"), [(EN, "en"), (ZH, "zh")])
def test_the_bound_holds(models: Models, texts: tuple[Contribution, ...], language: Language, tokens: int) -> None:
    assert models.counter("o200k_base").count(short(models, texts, tokens, language)) <= tokens


@pytest.mark.parametrize(("texts", "language"), [(EN, "en"), (ZH, "zh")])
def test_every_sentence_is_one_that_was_said_in_its_order(
    models: Models, texts: tuple[Contribution, ...], language: Language
) -> None:
    text = short(models, texts, 60, language)
    whole = " ".join(s.text for s in texts)
    parts = [line.split("：" if language == "zh" else ": ", 1)[1] for line in text.splitlines()]
    at = [whole.index(p[:12]) for p in parts]
    assert at == sorted(at)


def test_speakers_are_named(models: Models) -> None:
    texts = (
        Contribution("I moved to Oslo in May.", speaker="Ann"),
        Contribution("I work as a nurse in Leeds.", speaker="Bob"),
    )
    assert short(models, texts, 60, "en") == "Ann: I moved to Oslo in May.\nBob: I work as a nurse in Leeds."


@pytest.mark.parametrize(("texts", "language"), [(EN, "en"), (ZH, "zh")])
def test_e2_a_summary_of_a_summary_keeps_who_said_what(
    models: Models, texts: tuple[Contribution, ...], language: Language
) -> None:
    first = short(models, texts, 50, language)
    again = short(models, (Contribution(first, "summary"),), 200, language)
    assert sorted(again.splitlines()) == sorted(first.splitlines())


def test_nothing_said_is_nothing_summed_up(models: Models) -> None:
    assert short(models, (), 50, "en") == ""
    assert short(models, (Contribution("   \n"), Contribution("```\ncode\n```")), 50, "en") == ""


def test_one_long_sentence_is_cut(models: Models) -> None:
    text = short(models, (Contribution("我" + "非常" * 200 + "喜欢。"),), 10, "zh")
    assert 0 < models.counter("o200k_base").count(text) <= 10


NUMBERED: dict[Language, tuple[tuple[str, str], ...]] = {
    "en": (
        ("1. ", "I moved from Porto to Lisbon in March 2027."), ("2. ", "My budget is 1,200 euros a month."),
        ("3. ", "I have a dog and need a garden."), ("(4) ", "I work as a nurse at night."),
        ("⑤ ", "My sister lives in Almada."), ("6) ", "I travel to Leeds in June."),
        ("7.\n", "I learn Portuguese every Monday."), ("a. ", "I drive a blue Toyota."),
    ),
    "zh": (
        ("1.", "我打算2027年3月从上海搬到杭州。"), ("2. ", "我的预算是每月六千元。"),
        ("3、", "我养了一只狗，最好有个院子。"),
        ("(4) ", "我在医院做夜班护士。"), ("⑤ ", "我姐姐住在苏州。"), ("6）", "我六月要去北京出差。"),
        ("7.\n", "我每周一学葡萄牙语。"), ("（八）", "我开一辆蓝色的丰田。"),
    ),
}  # fmt: skip
"""(number, item)"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("whole", [False, True], ids=["a turn each", "one turn"])
def test_the_number_of_an_item_is_no_sentence(models: Models, language: Language, whole: bool) -> None:
    turns = [number + item for number, item in NUMBERED[language]]
    texts = (Contribution("\n".join(turns)),) if whole else tuple(Contribution(t) for t in turns)
    items = [item for _, item in NUMBERED[language]]
    expected = "用户：" + "".join(items) if language == "zh" else "User: " + " ".join(items)
    assert short(models, texts, 2_000, language) == expected


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Steps: 1. Open the app. 2. Log in. 3. Save", ["Steps:", "Open the app.", "Log in.", "Save"]),
        ("1. Open 2. Close 3. Save", ["Open", "Close", "Save"]),
        ("步骤：1、打开。2、登录；3、保存", ["步骤：", "打开。", "登录；", "保存"]),
        ("①打开②登录③保存", ["打开", "登录", "保存"]),
        ("- 1. Open", ["Open"]),
    ],
)
def test_items_of_one_line_are_told_apart(text: str, items: list[str]) -> None:
    assert [line.strip() for line in unnumbered(text).splitlines() if line.strip()] == items


@pytest.mark.parametrize(
    "text",
    [
        "2.4 GHz is too slow.", "33", "2.", "I have 1. You have 2. We are even.", "3、4个人会来。", "It was 5.",
        "10:30. Then we left.", "2026. That year I moved.", "The dose rose to 12. It helped.", "我有2只猫。",
        "-5. That is cold.", "The price is $9. It is fair.", "血压是120/80。", "见①和②。",
        "I am in class a. It is fun.",
    ],
)  # fmt: skip
def test_a_figure_is_no_number_of_an_item(text: str) -> None:
    assert unnumbered(text) == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_cites_the_turns_of_its_items(models: Models, language: Language) -> None:
    turns = [number + item for number, item in NUMBERED[language]]
    text = short(models, tuple(Contribution(t) for t in turns), 2_000, language)
    spoken = [Spoken(f"t{i}", "s1", AT, "user", None, t, i) for i, t in enumerate(turns)]
    chat = small_talk(spoken)
    results = [turn for turn, (_, item) in zip(spoken, NUMBERED[language], strict=True) if not chat(item)]
    assert len(results) >= 6
    assert [line.turn for line in lines(spoken, models.terms) if line.text in text] == results
