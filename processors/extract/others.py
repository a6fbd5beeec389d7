"""Whose it is that a clause of the speaker's names: "my brother's blood pressure", 我给妈妈量血压 are another's."""

from __future__ import annotations

import re

from processors.extract.clauses_zh import KIN as KIN_ZH

KIN_EN = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|son|daughter|grandmother|grandma|grandfather|grandpa|aunt"
    "|uncle|cousin|niece|nephew|girlfriend|boyfriend|fiancé|fiancée"
    "|fiance|fiancee|partner|friend|best friend|boss|manager"
    "|colleague|coworker|co-worker|roommate|neighbor|neighbour|teacher"
    "|mentor|doctor|landlord|twin|stepmother|stepfather"
    "|stepson|stepdaughter|mother-in-law|father-in-law|sister-in-law|brother-in-law|parents|kids|children|family"
)
"""Alternatives of a pattern."""
_SAYS = r"(?! (?:says?|said|told|tells?|thinks?|thought|found|noted)\b)"
"""My doctor said that ...: of the speaker all the same."""
_OTHERS_EN = re.compile(
    rf"\b(?:his|her|their|your|its|whose|[\w-]{{1,30}}'s)\b|\b(?:{KIN_EN}|baby|dog|cat|pet|puppy)s?\b{_SAYS}",
    re.I,
)
_OWN_EN = re.compile(r"\b(?:my|our|I)\b")
_MY_KIN_EN = re.compile(rf"(?:my|our) (?:[\w-]{{1,20}} ){{0,2}}?(?:{KIN_EN})s?\b{_SAYS}", re.I)
_OTHERS_ZH = re.compile(rf"{KIN_ZH}|[他她它你您]|别人|人家|[狗猫]|宠物")
_KIN_WORD_ZH = re.compile(KIN_ZH)
_KIN_WORD_EN = re.compile(rf"\b(?:{KIN_EN})s?\b", re.I)


def of_anothers_en(lead: str) -> bool:
    """Does what follows `lead`, the beginning of an English clause of the speaker's, belong to somebody else?"""
    return _OTHERS_EN.search(_OWN_EN.split(lead)[-1]) is not None


def of_anothers_zh(lead: str) -> bool:
    """The same of a Chinese clause."""
    return _OTHERS_ZH.search(lead.rsplit("我", 1)[-1]) is not None


def about_kin_en(body: str) -> bool:
    """Is a clause that begins with "my" about a person?"""
    return _MY_KIN_EN.match(body) is not None


def names_kin(said: str) -> bool:
    """Does the text name a relative or friend?"""
    return (_KIN_WORD_EN if said.isascii() else _KIN_WORD_ZH).search(said) is not None
