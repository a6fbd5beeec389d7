"""Whom a writer names is themselves: 洞主 and dz in a thread that they opened, their own name, 个人 (Chinese).

The first person stands in its place where it opens a clause, its length kept; elsewhere a name needs no change.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "group_talk_zh.toml").read_text(encoding="utf-8"))
_OPENERS = frozenset(_DATA["opener"].split())
_SHORT = _DATA["opener_short"].split()
_BEGINS = (
    r"(?:^|(?<=[，,。.！!？?；;：:、…\s（(~]))"
    r"(?P<lead>(?:但是?|可是|不过|而且?|因为|所以|其实|然后|虽然|来自|目前|现在|最近|而|且){0,2})"
)
_NOT_SELF = r"(?!们|[:：君们]|是我|为我|[，,]\s?[你您])"


_OPENING = rf"{_BEGINS}(?P<name>"
_GREETS = re.compile(rf"{_OPENING}{_DATA['greets']}|{_DATA['joins']})")
_AS_ONE = re.compile(rf"{_OPENING}{_DATA['as_one']})")
_SPEAKS_AS = re.compile(rf"{_OPENING}{_DATA['speaks_as']})")


def opens_thread(name: str | None) -> bool:
    """Is this what one is called who opened a thread? They speak of themselves there."""
    return name in _OPENERS


def as_first_person(text: str, name: str) -> str:
    """Return a turn of the speaker `name` with 我 for it, of the same length, and without what only greets somebody or
    joins a clause to the one before."""
    text = _GREETS.sub(lambda m: m["lead"] + " " * len(m["name"]), text)
    text = _SPEAKS_AS.sub(lambda m: f"{m['lead']}我是", text)
    for pattern in (_AS_ONE, _names(name)):
        if pattern is not None:
            text = pattern.sub(lambda m: m["lead"] + " " * (len(m["name"]) - 1) + "我", text)
    return text


@lru_cache(maxsize=256)
def _names(name: str) -> re.Pattern[str] | None:
    if len(name) < 2:
        return None
    if name.isascii():
        called = rf"(?i:{re.escape(name)})|{re.escape(name[0].upper())}君"
        return re.compile(rf"{_BEGINS}(?P<name>{called})(?=\s?[\u4e00-\u9fff]){_NOT_SELF}")
    short = "|".join(_SHORT) if name in _OPENERS else "(?!)"
    called = f"{re.escape(name)}(?![\\u4e00-\\u9fff]?[:：])|(?:{short})(?![A-Za-z])"
    return re.compile(rf"{_BEGINS}(?P<name>{called}){_NOT_SELF}")
