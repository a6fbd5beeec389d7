"""An entry of hot memory as a prompt tells it: what, who says so, and what talk says instead (A4, A8). Pure.

A team shares it: "User" in a statement would be whoever reads the prompt, so the one who said it stands there by id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

_OWNER = {
    "en": re.compile(
        r"^User(?= and others\b|'s (?:team|group)\b"
        r"| (?:has |have )?(?:decided|agreed|chose|chosen|picked|settled|opted|voted|went|reports?|says?)\b)"
    ),
    "zh": re.compile(
        r"^用[户戶](?=等人|和团队|和大家|(?:已经?|最终|最后)?(?:决定|決定|商定|同意|选定|确定|表示|汇报))"
    ),
}
"""Where a statement names its speaker, and not a user of what the team builds."""
Language = Literal["en", "zh"]


def plain(value: Any) -> str:
    """A value as a caller wrote it: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def line_of(entry: Mapping[str, Any], language: Language) -> str:
    """`entry`: of `schemas.events.hot_memory.hot_memory`; without who where it names nobody."""
    value = plain(entry["value"])
    value_text = _attributed(value, entry.get("user_id"), language)
    # A decision is often its own key.
    line = f"- {value_text}" if _same(entry["key"], value) else f"- {_named(entry['key'], value)}: {value_text}"
    other = entry.get("proposal")
    return line if other is None else line + _instead(other, language)


def _named(key: str, value: str) -> str:
    """Of one of several under a key, whose name says what the value says, the key alone."""
    name, _, which = key.partition(":")
    return name if which and which.casefold() in value.casefold() else key


def _attributed(value: str, user_id: str | None, language: Language) -> str:
    if user_id is None:
        return value
    name = user_id.replace("\\", r"\\")
    for pattern in _OWNER.values():
        if pattern.match(value):
            return pattern.sub(name, value)
    return f"{value}（{user_id}）" if language == "zh" else f"{value} ({user_id})"


def _instead(other: Mapping[str, Any], language: Language) -> str:
    day, who = str(other["updated_at"])[:10], other.get("user_id")
    if language == "zh":
        return f"；对话中提出（{f'{who}，' if who else ''}{day}，未采纳）：{plain(other['value'])}"
    by = f" by {who}" if who else ""
    return f"; proposed in talk{by} on {day}, not adopted: {plain(other['value'])}"


def _same(key: str, value: str) -> bool:
    return key.strip(" .。!！").casefold() == value.strip(" .。!！").casefold()
