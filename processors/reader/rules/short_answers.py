"""Short answers that only name things, to the questions of short_answers.toml: "penicillin" to one about what is not
borne.

The questions are data. What makes an answer a list of things, and nothing else, is language and stands here: what is
denied, doubted or put off names none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile
from typing import Literal

from processors.reader.rules.common_en import CHAT, FUNCTION

_LEAD_EN = re.compile(r"(?:(?:yes|yeah|yep|just|only|mainly|mostly|to|it's|i have|there's)\b[,:]? +){1,3}", re.I)
_THING_EN = re.compile(r"[a-z][a-z-]{2,20}(?: [a-z][a-z-]{2,20}){0,4}", re.I)
_ONE_WORD_EN = re.compile(r"(?:(?:and|or) )?[a-z][a-z-]{2,20}(?: (?:and|or) [a-z][a-z-]{2,20})?", re.I)
_JOINS_EN = frozenset({"and", "or"})
_NO_THING_EN = FUNCTION | CHAT | {"nil", "zero", "unknown", "unsure", "unaware", "skip", "dunno", "whatever"}
_LEAD_ZH = re.compile(r"(?:有的?|是的?|嗯|对|只有|就是?|主要是?)[，,：:\s]{0,2}")
_THING_ZH = r"[\u4e00-\u9fffA-Za-z]{1,8}"
_THINGS_ZH = re.compile(rf"(?P<things>{_THING_ZH}(?:[、和跟与及]{_THING_ZH}){{0,4}})")
_NO_THING_ZH = re.compile(
    r"[没无不未否别我你您他她它这那哪谁啥先再看问说想知了的吧吗呢嘛啊呀哦嗯好谢都全很太最第几两]|什么|怎么|可能|也许|好像|应该|大概"
    r"|以[前后]|[\d一二三四五六七八九十]+[个位份人次年]"
)


@dataclass(frozen=True, slots=True)
class _FieldQuestion:
    asked: re.Pattern[str]
    answer: re.Pattern[str] | None
    says: str


def _loaded(language: Literal["en", "zh"]) -> tuple[_FieldQuestion, ...]:
    data = tomllib.loads((files(__package__) / "short_answers.toml").read_text(encoding="utf-8"))
    return tuple(
        _FieldQuestion(
            re.compile(each["asked"], re.I), re.compile(each["answer"], re.I) if "answer" in each else None,
            each["says"],
        )
        for each in data[language]
    )  # fmt: skip


_EN = _loaded("en")
_ZH = _loaded("zh")


def named_en(question_text: str, text: str) -> str | None:
    """Return what an English answer says as a sentence of the user's own; None where it does not only name things."""
    lead = _LEAD_EN.match(text)
    parts = [part.strip() for part in re.split(r"[,.;:(]", text[lead.end() :] if lead else text)]
    for question in _EN:
        if not question.asked.search(question_text):
            continue
        if question.answer is None:
            things = _things_en(parts)
        else:
            match = question.answer.fullmatch(parts[0])
            things = "" if match is None else match.groupdict().get("things") or match.group()
        if things:
            return question.says.format(things.lower())
    return None


def _things_en(parts: Sequence[str]) -> str:
    """The things that an answer begins with: what follows a comma is one more where it is one word."""
    if not _THING_EN.fullmatch(parts[0]) or not _names_en(parts[0]):
        return ""
    more = takewhile(lambda part: _ONE_WORD_EN.fullmatch(part) and _names_en(part), parts[1:])
    return ", ".join((parts[0], *more))


def _names_en(part: str) -> bool:
    words = part.lower().split()
    return all(w in _JOINS_EN or (w not in _NO_THING_EN and not w.endswith("ly")) for w in words)


def named_zh(question: str, text: str) -> str | None:
    """The same of a Chinese answer: its first clause names the things, what follows says more of them."""
    lead = _LEAD_ZH.match(text)
    first = re.split(r"[，,。；;！!\s]", text[lead.end() :] if lead else text)[0]
    match = _THINGS_ZH.fullmatch(first)
    if match is None or _NO_THING_ZH.search(first):
        return None
    things = re.sub(r"[和跟与及]", "、", match["things"])
    return next((q.says.format(things) for q in _ZH if q.asked.search(question)), None)
