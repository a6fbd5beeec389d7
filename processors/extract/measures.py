"""What people measure of themselves, in both languages: height, weight, blood type, blood pressure, heart rate.

Values are centimetres and kilograms, whatever unit was said (斤 is half a kilogram); the statement keeps the words.
"""

from __future__ import annotations

import re
from typing import Any

from processors.extract.found import Found
from processors.extract.numbers import whole

_NUMBER = r"(?P<n>\d{1,3}(?:\.\d{1,2})?)"
_HEIGHT_EN = re.compile(
    rf"(?:am |my height is )(?:about |around )?(?:{_NUMBER} ?(?P<unit>cm"
    r"|centimet(?:er|re)s?|m|met(?:er|re)s?)(?: tall)?\b"
    r"|(?P<feet>[4-7])(?:'| ?(?:feet|foot|ft))(?: ?(?P<inches>\d{1,2})(?:\"| ?in(?:ches)?)?)?(?: tall)?)",
    re.I,
)
_WEIGHT_EN = re.compile(
    rf"(?:weigh|my weight is) (?:about |around )?{_NUMBER} ?(?P<unit>kgs?"
    r"|kilos?|kilograms?|lbs?|pounds?)\b",
    re.I,
)
_BLOOD_EN = re.compile(
    r"(?:my blood type is|am blood type|blood type) (?P<v>AB|A|B|O)"
    r"(?P<sign>[+-]| ?positive| ?negative)?(?![\w])",
    re.I,
)
_PRESSURE_EN = re.compile(
    r"blood pressure (?:is|was|reads|of|usually|measured)?[^.\d]{0,20}"
    r"(?P<s>\d{2,3}) ?(?:/|over) ?(?P<d>\d{2,3})\b",
    re.I,
)
_RATE_EN = re.compile(r"(?:heart rate|pulse) (?:is|was)?[^.\d]{0,16}(?P<n>\d{2,3})\b", re.I)
_HEIGHT_ZH = re.compile(
    r"身高(?:是|有|大概|约|为)?(?:(?P<m>[12])米(?P<cm>\d{1,2})|(?P<n>\d{3}"
    r"(?:\.\d)?|[12]\.\d{1,2})(?P<unit>cm|厘米|公分|米|m)?)",
    re.I,
)
_WEIGHT_ZH = re.compile(rf"体重(?:是|有|大概|约|为)?{_NUMBER}(?P<unit>公斤|千克|kg|斤)?", re.I)
_BLOOD_ZH = re.compile(r"(?:血型是?|是)(?P<v>AB|A|B|O)(?P<sign>[+-])?型?(?:血|$)", re.I)
_PRESSURE_ZH = re.compile(r"血压[^，。\d]{0,8}(?P<s>\d{2,3})[/／到](?P<d>\d{2,3})")
_RATE_ZH = re.compile(r"(?:心率|脉搏)[^，。\d]{0,6}(?P<n>\d{2,3})")


def measures_en(body: str, start: int, end: int) -> list[Found]:
    """Return the measures of one stating clause about its speaker, whose predicate or whole text is `body`."""
    found: list[Found] = []
    if match := _HEIGHT_EN.search(body):
        height = _height(match)
        found.append(_measure(start, end, f"{{owner}} is {_said(match)}", ("height", height)))
    if match := _WEIGHT_EN.search(body):
        pounds = match["unit"].lower().startswith(("lb", "pound"))
        weight = whole(round(float(match["n"]) * (0.45359237 if pounds else 1), 1))
        found.append(_measure(start, end, f"{{owner}} weighs {_said(match)}", ("weight", weight)))
    if match := _BLOOD_EN.search(body):
        blood = match["v"].upper() + _sign(match["sign"])
        found.append(_measure(start, end, f"{{owner}}'s blood type is {blood}", ("blood_type", blood)))
    if match := _PRESSURE_EN.search(body):
        text = f"{{owner}}'s blood pressure is {match['s']}/{match['d']}"
        found.append(_measure(start, end, text, ("bp_systolic", int(match["s"])), ("bp_diastolic", int(match["d"]))))
    if match := _RATE_EN.search(body):
        found.append(_measure(start, end, f"{{owner}}'s heart rate is {match['n']}", ("heart_rate", int(match["n"]))))
    return found


def _said(match: re.Match[str]) -> str:
    """Return the measure in the speaker's own unit."""
    return re.sub(r"^(?:am|my \w+ is|weigh) ", "", match.group(), flags=re.I)


def _height(match: re.Match[str]) -> int | float:
    if match["feet"]:
        return whole(round(int(match["feet"]) * 30.48 + int(match["inches"] or 0) * 2.54))
    return _centimetres(float(match["n"]))


def _centimetres(number: float) -> int | float:
    return whole(round(number * 100, 1)) if number < 3 else whole(number)


def measures_zh(body: str, start: int, end: int) -> list[Found]:
    """Return the measures of one stating clause about its speaker."""
    found: list[Found] = []
    if match := _HEIGHT_ZH.search(body):
        height = (
            int(match["m"]) * 100 + int(match["cm"].ljust(2, "0")) if match["m"] else _centimetres(float(match["n"]))
        )
        found.append(_measure(start, end, f"{{of}}{match.group()}", ("height", height)))
    if match := _WEIGHT_ZH.search(body):
        weight = whole(float(match["n"]) / (2 if match["unit"] == "斤" else 1))
        found.append(_measure(start, end, f"{{of}}{match.group()}", ("weight", weight)))
    if match := _BLOOD_ZH.search(body):
        blood = match["v"].upper() + (match["sign"] or "")
        found.append(_measure(start, end, f"{{of}}血型{blood}型", ("blood_type", blood)))
    if match := _PRESSURE_ZH.search(body):
        text = f"{{of}}血压{match['s']}/{match['d']}"
        found.append(_measure(start, end, text, ("bp_systolic", int(match["s"])), ("bp_diastolic", int(match["d"]))))
    if match := _RATE_ZH.search(body):
        found.append(_measure(start, end, f"{{of}}心率{match['n']}", ("heart_rate", int(match["n"]))))
    return found


def _sign(said: str | None) -> str:
    return {"positive": "+", "negative": "-"}.get((said or "").strip().lower(), (said or "").strip())


def _measure(start: int, end: int, text: str, *slots: tuple[str, Any]) -> Found:
    return Found(start, end, "fact", text, slots)
