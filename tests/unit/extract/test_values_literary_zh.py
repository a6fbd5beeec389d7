"""Chinese fields in literary and dialect words: kin of any register, values denied or put in place of another."""

from __future__ import annotations

import pytest

from schemas.profile.model import Profile
from tests.unit.extract.support import GENERAL, IMMIGRATION
from tests.unit.extract.test_values_by_type_zh import ENGINEERING, HEALTH, held


@pytest.mark.parametrize(
    "text",
    [
        "内子是博士，南京大学毕业。",
        "內子是博士，在台北當護理師。",
        "拙荆今年四十，做会计。",
        "外子在上海做律师，年薪八十万。",
        "家父是教授，住在杭州。",
        "犬子今年十岁，会说法语。",
        "舍妹在深圳开火锅店，年入三百万。",
        "我内弟是剑桥大学毕业的律师。",
        "我孩子他爸在银行当经理，年薪六十万。",
        "女主离婚了，好惨",
        "招聘要求本科，英语流利，35岁以下",
        "做外贸的都知道，旺季忙死",
        "单身的举手",
    ],
)
def test_what_is_said_of_another_fills_no_field(text: str) -> None:
    assert held(text, IMMIGRATION) == []


@pytest.mark.parametrize(
    ("question", "text", "values"),
    [
        ("语言能力？", "英语流利，日语就只会几句", ["languageSkills=英语"]),
        ("语言方面呢？", "英语可作工作语言。粤语则一窍不通，日语仅止于点菜", ["languageSkills=英语"]),
        ("时间还是明年上半年吗？", "恐须提前，就按今年11月办。", ["immigrationTimeline=今年11月"]),
        ("您的婚姻和子女情况？", "已婚，有一女，今岁高考", ["maritalStatus=已婚", "hasChildren=True"]),
        (None, "昨晚与内子长谈，她如今支持，条件是周末须归家。", ["familySupport=支持"]),
        (None, "内子起初颇不赞成，以为多此一举。", []),
        (None, "上次所言年限有误，细算应为二十三年。", ["totalYearsOfExperience=23"]),
        (None, "上月自苏州迁居无锡", ["currentLocation=无锡"]),
        (None, "如今香港雇主是有了。", ["hasHongKongEmployer=True"]),
        ("香港那边有雇主吗？", "尚无。", ["hasHongKongEmployer=False"]),
    ],
)
def test_a_value_in_other_words(question: str | None, text: str, values: list[str]) -> None:
    assert held(text, IMMIGRATION, question=question) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("那是虚岁，我妈非让我这么报，周岁28", ["age=28"]),
        ("我周岁28，虚岁30", ["age=28"]),
        ("虚岁三十了", ["age=30"]),
        ("孩子虚岁三岁，周岁两岁", []),
        ("家母有高血压。", ["family_history=高血压"]),
        ("内人有哮喘。", []),
        ("顺便说血型B，献血车上送的", ["blood_type=B"]),
        ("拿老头子的仪器测了下空腹血糖，5.9", ["fasting_glucose=5.9"]),
        ("小女子今年28，体重52公斤", ["age=28", "weight=52"]),
    ],
)
def test_ages_blood_and_family(text: str, values: list[str]) -> None:
    assert held(text, HEALTH) == values


@pytest.mark.parametrize(
    ("text", "profile", "field"),
    [
        ("日志级别调到WARNING", ENGINEERING, "residence"),
        ("周报用英文写给申办方", GENERAL, "response_language"),
        ("我是硕士生导师", IMMIGRATION, "education"),
    ],
)
def test_what_only_looks_like_a_value(text: str, profile: Profile, field: str) -> None:
    assert not [v for v in held(text, profile) if v.startswith(f"{field}=")]
