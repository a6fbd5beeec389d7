"""Which time a query limits: its time expressions, and the words beside them that open a span or make it one. Pure.

What only a question needs is here and not in `processors.language.times`, whose spans memories and the ranking
are made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from processors.language import times, times_en, times_zh
from processors.language import timespan as ts

_BARE_MONTH = re.compile(times_en.MONTH)
_BARE_YEAR = re.compile(r"\d{4}")
_LEADS = re.compile(r"(?:in|during|since|until|by) {1,2}(?:the {1,2})?", re.IGNORECASE)
"""What a rule for seasons has within its span."""
_BEFORE = re.compile(r"\b(?:before|prior {1,2}to|earlier {1,2}than) {1,2}(?:the {1,2})?$", re.IGNORECASE)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|up {1,2}to)(?: {1,2}the {1,2}end {1,2}of)? {1,2}(?:the {1,2})?|直到|截至|截止到?)$",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby {1,2}(?:the {1,2})?$", re.IGNORECASE)
"""A deadline: it says nothing of when it was spoken of."""
_SINCE = re.compile(r"\b(?:ever {1,2})?since {1,2}(?:the {1,2})?$", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|later {1,2}than) {1,2}(?:the {1,2})?$", re.IGNORECASE)
_BEFORE_ZH = re.compile(r"(?:之前|以前|前(?![后端台面往线期任辈]))")
_SINCE_ZH = re.compile(r"(?:以来|至今|以后|起(?=[，,。？?！! ]|$))")
_AFTER_ZH = re.compile(r"(?:之后|过后)")
_TELLS_MONTH = re.compile(
    r"\b(?:in|of|during|throughout|over|between|from|last|this|(?:in {1,2})?(?:early|late|mid))[ -]{1,2}$",
    re.IGNORECASE,
)
_TELLS_YEAR = re.compile(
    r"\b(?:(?:in|during|throughout|over|between)(?: {1,2}(?:early|late|mid))?(?: {1,2}the {1,2}year)?"
    r"|(?:end|start|beginning|middle|half|rest|all|year) {1,2}of)[ -]{1,2}$",
    re.IGNORECASE,
)
_BESIDE = 48
"""Characters before a span that are read."""
_JOINS = re.compile(r"\s*(?:and|or|to|[-–,])\s*", re.IGNORECASE)
_MODEL_ZH = re.compile(r"[款版型]")
"""2024年款 is a model."""
_ENDING = ("年底", "年末", "月底", "月末")
"""年底: what is done before it is done by its end, and until it is over it is a deadline."""


@dataclass(frozen=True, slots=True)
class Limit:
    """[since, until), open where None, and the words that say so."""

    since: datetime | None
    until: datetime | None
    words: list[str]


def limit(query: str, now: datetime) -> Limit | None:
    """What is over or running at `now`, or None. Spans that stand by themselves count as one, from the first to the
    last; where there is none, what "before", "since" and their like leave open."""
    closed: list[tuple[datetime, datetime, str]] = []
    opened: list[tuple[datetime | None, datetime | None, str]] = []
    position = -1
    for begin, span in times.placed(query, now, RULES):
        end = begin + len(span.text)
        lead = _LEADS.match(span.text)
        at = begin + (lead.end() if lead else 0)
        joined = position >= 0 and _JOINS.fullmatch(query[position:begin]) is not None
        before, after = query[max(0, at - _BESIDE) : at], query[end : end + 2]
        side = _side(before, after, span)
        if side is not None:
            since, until, back, on = side
            if (until or since or now) <= now:
                opened.append((since, until, query[at - back : end + on].strip()))
            position = end
        elif _BY.search(before) is None and (joined or _is_meant(before, after, span)):
            if (span.end if span.text.endswith(_ENDING) else span.start) <= now:
                closed.append((span.start, span.end, span.text))
            position = end
    if closed:
        return Limit(min(c[0] for c in closed), max(c[1] for c in closed), [c[2] for c in closed])
    since = max((o[0] for o in opened if o[0] is not None), default=None)
    until = min((o[1] for o in opened if o[1] is not None), default=None)
    if not opened or (since is not None and until is not None and since >= until):
        return None
    return Limit(since, until, [o[2] for o in opened])


def _side(before: str, after: str, span: ts.TimeSpan) -> tuple[datetime | None, datetime | None, int, int] | None:
    """The half-open time that the words around a span ask for, and how many characters of them stand before and after.
    "Until May" has May in it."""
    for pattern, since, until in (
        (_BEFORE, None, span.start), (_UNTIL, None, span.end), (_SINCE, span.start, None), (_AFTER, span.end, None),
    ):  # fmt: skip
        if (m := pattern.search(before)) is not None:
            return since, until, len(before) - m.start(), 0
    begins = span.end if span.text.endswith(_ENDING) else span.start
    for pattern, since, until in (
        (_BEFORE_ZH, None, begins), (_SINCE_ZH, span.start, None), (_AFTER_ZH, span.end, None),
    ):  # fmt: skip
        if (m := pattern.match(after)) is not None:
            return since, until, 0, m.end()
    return None


def _is_meant(before: str, after: str, span: ts.TimeSpan) -> bool:
    """Whether a word that may be something else is a time: May is a verb and a name, 2020 a port."""
    if _BARE_MONTH.fullmatch(span.text):
        return _TELLS_MONTH.search(before) is not None
    if _BARE_YEAR.fullmatch(span.text):
        return _TELLS_YEAR.search(before) is not None
    return not (span.text.endswith("年") and _MODEL_ZH.match(after))


_FEW = 7
"""Of "a few": rather too many than too few."""
_COUPLE = 3


def _some_ago(m: re.Match[str], anchor: datetime) -> ts.Period:
    """A time that the speaker left open: any of the units before the running one, back to as many as may be meant."""
    groups = m.groupdict()
    most = _COUPLE if "couple" in (groups.get("count") or "").lower() else _FEW
    unit = times_zh.UNITS.get(groups["unit"], groups["unit"].lower())
    return ts.Period(ts.ago(anchor, most, unit).start, ts.ago(anchor, 0, unit).start, "day")


_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}


def _back(anchor: datetime, days: int) -> ts.Period:
    return ts.Period(ts.day(anchor, -days).start, ts.day(anchor, 1).start, "day")


def _last_en(m: re.Match[str], anchor: datetime) -> ts.Period:
    words = " ".join(m["count"].lower().split())
    count = int(words) if words.isdigit() else _FEW if "few" in words else times_en.NUMBERS[words]
    return _back(anchor, count * _DAYS[m["unit"].lower()])


def _last_zh(m: re.Match[str], anchor: datetime) -> ts.Period:
    count = _FEW if m["count"] == "几" else times_zh.number(m["count"])
    return _back(anchor, count * _DAYS[times_zh.UNITS[m["unit"]]])


def _half_year_ago(_: re.Match[str], anchor: datetime) -> ts.Period:
    return ts.Period(ts.month(anchor, -7).start, ts.month(anchor, -4).start, "season")


def _quarter(anchor: datetime, year: int, number: int) -> ts.Period:
    first = ts.month_of(anchor, year, 3 * number - 2)
    return ts.Period(first.start, ts.month(first.start, 3).start, "season")


def _from_quarter(anchor: datetime, offset: int) -> ts.Period:
    quarters = anchor.year * 4 + (anchor.month - 1) // 3 + offset
    return _quarter(anchor, quarters // 4, quarters % 4 + 1)


def _which_quarter(m: re.Match[str], anchor: datetime) -> ts.Period:
    return _from_quarter(anchor, {"last": -1, "past": -1, "previous": -1}.get(m["which"].lower(), 0))


def _which_quarter_zh(m: re.Match[str], anchor: datetime) -> ts.Period:
    return _from_quarter(anchor, {"上上": -2, "上": -1}.get(m["which"], 0))


_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_REL_YEARS = {"前": -2, "去": -1, "今": 0, "本": 0}


def _numbered(m: re.Match[str], anchor: datetime) -> ts.Period:
    groups = m.groupdict()
    n = groups["number"].lower()
    number = int(n) if n.isdigit() else _ORDINALS[n]
    if groups.get("year"):
        return _quarter(anchor, times_zh.number(groups["year"]), number)
    if groups.get("rel"):
        return _quarter(anchor, anchor.year + _REL_YEARS[groups["rel"]], number)
    return _quarter(anchor, anchor.year - (number > (anchor.month + 2) // 3), number)


def _weekend(m: re.Match[str], anchor: datetime) -> ts.Period:
    which = m.groupdict().get("which")
    if which in ("上", "上上"):
        return ts.weekend(anchor, -len(which))
    this = ts.weekend(anchor)
    return this if this.start <= anchor else ts.weekend(anchor, -1)


def _rule(pattern: str, resolve: Callable[[re.Match[str], datetime], ts.Period]) -> times_en.Rule:
    return re.compile(pattern, re.IGNORECASE), resolve, True


_ZH = r"[0-9一二两三四五六七八九十]{1,3}"
RULES: tuple[times_en.Rule, ...] = (
    _rule(rf"\b(?:last|past|previous) {{1,2}}{times_en.NUMBER} {{1,2}}(?P<unit>day|week|month|year)s?\b", _last_en),
    _rule(rf"(?:最近|过去|近)的?(?P<count>几|{_ZH})个?(?P<unit>天|日|周|星期|礼拜|月|年)", _last_zh),
    _rule(
        r"\b(?P<count>a couple(?: of)?|a few|few|some|several) {1,2}(?P<unit>day|week|month|year)s?"
        r" {1,2}(?:ago|back|earlier)\b",
        _some_ago,
    ),
    _rule(r"(?<![十百千0-9])(?:好几|几|数)个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以前|之前|前)", _some_ago),
    _rule(r"(?<![提之以目])前(?:好?几|些)个?(?P<unit>天|日|周|星期|礼拜|月|年)", _some_ago),
    _rule(r"\bhalf a year (?:ago|back)\b|半年(?:多?以前|多?之前|多?前)", _half_year_ago),
    _rule(r"\bQ(?P<number>[1-4])(?: {1,2}(?:of {1,2})?|/)(?P<year>(?:19|20)\d\d)\b", _numbered),
    _rule(r"\b(?P<number>first|second|third|fourth|last) quarter of (?P<year>(?:19|20)\d\d)\b", _numbered),
    _rule(r"\b(?P<which>last|past|previous|this|current) {1,2}quarter\b", _which_quarter),
    _rule(r"(?<=\bin )Q(?P<number>[1-4])\b", _numbered),
    _rule(r"(?<=\bin the )(?P<number>first|second|third|fourth) {1,2}quarter\b", _numbered),
    _rule(r"(?:(?P<year>(?:19|20)\d\d)年|(?P<rel>[前去今本])年)?的?第?(?P<number>[1-4一二三四])季度", _numbered),
    _rule(r"(?P<which>上上|上|本|这)(?:一?个)?季度", _which_quarter_zh),
    _rule(r"\b(?:over|at|on|during) the weekend\b", _weekend),
    _rule(r"(?<![上下这本个每])(?:(?P<which>上上|上|这|本)个)?周末", _weekend),
)
