"""Kinds of values in English talk (kinds_en.toml, health_en.toml), one for each generic slot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from processors.reader.values.lists_en import LISTS, MEANINGS, read_data
from processors.reader.values.parts_en import Part
from schemas.events.memory import CandidateKind

_DATA, _HEALTH = read_data("kinds_en.toml"), read_data("health_en.toml")
READINGS: Mapping[str, Mapping[str, Any]] = _HEALTH["readings"]
Ground = Literal["said", "listed"]
"""Does a cue say that a value is the field's, or only what stands beside it?"""


def filled(pattern: str) -> str:
    """A pattern with the lists, tables and parts that it names."""
    named = {**LISTS, **{name: each.pattern for name, each in MEANINGS.items()}, **_DATA["parts"], **_HEALTH["parts"]}
    for _ in range(6):
        pattern = re.sub(r"\{([a-z_]+)\}", lambda m: f"(?:{named[m[1]]})" if m[1] in named else m.group(), pattern)
    return pattern


_LEADS = re.compile(filled("{leads}"), re.I)
_TAILS = re.compile(filled("{tails}"), re.I)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value, as kinds_en.toml says it."""

    slot: str
    says: str
    says_not: str = ""
    type: str = "text"
    value: re.Pattern[str] | None = None
    before: re.Pattern[str] | None = None
    behind: re.Pattern[str] | None = None
    within: re.Pattern[str] | None = None
    near: re.Pattern[str] | None = None
    asked: re.Pattern[str] | None = None
    asked_value: re.Pattern[str] | None = None
    follows: re.Pattern[str] | None = None
    follows_value: re.Pattern[str] | None = None
    corrected: re.Pattern[str] | None = None
    answers: re.Pattern[str] | None = None
    needs: re.Pattern[str] | None = None
    with_whom: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    led: re.Pattern[str] | None = None
    needs_beside: re.Pattern[str] | None = None
    denies_behind: re.Pattern[str] | None = None
    to_me: re.Pattern[str] | None = None
    ends_before: re.Pattern[str] | None = None
    ends_behind: re.Pattern[str] | None = None
    ends_unless: re.Pattern[str] | None = None
    alone: str = ""
    of: str = ""
    kind: CandidateKind = "fact"
    of_once: bool = False
    opens: bool = False
    many: bool = False
    denies: bool = False
    to_hearer: bool = False
    of_kin: bool = False
    of_blood: bool = False
    after_job: bool = False
    least: int = 0
    within_numbers: tuple[int, int] = (0, 10**9)


_PATTERNS = {
    "value", "before", "behind", "within", "near", "asked", "asked_value", "answers", "follows", "follows_value",
    "corrected", "needs", "with_whom", "unless", "led", "needs_beside", "denies_behind", "to_me", "ends_before",
    "ends_behind", "ends_unless",
}  # fmt: skip
_AROUND = {"before": "(?:{})$", "led": "(?:{})$", "ends_before": "(?:{})$", "asked_value": "{{leads}}(?:{}){{tails}}"}


def _kind(slot: str, data: Mapping[str, Any]) -> Kind:
    patterns = {n: re.compile(filled(_AROUND.get(n, "{}").format(data[n])), re.I) for n in _PATTERNS & data.keys()}
    rest = {n: tuple(v) if isinstance(v, list) else v for n, v in data.items() if n not in _PATTERNS}
    fields: dict[str, Any] = {"slot": slot, **rest, **patterns}  # each of its own type, as the file has them
    return Kind(**fields)


def _kinds(data: Mapping[str, Mapping[str, Any]]) -> dict[str, Kind]:
    """Each by its slot; one that is `like` another has all that it does not say itself."""
    whole = {slot: {**data.get(one.get("like", ""), {}), **one} for slot, one in data.items()}
    return {slot: _kind(slot, {n: v for n, v in one.items() if n != "like"}) for slot, one in whole.items()}


KINDS: Mapping[str, Kind] = _kinds({**_DATA["kinds"], **_HEALTH["kinds"]})


def is_lead(words: str) -> bool:
    """Do words say nothing by themselves, and lead to a value?"""
    return _LEADS.fullmatch(words.lstrip()) is not None


def bare(part: Part, begin: int, end: int) -> bool:
    """Does a part say nothing but what stands at `begin:end`?"""
    return is_lead(part.text[:begin]) and _TAILS.fullmatch(part.text[end:]) is not None
