"""Time expressions in English and Chinese, seen from Wednesday 12 June 2024."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from processors.language.times import find
from tests.linear import assert_linear

ANCHOR = datetime(2024, 6, 12, 15, 30, tzinfo=UTC)

CASES = [
    ("I went there yesterday", "yesterday", "2024-06-11", "2024-06-12", "day"),
    ("we ate out last night", "last night", "2024-06-11", "2024-06-12", "day"),
    ("the day before yesterday we sang", "the day before yesterday", "2024-06-10", "2024-06-11", "day"),
    ("What did she do last month?", "last month", "2024-05-01", "2024-06-01", "month"),
    ("last week was long", "last week", "2024-06-03", "2024-06-10", "week"),
    ("last weekend we hiked", "last weekend", "2024-06-08", "2024-06-10", "day"),
    ("next year I retire", "next year", "2025-01-01", "2026-01-01", "year"),
    ("in May 2023 it rained", "May 2023", "2023-05-01", "2023-06-01", "month"),
    ("on 8 May, 2023 we met", "8 May, 2023", "2023-05-08", "2023-05-09", "day"),
    ("on May 8th, 2023 we met", "May 8th, 2023", "2023-05-08", "2023-05-09", "day"),
    ("on the 3rd of July", "3rd of July", "2023-07-03", "2023-07-04", "day"),
    ("on 2023-05-08 we met", "2023-05-08", "2023-05-08", "2023-05-09", "day"),
    ("it was July", "July", "2023-07-01", "2023-08-01", "month"),
    ("last July", "last July", "2023-07-01", "2023-08-01", "month"),
    ("3 days ago", "3 days ago", "2024-06-09", "2024-06-10", "day"),
    ("a couple of weeks ago", "a couple of weeks ago", "2024-05-27", "2024-06-03", "week"),
    ("ten years ago", "ten years ago", "2014-01-01", "2015-01-01", "year"),
    ("in two weeks", "in two weeks", "2024-06-24", "2024-07-01", "week"),
    ("last Friday", "last Friday", "2024-06-07", "2024-06-08", "day"),
    ("next Monday", "next Monday", "2024-06-17", "2024-06-18", "day"),
    ("done on the 3rd so we wait", "the 3rd", "2024-06-03", "2024-06-04", "day"),
    ("due by the 30th.", "the 30th", "2024-05-30", "2024-05-31", "day"),
    ("on Wednesday", "Wednesday", "2024-06-12", "2024-06-13", "day"),
    ("last summer", "last summer", "2023-06-01", "2023-09-01", "season"),
    ("in winter", "in winter", "2023-12-01", "2024-03-01", "season"),
    ("back in 2019", "2019", "2019-01-01", "2020-01-01", "year"),
    ("去年三月搬的家", "去年三月", "2023-03-01", "2023-04-01", "month"),
    ("上周很忙", "上周", "2024-06-03", "2024-06-10", "week"),
    ("上周12号受试者缺了什么", "上周", "2024-06-03", "2024-06-10", "week"),
    ("上周三号受试者", "上周", "2024-06-03", "2024-06-10", "week"),
    ("上周3我们开会", "上周3", "2024-06-05", "2024-06-06", "day"),
    ("上周五见面", "上周五", "2024-06-07", "2024-06-08", "day"),
    ("下个星期一开会", "下个星期一", "2024-06-17", "2024-06-18", "day"),
    ("帮我约一下周四的号", "周四", "2024-06-06", "2024-06-07", "day"),
    ("看一下下周四的安排", "下周四", "2024-06-20", "2024-06-21", "day"),
    ("下周末爬山", "下周末", "2024-06-22", "2024-06-24", "day"),
    ("上个月3号", "上个月3号", "2024-05-03", "2024-05-04", "day"),
    ("上个月生病了", "上个月", "2024-05-01", "2024-06-01", "month"),
    ("2023年5月8日出生", "2023年5月8日", "2023-05-08", "2023-05-09", "day"),
    ("三月十五日", "三月十五日", "2024-03-15", "2024-03-16", "day"),
    ("十二月下雪", "十二月", "2023-12-01", "2024-01-01", "month"),
    ("三天前", "三天前", "2024-06-09", "2024-06-10", "day"),
    ("两个月前", "两个月前", "2024-04-01", "2024-05-01", "month"),
    ("昨天晚上", "昨天", "2024-06-11", "2024-06-12", "day"),
    ("前年冬天", "前年冬天", "2022-12-01", "2023-03-01", "season"),
    ("二〇二三年", "二〇二三年", "2023-01-01", "2024-01-01", "year"),
    ("今年的计划", "今年", "2024-01-01", "2025-01-01", "year"),
    ("we were away 3 to 5 March", "3 to 5 March", "2024-03-03", "2024-03-06", "day"),
    ("away 3rd-5th of March 2023", "3rd-5th of March 2023", "2023-03-03", "2023-03-06", "day"),
    ("between 3 and 5 March", "3 and 5 March", "2024-03-03", "2024-03-06", "day"),
    ("March 3 – 5, 2023", "March 3 – 5, 2023", "2023-03-03", "2023-03-06", "day"),
    ("between July 3 and 5", "July 3 and 5", "2023-07-03", "2023-07-06", "day"),
    ("11 to 14 June", "11 to 14 June", "2024-06-11", "2024-06-15", "day"),
    ("room 12 - 5 March", "12 - 5 March", "2024-03-05", "2024-03-06", "day"),
    ("3月3日到5日出差", "3月3日到5日", "2024-03-03", "2024-03-06", "day"),
    ("三月三号至五号", "三月三号至五号", "2024-03-03", "2024-03-06", "day"),
    ("2023年3月3-5日", "2023年3月3-5日", "2023-03-03", "2023-03-06", "day"),
    ("去年12月30到31号", "去年12月30到31号", "2023-12-30", "2024-01-01", "day"),
    ("上个月3号到5号", "上个月3号到5号", "2024-05-03", "2024-05-06", "day"),
    ("6月11日到14日", "6月11日到14日", "2024-06-11", "2024-06-15", "day"),
    ("年初搬的家", "年初", "2024-01-01", "2024-03-01", "season"),
    ("今年年初", "今年年初", "2024-01-01", "2024-03-01", "season"),
    ("去年底离职", "去年底", "2023-11-01", "2024-01-01", "season"),
    ("2022年末", "2022年末", "2022-11-01", "2023-01-01", "season"),
    ("年底搬家", "年底", "2024-11-01", "2025-01-01", "season"),
    ("月初体检", "月初", "2024-06-01", "2024-06-11", "week"),
    ("上个月底", "上个月底", "2024-05-21", "2024-06-01", "week"),
    ("五月初", "五月初", "2024-05-01", "2024-05-11", "week"),
    ("2023年2月末", "2023年2月末", "2023-02-21", "2023-03-01", "week"),
    ("月底交", "月底", "2024-06-21", "2024-07-01", "week"),
    ("今年初中毕业", "今年", "2024-01-01", "2025-01-01", "year"),
    ("去年底薪涨了", "去年", "2023-01-01", "2024-01-01", "year"),
    ("星期天休息", "星期天", "2024-06-09", "2024-06-10", "day"),
]


@pytest.mark.parametrize(("text", "written", "start", "end", "precision"), CASES)
def test_expressions(text: str, written: str, start: str, end: str, precision: str) -> None:
    (span,) = find(text, ANCHOR)
    got = (span.text.rstrip("的"), str(span.start.date()), str(span.end.date()), span.precision)
    assert got == (written, start, end, precision)


@pytest.mark.parametrize(
    "text",
    ["It may rain; march on", "room 2019b costs $2020", "on Feb 30", "2023-13-45", "一个月饼", "三个月", "每周", "天气",
     "大年初一", "三年初级", "每月底", "每年底", "二月三十日", "二月三十日到三十一日", "", "a second week-old kitten"],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert find(text, ANCHOR) == []


def test_two_days_are_no_span_of_days() -> None:
    assert [s.text for s in find("on 3 and 5 March", ANCHOR)] == ["5 March"]


def test_several_in_the_order_of_the_text() -> None:
    spans = find("Yesterday, unlike last summer, 去年夏天 or 3 May 2021", ANCHOR)
    assert [s.text for s in spans] == ["Yesterday", "last summer", "去年夏天", "3 May 2021"]


@pytest.mark.parametrize(
    ("text", "relative"),
    [("last month", True), ("3 days ago", True), ("on Friday", True), ("last July", True),
     ("上周五", True), ("去年夏天", True),
     ("in July", False), ("on 3 May", False), ("in 2023", False), ("in the summer", False),
     ("七月", False), ("2023年夏天", False)],
)  # fmt: skip
def test_relative_expressions_are_told_from_dates(text: str, relative: bool) -> None:
    assert [s.relative for s in find(text, ANCHOR)] == [relative]


def test_spans_are_in_the_anchors_zone() -> None:
    zone = timezone(timedelta(hours=8))
    (span,) = find("today", datetime(2024, 6, 12, 1, tzinfo=zone))
    assert span.start == datetime(2024, 6, 12, tzinfo=zone)
    assert span.end - span.start == timedelta(days=1)


def test_dates_outside_the_calendar_are_left_out() -> None:
    assert find("999 years ago and 在五百年前", datetime(500, 1, 1, tzinfo=UTC)) == []


@pytest.mark.parametrize(
    "unit", ["last ", "in two ", "二", "1 ", "May ", "去年的", "2023-", "3 to ", "3-", "3日到", "年初"]
)
def test_long_runs_of_half_an_expression_end(unit: str) -> None:
    assert_linear(lambda text: find(text, ANCHOR), lambda size: unit * size, 5_000)
