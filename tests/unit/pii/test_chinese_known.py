"""Chinese names by list and form, and words that are none, over what the network guesses."""

from __future__ import annotations

import pytest

from processors.ports import Models

NAMES = ("PERSON", "ORGANIZATION", "LOCATION")


def _names(models: Models, text: str) -> list[tuple[str, str]]:
    [spans] = models.analyzer.analyze([text], ["zh"])
    return [(s.entity, text[s.start : s.end]) for s in spans if s.entity in NAMES]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我在拼多多做运营。", ("ORGANIZATION", "拼多多")),
        ("蜜雪冰城开到村口了。", ("ORGANIZATION", "蜜雪冰城")),
        ("我去问问教育局。", ("ORGANIZATION", "教育局")),
        ("她在杭州爱乐乐团拉中提琴。", ("ORGANIZATION", "杭州爱乐乐团")),
        ("他在上海交响乐团拉第二小提琴", ("ORGANIZATION", "上海交响乐团")),
        ("在格但斯克待了一周。", ("LOCATION", "格但斯克")),
        ("婷婷，周六还来吗？", ("PERSON", "婷婷")),
        ("抄送田中由纪。", ("PERSON", "田中由纪")),
        ("黎氏兰的店七点关门。", ("PERSON", "黎氏兰")),
    ],
)
def test_d5_names_that_the_network_misses_are_found(models: Models, text: str, name: tuple[str, str]) -> None:
    assert _names(models, text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "联想到昨天的事，我有点担心。", "一天一个苹果。", "水温到一百度再下面。", "小雪那天封路。", "长沙发换个套子。",
        "荷兰豆炒一下。", "向阳的房间贵两百。", "教育部门来检查。",
    ],
)  # fmt: skip
def test_d5_words_that_are_no_name_in_their_place_are_left(models: Models, text: str) -> None:
    assert _names(models, text) == []


def test_d5_a_listed_name_within_a_longer_one_does_not_cut_it(models: Models) -> None:
    assert _names(models, "我跟永辉超市有限公司签的合同。")[0][1].startswith("永辉超市")
    assert ("ORGANIZATION", "中国工商银行") in _names(models, "他在中国工商银行上班。")
