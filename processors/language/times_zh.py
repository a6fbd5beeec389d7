"""Chinese time expressions, numbers in digits or characters. Every part is bounded, so matching is linear."""

import re
from datetime import datetime

from processors.language import timespan as ts
from processors.language.times_en import Rule

_DIGITS = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6,
             "1": 0, "2": 1, "3": 2, "4": 3, "5": 4, "6": 5, "7": 6}  # fmt: skip
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_OFFSETS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}

_N = r"[0-9〇零一二两三四五六七八九十]"
_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})年"
_MONTH = r"(?P<month>" + _N + r"{1,2})月份?"
_DAY = r"(?P<day>" + _N + r"{1,3})[日号]"
_REL_YEAR = r"(?P<rel>前|去|今|本|明|后)年的?"
_WHICH = r"(?P<which>上上|(?<!一)下下|上|这|本|(?<!一)下)"  # not of 约一下周四
_WEEK = r"(?:个?(?:星期|礼拜)|周)"
_TO_DAY = r"(?P<first>" + _N + r"{1,3})[日号]?(?:到|至|[-–—~～])" + _DAY
_PART = r"(?P<part>初(?![一二三四五六七八九十中高级次步期稿审试赛恋衷版])|[底末](?![薪价线层部片稿子端尾]))"
"""年初, 月底; but 大年初一 is a feast, 初中 a school, 底薪 a wage."""


def number(text: str) -> int:
    """Return the value of 0 to 99 in digits or characters, or of a year spelt digit by digit."""
    if text.isdigit() and text.isascii():
        return int(text)
    if "十" not in text:
        return int("".join(str(_DIGITS.get(c, c)) for c in text))
    tens, _, ones = text.partition("十")
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _year_number(m: re.Match[str], anchor: datetime) -> int | None:
    groups = m.groupdict()
    if groups.get("year"):
        return number(groups["year"])
    return anchor.year + _YEARS[groups["rel"]] if groups.get("rel") else None


def _date(m: re.Match[str], anchor: datetime) -> ts.Period:
    year = _year_number(m, anchor)
    of_year, of_month = number(m["month"]), number(m["day"])
    return ts.latest_date(anchor, of_year, of_month) if year is None else ts.date_of(anchor, year, of_year, of_month)


def _dates(m: re.Match[str], anchor: datetime) -> ts.Period:
    """From the first day to the last; 12 to 5 is none, and the last alone is meant."""
    last = _of_month(m, anchor) if m.groupdict().get("which") else _date(m, anchor)
    first = number(m["first"])
    if first > last.start.day:
        return last
    if _year_number(m, anchor) is None and not m.groupdict().get("which"):
        begins = ts.latest_date(anchor, number(m["month"]), first).start  # has begun, and may be running
        last = ts.date_of(anchor, begins.year, begins.month, last.start.day)
    return ts.Period(last.start.replace(day=first), last.end, "day")


def _part_of_year(m: re.Match[str], anchor: datetime) -> ts.Period:
    """Its first two months, or its last two."""
    year = _year_number(m, anchor)
    whole = ts.year_of(anchor, anchor.year if year is None else year)
    if m["part"] == "初":
        return ts.Period(whole.start, ts.month(whole.start, 2).start, "season")
    return ts.Period(ts.month(whole.end, -2).start, whole.end, "season")


def _part_of_month(m: re.Match[str], anchor: datetime) -> ts.Period:
    """Its first ten days, or what is left after twenty."""
    groups = m.groupdict()
    named = _of_month if groups.get("which") else _month if groups.get("month") else None
    whole = named(m, anchor) if named else ts.month(anchor)
    if m["part"] == "初":
        return ts.Period(whole.start, ts.day(whole.start, 10).start, "week")
    return ts.Period(ts.day(whole.start, 20).start, whole.end, "week")


def _month(m: re.Match[str], anchor: datetime) -> ts.Period:
    year = _year_number(m, anchor)
    which = number(m["month"])
    return ts.latest_month(anchor, which) if year is None else ts.month_of(anchor, year, which)


def _season(m: re.Match[str], anchor: datetime) -> ts.Period:
    name = _SEASONS[m["season"]]
    year = _year_number(m, anchor)
    return ts.latest_season(anchor, name, before=False) if year is None else ts.season_of(anchor, year, name)


def _year(m: re.Match[str], anchor: datetime) -> ts.Period:
    year = _year_number(m, anchor)
    return ts.year_of(anchor, anchor.year if year is None else year)


def _day(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.day(anchor, _DAYS[m["rel"]])


def _of_week(m: re.Match[str], anchor: datetime) -> ts.Period:
    offset = _OFFSETS[m["which"]]
    weekday = m.groupdict().get("weekday")
    if weekday is None:
        return ts.week(anchor, offset)
    return ts.weekend(anchor, offset) if weekday == "末" else ts.weekday(anchor, _WEEKDAYS[weekday], offset)


def _of_month(m: re.Match[str], anchor: datetime) -> ts.Period:
    period = ts.month(anchor, _OFFSETS[m["which"]])
    day = m.groupdict().get("day")
    return ts.date_of(anchor, period.start.year, period.start.month, number(day)) if day else period


def _bare_weekday(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.latest_weekday(anchor, _WEEKDAYS[m["weekday"]], before=False)


def _count(m: re.Match[str]) -> int:
    return 3 if m["count"] == "几" else number(m["count"])


def _ago(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.ago(anchor, _count(m), UNITS[m["unit"]])


def _ahead(m: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.ago(anchor, -_count(m), UNITS[m["unit"]])


_COUNT = r"(?<!" + _N[:-1] + r"第])(?P<count>几|" + _N + r"{1,3})个?(?P<unit>天|日|周|星期|礼拜|月|年)"
_OF_SEASON = r"(?P<season>[春夏秋冬])(?:天|季)"
RULES: tuple[Rule, ...] = (
    (re.compile(_YEAR + r"的?" + _MONTH + r"的?" + _TO_DAY), _dates, False),
    (re.compile(_REL_YEAR + _MONTH + r"的?" + _TO_DAY), _dates, True),
    (re.compile(_WHICH + r"个?月的?" + _TO_DAY), _dates, True),
    (re.compile(r"(?<!\d)" + _MONTH + r"的?" + _TO_DAY), _dates, False),
    (re.compile(_YEAR + r"的?" + _MONTH + _PART), _part_of_month, False),
    (re.compile(_REL_YEAR + _MONTH + _PART), _part_of_month, True),
    (re.compile(_WHICH + r"个?月" + _PART), _part_of_month, True),
    (re.compile(r"(?<![\d个几])" + _MONTH + _PART), _part_of_month, False),
    (re.compile(r"(?<![" + _N[1:-1] + r"几个每半月])月" + _PART), _part_of_month, True),
    (re.compile(_YEAR + r"的?年?" + _PART), _part_of_year, False),
    (re.compile(_REL_YEAR + r"年?" + _PART), _part_of_year, True),
    (re.compile(r"(?<![" + _N[1:-1] + r"几多半每整大小新过同当次])年" + _PART), _part_of_year, True),
    (re.compile(_YEAR + r"的?" + _MONTH + r"的?" + _DAY), _date, False),
    (re.compile(_REL_YEAR + _MONTH + r"的?" + _DAY), _date, True),
    (re.compile(_YEAR + r"的?" + _OF_SEASON), _season, False),
    (re.compile(_REL_YEAR + _OF_SEASON), _season, True),
    (re.compile(_YEAR + r"的?" + _MONTH), _month, False),
    (re.compile(_REL_YEAR + _MONTH), _month, True),
    (re.compile(_WHICH + r"个?月的?" + _DAY), _of_month, True),
    (re.compile(_WHICH + r"个?月(?!份?[日号])"), _of_month, True),
    (re.compile(r"(?<!\d)" + _MONTH + r"的?" + _DAY), _date, False),
    (re.compile(_WHICH + _WEEK + r"的?(?P<weekday>[一二三四五六](?!号)|[日天末]|[1-7](?![\d日号]))?"), _of_week, True),
    (re.compile(_COUNT + r"(?:以前|之前|前)"), _ago, True),
    (re.compile(_COUNT + r"(?:以后|之后|后)"), _ahead, True),
    (re.compile(r"(?P<rel>大前|大后|前|昨|今|明|(?<![然以之最])后)(?:天|日|晚|早)"), _day, True),
    (re.compile(_YEAR), _year, False),
    (re.compile(_REL_YEAR[:-2]), _year, True),
    (
        re.compile(r"(?:(?<![" + "上下这那本个每" + r"])|(?<=一下))(?:星期|礼拜|周)(?P<weekday>[一二三四五六日天])"),
        _bare_weekday,
        True,
    ),
    (re.compile(r"(?<![\d个几])" + _MONTH + r"(?!" + _N + r"|饼)"), _month, False),
    (re.compile(_OF_SEASON), _season, False),
)
