"""Chinese: whom a pronoun means, what is the speaker's, and what their people are called (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract


def _kept(text: str) -> list[str]:
    return [c.text for c in extract(text) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我舅舅今年五十八。他有痛风，天天吃药", "用户的舅舅有痛风，天天吃药"),
        ("我有个发小叫罗晓东。他前年去了柬埔寨做建材", "用户的发小2024年去了柬埔寨做建材"),
        ("老公在铁路上班。他每个月值八个夜班", "用户的老公每个月值八个夜班"),
        ("我姐在绵阳开花店。她去年买了房", "用户的姐姐2025年买了房"),
        ("上个月和女朋友搬到了一起。她在医院做夜班护士", "用户的女朋友在医院做夜班护士"),
    ],
)
def test_d2_a_pronoun_is_the_one_person_that_was_spoken_of(text: str, kept: str) -> None:
    assert kept in _kept(text)


@pytest.mark.parametrize(
    "statement",
    [
        "他前年去了柬埔寨做建材",
        "我弟和我表哥都在老家。他去年结婚了",
        "我姐在绵阳开花店。他去年买了房",
        "我妈带我去看医生。他说要忌口三个月",
        "我舅舅认识Kevin。他去年买了房",
    ],
)
def test_d2_a_pronoun_of_nobody_or_of_one_of_two_is_told_of_none(statement: str) -> None:
    results = [
        text for text in _kept(statement) if any(word in text for word in ("2024年去", "2025年结", "2025年买", "忌口"))
    ]
    assert results == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我妈去年搬回老家了", ["用户的妈妈2025年搬回老家了"]),
        ("我爸退休了", ["用户的爸爸退休了"]),
        ("我姐夫是做水产的", ["用户的姐夫是做水产的"]),
        ("女儿要我搬去苏州跟她住", ["用户的女儿要用户搬去苏州跟她住"]),
        ("我这腰是搬货落下的毛病", ["用户的腰是搬货落下的毛病"]),
        ("我那早点铺对门上个月又开了一家", ["用户的早点铺对门2026年1月又开了一家"]),
        ("我是学水文的", ["专业是水文"]),
    ],
)
def test_d2_what_is_the_speakers_own_is_told_without_pointing(text: str, kept: list[str]) -> None:
    assert _kept(text) == kept


@pytest.mark.parametrize("text", ["我觉得这种的更好看", "那个offer我最后没去", "我是听隔壁宿舍传的", "我还在路上堵着"])
def test_d2_what_points_outside_or_holds_right_now_is_none(text: str) -> None:
    assert _kept(text) == []


def test_d2_a_term_of_this_year_is_nobody_else() -> None:
    assert _kept("这学期刚开学就和女朋友分手了，每天都睡不着") == ["用户这学期刚开学就和女朋友分手了，每天都睡不着"]


def test_d2_a_long_letter_is_told_in_more_than_a_short_one() -> None:
    texts = [
        "我从小跟外婆在山里长大", "我高中毕业就去了东莞打工", "我在电子厂干了六年质检", "我去年查出了甲状腺结节",
        "我现在每天早上走五公里", "我和丈夫分居快两年了", "我有个上初二的女儿跟着我", "我打算明年回老家开个早餐店",
        "我自己攒了八万块钱存着", "我弟弟借了我三万块没还", "我晚上总是两三点才睡着", "我特别怕坐过江的轮渡",
    ]  # fmt: skip
    assert len(_kept("。".join(texts[2:5]))) == 3
    assert 7 <= len(_kept("。".join(texts))) <= len(texts)
