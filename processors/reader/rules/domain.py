"""What the profile adds: its own fields' patterns, categories and project names (B1, D2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import doubted
from processors.reader.rules.numbers import amount
from processors.reader.rules.others import doubted_en, names_kin, opens_with_kin
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

DENIED = re.compile(
    r"(?:没有?|无|不|未|尚未|还没|没什么|\bno(?: longer)?\b|\bnot\b|n't|\bnever\b|\bwithout\b)[^，。,.]{0,6}$", re.I
)
_OVER = re.compile(r"以前|之前|曾经?|过去|当时|小时候")
_WISH = re.compile(r"希望|最好|尽量|越.{1,3}越|倾向|偏好|更想|prefer|rather|ideally|as soon as possible|hope", re.I)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|close to|some)|~|大概|大约|差不多|约|将近|接近)"
    r"(?:是|有|在)?\s?(?:HK|US)?[$£€¥]?\s?$",
    re.I,
)
_OR_SO = re.compile(
    r"\s?(?:元|块钱?|万|港[币元]|美[元金]|人民币|[a-z%]{1,10})?\s?(?:左右|上下|or so\b|or thereabouts\b)", re.I
)
"""Round a number, what makes it approximate (B2)."""
_GIVEN_UP = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:abandon\w{0,3}|g[ia]v(?:e|en|ing) up(?: on)?|dropp(?:ed|ing)|scrapp(?:ed|ing)"
    r"|shelv(?:ed|ing)|decided against|no longer|(?:am|are|'m|'re) not going (?:to|for)"
    r"|(?:do not|don't) (?:want|plan|intend|wish) to)\b"
    r"|(?<!不想)(?<![不没别])(?:放弃|取消)"
)
"""Before or within what a plan is known by: the plan has ended."""
_ANOTHER_PART = re.compile(r"[,;.，。；]|\b(?:and|but|so)\b|但|所以")
_PARTS = re.compile(r"[，,；;。.!！?？]\s*|(?=不过|但是|可是|\bbut\b|\bwhile\b)")
_NUMBERS = frozenset({"money", "integer", "number"})
_JOB = "occupation"
"""The slot of what somebody works as."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def resolve_category(profile: Profile, text: str) -> str | None:
    """The category of an intent: not that of a clause about a person of the owner's (不过我妹妹走优才), unless the
    statement holds nothing else."""
    parts = _PARTS.split(text)
    own = [part for part in parts if not opens_with_kin(part)]
    return category_of(profile, text if len(own) in {0, len(parts)} else "，".join(own))


def category_of(profile: Profile, text: str) -> str | None:
    """Return the category that a text names, the longest alias first; None for none or for several."""
    low = text.lower()
    named: set[str] = set()
    for category in profile.categories:
        for alias in (category.name, *category.aliases):
            if is_named(low, alias.lower()):
                named.add(category.name)
    return named.pop() if len(named) == 1 else None


def is_named(low: str, alias: str) -> bool:
    """Is `alias` in `low` as a word? Latin letters need ends, Chinese does not."""
    if not alias.isascii():
        return alias in low
    return re.search(rf"(?<![a-z0-9]){re.escape(alias)}(?![a-z0-9])", low) is not None


def project_of(profile: Profile, text: str, reaches: Sequence[str] | None = None) -> str | None:
    """Return the id of the project that a text names by one of its aliases. `reaches`: the only ones it may mean."""
    low = text.lower()
    for project in profile.projects:
        if reaches is not None and project.id not in reaches:
            continue
        if any(is_named(low, alias.lower()) for alias in project.aliases):
            return project.id
    return None


def profile_fields(profile: Profile, text: str, start: int, statement: str, *, of_kin: bool = False) -> list[Found]:
    """Return what the profile's own patterns find in a stating clause; `statement` is the statement to keep. `of_kin`:
    of a clause about a relative or friend only what names them (a family's history) says something of the speaker."""
    found: list[Found] = []
    for spec in profile.fields:
        values: list[str] = []
        for pattern in spec.patterns:
            match = compiled(pattern).search(text)
            if match is None or (of_kin and not names_kin(match.group())) or _unmeant(spec, match):
                continue
            if spec.kind == "intent" and _GIVEN_UP.search(text, _part_before(match), match.end()):
                continue
            negated = _denied_one(spec, match)
            value = match["value"].strip() if negated else _value(spec, match, text)
            if value is not None and str(value) not in values:
                kind = "preference" if spec.kind == "intent" and _WISH.search(text) else spec.kind
                place = (start + match.start(), start + match.end())
                slots = ((spec.name, value),)
                category = category_of(profile, text)
                text_of_it = _without(statement, values)
                values.append(str(value))
                vague = _approximate(spec, match)
                found.append(Found(*place, kind, text_of_it, slots, vague, negated, category=category))
                if not spec.many:
                    break
    return found


def without_jobs(found: list[Found], own: Sequence[Found], profile: Profile, *, in_project: bool) -> list[Found]:
    """Without an occupation where the same words (`own`) name a part in a project (`by_project`), and a project is
    meant: 我是苍穹的产品经理 is no trade."""
    roles = {spec.name for spec in profile.fields if spec.by_project is not None}
    named = [f for f in own if any(slot in roles for slot, _ in f.slots)]
    if not named or not (in_project or any(project_of(profile, f.text) for f in named)):
        return found
    return [f for f in found if {n for n, _ in f.slots} != {_JOB} or not any(f.overlaps(o.start, o.end) for o in named)]


def _part_before(match: re.Match[str]) -> int:
    """Where the part of a clause begins that a match stands in."""
    return max((m.end() for m in _ANOTHER_PART.finditer(match.string, 0, match.start())), default=0)


def _approximate(spec: FieldSpec, match: re.Match[str]) -> bool:
    if spec.type not in _NUMBERS or not match.groupdict().get("value"):
        return False
    before, after = match.string[: match.start("value")], match.string[match.end("value") :]
    return _ABOUT.search(before) is not None or _OR_SO.match(after) is not None


def _without(text: str, values: list[str]) -> str:
    """Of several values in one statement each is told by itself."""
    for value in values:
        text = re.sub(rf"{re.escape(value)}(?:\s?(?:[,，、和与及]|and\b|or\b)){{1,2}}\s?", "", text)
    return text


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
    return DENIED.search(before) is not None or re.search(r"[不没无]", after) is not None


def _value(spec: FieldSpec, match: re.Match[str], text: str) -> JsonValue:
    denied = DENIED.search(text[max(0, match.start() - 12) : match.start()]) is not None
    if spec.type == "boolean":
        return not denied and DENIED.search(match.group()) is None and not re.search(r"没有?|不|无", match.group())
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
