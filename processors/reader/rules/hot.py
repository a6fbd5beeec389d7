"""What a statement says for a project's hot memory: status under the profile's keys, decisions and preferences (A4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from processors.reader.rules.domain import DENIED, compiled, is_named
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import planned
from processors.reader.rules.numbers import HAN_NUMBER, amount
from processors.reader.rules.others import doubted_en
from processors.reader.rules.project_talk import of_the_whole
from processors.reader.rules.text import Sentence
from schemas.base import JsonValue
from schemas.events.memory import HotValue
from schemas.profile.model import HotKey, Profile

_VALUE = re.compile(
    r"(?:[^，。；,;]{0,6}?"
    r"|\s(?:now )?(?:is|are|was|were|stands?|stood|has reached|reached)(?: now| currently)?(?: at)?\s)"
    rf"(?P<about>大概|约|about |around )?(?P<n>\d[\d,]*(?:\.\d+)?|{HAN_NUMBER})\s?(?P<unit>万|%)?"
)
_IS = re.compile(
    r"\s?(?:是|为|：|:|=|is now|is|are|now|改为|改成|换成了?|换为|定为|定在|已|变为|到了?|was|has moved to|moved to)\s?"
    r"(?P<value>[^，。；,;！!？?]{1,80})"
)
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]{0,6}\b"
_WHOLE = re.compile(
    rf"(?:{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?: \d{{4}}\b)?"
    r"|\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号]|底|初|中旬|份)?"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|v\d+(?:\.\d+)*|\d+(?:\.\d+){2,}|\d+\.\d*0(?!\d)|\d{1,2}[:：]\d{2}"
    r"|\d+(?:\.\d+)?\s?(?:[-–~/／:：]|至|到|out of|of)\s?\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
"""A date, version, time, ratio or range: more than its first number."""
_SHARE = re.compile(r"(?P<n>\d+)\s?(?:/|／|out of|of)\s?(?P<of>\d+)")
_RECKONED = re.compile(r"\bif (?:we|you) count\b|算[^，。；]{1,6}的话")
_OF_THE_WHOLE = of_the_whole()
"""Behind the name of a key, what it is of: "owner of the project"."""
_NOTHING = " ：:，,。.；;！!？?\n\t"
_ALONE = re.compile(r"\s?[个例人名位次]?\s?[.。！!]?$")
"""What may stand behind a number that is a value by itself: one with a unit is told whole."""


MAX_SAID = 300
"""Characters of a sentence that is a value."""


def hot_status(profile: Profile, text: str) -> HotValue | None:
    """Return the status or meta entry that a clause states: one of the profile's keys and what is said of it."""
    low = text.lower()
    if (stated := _stated(profile, text)) is not None:
        return stated
    keys = [key for key in profile.hot_keys if key.type in {"status", "meta"}]
    aliases = sorted(((a, key) for key in keys for a in (key.key, *key.aliases)), key=lambda pair: -len(pair[0]))
    for alias, key in aliases:
        if not is_named(low, alias.lower()):
            continue
        rest = _OF_THE_WHOLE.sub("", text[low.find(alias.lower()) + len(alias) :])
        if key.each is not None:
            if rest.strip(_NOTHING):
                return _one_of_several(key, key.each, text)
            continue
        value = _value(key, rest, profile)
        if value is not None:
            return HotValue(type=key.type, key=key.key, value=value, priority=key.priority)
    return None


def _value(key: HotKey, rest: str, profile: Profile) -> JsonValue:
    """What is said of a key, `rest` behind its name: a number where it holds one, else a number that stands by itself,
    or the words whole."""
    counted = any(key.key in k.ratio_of for k in profile.hot_keys)
    found, copula = _VALUE.match(rest), _IS.match(rest)
    whole = _whole(rest, found)
    if counted or key.ratio_of:
        return _number(key, rest, found, whole, counted=counted)
    if found and whole is None and key.takes is None and (not copula or _ALONE.match(rest, found.end())):
        return amount(found["n"] + ("万" if found["unit"] == "万" else ""))
    value = copula["value"].strip().removesuffix("了") if copula else whole and whole.group()
    if value is None or (key.takes is not None and compiled(key.takes).fullmatch(value) is None):
        return None
    return value


def _whole(rest: str, found: re.Match[str] | None) -> re.Match[str] | None:
    """The date, version, ratio or the like that a number begins, with the letter of a version ("V2.3")."""
    if found is None:
        return None
    start = found.start("n")
    return _WHOLE.match(rest, start - 1 if rest[:start][-1:] in ("V", "v") else start)


def _number(
    key: HotKey, rest: str, found: re.Match[str] | None, whole: re.Match[str] | None, *, counted: bool
) -> int | float | None:
    """Of a key that others are reckoned from, or that is reckoned from others: nothing but a number is its value."""
    if found is None:
        return None
    if whole is not None:
        share = _SHARE.match(rest, whole.start())
        if share is None or (key.ratio_of and int(share["of"]) == 0):
            return None
        return round(100 * int(share["n"]) / int(share["of"]), 1) if key.ratio_of else int(share["n"])
    if found["unit"] == "%" and counted:
        return None  # of what shares are made, a share is no value
    return amount(found["n"] + ("万" if found["unit"] == "万" else ""))


def with_sentence(profile: Profile, hot: HotValue, sentence: str) -> HotValue:
    """What is said of one of several, in its whole sentence, where that names no other of them."""
    key = next((k for k in profile.hot_keys if k.each is not None and hot.key.split(":")[0] == k.key), None)
    if key is None or key.each is None or not isinstance(hot.value, str):
        return hot
    named = {match["which"] for match in compiled(key.each).finditer(sentence)}
    phrase = sentence.strip(_NOTHING)
    return hot if len(named) > 1 or len(phrase) > MAX_SAID else hot.model_copy(update={"value": phrase})


def _one_of_several(key: HotKey, each: str, text: str) -> HotValue:
    """What is said of one of them, under its own name; of an unnamed one, under the key itself."""
    match = compiled(each).search(text)
    name = key.key if match is None else f"{key.key}:{match['which']}"
    return HotValue(type="status", key=name[:200], value=text.strip(_NOTHING), priority=key.priority)


def _stated(profile: Profile, text: str) -> HotValue | None:
    """Return what the profile's own patterns find, where it is not wished, planned or denied: the number of a key, or
    what is said of one of several."""
    for key in profile.hot_keys:
        for pattern in key.patterns if key.type in {"status", "meta"} else ():
            match = compiled(pattern).search(text)
            if match is None or (key.type == "status" and planned(text[: match.end()])):
                continue
            if key.each is not None:
                if not doubted_en(text[: match.start()]):
                    return _one_of_several(key, key.each, text)
                continue
            if key.type == "status" and _is_doubted(text, match.start(), match.start("value")):
                continue
            if (value := _pattern_value(profile, key, match["value"])) is not None:
                return HotValue(type=key.type, key=key.key, value=value, priority=key.priority)
    return None


def _is_doubted(text: str, start: int, value: int) -> bool:
    return doubted_en(text[:value]) or DENIED.search(text[:start][-12:]) is not None


def _pattern_value(profile: Profile, key: HotKey, phrase: str) -> JsonValue:
    """The date, version or the like that a pattern found whole, else its number; of a key that others are reckoned from
    nothing but a number."""
    counted = bool(key.ratio_of) or any(key.key in k.ratio_of for k in profile.hot_keys)
    whole = key.takes is not None or (not counted and _WHOLE.fullmatch(phrase.strip()))
    return phrase.strip() if whole else amount(phrase)


def with_status(
    here: Sequence[Found], sentence: Sentence, profile: Profile, supposed: re.Pattern[str]
) -> list[Found]:
    """What a sentence of a project says, with the status that it states as a whole where no clause does: "lock date:
    sponsor fixed it, 29 January". What is `supposed` states none; how something was counted does not suppose."""
    if sentence.asks or any(f.hot is not None for f in here) or supposed.search(_RECKONED.sub("", sentence.text)):
        return list(here)
    hot = _stated(profile, sentence.text)
    if hot is None:
        return list(here)
    first = next((n for n, f in enumerate(here) if f.episode_type == "fact" and not f.slots), None)
    if first is None:
        return [*here, Found(sentence.start, sentence.end, "episode", sentence.text, episode_type="fact", hot=hot)]
    return [replace(f, hot=hot) if n == first else f for n, f in enumerate(here)]


def hot_entry(
    profile: Profile, kind: Literal["decision", "preference"], text: str, fallback: str, value: JsonValue
) -> HotValue:
    """Return a decision or preference under the profile's key, else under one made from what it is about."""
    low = text.lower()
    for key in profile.hot_keys:
        if key.type == kind and any(is_named(low, alias.lower()) for alias in (key.key, *key.aliases)):
            return HotValue(type=kind, key=key.key, value=value, priority=key.priority)
    name = re.sub(r"[\x00-\x1f\x7f]", " ", fallback).strip()[:120].strip() or kind
    return HotValue(type=kind, key=name, value=value)
