"""What the owner has or takes, by the names that the profile's lexicon lists for a slot (`lexicon.condition`, ...).

The words around a name are language and stand here; the names are the domain's and stand in the profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from processors.extract.found import Found
from schemas.profile import Profile

_LEADS_EN: Mapping[str, str] = {
    "condition": r"(?:have|have had|suffer from|am suffering from|was diagnosed with"
    r"|have been diagnosed with|live with)",
    "medication": r"(?:take|am taking|am on|have been taking|was prescribed|use)",
    "allergy": r"(?:am allergic to|have an allergy to)",
}
_LEADS_ZH: Mapping[str, str] = {
    "condition": r"(?:患有?|得了|得过|确诊了?|查出了?|有)",
    "medication": r"(?:服用|在吃|吃着|每天吃|在用|使用|打)",
    "allergy": r"对",
}
_SAID_EN = {"condition": "has", "medication": "takes", "allergy": "is allergic to"}
_SAID_ZH = {"condition": "有", "medication": "在服用", "allergy": "对{}过敏"}


@lru_cache(maxsize=256)
def _pattern(lead: str, names: tuple[str, ...], latin: bool) -> re.Pattern[str]:
    listed = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True))
    if latin:
        return re.compile(rf"{lead} (?:[\w'-]+ ){{0,2}}?(?P<name>{listed})(?![\w-])", re.IGNORECASE)
    return re.compile(rf"{lead}[^，。不没]{{0,6}}?(?P<name>{listed})")


def named_en(profile: Profile, predicate: str, start: int, end: int, *, negated: bool) -> list[Found]:
    """Return what an English predicate of the speaker, its negation taken off, names."""
    return list(_named(profile, predicate, start, end, latin=True, negated=negated))


def named_zh(profile: Profile, body: str, start: int, end: int) -> list[Found]:
    """Return what a Chinese clause of the speaker names; a denied name is left out."""
    return list(_named(profile, body, start, end, latin=False, negated=False))


def beside(named: list[Found], found: list[Found], start: int) -> list[Found]:
    """Leave out a name whose slot a plain rule has filled from the same clause, with more of its words."""
    filled = {slot for f in found if f.start >= start for slot, _ in f.slots}
    return [f for f in named if f.slots[0][0] not in filled]


def _named(profile: Profile, body: str, start: int, end: int, *, latin: bool, negated: bool) -> Iterable[Found]:
    for slot, lead in (_LEADS_EN if latin else _LEADS_ZH).items():
        names = tuple(n for n in profile.lexicon.get(slot, {}) if n.isascii() == latin)
        match = _pattern(lead, names, latin).search(body) if names else None
        if match is None or re.search(r"[不没无]有?$", body[: match.start()]):
            continue
        name = match["name"]
        if latin:
            text = f"{{owner}} {'does not have' if negated else _SAID_EN[slot]} {name}"
        else:
            said = _SAID_ZH[slot]
            text = "{owner}" + (said.format(name) if "{}" in said else said + name)
        yield Found(start, end, "fact", text, ((slot, name),), negated=negated)
