"""Chinese statements with the day, week or month that is meant in place of 昨天, 下周二, 上个月: words that say nothing
in a month."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from processors.language.timespan import TimeSpan
from processors.reader.rules.text import QUOTED

_FAR = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_PART = {"天": "", "日": "", "晚": "晚上", "早": "早上", "夜": "夜里"}
_DAY = re.compile(
    r"(?P<far>大[前后後]|[前昨今明后後])"
    r"(?P<part>天|日|[晚早夜](?=上|[^\u4e00-\u9fff]|[\u4e00-\u9fff]{2})(?:上(?![班学學课課工]))?)"
    r"(?!生|子|报|記|记|头|性|猴|下|方舟|之[后後]|香|青空|重现)"
)
_NO_DAY = re.compile(r"(?:[之目以生空今年叫然]|先天[和与跟、]?|月|周|[三几两]天)$")
"""Behind these it is part of another word: 之前天, 以后."""
_OFF = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "今": 0, "呢": 0, "下": 1, "下下": 2}
_WHICH = r"(?P<which>(?<![晚早马馬])上上|下下|(?<![晚早马馬路身线線以])上|(?<![以底乡鄉])下|[这這本今呢])"
_WEEK = re.compile(
    rf"{_WHICH}(?:一?[个個])?(?:周|週|星期|[礼禮]拜)"
    r"(?P<day>日(?![本记記语語程报報常期元用子])|[天末]"
    r"|[一二三四五六](?![次顿頓節节场場趟遍百十年月岁歲天个個到至、多]|回(?![来來去国國家])))?"
    r"(?![一二三四五六日天末几幾两兩])"
)
_WEEKDAY = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_MONTH = re.compile(
    rf"{_WHICH}(?:一?[个個]月份?|(?<=[上下本])月(?![台球光亮老食嫂经經薪]))(?P<end>[底初末]|中旬)?"
)
_END = re.compile(
    r"(?<![\d一二三四五六七八九十两兩几幾半个個每上下本这這去今明前后後当當])(?P<unit>[年月])(?P<end>[底末])"
)
_AGAIN = re.compile(r"每|都|总|總|一般|通常|经常|經常|常常")
"""Beside these an end of the month is that of every month."""
_THIS_YEAR = re.compile(r"今年(?=\d{1,2}月|[一二三四五六七八九十]{1,2}月)")
_YEARS = {"前": -2, "去": -1, "明": 1, "后": 2, "後": 2}
_YEAR = re.compile(
    r"(?<![\d一二三四五六七八九十两兩几幾半多目以之往])(?P<which>[前去明后後])年"
    r"(?:年(?=[底末初中]))?(?!年|度|[前后後轻輕紀纪代份华華龄齡货貨]|的?(?:[今这這此同]))"
    r"(?:的?(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?)?"
)
"""Behind a number it counts: 两年前, 三年后."""
_MONTH_NUMBERS = {c: n for n, c in enumerate((*"一二三四五六七八九十", "十一", "十二"), 1)}
_BESIDE_LATIN = re.compile(r"(?<=[A-Za-z])(?=\d{4}年)")
_COMMA = re.compile(r"(?<=\d[日号])，(?=[早晚上中下])")


def dated(text: str, at: datetime) -> str:
    """Return a statement with its days, weeks and months as dates, the year with the first; `at` is when it was said,
    in the zone of who said it. What is quoted stays."""
    dates = _Dates(at)
    pieces, end = [], 0
    for quoted in QUOTED.finditer(text):
        pieces += [dates.named(text[end : quoted.start()]), quoted.group()]
        end = quoted.end()
    return _BESIDE_LATIN.sub(" ", "".join([*pieces, dates.named(text[end:])]))


class _Dates:
    """The dates of one statement, which names a year once."""

    def __init__(self, at: datetime) -> None:
        self._at = at
        self._years = set[int]()

    def named(self, text: str) -> str:
        patterns = {_WEEK: self._week, _MONTH: self._month, _DAY: self._day, _YEAR: self._whole_year}
        if not _AGAIN.search(text):
            patterns[_END] = self._end
        text = _THIS_YEAR.sub(f"{self._at.year}年", text)
        found = [(m.start(), m, name) for pattern, name in patterns.items() for m in pattern.finditer(text)]
        pieces, end = [], 0
        for start, match, name in sorted(found, key=lambda f: f[0]):
            if start >= end:
                pieces += [text[end:start], _stated_time(name, match)]
                end = match.end()
        return _COMMA.sub("", "".join([*pieces, text[end:]]))

    def _year(self, year: int) -> str:
        year_text = "" if year in self._years else f"{year}年"
        self._years.add(year)
        return year_text

    def _day(self, match: re.Match[str]) -> str:
        if _NO_DAY.search(match.string[max(0, match.start() - 3) : match.start()]):
            return match.group()
        day = self._at + timedelta(days=_FAR[match["far"]])
        return f"{self._year(day.year)}{day.month}月{day.day}日{_PART[match['part'][0]]}"

    def _week(self, match: re.Match[str]) -> str:
        monday = self._at - timedelta(days=self._at.weekday()) + timedelta(weeks=_OFF[match["which"]])
        day = monday + timedelta(days=_WEEKDAY[match["day"] or "一"])
        behind = "那周" if match["day"] is None else "那个周末" if match["day"] == "末" else ""
        return f"{self._year(day.year)}{day.month}月{day.day}日{behind}"

    def _month(self, match: re.Match[str]) -> str:
        whole = self._at.year * 12 + self._at.month - 1 + _OFF[match["which"]]
        return f"{self._year(whole // 12)}{whole % 12 + 1}月{match['end'] or ''}"

    def _whole_year(self, match: re.Match[str]) -> str:
        year = self._at.year + _YEARS[match["which"]]
        self._years.add(year)
        month = match["month"]
        return f"{year}年" if month is None else f"{year}年{_MONTH_NUMBERS.get(month, month)}月"

    def _end(self, match: re.Match[str]) -> str:
        if match["unit"] == "年":
            return f"{self._at.year}年{match['end']}"
        return f"{self._year(self._at.year)}{self._at.month}月{match['end']}"


def _stated_time(name: Callable[[re.Match[str]], str], match: re.Match[str]) -> str:
    """What stands outside the calendar stays as said."""
    try:
        return name(match)
    except OverflowError:
        return match.group()


def with_year(text: str, span: TimeSpan) -> str:
    """Return a statement with the year of a month, day or season that it names by itself, a weekday as its date.
    `span` has been resolved. What is quoted, or no part of the statement, stays."""
    begin = text.find(span.text)
    end = begin + len(span.text)
    if begin < 0 or re.search(r"\d{4}年", text):
        return text
    if any(q.start() < end and begin < q.end() for q in QUOTED.finditer(text)):
        return text
    start = span.start
    if _WEEKDAY_ALONE.fullmatch(span.text):
        named = f"{start.year}年{start.month}月{start.day}日"
    elif span.precision in ("day", "month") and _NAMES_MONTH.match(span.text):
        named = f"{start.year}年{_MONTH_NAMED.sub(lambda m: f'{_MONTH_NUMBERS[m[1]]}月', span.text)}"
    elif span.precision == "season" and _NAMES_SEASON.match(span.text):
        named = f"{start.year}年{span.text}"
    else:
        return text
    return _BESIDE_LATIN.sub(" ", f"{text[:begin]}{named}{text[end:]}")


_NAMES_MONTH = re.compile(r"(?:\d{1,2}|[一二三四五六七八九十]{1,2})月")
_NAMES_SEASON = re.compile(r"[春夏秋冬]")
_WEEKDAY_ALONE = re.compile(r"(?:星期|礼拜|周)[一二三四五六日天]")
_MONTH_NAMED = re.compile(r"^(十[一二]?|[一二三四五六七八九])月")
