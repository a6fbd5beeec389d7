"""Whose it is that a clause of the speaker's names: "my brother's blood pressure", 我给妈妈量血压 are another's."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import KIN as KIN_ZH

KIN_EN = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|son|daughter|grandmother|grandma|grandfather|grandpa|aunt"
    "|uncle|cousin|niece|nephew|girlfriend|boyfriend|fiancé|fiancée"
    "|fiance|fiancee|partner|friend|best friend|boss|manager"
    "|colleague|coworker|co-worker|roommate|neighbor|neighbour|teacher"
    "|mentor|doctor|landlord|twin|stepmother|stepfather"
    "|nana|nan|gran|granny|grandad|granddad|grandson|granddaughter|grandkids|grandchildren|grandparents|siblings?"
    "|hubby|bf|gf|bestie|stepdad|stepmom|stepmum|stepson|stepdaughter|in-laws|mother-in-law|father-in-law|sister-in-law|brother-in-law|parents|kids|children|family"
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

_LEADS_ON = re.compile(
    r"(?:不过|但是?|可是?|而且?|另外|其中|倒是|and |but |while |though |although |whereas )[，,\s]*", re.I
)
_OPENS_ZH = re.compile(rf"(?:我们?|咱们?|用户)(?:的|家)?(?:[大小老]|那个?)?(?:{KIN_ZH})")
_OPENS_EN = re.compile(rf"(?:my|our|User's) (?:[\w-]{{1,20}} ){{0,2}}?(?:{KIN_EN})s?\b(?!.*\b(?:I|we|User)\b)", re.I)

_DOUBTED_EN = re.compile(
    r"\b(?:want(?:s|ed)?|hop(?:e|ed|ing)|wish(?:ed)?|plan(?:ned|ning)?|going to|would|might|may|could|should"
    r"|will|try(?:ing)?"
    r"|aim(?:ing)?|goal|target|ideal|like to|need to|have to|afraid|worr(?:y|ied)|fear(?:ed)?|scared|terrified"
    r"|suspect(?:ed)?"
    r"|think|thought|believed?|guess|suppose|assumed?|imagined?|dream(?:ed|t)?|feel like|pretend(?:ed)?"
    r"|wonder(?:ed|ing)?|bet(?! on)|jok(?:ed|ing)|lied|lying that"
    r"|not sure|unsure|convinced|misdiagnosed|nearly|used to|never said|doubt(?:ed)?|possibl[ey]|maybe|perhaps"
    r"|probably)\b",
    re.I,
)
_FAMILYS_EN = re.compile(
    r"\s?(?:runs?|running)?\s?(?:in|on|from) (?:the|my|our|both) (?:\w{1,12}'s )?(?:famil(?:y|ies)|side)\b", re.I
)


def doubted_en(lead: str) -> bool:
    """Does what leads to an English statement make it a wish, a belief, a fear or a thing of the past?"""
    return _DOUBTED_EN.search(lead) is not None


def of_the_family_en(rest: str) -> bool:
    """ "I have diabetes in the family": what follows an illness may give it to others."""
    return _FAMILYS_EN.match(rest) is not None


def of_anothers_en(lead: str) -> bool:
    """Does what follows `lead`, the beginning of an English clause of the speaker's, belong to somebody else?"""
    return _OTHERS_EN.search(_OWN_EN.split(lead)[-1]) is not None


def of_anothers_zh(lead: str) -> bool:
    """The same of a Chinese clause."""
    return _OTHERS_ZH.search(lead.rsplit("我", 1)[-1]) is not None


def about_kin_en(body: str) -> bool:
    """Is a clause that begins with "my" about a person?"""
    return _MY_KIN_EN.match(body) is not None


def opens_with_kin(part: str) -> bool:
    """Is a part of a statement about a person of the owner's alone (不过我妹妹走优才, "but my sister ...")?"""
    phrase = _LEADS_ON.sub("", part.strip())
    if (match := _OPENS_ZH.match(phrase)) is not None:
        return not re.search(r"我|用户", phrase[match.end() :])
    return _OPENS_EN.match(phrase) is not None


def names_kin(text: str) -> bool:
    """Does the text name a relative or friend?"""
    return (_KIN_WORD_EN if text.isascii() else _KIN_WORD_ZH).search(text) is not None
