"""A short Chinese answer states what it says with its question's words (B1, D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from tests.unit.extract.support import extract


def _kept(question: str, text: str) -> list[str]:
    return [c.text for c in extract(text, question=question) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("question", "text", "kept"),
    [
        ("您平时有午睡的习惯吗？", "没有的", "用户平时没有午睡的习惯"),
        ("您周末一般都回父母家住，对吗？", "嗯呢", "用户周末一般都回父母家住"),
        ("您喝牛奶吗？", "不喝", "用户不喝牛奶"),
        ("您以前学过游泳吗？", "没学过", "用户以前没学过游泳"),
        ("您儿子上几年级？", "五年级", "用户的儿子上五年级"),
        ("您的驾照拿了多少年？", "十四年，没扣过分", "用户的驾照拿了十四年"),
        ("您每周游几次？", "两次吧", "用户每周游两次"),
        ("您什么时候搬来的？", "前年秋天", "用户2024年秋天搬来的"),
        ("您跟谁一起住？", "一个堂哥", "用户跟一个堂哥一起住"),
        ("请问您平时坐地铁还是公交？", "公交", "用户平时坐公交"),
        ("您周末一般做什么？", "钓鱼，有时候陪孩子", "用户周末一般钓鱼"),
        ("您有什么爱好？", "集邮", "用户的爱好是集邮"),
        ("你们公司用什么系统？", "飞书", "用户的公司用飞书"),
        ("您母语是什么？", "闽东话", "用户母语是闽东话"),
        ("您打网球，对吗？", "不对", "用户不打网球"),
        ("您家宝宝多大了？", "刚满月没几天", "用户的宝宝刚满月没几天"),
        ("您的狗打过疫苗吗？", "打了，今年四月", "用户的狗打了，2026年四月"),
    ],
)
def test_b1_an_answer_is_told_with_the_words_of_its_question(question: str, text: str, kept: str) -> None:
    assert _kept(question, text)[0] == kept


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("您需要我帮您订车吗？", "不需要"),
        ("您要加急吗？", "要"),
        ("您今天吃药了吗？", "吃了"),
        ("您看这样可以吗？", "可以"),
        ("您是说下周三吗？", "是的"),
        ("您是第一次来吗？", "是"),
        ("您还有别的问题吗？", "没有了"),
        ("您什么时候方便？", "周五下午"),
        ("您打算什么时候去？", "国庆"),
        ("您最喜欢哪个城市？", "都喜欢"),
        ("您有几个孩子？", "不好说"),
        ("您想让我怎么称呼呢？", "随便"),
        ("您女儿睡得好吗？", "半夜醒两三回"),
        ("您住哪个小区？", "这个你别问"),
        ("我看您用的是苹果，对吗？", "对"),
        ("法国的首都是哪里？", "巴黎"),
        ("项目代号叫什么？", "原来叫木棉"),
        ("您外婆吃得惯海鲜，对吗？", "不对"),
        ("您家闺女吃素，是吗？", "没有"),
        ("您打网球，对吗？", "不对，只跳操"),
        ("您是在车里等着吗？", "对"),
    ],
)
def test_b1_an_answer_of_the_moment_or_about_nobody_states_nothing(question: str, text: str) -> None:
    assert _kept(question, text) == []


def test_b1_what_follows_the_answer_is_read_as_well() -> None:
    assert _kept("您喝酒吗？", "不喝，我胃做过手术")[0] == "用户不喝酒"
    assert any("胃做过手术" in text for text in _kept("您喝酒吗？", "不喝，我胃做过手术"))


def test_b1_a_value_that_answers_stays_a_value() -> None:
    (stated,) = extract("三十二", question="您多大了？")
    assert values_of(stated) == {"age": 32}
    kind_of_company = extract("广告公司，做设计", question="您在哪家公司上班？")
    assert [held for c in kind_of_company if (held := values_of(c))] == [{"occupation": "设计"}]
