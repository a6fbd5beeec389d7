"""What the words of an English value mean, and how a memory tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.numbers import amount, english_integer
from processors.reader.values.jobs_en import jobs
from processors.reader.values.kinds_en import Kind, filled
from processors.reader.values.lists_en import MEANINGS
from schemas.base import JsonValue

_CALENDAR = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas|easter"
    r"|spring|summer|autumn|fall|winter|i|i'm|i've)\b",
    re.I,
)
_LANGUAGE_OR_NATION = re.compile(filled("(?:{tongues}|{nations})"), re.I)
_STUDIED = re.compile(filled("(?:the |an? )?(?:(?:{branches} )*(?:{subjects})|{degree})(?: degree)?"), re.I)
_A_YEAR = re.compile(r"(?:in )?(?:19|20)\d\d")
_A_NAME = re.compile(r"[A-Z][a-zà-ÿ'-]{1,20}(?: [A-Z][\w'-]{1,20})?")
Made = tuple[JsonValue, str] | None
"""A value and its words; None where they are none."""


def worded(kind: Kind, spoken: str, *, ends: bool = False) -> tuple[JsonValue, str] | None:
    """A value and the memory's text for the words that were said; None where they mean none. `ends`: it is no more."""
    made = _CONVERT[kind.type](kind, spoken.strip(" .,'"))
    if made is None:
        return None
    value, shown = made
    text = (kind.says_not if ends else kind.says).replace("{value}", str(value)).replace("{said}", shown)
    return value, _with_article(text, kind, shown)


def _with_article(text: str, kind: Kind, shown: str) -> str:
    if kind.type == "job":
        article = "" if shown.split()[0].lower() in ("head", "vp") else "an " if shown[0] in "aeiouAEIO" else "a "
        text = text.replace("works as ", f"works as {article}")
    if kind.of == "degree" and shown[0].isupper():
        text = text.removesuffix(" degree")
    return re.sub(r"\ba (?=[aeiou]|MBA|MSc|MA\b)", "an ", text)


def _integer(kind: Kind, spoken: str) -> Made:
    number = english_integer(re.sub(r"\+|\s?(?:years?|yrs?|yr|y)$", "", spoken, flags=re.I))
    least, most = kind.within_numbers
    return (number, spoken) if number is not None and least <= number <= most else None


def _number(kind: Kind, spoken: str) -> Made:
    number = amount(spoken.replace(",", "."))
    least, most = kind.within_numbers
    return (number, spoken) if number is not None and least <= number <= most else None


def _money(kind: Kind, spoken: str) -> Made:
    number = amount(spoken)
    return (number, spoken.strip()) if number is not None and number >= kind.least and not is_a_year(spoken) else None


def is_a_year(spoken: str) -> bool:
    """May a number without a currency be a year?"""
    return _A_YEAR.fullmatch(spoken.strip()) is not None


def _named(words: str) -> bool:
    first = words.removeprefix("the ").split()[0].lower()
    return not (
        first in FUNCTION | CHAT or _CALENDAR.match(words) or _LANGUAGE_OR_NATION.fullmatch(words) or words.isdigit()
    )


def is_a_name(words: str) -> bool:
    """May a phrase be what somebody is called?"""
    return _A_NAME.fullmatch(words) is not None and _named(words) and not jobs(words)


def _place(kind: Kind, spoken: str) -> Made:
    shown = spoken if spoken != spoken.lower() else spoken.title()
    return (shown, shown) if _named(spoken) else None


def _firm(kind: Kind, spoken: str) -> Made:
    return (spoken, spoken) if _named(spoken) else None


def _school(kind: Kind, spoken: str) -> Made:
    """A school's name; a degree or what is studied there is none."""
    return (spoken, spoken) if _named(spoken) and not _STUDIED.fullmatch(spoken) else None


def _name(kind: Kind, spoken: str) -> Made:
    shown = spoken if spoken != spoken.lower() else spoken.title()
    return (shown, shown) if _named(spoken) and not jobs(spoken) else None


def _title(kind: Kind, spoken: str) -> Made:
    sense = (MEANINGS[kind.of].sense(spoken) if kind.of else None) or spoken
    shown = sense if sense != sense.lower() else re.sub(r"\bAnd\b", "and", sense.title())
    return shown, shown


def _text(kind: Kind, spoken: str) -> Made:
    sense = (MEANINGS[kind.of].sense(spoken) if kind.of else None) or spoken
    return sense, sense


def _lower(kind: Kind, spoken: str) -> Made:
    shown = (MEANINGS[kind.of].sense(spoken) if kind.of else None) or spoken.lower()
    return shown, shown


def _children(kind: Kind, spoken: str) -> Made:
    none = re.match(
        r"no\b|zero|never|without|don't|dont|haven't|havent|have no|not|0|childless|child-?free", spoken, re.I
    )
    if none or re.search(r"(?:none|no|zero|nope)$", spoken, re.I):
        return False, "no children"
    own = re.sub(r"^(?:my|our) ", "", spoken)
    if english_integer(own) is not None:
        return True, f"{own} child" if own in ("1", "one") else f"{own} children"
    return True, "children" if re.match(r"father|mother|dad|mum|mom|parent|[a-z]+$", own, re.I) else own


_CONVERT: Mapping[str, Callable[[Kind, str], Made]] = {
    "integer": _integer, "number": _number, "money": _money, "place": _place, "firm": _firm, "title": _title,
    "text": _text, "children": _children, "name": _name, "job": _text, "school": _school,
    "lower": _lower,
}  # fmt: skip
