"""A day without a year, told as something to come, is the next such day and not the last one."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.unit.extract.support import GENERAL, extract

AUTUMN = datetime(2026, 11, 23, 3, tzinfo=UTC)


def days(text: str) -> set[date]:
    zone = ZoneInfo(GENERAL.time_zone)
    found = extract(text, at=AUTUMN)
    assert found
    return {c.occurred_from.astimezone(zone).date() for c in found if c.occurred_from}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("My flight to Toronto is at 9 am on 3 December.", date(2026, 12, 3)),
        ("Our wedding is on 14 February.", date(2027, 2, 14)),
        ("My car's insurance expires on 20 December.", date(2026, 12, 20)),
        ("I've got an appointment on 2 December at 10.", date(2026, 12, 2)),
        ("I'm getting married on 6 June.", date(2027, 6, 6)),
        ("我12月3号上午九点飞多伦多。", date(2026, 12, 3)),
        ("我的合同到1月31号，年薪54万。", date(2027, 1, 31)),
        ("我们的婚礼在2月14号。", date(2027, 2, 14)),
        ("我的车12月20号年检到期。", date(2026, 12, 20)),
        ("12月2号上午十点我有个预约。", date(2026, 12, 2)),
        ("我12月25号下午三点做手术。", date(2026, 12, 25)),
    ],
)
def test_b1_what_is_set_for_a_day_lies_ahead(text: str, day: date) -> None:
    assert days(text) == {day}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("My exam was on 3 December.", date(2025, 12, 3)),
        ("I moved to Leeds on 6 June.", date(2026, 6, 6)),
        ("我12月3号考的试。", date(2025, 12, 3)),
        ("我3月5号去了北京。", date(2026, 3, 5)),
        ("我还记得，首映是2016年3月4日。", date(2016, 3, 4)),
    ],
)
def test_b1_what_was_lies_behind_and_a_year_that_is_said_stands(text: str, day: date) -> None:
    assert days(text) == {day}
