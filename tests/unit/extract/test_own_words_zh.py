"""What Chinese speakers with names say of themselves in few words, without 我 or by a name, and what only looks so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from processors.reader.rules.found import Found
from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.whole_sentences_zh import whole_sentences
from schemas.profile.model import load_profile

GENERAL = load_profile("general")
MONDAY = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
ASKED: list[tuple[Role, str]] = [("user", "你好"), ("assistant", "您好，还有哪里不舒服？以前做过检查吗？")]


def worded(text: str, speaker: str, before: Sequence[tuple[Role, str]] = ()) -> list[str]:
    turn = TurnView(text, "user", "zh", MONDAY, speaker=speaker, previous=tuple(before))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "speaker", "statement"),
    [
        ("Re 洞主: dora的家里很支持出国", "Dora", "Dora的家里很支持出国"),
        ("Re 洞主: D君去年转了专业，现在打算考研", "Dora", "Dora 2025年转了专业，现在打算考研"),
        ("Re 洞主: 抱抱dz我和在一起五年的男友也分手了", "Dora", "Dora和在一起五年的男友也分手了"),
        ("个人比较喜欢安静的自习室", "Dora", "Dora比较喜欢安静的自习室"),
        ("作为一个文科生，看到大家聊编程，我从来没学过写代码", "Dora", "Dora是一个文科生"),
        ("好穷 家里没条件让我读私立学校", "洞主", "洞主家里没条件让洞主读私立学校"),
        ("以及大一刚来时很不适应，当时自卑了一整年", "洞主", "洞主大一刚来时很不适应，当时自卑了一整年"),
        ("我说我以后肯定不读博，太辛苦了", "洞主", "洞主以后肯定不读博"),
    ],
)
def test_who_speaks_is_named_otherwise(text: str, speaker: str, statement: str) -> None:
    assert statement in worded(text, speaker)


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Re Dora: D君说得对，我同意", "Erik"),
        ("作为一个学生就应该好好学习", "Dora"),
        ("家境贫寒自然就花的少", "Dora"),
        ("个人的选择而已，没有对错", "Dora"),
    ],
)
def test_another_and_people_in_general_are_not_who_speaks(text: str, speaker: str) -> None:
    assert worded(text, speaker) == []


@pytest.mark.parametrize(
    "text",
    [
        "就业整体比文科好太多",
        "会议改到下午三点的人很多",
        "被子晒干了就舒服",
        "同学大多去了国外工作",
    ],
)
def test_a_noun_that_begins_like_a_predicate_has_no_speaker(text: str) -> None:
    assert worded(text, "Dora") == []


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("晚上睡不着", "患者晚上睡不着"),
        ("不胸闷，不气短", "患者不胸闷，不气短"),
        ("就只有咳嗽", "患者只有咳嗽"),
        ("造影做了", "患者做了造影"),
        ("心彩超 查出来的是窦性心律不齐", "患者有窦性心律不齐"),
        ("t波倒置 以前是窦性心律不齐", "患者有t波倒置，以前是窦性心律不齐"),
        ("肩膀受凉就麻木之类的", "患者肩膀受凉就麻木"),
        ("就是有时候喘不上气", "患者有时候喘不上气"),
    ],
)
def test_few_words_of_a_body_are_the_patients(text: str, statement: str) -> None:
    assert statement in worded(text, "患者", ASKED)


def test_who_is_called_a_patient_opens_with_the_case() -> None:
    assert worded("最近睡觉脑子老想东西，睡不踏实，容易醒", "患者") == ["患者最近睡觉脑子老想东西，睡不踏实，容易醒"]


def test_who_serves_tells_nothing_of_their_own() -> None:
    assert worded("我要看一下心脏结构", "医生", [("assistant", "医生，严重吗？")]) == []


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("我妈也支持我独身", "小雅的妈妈支持小雅独身"),
        ("现在我都不想回去，只能呆在外面自习", "现在小雅不想回去，只能呆在外面自习"),
        ("我妈还有耐心听我说完但我爸没几句就要让我滚", "小雅的妈妈还有耐心听小雅说完，但小雅的爸爸没几句就要让小雅滚"),
        ("我是女生，亲身体会", "小雅是女生"),
        ("我男朋友却怪我，认为是我耽误了他", "小雅的男朋友怪小雅，认为是小雅耽误了他"),
        ("我也没朋友——没人约饭没人一起上下课", "小雅没朋友，没人约饭没人一起上下课"),
        ("我每年做一次体检，今年感觉特别闷，没当回事", "小雅每年做一次体检，今年感觉特别闷"),
    ],
)
def test_a_mended_sentence_stands_alone(text: str, statement: str) -> None:
    assert statement in worded(text, "小雅", [("user", "你好")])


def test_a_speaker_behind_what_they_feel_stands_first() -> None:
    found = Found(0, 20, "episode", "情绪极度低落，小雅想重新开始找工作", episode_type="fact")
    kept, _ = whole_sentences([found], "情绪极度低落，我想重新开始找工作", "小雅")
    assert [each.text for each in kept] == ["小雅情绪极度低落，想重新开始找工作"]


@pytest.mark.parametrize(
    "text",
    [
        "我妈表示支持",
        "我妈很好",
        "我昨晚申请的价格保护弄好没有",
        "我18天前做的数据",
        "我昨天才出现第一次",
        "我今天被室友气得想骂人",
        "我现在就坐在门卫旁边",
        "我越说越恶心",
        "第一次见面的时候我太急了",
        "我室友发消息都回得很简单",
        "我没法控制自己",
        "我已经考虑过很多次了",
        "我不打算送了",
        "我只去过一次",
        "我先尝试改一下地址",
        "看到女票在我不知道的平台上写日记",
    ],
)
def test_what_lacks_its_thing_or_passes_with_the_hour_is_left(text: str) -> None:
    assert worded(text, "小雅", [("user", "你好")]) == []


@pytest.mark.parametrize(
    "text",
    [
        "我妈的成绩很好",
        "我上周才第一次出现过敏",
        "我比妹妹高很多",
        "后来我考上了研究生",
        "我打算去厦门工作",
        "我有一点怀疑自己得了抑郁症",
    ],
)
def test_what_only_looks_like_it_is_told(text: str) -> None:
    assert worded(text, "小雅", [("user", "你好")]) != []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("我喜欢不起来他", "喜欢"),
        ("我喜欢到都不想上课了", "喜欢"),
        ("特别是本科是法学的专硕，就业更好", "本科"),
        ("忙碌的人都是凭本事单身的", "单身"),
        ("我以前心里挂念的事一多就烦", "专业"),
    ],
)
def test_no_value_of_what_is_only_spoken_of(text: str, wrong: str) -> None:
    assert not any(wrong in each for each in worded(text, "小雅", [("user", "你好")]))


def test_a_taste_is_still_a_value() -> None:
    assert worded("我喜欢到处旅行", "小雅") == ["小雅喜欢到处旅行"]
