"""B1: what somebody never eats, drinks or smokes, and the diet they keep."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract, values


def taken(text: str) -> list[tuple[object, str]]:
    return [(c.value, c.text) for c in extract(text) if c.field == "avoids"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't eat pork.", [("pork", "User does not eat pork")]),
        (
            "I can't eat gluten or nuts because I'm coeliac.",
            [("gluten", "User cannot eat gluten"), ("nuts", "User cannot eat nuts")],
        ),
        ("I never drink.", [("alcohol", "User never drinks")]),
        ("I don't smoke anymore.", [("smoking", "User does not smoke")]),
        ("I no longer drink coffee.", [("coffee", "User no longer drinks coffee")]),
        ("我不吃猪肉。", [("猪肉", "用户不吃猪肉")]),
        ("我不喝酒也不抽烟。", [("alcohol", "用户不喝酒"), ("smoking", "用户不抽烟")]),
        ("我从小不吃香菜和葱。", [("香菜", "用户不吃香菜"), ("葱", "用户不吃葱")]),
        ("我不能喝牛奶。", [("牛奶", "用户不能喝牛奶")]),
    ],
)
def test_b1_what_is_never_taken_is_a_fact_each_by_itself(text: str, expected: list[tuple[object, str]]) -> None:
    assert taken(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I don't eat breakfast.", "I never drink coffee after 3pm.", "I didn't eat pork.", "I don't eat it.",
        "I don't drink and drive.", "My brother doesn't eat pork.", "If I don't eat meat, what happens?",
        "I don't eat much.", "我今天不吃晚饭。", "我最近不喝酒。", "我不吃了。", "我不吃药。", "我妈妈不吃猪肉。",
        "如果我不吃猪肉怎么办？", "以前我不吃辣。",
    ],
)  # fmt: skip
def test_b1_what_holds_for_now_for_others_or_not_as_such_is_none(text: str) -> None:
    assert taken(text) == []


@pytest.mark.parametrize(
    ("text", "diet"),
    [
        ("I'm a vegetarian.", "vegetarian"), ("I follow a strict vegan diet.", "vegan"), ("I eat halal.", "halal"),
        ("I am on a low-salt diet.", "low-salt"), ("我吃素。", "vegetarian"), ("我是素食主义者。", "vegetarian"),
        ("我现在吃纯素了。", "vegan"), ("我只吃清真食品。", "halal"),
    ],
)  # fmt: skip
def test_b1_a_diet_is_one_value_in_both_languages(text: str, diet: str) -> None:
    assert values(text) == {"diet": diet}


def test_b1_a_diet_that_is_denied_is_not_kept() -> None:
    assert values("我不是素食者。") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我的生日是三月三号。", {"birthday": "三月三号"}),
        ("我是一名45岁的男性。", {"age": 45, "gender": "male"}),
        ("我月薪一万五。", {"monthly_income": 15000}),
        ("比起咖啡我更喜欢茶。", {"prefers": "茶"}),
        ("以后请用列表回答我。", {"response_style": "bullet points"}),
    ],
)
def test_b1_what_chinese_speakers_say_of_themselves_in_one_clause(text: str, expected: dict[str, object]) -> None:
    assert values(text) == expected


def test_b1_other_peoples_birthdays_and_one_table_are_none_of_the_owners_fields() -> None:
    assert values("我的女儿生日是5月2日。") == {}
    assert values("请用表格总结一下这次会议。") == {}
