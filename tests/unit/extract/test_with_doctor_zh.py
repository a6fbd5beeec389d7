"""A Chinese talk with a doctor: of whom it is, what is said of the patient without naming them, what is ordered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import load_profile

GENERAL = load_profile("general")
MONDAY = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def taken(text: str, speaker: str | None, before: Sequence[tuple[Role, str]]) -> list[Candidate]:
    turn = TurnView(text, "user", "zh", MONDAY, speaker=speaker, previous=tuple(before))
    return [c for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


def statements_of(statement: str, speaker: str | None, before: Sequence[tuple[Role, str]]) -> list[str]:
    return [c.text for c in taken(statement, speaker, before)]


@pytest.mark.parametrize(
    ("opened", "question", "statement", "text"),
    [
        ("大夫您好，宝宝这两天咳嗽", "您好，多大了？", "六岁半", "患者的宝宝六岁半了"),
        ("50天小孩吐奶厉害", "有别的症状吗？", "拉肚子，晚上发烧", "患者的孩子拉肚子，晚上发烧"),
        ("我爸爸最近血压高", "您好，有什么不舒服？", "头晕，走路不稳", "患者的爸爸头晕"),
        ("我女儿前天查出肺炎", "孩子吃药了吗？", "刚刚住院输液看好了", "患者的孩子刚刚住院输液看好了"),
    ],
)
def test_c6_what_names_nobody_is_of_the_patient_named_before(
    opened: str, question: str, statement: str, text: str
) -> None:
    found = taken(statement, "患者", [("user", opened), ("assistant", question)])
    assert any(c.text.startswith(text) for c in found)
    assert all(c.field is None for c in found), "a value of another is no value of the speaker's"


@pytest.mark.parametrize(
    ("opened", "text"),
    [
        ("换过瓣膜的人会流鼻血吗", "一激动就头晕"),
        ("我怀孕后心慌，孩子会受影响吗", "夜里胸闷，睡不着"),
    ],
)
def test_what_may_be_of_one_of_two_is_told_of_none(opened: str, text: str) -> None:
    assert statements_of(text, "患者", [("user", opened), ("assistant", "这种症状多久了？")]) == []


def test_what_a_person_does_to_the_patient_makes_them_no_patient() -> None:
    before: list[tuple[Role, str]] = [("user", "去医院查了，我妈瞒着我不说"), ("assistant", "现在有什么症状？")]
    assert not any("妈" in each for each in statements_of("蹲久了就头晕", "患者", before))


DOCTOR: list[tuple[Role, str]] = [("user", "您好"), ("assistant", "您好，以前做过检查、吃过药吗？")]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("曾做过胃镜检查，诊断为浅表性胃炎", "患者曾做过胃镜检查，诊断为浅表性胃炎"),
        ("不完全性右束支阻滞", "患者有不完全性右束支阻滞"),
        ("当时说是胆囊结节，轻度脂肪肝也有病史", "患者有胆囊结节"),
        ("有点喘不上气，心跳有点慢", "心跳有点慢"),
        ("现在吃的药护心一号片", "患者现在吃的药是护心一号片"),
        ("开始吃的是拉米夫定，后来换成了国产恩替卡韦", "患者开始吃的是拉米夫定，后来换成了国产恩替卡韦"),
        ("查了，医生说没关系。停了两天降压药", "患者停了两天降压药"),
        ("有点贫血", "贫血"),
        ("那夜里老是反酸，还咳嗽是什么情况呢", "患者夜里老是反酸，还咳嗽"),
        ("走快了就胸闷怎么办？", "患者走快了就胸闷"),
        ("最近因为感冒，血压有点高。一直吃降压药", "患者一直吃降压药"),
    ],
)
def test_what_is_told_to_a_doctor_is_of_the_patient(statement: str, text: str) -> None:
    assert any(text in each for each in statements_of(statement, "患者", DOCTOR))


@pytest.mark.parametrize(
    "text", ["这个药一般引起头晕", "胃炎要不要做手术", "心电图没了", "如果发烧可以吃退烧药", "严重吗"]
)
def test_what_is_asked_supposed_or_of_all_is_not_of_the_patient(text: str) -> None:
    assert statements_of(text, "患者", DOCTOR) == []


def test_the_same_words_outside_a_talk_with_a_doctor_are_of_nobody() -> None:
    before: list[tuple[Role, str]] = [("user", "他们公司在做什么"), ("assistant", "他们在做医疗软件")]
    assert statements_of("不完全性右束支阻滞", "小川", before) == []


@pytest.mark.parametrize(
    ("opened", "question", "statement", "text"),
    [
        ("头晕恶心", "您好，这种情况多久了？", "五天了", "患者头晕恶心已有五天"),
        ("您好", "请问咳嗽有多长时间了？", "两个多月", "患者咳嗽已有两个多月"),
        ("您好", "什么时候做的手术呢？", "前年3月", "患者前年3月做的手术"),
        ("您好", "现在吃什么药", "二甲双胍", "患者现在吃二甲双胍"),
        ("您好", "有糖尿病吗？", "没有", "患者没有糖尿病"),
    ],
)
def test_d2_an_answer_takes_the_words_of_a_question_that_names_nobody(
    opened: str, question: str, statement: str, text: str
) -> None:
    found = statements_of(statement, "患者", [("user", opened), ("assistant", question)])
    assert any(each.startswith(text) for each in found) or any(text.replace("前年", "2024年") in each for each in found)


@pytest.mark.parametrize(
    ("opened", "question"), [("你好", "多久了？"), ("头晕", "每次持续多久？"), ("头晕。恶心", "多久了？")]
)
def test_how_long_is_told_only_of_one_thing_that_is_felt(opened: str, question: str) -> None:
    assert statements_of("三天", "患者", [("user", opened), ("assistant", question)]) == []


@pytest.mark.parametrize(
    ("opened", "statement", "text"),
    [
        ("我这两天头晕", "你这个情况建议做个颈动脉彩超，注意休息", "医生建议患者做个颈动脉彩超，注意休息"),
        ("胃总是疼", "先吃两周奥美拉唑，两周后复查胃镜", "医生建议患者先吃两周奥美拉唑，两周后复查胃镜"),
        ("刚做完手术", "可以的。最近两个月都不能剧烈运动", "医生说患者最近两个月都不能剧烈运动"),
        ("反酸厉害", "那就再去做个胃镜看看", "医生建议患者去做个胃镜"),
        ("我在面粉厂干活", "平时工作一定要戴口罩", "医生建议患者平时工作一定要戴口罩"),
        ("40天宝宝有杂音", "不要紧。不需要治疗，定期复查心脏彩超。", "医生说患者的孩子不需要治疗，定期复查心脏彩超"),
    ],
)
def test_what_a_doctor_orders_is_told_of_the_patient(opened: str, statement: str, text: str) -> None:
    assert statements_of(statement, "医生", [("assistant", opened)]) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "如果没有症状的话，可以不吃药",
        "一般需要复查彩超的",
        "请问做过造影检查吗？",
        "需要把报告发过来看看",
        "多注意休息",
        "这种病会引起头晕",
    ],
)
def test_what_a_doctor_supposes_asks_or_explains_is_no_order(text: str) -> None:
    assert statements_of(text, "医生", [("assistant", "我头晕")]) == []


def test_only_a_doctor_orders() -> None:
    assert statements_of("先吃两周奥美拉唑，两周后复查胃镜", "小川", [("assistant", "胃总是疼")]) == []


def test_a_doctors_yes_is_told_of_the_patient_and_not_of_the_doctor() -> None:
    assert statements_of("正常。会的", "医生", [("assistant", "运动以后心跳快属于正常现象吗？")]) == [
        "医生说患者运动以后心跳快属于正常现象"
    ]
    assert statements_of("是的", "医生", [("assistant", "您是心内科的吗？")]) == []


def test_a_doctor_who_is_called_is_not_spoken_of() -> None:
    before: list[tuple[Role, str]] = [("user", "医生 我之前体检血压高 头晕怎么办"), ("assistant", "有心慌吗？")]
    assert "患者总是睡不着，半夜总醒" in statements_of("没有 就是睡眠不好。总是睡不着 半夜总醒。", "患者", before)


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("但是心率不快呀。", "有一阵心跳的特别快", "患者有一阵心跳的特别快"),
        ("现在吃什么药？", "吃倍他乐克，阿司匹林肠溶片", "患者吃倍他乐克，阿司匹林肠溶片"),
        ("咳嗽多久了", "自有了房颤以后，体力下降，稍凉就咳", "患者稍凉就咳"),
    ],
)
def test_what_a_patient_says_in_passing_is_theirs(question: str, statement: str, text: str) -> None:
    assert statements_of(statement, "患者", [("assistant", question)]) == [text]


@pytest.mark.parametrize("statement", ["阿司匹林肠溶片", "每次半片"])
def test_a_medicine_or_an_amount_by_itself_says_nothing(statement: str) -> None:
    assert statements_of(statement, "患者", [("assistant", "现在吃什么药？")]) == []
