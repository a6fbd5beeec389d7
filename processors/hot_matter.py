"""Under which keys a decision may be kept in a project's hot memory, and what it is about (A4). Pure.

Decisions on different matters that the profile names alike are kept beside each other: the first under the key, others
under `KEY:MATTER`. A function of the entry alone, so that whoever follows or erases one finds it.
"""

from __future__ import annotations

import re

from schemas.events.memory import HotValue

_LEAD_EN = re.compile(
    r"^(?:\S+ ){1,4}?(?:and others )?(?:have |has |had )?(?:finally |now |all |both ){0,2}"
    r"(?:decided|agreed|chose|chosen|settled|opted|voted)(?: together)? (?:to |that |on |for )?",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(r"^[^，。；：,;:]{0,16}?(?:决定|決定|决议|商定|一致同意|同意|选定)(?:了|，|：|将|把){0,2}")
MAX_MATTER = 120


def matter_of(text: str) -> str:
    """A decision without who decided: "User and others decided to close site 4" is about "close site 4"."""
    for lead in (_LEAD_EN, _LEAD_ZH):
        found = lead.match(text)
        if found is not None and found.end() < len(text):
            return text[found.end() :].strip(" .。")
    return text.strip(" .。")


def is_listed(hot: HotValue) -> bool:
    """Is it a decision under a key that says more than its own words?"""
    return hot.type == "decision" and isinstance(hot.value, str) and not hot.value.startswith(hot.key)


def side_key(hot: HotValue) -> str | None:
    """Its key beside a decision on another matter."""
    if not is_listed(hot):
        return None
    matter = re.sub(r"[\x00-\x1f\x7f]", " ", matter_of(str(hot.value)))[:MAX_MATTER].strip()
    return f"{hot.key[:MAX_MATTER]}:{matter}" if matter else None


def keys_of(hot: HotValue) -> tuple[str, ...]:
    """All keys under which it may be kept."""
    side = side_key(hot)
    return (hot.key,) if side is None else (hot.key, side)
