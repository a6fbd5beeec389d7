"""The day by which a task is due, as it was said: "by Thursday", "before 27 November", 下周二之前 (A6). Pure.

Days lie ahead of the day on which they are said, other than those that memories name (`processors.language.times`).
What is vague ("next month", 月初) is no day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_HAN_DAYS = "一二三四五六日"
_SMALL = {"one": 1, "two": 2, "three": 3, "a": 1, "a couple of": 2, "两": 2}
_SMALL |= {c: n for n, c in enumerate("一二三四五", 1)}
_MONTH = r"(?P<month>" + "|".join(f"{m}|{m[:3]}" for m in _MONTHS) + r"|sept)\.?"
_BY = re.compile(
    r"(?:\b(?:by|before|until|till|due(?: on)?|no later than|deadline(?: is)?:?)|不晚于|截止(?:到|日期[是为]?)?"
    r"|[赶于]?在)\s?(?:the |end of )?$",
    re.I,
)
_BEFORE = re.compile(r"[^，。；,]{0,5}?(?:之前|以前|前|截止|为止|内|要交|交付|交稿|给[我你他她]|搞定|弄好|完成)")
_SINCE = re.compile(r"\b(?:since|from|last|past)(?: the)?\s$|[自从]$", re.I)
_Day = Callable[[re.Match[str], date], date | None]


def due(text: str, stated_on: date, *, latest: bool = False) -> date | None:
    """The day named as the latest, else (unless `latest`) the first day ahead that is named. `stated_on`: when, in the
    project's zone."""
    found = sorted(_found(text, stated_on), key=lambda f: f[0])
    marked = [day for begin, end, day in found if _BY.search(text[:begin]) or _BEFORE.match(text[end:])]
    if marked:
        return marked[-1]
    return found[0][2] if found and not latest else None


def _found(text: str, stated_on: date) -> Iterator[tuple[int, int, date]]:
    taken: list[tuple[int, int]] = []
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and begin < match.end() for begin, end in taken):
                continue
            taken.append(match.span())
            try:
                day = resolve(match, stated_on)
            except ValueError:  # no such day
                continue
            began = _SINCE.search(text[: match.start()]) is not None
            if day is not None and not began and stated_on <= day <= stated_on + timedelta(days=400):
                yield match.start(), match.end(), day


def _iso(m: re.Match[str], stated_on: date) -> date:
    return date(int(m["year"]), int(m["number"]), int(m["day"]))


def _dated(m: re.Match[str], stated_on: date) -> date:
    groups = m.groupdict()
    month = groups.get("month")
    number = next(i for i, n in enumerate(_MONTHS, 1) if n.startswith(month.lower()[:3])) if month else int(m["number"])
    day = date(stated_on.year, number, int(m["day"]))
    return day if day >= stated_on - timedelta(days=60) else date(stated_on.year + 1, number, int(m["day"]))


def _of_month(m: re.Match[str], stated_on: date) -> date:
    day = int(m["day"])
    if day >= stated_on.day:
        return stated_on.replace(day=day)
    year, number = (stated_on.year + 1, 1) if stated_on.month == 12 else (stated_on.year, stated_on.month + 1)
    return date(year, number, day)


def _weekday(m: re.Match[str], stated_on: date) -> date:
    index = next(i for i, name in enumerate(_DAYS) if name.startswith(m["weekday"].lower()[:3]))
    if (m["which"] or "").lower() == "next":
        return stated_on - timedelta(days=stated_on.weekday()) + timedelta(days=7 + index)
    return stated_on + timedelta(days=(index - stated_on.weekday()) % 7 or 7)


def _han_weekday(m: re.Match[str], stated_on: date) -> date:
    index = _HAN_DAYS.index(m["weekday"].replace("天", "日").replace("末", "日"))
    monday = stated_on - timedelta(days=stated_on.weekday())
    which = m["which"] or ""
    if which.startswith("下"):
        return monday + timedelta(days=7 * len(which.rstrip("个")) + index)
    if which:
        return monday + timedelta(days=index)
    return stated_on + timedelta(days=(index - stated_on.weekday()) % 7)


def _ahead(m: re.Match[str], stated_on: date) -> date:
    count = m["count"].lower()
    days = int(count) if count.isdigit() else _SMALL[count]
    return stated_on + timedelta(days=days * (7 if m["unit"][0] in "w周" else 1))


def _in(days: int) -> _Day:
    return lambda _, phrase: phrase + timedelta(days=days)


def _month_end(_: re.Match[str], stated_on: date) -> date:
    first = date(stated_on.year + stated_on.month // 12, stated_on.month % 12 + 1, 1)
    return first - timedelta(days=1)


def _rule(pattern: str, resolve: _Day) -> tuple[re.Pattern[str], _Day]:
    return re.compile(pattern, re.I), resolve


_RULES = (
    _rule(r"(?<!\d)(?P<year>20\d\d)[-/年](?P<number>[01]?\d)[-/月](?P<day>[0-3]?\d)(?!\d)日?", _iso),
    _rule(rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?: of)? {_MONTH}(?![a-z])", _dated),
    _rule(rf"\b{_MONTH} (?:the )?(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\w:])", _dated),
    _rule(r"(?<!\d)(?P<number>[01]?\d)月(?P<day>[0-3]?\d)[号日]?", _dated),
    _rule(r"\bthe (?P<day>[0-3]?\d)(?:st|nd|rd|th)\b", _of_month),
    _rule(r"(?<![\d月第])(?P<day>[0-3]?\d)[号日](?!\w{0,2}(?:中心|服务|[楼机线库仓柜房位店车门患受用]))", _of_month),
    _rule(r"\b(?:(?P<which>next|this|coming) )?(?P<weekday>" + "|".join(_DAYS) + r")\b", _weekday),
    _rule(r"(?P<which>这个?|本|下下?个?)?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])", _han_weekday),
    _rule(r"\bthe day after tomorrow\b|(?<!大)后天", _in(2)),
    _rule(r"大后天", _in(3)),
    _rule(r"\btomorrow\b|明[天早晚日]", _in(1)),
    _rule(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|end of day|eod)\b", _in(0)),
    _rule(r"\b(?:after|before) (?:stand-?up|lunch|work)\b|\b(?:by|before) noon\b", _in(0)),
    _rule(r"(?<![天日早晚一二三四五六末号\d])(?:上午|中午|下午|晚上)", _in(0)),
    _rule(r"今[天晚日]|(?<![天日一二三四五六])下班前", _in(0)),
    _rule(r"\b(?:with)?in (?P<count>\d{1,2}|one|two|three|a couple of|a) (?P<unit>day|week)s?\b", _ahead),
    _rule(r"(?P<count>\d{1,2}|[一两二三四五])(?P<unit>天|周)(?:之?内|以内|后)", _ahead),
    _rule(r"\bend of (?:the|this) month\b|(?<!上个)(?<!下个)月底", _month_end),
)  # fmt: skip
