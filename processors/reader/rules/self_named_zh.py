"""Whom a writer names is themselves: 洞主 and dz in a thread that they opened, their own name (Chinese).

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


def as_first_person(text: str, name: str) -> str:
    """Return a turn of the speaker `name` with 我 for it, of the same length."""
    pattern = _names(name)
    if pattern is None:
        return text
    return pattern.sub(lambda m: m["lead"] + " " * (len(m["name"]) - 1) + "我", text)


@lru_cache(maxsize=256)
def _names(name: str) -> re.Pattern[str] | None:
    if len(name) < 2:
        return None
    if name.isascii():
        return re.compile(rf"{_BEGINS}(?P<name>{re.escape(name)})(?=的[\u4e00-\u9fff]|也|是|家|在)")
    short = "|".join(_SHORT) if name in _OPENERS else "(?!)"
    called = f"{re.escape(name)}(?![\\u4e00-\\u9fff]?[:：])|(?:{short})(?![A-Za-z])"
    return re.compile(rf"{_BEGINS}(?P<name>{called}){_NOT_SELF}")
