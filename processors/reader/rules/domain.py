"""What the profile adds: its own fields' patterns, categories, hot-memory keys and project names (A4, B1, D2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import doubted, planned
from processors.reader.rules.numbers import HAN_NUMBER, amount
from processors.reader.rules.others import doubted_en, names_kin, opens_with_kin
from schemas.events.memory import HotValue
from schemas.profile.model import FieldSpec, HotKey, Profile

_DENIED = re.compile(
    r"(?:没有?|无|不|未|尚未|还没|没什么|\bno\b|\bnot\b|n't|\bnever\b|\bwithout\b)[^，。,.]{0,6}$", re.I
)
_OVER = re.compile(r"以前|之前|曾经?|过去|当时|小时候")
_WISH = re.compile(r"希望|最好|尽量|越.{1,3}越|倾向|偏好|更想|prefer|rather|ideally|as soon as possible|hope", re.I)
_VALUE = re.compile(
    r"(?:[^，。；,;]{0,6}?"
    r"|\s(?:now )?(?:is|are|was|were|stands?|stood|has reached|reached)(?: now| currently)?(?: at)?\s)"
    rf"(?P<about>大概|约|about |around )?(?P<n>\d[\d,]*(?:\.\d+)?|{HAN_NUMBER})\s?(?P<unit>万|%)?"
)
_IS = re.compile(
    r"\s?(?:是|为|：|:|=|is now|is|are|now|改为|定为|已|变为|到了?|was)\s?(?P<value>[^，。；,;！!？?]{1,80})"
)

_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|close to|some)|~|大概|大约|差不多|约|将近|接近)"
    r"(?:是|有|在)?\s?(?:HK|US)?[$£€¥]?\s?$",
    re.I,
)
_OR_SO = re.compile(
    r"\s?(?:元|块钱?|万|港[币元]|美[元金]|人民币|[a-z%]{1,10})?\s?(?:左右|上下|or so\b|or thereabouts\b)", re.I
)
"""Round a number, what makes it approximate (B2)."""
_PARTS = re.compile(r"[，,；;。.!！?？]\s*|(?=不过|但是|可是|\bbut\b|\bwhile\b)")
_NUMBERS = frozenset({"money", "integer", "number"})
_NOTHING = " ：:，,。.；;！!？?\n\t"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def category_meant(profile: Profile, said: str) -> str | None:
    """The category of an intent: not that of a clause about a person of the owner's (不过我妹妹走优才), unless the
    statement holds nothing else."""
    parts = _PARTS.split(said)
    own = [part for part in parts if not opens_with_kin(part)]
    return category_of(profile, said if len(own) in {0, len(parts)} else "，".join(own))


def category_of(profile: Profile, text: str) -> str | None:
    """Return the category that a text names, the longest alias first; None for none or for several."""
    low = text.lower()
    named: set[str] = set()
    for category in profile.categories:
        for alias in (category.name, *category.aliases):
            if _stands(low, alias.lower()):
                named.add(category.name)
    return named.pop() if len(named) == 1 else None


def _stands(low: str, alias: str) -> bool:
    """Is `alias` in `low` as a word? Latin letters need ends, Chinese does not."""
    if not alias.isascii():
        return alias in low
    return re.search(rf"(?<![a-z0-9]){re.escape(alias)}(?![a-z0-9])", low) is not None


def project_of(profile: Profile, text: str, reaches: Sequence[str] | None = None) -> str | None:
    """Return the id of the project that a text names by one of its aliases. `reaches`: the only ones it may mean."""
    low = text.lower()
    for project in profile.projects:
        if (reaches is None or project.id in reaches) and any(_stands(low, alias.lower()) for alias in project.aliases):
            return project.id
    return None


def profile_fields(profile: Profile, text: str, start: int, said: str, *, of_kin: bool = False) -> list[Found]:
    """Return what the profile's own patterns find in a stating clause; `said` is the statement to keep. `of_kin`: of a
    clause about a relative or friend only what names them (a family's history) says something of the speaker."""
    found: list[Found] = []
    for spec in profile.fields:
        told: list[str] = []
        for pattern in spec.patterns:
            match = _compiled(pattern).search(text)
            if match is None or (of_kin and not names_kin(match.group())) or _unmeant(spec, match):
                continue
            negated = _denied_one(spec, match)
            value = match["value"].strip() if negated else _value(spec, match, text)
            if value is not None and str(value) not in told:
                kind = "preference" if spec.kind == "intent" and _WISH.search(text) else spec.kind
                place = (start + match.start(), start + match.end())
                slots = ((spec.name, value),)
                category = category_of(profile, text)
                text_of_it = _without(said, told)
                told.append(str(value))
                vague = _approximate(spec, match)
                found.append(Found(*place, kind, text_of_it, slots, vague, negated, category=category))
                if not spec.many:
                    break
    return found


def _approximate(spec: FieldSpec, match: re.Match[str]) -> bool:
    if spec.type not in _NUMBERS or not match.groupdict().get("value"):
        return False
    before, after = match.string[: match.start("value")], match.string[match.end("value") :]
    return _ABOUT.search(before) is not None or _OR_SO.match(after) is not None


def _without(said: str, told: list[str]) -> str:
    """Of several values in one statement each is told by itself."""
    for value in told:
        said = re.sub(rf"{re.escape(value)}(?:\s?(?:[,，、和与及]|and\b|or\b)){{1,2}}\s?", "", said)
    return said


def _lists(spec: FieldSpec) -> bool:
    """Does the field list facts, of which each may be feared, denied or past?"""
    return spec.many and spec.kind == "fact"


def _unmeant(spec: FieldSpec, match: re.Match[str]) -> bool:
    lead = match.string[: match.start()]
    over = _OVER.search(lead) is not None and "过" not in match.group()
    return _lists(spec) and (over or doubted(lead) or doubted_en(lead))


def _denied_one(spec: FieldSpec, match: re.Match[str]) -> bool:
    """Is one of the values of a list denied ("not allergic to ...", 对青霉素不过敏)? Then it ends."""
    if not _lists(spec) or not match.groupdict().get("value"):
        return False
    before, after = (
        match.string[max(0, match.start() - 12) : match.start()],
        match.string[match.end("value") : match.end()],
    )
    return _DENIED.search(before) is not None or re.search(r"[不没无]", after) is not None


def _value(spec: FieldSpec, match: re.Match[str], text: str) -> Any:
    denied = _DENIED.search(text[max(0, match.start() - 12) : match.start()]) is not None
    if spec.type == "boolean":
        return not denied and _DENIED.search(match.group()) is None and not re.search(r"没有?|不|无", match.group())
    if denied:
        return None
    if "value" in match.re.groupindex and match["value"]:
        raw = match["value"].strip()
        if spec.type in _NUMBERS:
            return amount(raw)
        return raw
    low = match.group().lower()
    for name, others in spec.aliases.items():
        if any(alias.lower() in low for alias in (name, *others)):
            return name
    return None


def hot_status(profile: Profile, text: str) -> HotValue | None:
    """Return the status or meta entry that a clause states: one of the profile's keys and what is said of it."""
    low = text.lower()
    counted = {name for key in profile.hot_keys for name in key.ratio_of}
    if (stated := _stated(profile, text)) is not None:
        return stated
    aliases = sorted(
        (
            (alias, key)
            for key in profile.hot_keys
            if key.type in {"status", "meta"}
            for alias in (key.key, *key.aliases)
        ),
        key=lambda pair: -len(pair[0]),
    )
    for alias, key in aliases:
        if not _stands(low, alias.lower()):
            continue
        rest = text[low.find(alias.lower()) + len(alias) :]
        if key.each is not None:
            if rest.strip(_NOTHING):
                return _one_of_several(key, key.each, text)
            continue
        if match := _VALUE.match(rest):
            if match["unit"] == "%" and key.key in counted:
                continue  # of what shares are made, a share is no value
            number = amount(match["n"] + ("万" if match["unit"] == "万" else ""))
            if number is not None:
                return HotValue(type=key.type, key=key.key, value=number, priority=key.priority)
        if match := _IS.match(rest):
            return HotValue(type=key.type, key=key.key, value=match["value"].strip(), priority=key.priority)
    return None


def _one_of_several(key: HotKey, each: str, text: str) -> HotValue:
    """What is said of one of them, under its own name; of an unnamed one, under the key itself."""
    match = _compiled(each).search(text)
    name = key.key if match is None else f"{key.key}:{match['which']}"
    return HotValue(type="status", key=name[:200], value=text.strip(_NOTHING), priority=key.priority)


def _stated(profile: Profile, text: str) -> HotValue | None:
    """Return the number of a key that the profile's own patterns find, where it is not wished, planned or denied."""
    for key in profile.hot_keys:
        for pattern in key.patterns if key.type in {"status", "meta"} else ():
            match = _compiled(pattern).search(text)
            if match is None or planned(text[: match.end()]):
                continue
            if doubted_en(text[: match.start("value")]) or _DENIED.search(text[: match.start()][-12:]):
                continue
            if (number := amount(match["value"])) is not None:
                return HotValue(type=key.type, key=key.key, value=number, priority=key.priority)
    return None


def hot_entry(
    profile: Profile, kind: Literal["decision", "preference"], text: str, fallback: str, value: Any
) -> HotValue:
    """Return a decision or preference under the profile's key, else under one made from what it is about."""
    low = text.lower()
    for key in profile.hot_keys:
        if key.type == kind and any(_stands(low, alias.lower()) for alias in (key.key, *key.aliases)):
            return HotValue(type=kind, key=key.key, value=value, priority=key.priority)
    name = re.sub(r"[\x00-\x1f\x7f]", " ", fallback).strip()[:120].strip() or kind
    return HotValue(type=kind, key=name, value=value)
