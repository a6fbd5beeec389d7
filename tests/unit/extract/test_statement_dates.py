"""A free statement names the year of its month, and the date of its weekday: it is read long after it was said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.extract.support import extract

MONDAY = datetime(2026, 11, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Maya starts nursery in January", "Maya starts nursery in January 2027"),
        ("I've got a half marathon in April", "User has got a half marathon in April 2027"),
        ("My sister is getting married in August", "User's sister is getting married in August 2027"),
        ("My mum's having her hip done on the 14th", "User's mum is having her hip done on 14 November 2026"),
        ("I'm planning to run a marathon in May", "User is planning to run a marathon in May 2027"),
        ("I'll visit my brother in Oslo on Friday", "User will visit their brother in Oslo on 6 November 2026"),
        ("I saw Tom on Friday", "User saw Tom on 30 October 2026"),
        ("I broke my wrist on 3 September", "User broke their wrist on 3 September 2026"),
        ("We went to Rome in the spring", "User and others went to Rome in spring 2026"),
        ("小宝九月上幼儿园", "用户的小宝2027年9月上幼儿园"),
        ("我打算十二月考雅思", "用户打算2026年12月考雅思"),
        ("明年三月打算跑个半马", "用户2027年3月打算跑个半马"),
        ("我弟去年结婚了", "用户的弟弟2025年结婚了"),
        ("我爸上个月退休了", "用户的爸爸2026年10月退休了"),
        ("我妈下周三要做白内障手术", "用户的妈妈2026年11月11日要做白内障手术"),
        ("我五月去了趟日本", "用户2026年5月去了趟日本"),
        ("我和老公五月结的婚", "用户和老公2026年5月结的婚"),
    ],
)
def test_b1_a_statement_names_the_date_that_is_meant(text: str, statement: str) -> None:
    assert statement in [c.text for c in extract(text, at=MONDAY)]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("We always go to Spain in August", "User and others always go to Spain in August"),
        ("My flat is on the 14th floor", "User's flat is on the 14th floor"),
        ("My birthday is on the 14th", "User's birthday is the 14th"),
        ("My sister moved to Hull in May 2019", "User's sister moved to Hull in May 2019"),
        ("My sister's anniversary is in March", "User's sister's anniversary is in March"),
        ("I'll see my brother in Oslo on Monday", "User will see their brother in Oslo on Monday"),
        ("我每年五月都过敏", "用户每年五月都过敏"),
        ("我两年前来的上海", "用户两年前来的上海"),
    ],
)
def test_b1_what_comes_again_or_is_no_time_keeps_its_words(text: str, statement: str) -> None:
    assert statement in [c.text for c in extract(text, at=MONDAY)]


def test_b1_a_verb_in_ly_is_a_verb() -> None:
    assert [c.text for c in extract("I rely on my sister")] == ["User relies on their sister"]
