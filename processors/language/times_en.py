"""English time expressions. Every pattern is a fixed sequence of bounded parts, so matching is linear."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from processors.language import timespan as ts

Resolve: TypeAlias = Callable[[re.Match[str], datetime], ts.Period]
Rule: TypeAlias = tuple[re.Pattern[str], Resolve, bool]  # the last: whether it is relative to the anchor

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "a couple": 2, "couple of": 2, "three": 3,
           "a few": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
           "eleven": 11, "twelve": 12}  # fmt: skip
_OFFSETS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}

MONTH = r"(?P<month>" + "|".join(f"{m.capitalize()}|{m[:3].capitalize()}\\.?" for m in _MONTHS) + r"|Sept\.?)"
_WEEKDAY = r"(?P<weekday>" + "|".join(_WEEKDAYS) + r")s?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_FIRST = r"(?P<first>[0-3]?\d)(?:st|nd|rd|th)?"
_TO = r"(?: ?[-–] ?| (?:to|till|until|through) )(?:the )?"
_BETWEEN = r"(?<=[Bb]etween )(?:the )?"
"""3 and 5 March are two days; what is between them is a time."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"
NUMBER = r"(?P<count>\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming)"


def _compile(pattern: str, *, exact_case: bool = False) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + pattern + r")(?!\w)", re.NOFLAG if exact_case else re.IGNORECASE)


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _dated(m: re.Match[str], anchor: datetime) -> ts.Period:
    number, of_month = _month_number(m["month"]), int(m["day"])
    year = m.groupdict().get("year")
    return ts.date_of(anchor, int(year), number, of_month) if year else ts.latest_date(anchor, number, of_month)


def _dates(m: re.Match[str], anchor: datetime) -> ts.Period:
    """From the first day to the last; 12 to 5 is none, and the last alone is meant."""
    number, first, last = _month_number(m["month"]), int(m["first"]), int(m["day"])
    if first > last:
        return _dated(m, anchor)
    year = m.groupdict().get("year")
    # Without a year the last time that they have begun: they may be running.
    year_number = int(year) if year else ts.latest_date(anchor, number, first).start.year
    begins, ends = (ts.date_of(anchor, year_number, number, d) for d in (first, last))
    return ts.Period(begins.start, ends.end, "day")


def _in_month(m: re.Match[str], anchor: datetime) -> ts.Period:
    number = _month_number(m["month"])
    year, which = m.groupdict().get("year"), m.groupdict().get("which")
    if year:
        return ts.month_of(anchor, int(year), number)
    offset = _OFFSETS[which.lower()] if which else None
    if offset == 0:
        return ts.month_of(anchor, anchor.year, number)
    if offset == 1:
        return ts.month_of(anchor, anchor.year + (number <= anchor.month), number)
    if offset == -1 and number == anchor.month:
        return ts.month_of(anchor, anchor.year - 1, number)
    return ts.latest_month(anchor, number)


def _iso(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.date_of(anchor, int(m["year"]), int(m["number"]), int(m["day"]))


def _named_day(m: re.Match[str], anchor: datetime) -> ts.Period:
    text = " ".join(m[0].lower().split())
    if text.startswith(("the day before", "day before")):
        return ts.day(anchor, -2)
    if "day after" in text:
        return ts.day(anchor, 2)
    if "yesterday" in text or text == "last night":
        return ts.day(anchor, -1)
    return ts.day(anchor, 1 if "tomorrow" in text else 0)


def _ago(m: re.Match[str], anchor: datetime) -> ts.Period:
    words = " ".join(m["count"].lower().split())
    count = int(words) if words.isdigit() else NUMBERS[words]
    return ts.ago(anchor, count, m["unit"].lower())


def _ahead(m: re.Match[str], anchor: datetime) -> ts.Period:
    words = " ".join(m["count"].lower().split())
    count = int(words) if words.isdigit() else NUMBERS[words]
    return ts.ago(anchor, -count, m["unit"].lower())


def _which_unit(m: re.Match[str], anchor: datetime) -> ts.Period:
    offset, unit = _OFFSETS[m["which"].lower()], m["span"].lower()
    if unit == "weekend":
        if offset == -1:  # on a Saturday or Sunday "last weekend" is still the one of the week before
            return ts.weekend(anchor, -1)
        return ts.weekend(anchor, offset)
    if unit in ts.SEASON_MONTH:
        if offset == 1:
            this = ts.season_of(anchor, anchor.year, unit)
            return this if this.start > anchor else ts.season_of(anchor, anchor.year + 1, unit)
        return ts.latest_season(anchor, unit, before=offset == -1)
    return ts.ago(anchor, -offset, unit)


def _which_weekday(m: re.Match[str], anchor: datetime) -> ts.Period:
    number = _WEEKDAYS.index(m["weekday"].lower())
    which = (m.groupdict().get("which") or "").lower()
    if which in ("this", "current"):
        return ts.weekday(anchor, number, 0)
    if which in ("next", "coming"):
        return (
            ts.weekday(anchor, number, 1) if which == "next" else ts.day(anchor, (number - anchor.weekday()) % 7 or 7)
        )
    return ts.latest_weekday(anchor, number, before=bool(which))


def _season(m: re.Match[str], anchor: datetime) -> ts.Period:
    name = m["season"].lower()
    year = m.groupdict().get("year")
    return ts.season_of(anchor, int(year), name) if year else ts.latest_season(anchor, name, before=False)


def _year(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.year_of(anchor, int(m["year"]))


def _day_of_month(m: re.Match[str], anchor: datetime) -> ts.Period:
    """The last such day of a month that is up to the anchor's."""
    number = int(m["day"])
    month = ts.month(anchor, -1 if number > anchor.day else 0).start
    return ts.date_of(anchor, month.year, month.month, number)


_BEFORE_A_DAY = r"(?:(?<=\bon )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bsince )|(?<=\bbefore )|(?<=\bafter ))"
_BEHIND_A_DAY = r"(?=\s*(?:$|[,.;!?)]|(?:so|and|but|at|in|for|with|to|because|as|if|when|then|I|we|she|he|they)\b))"
"""Behind others it is no day: "on the 14th floor"."""
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
# Earlier rules win where two match at the same place; month names count only when capitalised ("may", "march").
RULES: tuple[Rule, ...] = (
    (_compile(_YEAR + r"[-/.](?P<number>[01]?\d)[-/.](?P<day>[0-3]?\d)"), _iso, False),
    *(
        (_compile(pattern + r"(?:,? {1,2}" + _YEAR + r")?", exact_case=True), _dates, False)
        for pattern in (
            _FIRST + _TO + _DAY + r" {1,2}(?:of {1,2})?" + MONTH,
            _BETWEEN + _FIRST + r" and (?:the )?" + _DAY + r" {1,2}(?:of {1,2})?" + MONTH,
            MONTH + r" {1,2}(?:the {1,2})?" + _FIRST + _TO + _DAY,
            _BETWEEN + MONTH + r" {1,2}(?:the {1,2})?" + _FIRST + r" and (?:the )?" + _DAY,
        )
    ),
    (_compile(_DAY + r" {1,2}(?:of {1,2})?" + MONTH + r"(?:,? {1,2}" + _YEAR + r")?", exact_case=True), _dated, False),
    (
        _compile(MONTH + r" {1,2}(?:the {1,2})?" + _DAY + r"(?:,? {1,2}" + _YEAR + r")?", exact_case=True),
        _dated,
        False,
    ),
    (_compile(MONTH + r"(?:,? {1,2}|,? of )" + _YEAR, exact_case=True), _in_month, False),
    (_compile(r"(?P<which>[Ll]ast|[Pp]ast|[Tt]his|[Nn]ext) {1,2}" + MONTH, exact_case=True), _in_month, True),
    (_compile(r"(?:the {1,2})?day {1,2}(?:before {1,2}yesterday|after {1,2}tomorrow)"), _named_day, True),
    (
        _compile(r"yesterday|last {1,2}night|today|tonight|this {1,2}(?:morning|afternoon|evening)|tomorrow"),
        _named_day,
        True,
    ),
    (_compile(NUMBER + r" {1,2}" + _UNIT + r" {1,2}(?:ago|earlier|back)"), _ago, True),
    (_compile(r"in {1,2}" + NUMBER + r" {1,2}" + _UNIT), _ahead, True),
    (_compile(_WHICH + r" {1,2}" + _WEEKDAY), _which_weekday, True),
    (
        _compile(_WHICH + r" {1,2}(?P<span>weekend|day|week|month|year|spring|summer|autumn|fall|winter)"),
        _which_unit,
        True,
    ),
    (_compile(_SEASON + r" {1,2}(?:of {1,2}|in {1,2})?" + _YEAR), _season, False),
    (_compile(r"(?:in|during|since|until|by) {1,2}(?:the {1,2})?" + _SEASON), _season, False),
    (
        _compile(_BEFORE_A_DAY + r"the {1,2}(?P<day>[0-3]?\d)(?:st|nd|rd|th)" + _BEHIND_A_DAY),
        _day_of_month,
        True,
    ),
    (_compile(MONTH, exact_case=True), _in_month, False),
    (_compile(_WEEKDAY), _which_weekday, True),
    (re.compile(r"(?<![\w$#.,/-])" + _YEAR + r"(?![\w/-]|[.,]\d)"), _year, False),
)
