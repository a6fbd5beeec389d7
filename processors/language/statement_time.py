"""The time of a statement that is of its time (a reading, a spell of something, an operation): a date, how long it has
lasted, the hour, or how old its owner was then. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from processors.language import times
from processors.language.timespan import Precision, TimeSpan, midnight

_NUMBERS_EN = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_DIGITS_ZH = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_LASTS_EN = re.compile(
    r"\b(?:for (?:the (?:last|past) )?"
    rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS_EN)}) (?P<unit>day|week|month|year)s?\b(?! ago| now and then)"
    rf"|(?P<n2>\d{{1,3}}|{'|'.join(_NUMBERS_EN)}) (?P<unit2>day|week|month|year)s? now\b)",
    re.IGNORECASE,
)
_LASTS_ZH = re.compile(
    r"(?<![\d一二两三四五六七八九十几好约来半])(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3}|半)个?(?P<unit>天|周|星期|礼拜|月|年)"
    r"(?=了|以?来|$|[，。；！])"
)
_SINCE_EN = re.compile(
    r"\b(?:since|from|started|starting|began|beginning|comes? and goes?)\b[^.;]{0,40}$", re.IGNORECASE
)
_SINCE_ZH = re.compile(r"^(?:[早晚]上?|[上下]午|份)?(?:以来|起|开始|到现在|至今|之后就|就)")
_AGE = re.compile(
    r"\b(?:when I was|at (?:the )?age(?: of)?) (?P<en>\d{1,2})\b"
    r"|(?P<zh>\d{1,2}|[一二三四五六七八九十]{1,3})岁(?:那年|的?时候?|时)",
    re.IGNORECASE,
)
_HOUR_EN = re.compile(
    r"\b(?P<h>\d{1,2})(?:[:.](?P<m>[0-5]\d))? ?(?P<half>[ap])\.?m\b\.?|\b(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)\b"
    r"|\b(?P<noon>noon|midday)\b",
    re.IGNORECASE,
)
_HOUR_ZH = re.compile(
    r"(?P<part>凌晨|清晨|早上|早晨|今早|上午|中午|下午|傍晚|今晚|昨晚|晚上|夜里|睡前)?(?:的|大概|大约)?"
    r"(?:(?P<h>\d{1,2}|[一二两三四五六七八九十]{1,3})[点時时](?![零一二三四五六七八九\d](?!\d?分|[一二三四五六七八九十]分))"
    r"(?P<min>半|一刻|三刻|(?P<m>\d{1,2}|[一二三四五六七八九十]{1,3})分)?|(?P<h24>[01]?\d|2[0-3])[:：](?P<m24>[0-5]\d))"
)
_LATE = frozenset({"下午", "傍晚", "今晚", "昨晚", "晚上", "夜里", "睡前"})
_UNITS: dict[str, Precision] = {
    "day": "day", "天": "day", "week": "week", "周": "week", "星期": "week", "礼拜": "week", "month": "month",
    "月": "month", "year": "year", "年": "year",
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LEAD = {"en": 24, "zh": 16}
"""Characters before a clause, in its sentence, in which its time may stand: "This morning: ...", 早上7点量的，..."""
_BEHIND_A_NUMBER = re.compile(r"\d[\d./]*[^,;，；\d]{0,20}?(?=[,;，；]| with | and )")
_SENTENCE = re.compile(r"[。！？!?\n；;]|\.(?=\s)")


@dataclass(frozen=True, slots=True)
class ToldTime:
    """`start` is None where only an age is told. `since`: it has gone on from `start`. `hour`: `start` is exact."""

    text: str
    start: datetime | None = None
    end: datetime | None = None
    precision: Precision = "day"
    since: bool = False
    hour: bool = False
    dated: bool = False
    """Its text names a date of the calendar itself."""


def told_time(
    text: str, start: int, end: int, anchor: datetime, language: Literal["en", "zh"], *, measured: bool = False
) -> ToldTime | None:
    """The time of the clause `text[start:end]`, else the one that leads there in its sentence; never one after
    `anchor`, which is when it was said in the zone of who said it. `measured`: of a number, of which how long something
    else behind it has gone on says nothing."""
    clause = text[start:end]
    before = _SENTENCE.split(text[:start])[-1]
    lead = before if len(before.strip()) <= _LEAD[language] else ""
    found = _dated(clause, anchor, language) or _lasting(clause, anchor, language) or _dated(lead, anchor, language)
    if measured and found is not None and found.since and (cut := _BEHIND_A_NUMBER.search(clause)) is not None:
        clause = clause[: cut.end()]
        found = _dated(clause, anchor, language) or _lasting(clause, anchor, language) or _dated(lead, anchor, language)
    clock = _clock(clause, language) or _clock(lead, language)
    if clock is not None and (found is None or found.precision == "day"):
        return _at_hour(found, clock, anchor) or found
    return found or _aged(clause)


def _dated(text: str, anchor: datetime, language: str) -> ToldTime | None:
    for begin, span in times.placed(text, anchor):
        if span.start > anchor:
            continue
        close = begin + len(span.text)
        since = _SINCE_EN.search(text[:begin]) if language == "en" else _SINCE_ZH.match(text[close:])
        return ToldTime(span.text, span.start, span.end, span.precision, since is not None, dated=not span.relative)
    return None


def _lasting(text: str, anchor: datetime, language: str) -> ToldTime | None:
    """How long it has been so, counted back; "a few days" is no number (B2)."""
    match = (_LASTS_EN if language == "en" else _LASTS_ZH).search(text)
    if match is None:
        return None
    groups = match.groupdict()
    amount, unit = groups["n"] or groups.get("n2") or "", groups["unit"] or groups.get("unit2") or ""
    precision = _UNITS[unit.lower()]
    number = 0.5 if amount == "半" else _number(amount)
    if number is None or (amount == "半" and precision not in {"month", "year"}):
        return None
    start = _back(anchor, number, precision)
    if start is None:
        return None
    return ToldTime(match.group(), start, anchor, "day" if precision == "week" else precision, since=True)


def _back(anchor: datetime, number: float, precision: Precision) -> datetime | None:
    days = {"day": 1, "week": 7}.get(precision)
    try:
        if days is not None:
            return midnight(anchor) - timedelta(days=number * days)
        if precision == "month" and number == 0.5:
            return midnight(anchor) - timedelta(days=15)
        months = round(number * (1 if precision == "month" else 12))
        year, month = divmod(anchor.year * 12 + anchor.month - 1 - months, 12)
        first = midnight(anchor).replace(year=year, month=month + 1, day=1)
        return first.replace(month=1) if precision == "year" and number >= 1 else first
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    if text.lower() in _NUMBERS_EN:
        return _NUMBERS_EN[text.lower()]
    tens, ten, ones = text.rpartition("十")
    if any(c not in _DIGITS_ZH for c in tens + ones) or len(tens) > 1 or len(ones) > 1:
        return None
    return (_DIGITS_ZH[tens] if tens else 1) * 10 * bool(ten) + (_DIGITS_ZH[ones] if ones else 0)


def _clock(text: str, language: str) -> tuple[int, int] | None:
    """Hour and minute; in Chinese an hour by itself needs the part of the day: "7点" may be either."""
    match = (_HOUR_EN if language == "en" else _HOUR_ZH).search(text)
    if match is None:
        return None
    if match["h24"]:
        return int(match["h24"]), int(match["m24"])
    return _clock_en(match) if language == "en" else _clock_zh(match)


def _clock_en(match: re.Match[str]) -> tuple[int, int] | None:
    if match["noon"]:
        return 12, 0
    hour = int(match["h"])
    return (hour % 12 + (12 if match["half"].lower() == "p" else 0), int(match["m"] or 0)) if hour <= 12 else None


def _clock_zh(match: re.Match[str]) -> tuple[int, int] | None:
    hour, part = _number(match["h"]), match["part"]
    minute = {None: 0, "半": 30, "一刻": 15, "三刻": 45}.get(match["min"])
    if minute is None:
        minute = _number(match["m"])
    if hour is None or minute is None or hour > 24 or minute > 59 or (part is None and hour <= 12):
        return None
    late = part in _LATE or (part == "中午" and hour < 6)
    return (hour + 12 if late and hour < 12 else hour) % 24, minute


def _at_hour(found: ToldTime | None, clock: tuple[int, int], anchor: datetime) -> ToldTime | None:
    """That hour of the day that is told, else of the day it was said on; None for one still to come."""
    day = midnight(anchor) if found is None or found.start is None else found.start
    at = day.replace(hour=clock[0], minute=clock[1])
    if at > anchor:
        return None
    stated = found or ToldTime(f"{clock[0]:02}:{clock[1]:02}")
    return replace(stated, start=at, end=at + timedelta(minutes=1), hour=True)


def _aged(text: str) -> ToldTime | None:
    match = _AGE.search(text)
    age = None if match is None else _number(match["en"] or match["zh"])
    if match is None or age is None:
        return None
    return ToldTime(f"at {age}" if match["en"] else f"{age}岁时", precision="year")


def with_time(text: str, stated: ToldTime | None, stated_at: datetime | None, language: Literal["en", "zh"]) -> str:
    """A statement with its time behind it as a date, which says the same in a year. `stated_at`: the day that stands
    for one that was not told."""
    if stated is None:
        return text if stated_at is None else _bracketed(text, _date(stated_at, "day", language), language)
    if stated.start is None:
        age = re.sub(r"\D", "", stated.text)
        return text if age in text or "岁" in text else _bracketed(text, stated.text, language)
    if (
        stated.dated
        and not stated.since
        and not stated.hour
        and stated.text in text
        and re.search(r"\d{4}", stated.text)
    ):
        return text
    date = _date(stated.start, stated.precision, language)
    if stated.hour:
        date = f"{date}, {stated.start:%H:%M}" if language == "en" else f"{date}{stated.start:%H:%M}"
    if stated.precision == "week":
        date = f"the week of {date}" if language == "en" else f"{date}那周"
    if stated.since:
        date = f"since {date}" if language == "en" else f"{date}起"
    return _bracketed(text, date, language)


def _date(at: datetime, precision: Precision, language: str) -> str:
    if language == "zh":
        month = "" if precision == "year" else f"{at.month}月"
        day = f"{at.day}日" if precision in {"day", "week"} else ""
        return f"{at.year}年{month}{day}"
    month = "" if precision == "year" else f"{_MONTHS[at.month - 1]} "
    day = f"{at.day} " if precision in {"day", "week"} else ""
    return f"{day}{month}{at.year}"


def _bracketed(text: str, date: str, language: str) -> str:
    return f"{text}（{date}）" if language == "zh" else f"{text} ({date})"


def as_span(stated: ToldTime | None) -> TimeSpan | None:
    """What a candidate keeps of it; None where no day is told."""
    if stated is None or stated.start is None or stated.end is None:
        return None
    return TimeSpan(stated.start, stated.end, stated.text, stated.precision, relative=True)
