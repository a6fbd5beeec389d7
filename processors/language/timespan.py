"""Calendar arithmetic on whole days, weeks, months, seasons and years, for time expressions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

Precision: TypeAlias = Literal["day", "week", "month", "season", "year"]
SEASON_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # northern, meteorological


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """What an expression means: [start, end), in the time zone of its anchor, to the stated precision.

    `relative` says that it counts from the anchor ("last month", "上周五") and does not name a date, month, season
    or year of the calendar ("in May", "2023年").
    """

    start: datetime
    end: datetime
    text: str
    precision: Precision
    relative: bool


@dataclass(frozen=True, slots=True)
class Period:
    """A span that has no text yet."""

    start: datetime
    end: datetime
    precision: Precision


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day(anchor: datetime, offset: int = 0) -> Period:
    """Return the day `offset` days from the anchor's. Raises OverflowError outside years 1 to 9999."""
    start = midnight(anchor) + timedelta(days=offset)
    return Period(start, start + timedelta(days=1), "day")


def week(anchor: datetime, offset: int = 0) -> Period:
    """Return the week, Monday to Sunday, `offset` weeks from the anchor's."""
    start = midnight(anchor) + timedelta(days=7 * offset - anchor.weekday())
    return Period(start, start + timedelta(days=7), "week")


def weekend(anchor: datetime, offset: int = 0) -> Period:
    """Return Saturday and Sunday of the week `offset` weeks from the anchor's."""
    start = week(anchor, offset).start + timedelta(days=5)
    return Period(start, start + timedelta(days=2), "day")


def weekday(anchor: datetime, which: int, week_offset: int) -> Period:
    """Return a day of the week (Monday is 0) `week_offset` weeks from the anchor's."""
    return day(week(anchor, week_offset).start, which)


def latest_weekday(anchor: datetime, which: int, *, before: bool) -> Period:
    """Return the last such weekday up to the anchor's day, or strictly before it."""
    back = (anchor.weekday() - which) % 7
    return day(anchor, -(back or 7) if before else -back)


def month(anchor: datetime, offset: int = 0) -> Period:
    """Return the month `offset` months from the anchor's. Raises ValueError outside years 1 to 9998."""
    return month_of(anchor, *_shifted(anchor.year, anchor.month, offset))


def month_of(anchor: datetime, year: int, number: int) -> Period:
    start = midnight(anchor).replace(year=year, month=number, day=1)
    after_year, after_month = _shifted(year, number, 1)
    return Period(start, start.replace(year=after_year, month=after_month), "month")


def latest_month(anchor: datetime, number: int) -> Period:
    """Return the last such month that has begun by the anchor."""
    return month_of(anchor, anchor.year - (number > anchor.month), number)


def year_of(anchor: datetime, number: int) -> Period:
    start = midnight(anchor).replace(year=number, month=1, day=1)
    return Period(start, start.replace(year=number + 1), "year")


def season_of(anchor: datetime, year: int, name: str) -> Period:
    """Return a northern season; winter runs from December of `year` into the next."""
    first = month_of(anchor, year, SEASON_MONTH[name])
    return Period(first.start, month(first.start, 3).start, "season")


def latest_season(anchor: datetime, name: str, *, before: bool) -> Period:
    """Return the last such season that has begun by the anchor, or that has ended by it."""
    for back in range(3):
        period = season_of(anchor, anchor.year - back, name)
        if (period.end if before else period.start) <= anchor:
            return period
    return season_of(anchor, anchor.year - 2, name)


def date_of(anchor: datetime, year: int, number: int, of_month: int) -> Period:
    """Return a calendar day. Raises ValueError for a day that does not exist."""
    return day(midnight(anchor).replace(year=year, month=number, day=of_month))


def latest_date(anchor: datetime, number: int, of_month: int) -> Period:
    """Return the last such day of the year up to the anchor. Raises ValueError for 30 February."""
    later = (number, of_month) > (anchor.month, anchor.day)
    return date_of(anchor, anchor.year - later, number, of_month)


def ago(anchor: datetime, count: int, unit: str) -> Period:
    """Return the day, week, month or year `count` units before the anchor (after it where negative)."""
    if unit == "day":
        return day(anchor, -count)
    if unit == "week":
        return week(anchor, -count)
    if unit == "month":
        return month(anchor, -count)
    return year_of(anchor, anchor.year - count)


def _shifted(year: int, number: int, offset: int) -> tuple[int, int]:
    months = year * 12 + number - 1 + offset
    return months // 12, months % 12 + 1
