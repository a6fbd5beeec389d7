"""Chinese statements are whole and of whom they say, or they are not made."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.dated_zh import dated
from tests.unit.extract.support import THURSDAY, extract

REFUSED = {
    "no object": "我检查过，我追了一年还没追到",
    "done to what is not named": "我也遇到过好几次",
    "taken, of what": "我吃了没效果",
    "of two, one named": "在一起两个星期后我慢慢发现之间的差异",
    "what it is stands before": "我怀疑是骗子",
    "a feeling by itself": "我今晚心态有点崩",
    "compared with what was said": "我刚好相反",
    "about the talk": "我说的是态度",
    "what others have": "我身边竟然有研究生",
    "what follows from what is said to another": "当你离开我的世界，我也能获得一片安静",
    "no predicate, and a saying": "其实自己的身体，自己喜欢就好",
    "of whom their family speaks": "家人觉得我跟他在一起是自毁前途",
}
MENDED = {
    "我今天刚搬完家，累坏了": "小雅2026年2月5日刚搬完家，累坏了",
    "dz♂，女朋友比自己大4岁，已上班": "小雅的女朋友比自己大4岁，已上班",
    "DZ今年大三 暑假有一个不错的实习": "小雅今年大三，暑假有一个不错的实习",
    "目前我个人想提分手，但由于时间短": "目前小雅个人想提分手",
    "而我本身就不会搭配穿着": "小雅本身就不会搭配穿着",
    "曾经有一个有点好感的男生，跟我不是一个中学": "小雅曾经有一个有点好感的男生，跟小雅不是一个中学",
    "我是家里唯一的大学生": "小雅是家里唯一的大学生",
}


def statements_of(statement: str) -> list[str]:
    return [c.text for c in extract(statement, speaker="小雅") if c.confidence > 0.7]


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_not_whole_stays_in_its_turn(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(("statement", "text"), MENDED.items())
def test_what_one_word_makes_whole_is_told(statement: str, text: str) -> None:
    assert statements_of(statement) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "还要继续服用降压药",
        "不如等到自己成熟到不需要陪伴再好好在一起",
        "我所知道的，不算大佬，也就中上水平，年薪30w+",
        "好羡慕经院光华计算机这些大学本科毕业就能拿高薪的同学",
        "计算机本科30w还说得过去",
        "老人身体差，有糖尿病",
    ],
)
def test_what_is_said_of_others_or_advised_fills_no_field(text: str) -> None:
    assert [c for c in extract(text, speaker="小雅") if c.field or c.fields] == []


def test_a_day_is_written_as_its_date_and_quotations_stay() -> None:
    assert dated("我前天发烧，今晚好了", THURSDAY) == "我2026年2月3日发烧，2月5日晚上好了"
    assert dated("我说“昨天”，以后天天如此，今年三月搬的", THURSDAY) == "我说“昨天”，以后天天如此，2026年三月搬的"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("我明天和下周二都请假", "我2026年2月6日和2月10日都请假"),
        ("截止是下下禮拜五中午", "截止是2026年2月20日中午"),
        ("上周我去了苏州，上周末才回来", "2026年1月26日那周我去了苏州，1月31日那个周末才回来"),
        ("我下个月3号入职，下个月底转正", "我2026年3月3号入职，3月底转正"),
        ("去年底搬的，上上个月又搬了", "2025年底搬的，12月又搬了"),
        ("我呢個月冇返工，下月初先返", "我2026年2月冇返工，3月初先返"),
        ("合同月底到期，年底才续", "合同2026年2月底到期，2026年底才续"),
        ("我明早上班，下周一回来", "我2026年2月6日早上上班，2月9日回来"),
    ],
)
def test_a_week_and_a_month_are_written_as_theirs(statement: str, text: str) -> None:
    assert dated(statement, THURSDAY) == text


@pytest.mark.parametrize(
    "text",
    [
        "上周三次跑步，上周三天没睡",
        "每到月底都很忙",
        "早上个月报交了，晚上周会",
        "以上周报为准，下班周六也在",
        "身上月经没来",
        "马上月底了",
        "三个月前搬的，十二月底到期",
        "这两个月一直在瘦",
        "“下周二再说”",
        "我下周日本出差，今后天天跑步",
        "玩明日方舟三年了，去年今天结的婚",
    ],
)
def test_what_only_looks_like_a_week_or_a_month_stays(text: str) -> None:
    assert dated(text, THURSDAY) == text


@pytest.mark.parametrize("at", [datetime.min, datetime.max], ids=["first day", "last day"])
def test_n2_what_stands_outside_the_calendar_stays(at: datetime) -> None:
    for text in ("我昨天到，明天走", "我上上周到，下下周日走", "我上上个月到，下下个月走"):
        assert dated(text, at.replace(tzinfo=UTC))


@pytest.mark.parametrize("text", ["我今天先请假了", "我明天先坐高铁到北京", "我今天先去医院做了检查"])
def test_what_is_done_first_is_told(text: str) -> None:
    assert statements_of(text)
