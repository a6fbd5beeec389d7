"""Speakers who are named by what they help with ("assistant", "clerk"): what they say they do is about the talk."""

from __future__ import annotations

from typing import Literal

from processors.reader.rules.antecedents_en import KIN
from processors.reader.rules.found import Found
from processors.reader.rules.words_en import listed

_NO_PEOPLE = frozenset(listed("no_people"))
_HELPERS = frozenset(listed("helpers"))


def speaks_for_work(speaker: str | None) -> Literal["wholly", "mostly"] | None:
    """Does a speaker of this name speak for their work: wholly, who has no life; mostly, but for `of_their_life`; or
    None, as themself?"""
    name = " ".join((speaker or "").lower().replace("_", " ").split())
    return "wholly" if name in _NO_PEOPLE else "mostly" if name in _HELPERS else None


def of_their_life(found: Found) -> bool:
    """Is this a plain fact of who somebody is (a name), or of their family?"""
    return bool(found.slots) or (found.kind != "intent" and KIN.search(found.text) is not None)
