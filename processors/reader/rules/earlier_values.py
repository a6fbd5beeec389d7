"""A number that its speaker gave another time and now gives right, in a turn that says nothing else: "last time I said
10 years, it's really 11", 上次说10年，其实是11年.

It names no field, so it tells the old value, the new one and their unit, and the gate looks for what it corrects.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

from processors.reader.rules.found import Found
from processors.reader.rules.numbers import amount
from processors.reader.rules.protocol import TurnView
from schemas.base import JsonObject
from schemas.events.memory import CORRECT_VALUE, NOT_OF, REPLACES, UNIT

_DATA: dict[str, Any] = tomllib.loads((files(__package__) / "earlier_values.toml").read_text(encoding="utf-8"))
_LONGEST = 120
"""Characters of a turn that is no more than a correction."""


def _compiled(data: dict[str, Any], gap: str) -> re.Pattern[str]:
    units = "|".join(sorted(map(re.escape, data["units"]), key=len, reverse=True))
    when, verb, number = data["when"], data["said"], data["number"]
    opens = f"(?:(?:{when}){gap}(?:{verb})|(?P<said_alone>{verb}))"
    old = rf"(?P<old>{number})(?: ?(?P<unit>{units}))?(?P<behind>{gap}(?:{when}))?"
    new = rf"(?P<new>{number})(?: ?(?P<new_unit>{units}))?"
    return re.compile(
        rf"{data['lead']}{opens}{data['about']}{gap}{old}{data['turn']}{data['really']}{gap}{new}"
        r"(?:才对|了)?[。.!！~ ]{0,2}",
        re.IGNORECASE,
    )


_PATTERNS = {"en": _compiled(_DATA["en"], ",? ?"), "zh": _compiled(_DATA["zh"], "[，, ]?")}


def earlier_value(turn: TurnView, text: str) -> list[Found]:
    """What a turn puts right that was said another time: one statement, or none."""
    pattern = _PATTERNS.get(turn.language)
    if pattern is None or len(text) > _LONGEST:
        return []
    match = pattern.fullmatch(text.strip())
    if match is None or (match["said_alone"] and not match["behind"]):
        return []
    data = _DATA[turn.language]
    old, new = amount(match["old"]), amount(match["new"])
    first, second = (_unit(data, match[group]) for group in ("unit", "new_unit"))
    if old is None or new is None or old == new or (first and second and first != second):
        return []
    if (unit := first or second) is not None and "slot" in unit:
        statement = unit["says"].format(owner="{owner}", new=match["new"])
        return [Found(0, len(text), "fact", statement, ((unit["slot"], new),), attributes={REPLACES: old})]
    attributes: JsonObject = {REPLACES: old, CORRECT_VALUE: new, "correction": True}
    if unit is not None:
        attributes |= {UNIT: unit["unit"], NOT_OF: unit["not_of"]}
    word = match["unit"] or match["new_unit"] or ""
    gap = " " if word and turn.language == "en" else ""
    shown = {name: f"{match[name]}{gap}{word}" for name in ("old", "new")}
    statement = data["statement"].format(owner="{owner}", **shown)
    return [Found(0, len(text), "fact", statement, attributes=attributes)]


def _unit(data: dict[str, Any], word: str | None) -> dict[str, Any] | None:
    found: dict[str, Any] | None = None if word is None else data["units"].get(word.casefold())
    return found
