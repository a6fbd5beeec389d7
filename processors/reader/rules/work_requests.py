"""Does a turn ask for a piece of work? What else it orders, unless for good, is then how that piece is to be: "Write me
a bio. Don't use emojis.", 写一份报告,不要用表格.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "work_requests.toml").read_text(encoding="utf-8"))


def _lines(name: str) -> str:
    return "|".join(line for line in _DATA[name].splitlines() if line)


_EN = re.compile(rf"(?:^|(?<=[.!?:;,\n] )|(?<=\n))(?:(?:{_lines('before_en')}),? ){{0,4}}(?:{_lines('en')})\b", re.I)
_ZH = re.compile(
    rf"(?:(?<![^。！？!?；;，,：:\s]))(?:{_lines('before_zh')}){{0,4}}(?:{_lines('zh')})"
    r"(?![^。！？!?；;，,\n]{0,20}(?:时候?|都)(?:$|[，,]))"
)


def work_asked_en(text: str) -> tuple[int, ...]:
    """Where an English turn asks for something to be made."""
    return tuple(match.end() for match in _EN.finditer(text))


def asks_for_work_zh(text: str) -> bool:
    """Does a Chinese text ask for something to be made?"""
    return _ZH.search(text) is not None
