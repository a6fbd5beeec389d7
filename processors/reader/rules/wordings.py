"""What the profile's wordings find in a clause (`schemas.profile.wording`): the domain's words are data; how people
deny, correct and speak of themselves is language and stands here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from processors.reader.rules import clauses_en, clauses_zh
from processors.reader.rules.found import Found
from processors.reader.rules.life_en import named_slots
from processors.reader.rules.making_zh import meant, of_others
from processors.reader.rules.numbers import whole
from processors.reader.rules.others import doubted_en, of_anothers_en, of_anothers_zh, of_the_family_en
from processors.reader.rules.self_en import STOP, Rule, apply, positive, rule
from schemas.base import JsonValue
from schemas.profile.model import Profile
from schemas.profile.wording import ABOUT, END, SAID, Person, Wording

_PERSON_ZH: Mapping[clauses_zh.Subject, Person] = {"我": "I", "我们": "we", "我的": "my"}
_DENIED_ZH = re.compile(r"[不没无]有?$")
_DENIED_WITHIN = re.compile(r"不|没|无|并非|\b(?:not|never|no)\b|n't\b", re.I)
_NO_VALUE = re.compile(
    r"(?:nothing|anything|everything|something|none|it|that|this|them|these|those|you|him|her|me|us)\b|任何|什么|所有|这|那|它|你|他|她|别的|其他|东西|一切",
    re.I,
)
"""No name of a thing."""
_AND = re.compile(r"\s*(?:[、,，]|\band\b|\bor\b|以及|[和与跟及])\s*(?:\band\b\s*)?")
_PLACE = re.compile(r"\{(\w+)\}")
_Names: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Lexicon -> its names in the language of a wording."""


def wordings_en(profile: Profile, clause: clauses_en.Clause, found: list[Found]) -> list[Found]:
    """Return what an English clause says in the profile's words, beside what is `found` in it already."""
    person = clause.subject
    if not clause.states or person == "other" or person == "none":
        return []
    told: list[Found] = []
    for wording, names in _worded(profile, "en", person):
        if wording.says is None:
            plain = map(named_slots, apply((_predicate(wording.pattern, names),), clause))
            told += [one for f in plain if f is not None for one in _each(wording, f)]
            continue
        whole_clause = "my" in wording.of
        body, negated = (clause.body, False) if whole_clause else positive(clause.body)
        match = _compiled(wording.pattern, names, latin=True).search(body)
        if match is None or doubted_en(body[: match.start()]) or of_the_family_en(body[match.end() :]):
            continue
        if not of_anothers_en(_lead(wording, match)) and not (whole_clause and _denied_within(wording, match)):
            told += _beside([*found, *told], clause.start, _told(wording, match, clause, negated=negated))
    return told


def wordings_zh(profile: Profile, clause: clauses_zh.Clause, found: list[Found]) -> list[Found]:
    """Return what a Chinese clause says in the profile's words, beside what is `found` in it already."""
    person = _PERSON_ZH.get(clause.subject)
    if not clause.states or person is None or (person == "my" and "的" not in clause.body[:2]):
        return []
    told: list[Found] = []
    for wording, names in _worded(profile, "zh", person):
        whole_clause = "my" in wording.of
        if not whole_clause and not names and of_others(clause):  # what is no known name may be anyone's
            continue
        match = _compiled(wording.pattern, names, latin=False).search(clause.body)
        if match is None or not meant(clause.body, match.start()) or of_anothers_zh(_lead(wording, match)):
            continue
        within = _denied_within(wording, match)
        if not (whole_clause and (within or _DENIED_ZH.search(clause.body[: match.start()]))):
            negated = within or (not whole_clause and _DENIED_ZH.search(clause.body[: match.start()]) is not None)
            told += _beside([*found, *told], clause.start, _told(wording, match, clause, negated=negated))
    return told


def _worded(profile: Profile, language: str, person: Person) -> Iterable[tuple[Wording, _Names]]:
    """The wordings for clauses of a person, each with the names of the lexicons that it asks for."""
    for wording in profile.wordings:
        if wording.language != language or person not in wording.of:
            continue
        names = tuple((slot, _names(profile, slot, language)) for slot in wording.lexicons())
        if all(listed for _, listed in names):
            yield wording, names


def _names(profile: Profile, slot: str, language: str) -> tuple[str, ...]:
    latin = language == "en"
    return tuple(name for name in profile.lexicon.get(slot, ()) if name.isascii() == latin)


def _filled(pattern: str, names: _Names, *, latin: bool) -> str:
    for slot, listed in names:
        longest_first = sorted(listed, key=len, reverse=True)
        pattern = pattern.replace(f"{{lexicon.{slot}}}", f"(?:{'|'.join(map(re.escape, longest_first))})")
    return pattern.replace(END, STOP) if latin else pattern


@lru_cache(maxsize=512)
def _compiled(pattern: str, names: _Names, *, latin: bool) -> re.Pattern[str]:
    return re.compile(_filled(pattern, names, latin=latin), re.IGNORECASE)


@lru_cache(maxsize=256)
def _predicate(pattern: str, names: _Names) -> Rule:
    return rule(f"(?i:{_filled(pattern, names, latin=True)})")


def _lead(wording: Wording, match: re.Match[str]) -> str:
    """The clause before the first value of a match."""
    return match.string[: min(match.start(name) for name in match.re.groupindex if match[name] is not None)]


def _denied_within(wording: Wording, match: re.Match[str]) -> bool:
    """Does a denial stand between the words of a wording ("blood pressure is not ...", 对花粉不过敏)?"""
    said = match.group()
    for name in sorted(match.re.groupindex, key=lambda n: -match.start(n)):
        if name != SAID and match[name] is not None:
            said = said[: match.start(name) - match.start()] + " " + said[match.end(name) - match.start() :]
    return _DENIED_WITHIN.search(said) is not None


def _each(wording: Wording, found: Found) -> list[Found]:
    """One statement for each of several things named: each stands or falls by itself (B3). What names none is none."""
    if len(found.slots) != 1 or not isinstance(found.slots[0][1], str):
        return [found]
    slot, value = found.slots[0]
    names = [part for part in _AND.split(value) if part] if wording.many else [value]
    if any(_NO_VALUE.match(name) for name in names):
        return []
    return [replace(found, text=found.text.replace(value, name), slots=((slot, name),)) for name in names]


def _told(
    wording: Wording, match: re.Match[str], clause: clauses_en.Clause | clauses_zh.Clause, *, negated: bool
) -> list[Found]:
    says = wording.says_not if negated else wording.says
    if not says:
        return []
    values = _values(wording, match)
    words = {**values, "said": match.group(), **{k: v for k, v in match.groupdict().items() if v is not None}}
    text = _PLACE.sub(lambda m: str(words.get(m[1], "")) if m[1] not in {"owner", "of"} else m.group(), says)
    marks = {"correction": True} if clause.correcting else {}
    approximate = any(match.groupdict().get(name) for name in ABOUT)
    slots = tuple(values.items())
    found = Found(clause.start, clause.end, "fact", text, slots, approximate, negated, attributes=marks)
    return _each(wording, found)


def _values(wording: Wording, match: re.Match[str]) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    for slot in wording.slots():
        if slot in wording.numbers:
            parts = wording.numbers[slot] or {slot: 1.0}
            each = [float(match[group]) * of_one for group, of_one in parts.items() if match[group]]
            value: JsonValue = whole(round(sum(each), wording.digits)) if each else None
        elif slot in wording.words:
            said = ((match[group] or "").strip() for group in wording.words[slot])
            value = "".join(wording.canonical.get(s.lower(), s) for s in said)
        else:
            value = match[slot]
        if value is not None and value != "":
            values[slot] = value
    return values


def _beside(found: list[Found], start: int, told: list[Found]) -> list[Found]:
    """Leave out what fills a slot that the same clause has filled already, with more of its words."""
    filled = {slot for f in found if f.start >= start for slot, _ in f.slots}
    return [f for f in told if filled.isdisjoint(slot for slot, _ in f.slots)]
