"""A memory is one whole sentence that reads well in a month: nothing joins it to what was said before it, nothing
trails behind it, and it names whose it is once (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract
from tests.unit.extract.test_free_statements import statements_of


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I've started watching The Wire on my tablet, it's really good",
         ["Ann has started watching The Wire on Ann's tablet"]),
        ("I signed up for Deliveroo but it's like everyone in Leeds is doing it", ["Ann signed up for Deliveroo"]),
        ("I have a spaniel, it's called Rex", ["Ann has a spaniel, it's called Rex"]),
        ("I also really enjoyed the Leeds museum, especially the old trams",
         ["Ann really enjoyed the Leeds museum, especially the old trams"]),
        ("I would actually like to try writing crime novels, it would be hard though",
         ["Ann would like to try writing crime novels"]),
        ("I just lie awake thinking about the mortgage every night",
         ["Ann lies awake thinking about the mortgage every night"]),
        ("I just moved my piano to Leeds", ["Ann just moved their piano to Leeds"]),
        ("I never been to the Grand Canyon", ["Ann has never been to the Grand Canyon"]),
        ("My favorite tv shows are Lost, Fargo, Dark.", ["Ann's favourite tv shows are Lost, Fargo, Dark"]),
        ("My favourite film is Amelie, because of Paris", ["Ann's favourite film is Amelie"]),
        ("I do enjoy the musical Wall-E. The name comes from Walter.", ["Ann enjoys the musical Wall-E"]),
        ("Just thinking of moving the piano to Leeds", ["Ann is thinking of moving the piano to Leeds"]),
    ],
)  # fmt: skip
def test_english_reads_well_by_itself(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    "text",
    [
        "That movie was ok, def not my favorite of the Pixar ones",
        "I didn't like the show as well",
        "I really loved the book, and the sequel too",
        "It might be fun to have a day in the garden and just enjoy each other's company",
    ],
)
def test_what_the_talk_before_named_is_no_name(text: str) -> None:
    assert statements_of(text) == []


def test_what_the_statement_names_itself_may_be_pointed_at() -> None:
    text = "I bought a cookery book in Leeds because the book was half price"
    assert statements_of(text) == ["Ann bought a cookery book in Leeds because the book was half price"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("我就会压抑自己的情绪，并感到无比愤怒", ["小雅会压抑自己的情绪，并感到无比愤怒"]),
        ("我也只能考编去小学教书法了", ["小雅只能考编去小学教书法了"]),
        ("我还总是跟同桌讲自己养的蜥蜴", ["小雅总是跟同桌讲自己养的蜥蜴"]),
        ("我还在一家旧书店看门", ["小雅还在一家旧书店看门"]),
        ("我就读于一所聋哑学校，学木雕", ["小雅就读于一所聋哑学校，学木雕"]),
        ("我一直怕我修着修着考古专业没法毕业了", ["小雅一直怕自己修着修着考古专业没法毕业了"]),
        ("我导师总怕我毕不了业，天天催论文", ["小雅的导师总怕小雅毕不了业，天天催论文"]),
        ("婆婆逢年过节都让我睡客厅的沙发", ["小雅的婆婆逢年过节都让小雅睡客厅的沙发"]),
        ("从来不付出行动，公公在我坐月子的时候就嚷着要孙子", ["小雅的公公在小雅坐月子的时候就嚷着要孙子"]),
        ("我和室友去年一起养了只蜥蜴（叫阿绿", ["小雅和室友2025年一起养了只蜥蜴"]),
    ],
)
def test_chinese_reads_well_by_itself(text: str, texts: list[str]) -> None:
    assert statements_of(text, speaker="小雅") == texts


@pytest.mark.parametrize("text", ["也很生气，心疼我", "还计划等我去长沙交换期间在寝室养猫"])
def test_chinese_whose_subject_stands_before_is_left_to_its_turn(text: str) -> None:
    assert statements_of(text, speaker="小雅") == []


@pytest.mark.parametrize(("speaker", "text"), [("小雅", "小雅18岁"), ("Bob", "Bob 18岁"), ("用户7", "用户7 18岁")])
def test_a_name_does_not_run_into_a_number(speaker: str, text: str) -> None:
    assert text in [c.text for c in extract("我今年18岁", speaker=speaker)]
