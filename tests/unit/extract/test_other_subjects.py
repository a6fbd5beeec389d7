"""Whose it is: what is said, asked or answered about somebody else fills no field of the speaker's (B1)."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.profile.model import load_profile
from tests.unit.extract.support import extract, values

HEALTH = load_profile("health")


@pytest.mark.parametrize(
    "text",
    [
        "我前妻住在上海。",
        "我岳母住在苏州，今年70岁。",
        "我前夫年薪80万。",
        "我前妻有糖尿病。",
        "我们老板是日本人。",
        "我家猫三岁了。",
        "我家猫很可爱，今年三岁了。",
        "我比我老公大两岁。",
        "我比他大十二岁。",
        "我的前女友住在北京。",
        "我媳妇在杭州工作。",
        "我们公司在上海做芯片。",
        "我有个朋友住在上海。",
        "我认识一个医生，在北京工作。",
        "我大舅住在广州，今年六十五岁。",
        "我公公婆婆住在武汉。",
        "我养的狗五岁了。",
        "我们单位的司机是河南人。",
        "我儿媳妇在腾讯工作。",
        "我侄女会说法语。",
        "我女婿硕士毕业，今年三十岁。",
        "我们班主任住在南京。",
    ],
)
def test_b1_what_stands_behind_the_pronoun_is_who_a_clause_is_about(text: str) -> None:
    assert set(values(text, HEALTH)) <= {"family_history"}


def test_b1_a_child_is_had_and_its_age_is_its_own() -> None:
    assert values("我有个女儿，今年5岁。") == {"hasChildren": True}
    assert values("我有两个孩子，大的上初中，小的刚满三岁。") == {"hasChildren": True}
    assert values("我有两个孩子，住在上海。") == {"hasChildren": True, "residence": "上海"}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("我搬到上海了。", {"residence": "上海"}),
        ("我和老公住在上海。", {"residence": "上海"}),
        ("我一个人住在上海。", {"residence": "上海"}),
        ("我带着孩子住在成都。", {"residence": "成都"}),
        ("我是一个32岁的程序员。", {"age": 32}),
        ("我主要在北京工作。", {"residence": "北京"}),
        ("我的职业是护士，今年32岁。", {"age": 32, "occupation": "护士"}),
        ("我老家是湖南的。", {"origin": "湖南"}),
        ("我妈妈是上海人，我是北京人。", {"origin": "北京"}),
        ("我跟弟弟住在重庆。", {"residence": "重庆"}),
        ("我先生是律师，我今年40岁。", {"age": 40, "maritalStatus": "married"}),
    ],
)
def test_b1_what_is_the_speakers_own_is_still_heard(text: str, fields: dict[str, Any]) -> None:
    assert values(text) == fields


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("您孩子多大了？", "12"),
        ("您孩子多大了？", "12岁"),
        ("您父亲多大年纪？", "70"),
        ("您太太做什么工作？", "护士"),
        ("您父母住在哪里？", "沈阳"),
        ("您先生年薪多少？", "80万"),
        ("您爱人是什么学历？", "博士"),
        ("您的猫多大了？", "3"),
        ("您打算住在哪里？", "住在上海"),
        ("您以前做什么工作？", "老师"),
        ("您岳父住在哪里？", "青岛"),
        ("Which company does your wife work for?", "Siemens"),
        ("Have you ever worked as a nurse?", "Yes"),
        ("Did you work at Google?", "Yes"),
        ("How old are you planning to retire at?", "60"),
        ("How old is your son?", "12 years old"),
        ("Where would you like to live?", "Paris"),
        ("What is your dog's name?", "Rex"),
        ("Where did you live before?", "Oslo"),
    ],
)
def test_b1_an_answer_about_somebody_else_or_another_time_fills_nothing(question: str, text: str) -> None:
    assert values(text, question=question) == {}


@pytest.mark.parametrize(
    ("question", "text", "fields"),
    [
        ("How old are you?", "34", {"age": 34}),
        ("Which company do you work for?", "Siemens", {"employer": "Siemens"}),
        ("Do you work as a nurse?", "Yes", {"occupation": "nurse"}),
        ("您多大了？", "32", {"age": 32}),
        ("您做什么工作？", "护士", {"occupation": "护士"}),
        ("好的，老师，您今年多大？", "45", {"age": 45}),
        ("您在公司做什么工作？", "前端", {"occupation": "前端"}),
        ("您公司叫什么？", "阿里巴巴", {"employer": "阿里巴巴"}),
        ("您孩子多大了？", "我没有孩子", {"hasChildren": False}),
    ],
)
def test_b1_an_answer_about_the_user_states_it(question: str, text: str, fields: dict[str, Any]) -> None:
    assert values(text, question=question) == fields


def test_b1_a_person_of_the_speakers_is_kept_as_one() -> None:
    (kept,) = (c for c in extract("我前妻住在上海。") if c.kind == "relation")
    assert (kept.kind, kept.text, kept.attributes["relation"]) == ("relation", "用户的前妻住在上海", "前妻")


@pytest.mark.parametrize(
    "text",
    [
        "我有两个孩子，小雅和小宇，小雅七岁。",
        "小雅七岁，小宇九岁。",
        "小陈三十二岁，住在长沙。",
        "老陈今年五十岁，住在合肥。",
        "李敏32岁，住在长沙。",
        "王芳是护士，在苏州工作。",
        "Lucy今年30岁，在深圳做会计。",
        "我同屋阿梅做护士。",
        "豆豆四岁了，喜欢吃鱼。",
        "小雅对青霉素过敏。",
        "申请人今年35岁，硕士，年薪80万。",
        "客户代表07号今年65岁，男，住在杭州。",
        "志愿者07号今年65岁，男，住在杭州。",
        "对方是医生，住在悉尼。",
        "新来的同事28岁，是算法工程师。",
        "房客三十岁，在小米上班。",
    ],
)
def test_b1_who_is_named_before_what_is_said_of_them_is_not_the_speaker(text: str) -> None:
    assert set(values(text, HEALTH)) <= {"children"}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("今年三十岁，住在长沙。", {"age": 30, "residence": "长沙"}),
        ("刚刚三十岁，周末在上海工作。", {"age": 30, "residence": "上海"}),
        ("老家是长沙，现在住在杭州。", {"origin": "长沙", "residence": "杭州"}),
        ("作为记者在北京工作。", {"residence": "北京"}),
        ("马上40岁了，是护士。", {"age": 40, "occupation": "护士"}),
        ("小雅七岁，我三十二岁，住在长沙。", {"age": 32, "residence": "长沙"}),
    ],
)
def test_b1_a_clause_without_a_subject_is_still_the_speakers(text: str, fields: dict[str, Any]) -> None:
    found = values(text)
    assert {name: found.get(name) for name in fields} == fields


@pytest.mark.parametrize(
    ("speaker", "texts"),
    [
        ("assistant", []),
        ("Clerk", ["Clerk's name is Dora"]),
        ("Clara", ["Clara's name is Dora", "Clara moved their piano to Leeds"]),
        (None, ["User's name is Dora", "User moved their piano to Leeds"]),
    ],
)
def test_b1_who_is_named_by_what_they_help_with_speaks_for_their_work(speaker: str | None, texts: list[str]) -> None:
    assert [c.text for c in extract("My name is Dora. I moved my piano to Leeds.", speaker=speaker)] == texts
