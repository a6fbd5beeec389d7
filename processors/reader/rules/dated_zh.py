"""Chinese statements with the day that is meant in place of 昨天 and 今晚, which say nothing in a month."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from processors.reader.rules.text import QUOTED

_FAR = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_PART = {"天": "", "日": "", "晚": "晚上", "早": "早上", "夜": "夜里"}
_DAY = re.compile(
    r"(?P<far>大[前后後]|[前昨今明后後])"
    r"(?P<part>天|日|[晚早夜](?=上|[^\u4e00-\u9fff]|[\u4e00-\u9fff]{2})上?)(?!生|子|报|記|记|头|性|猴|下)"
)
_MONTH = re.compile(r"今年(?=\d{1,2}月|[一二三四五六七八九十]{1,2}月)")
_NO_DAY = re.compile(r"(?:[之目以生空]|先天[和与跟、]?|月|周|[三几两]天)$")
"""Behind these it is part of another word: 之前天, 以后."""


def dated(text: str, at: datetime) -> str:
    """Return a statement with its days as dates, the year with the first; `at` is when it was said, in the zone of
    who said it. What is quoted stays."""
    named: list[str] = []
    pieces, end = [], 0
    for quoted in QUOTED.finditer(text):
        pieces += [_outside(text[end : quoted.start()], at, named), quoted.group()]
        end = quoted.end()
    return "".join([*pieces, _outside(text[end:], at, named)])


def _outside(text: str, at: datetime, named: list[str]) -> str:
    text = _MONTH.sub(f"{at.year}年", text)
    return re.sub(r"(?<=\d[日号])，(?=[早晚上中下])", "", _DAY.sub(_date(at, named), text))


def _date(at: datetime, named: list[str]) -> Callable[[re.Match[str]], str]:
    def told(match: re.Match[str]) -> str:
        if _NO_DAY.search(match.string[max(0, match.start() - 3) : match.start()]):
            return match.group()
        day = at + timedelta(days=_FAR[match["far"]])
        year = "" if named else f"{day.year}年"
        named.append(match.group())
        return f"{year}{day.month}月{day.day}日{_PART[match['part'][0]]}"

    return told
