"""What an English sentence points at, and whether it stands in the sentence before it."""

from __future__ import annotations

import re

from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

# What points outside of the statement, and what it may point at within.
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.I)
_THING = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|its|itself|it's)\b", re.I)
_SEVERAL = re.compile(r"\b(?:they|them|their|theirs|themselves|they're|they've|they'd)\b", re.I)
_OBJECT = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|them|him)\b", re.I)
"""It within a title has a capital: "Wreck It Ralph"."""
_BEFORE_THAT = (
    "did|do|does|done|doing|of|for|like|about|with|after|before|by|from|at|in|on|to|than|love|loved|hate|hated|try|tried"
    "|had|have|get|got|keep|kept|take|took|saw|seen|watch|watched|read|use|used|need|want|remember|said"
)
_SHOWN = re.compile(
    r"\b(?:this|these|those)\b(?! (?:year|month|week|weekend|morning|afternoon|evening|summer|winter|spring|fall|autumn"
    r"|christmas|monday|tuesday|wednesday|thursday|friday|saturday|sunday|days)\b)"
    r"|\b(?:that|which)\s*$"
    r"|\bthat(?:'s| (?:is|was|were|would|will|can|could|did|does|has|had|one|way|kind|sort|much|part))\b"
    rf"|\b(?:{_BEFORE_THAT}) that\b(?! (?:I|my|we|the|he|she|it|they)\b)"
    r"|\b(?:when|if|because|since|after|before|while|and|but|so|how \w+) that (?:came|happen\w*|ha[sd]|must|should"
    r"|might|makes?|made|means?|sounds?|looks?|seems?)\b"
    r"|\b\w+ that (?:in|out|up|on|off|over|down|back)\b(?=\s*(?:$|[,;]))"
    r"|\b(?:[a-z]+ed|began|begun|took|made) that (?:about|in|on|at|with|last|for|when|because|and|but|\d)\b"
    r"|\b(?:has|have|had|own|owns|found) that (?=[a-z]+ (?:in|on|at|by|near|with|from|of)\b)"
    r"|(?<!since )(?<!by )(?<!until )(?<!just )(?<!now and )(?<!once and )\bthen(?=\s*(?:[,;]|$))"
    r"|\b[a-z]+ing that [a-z]+(?:$|,)"
    r"|(?<!s )\bthat (?!(?:much|way|far|long|bad|good|often|well|one|I|we|he|she|they|it)\b)[a-z]+(?<!s)(?<!ed)$"
    r"|\b(?:am|is|are|was|were|at|see|find|read|hear|open|watch) that [a-z]+$|\bthat sooner\b"
    r"|\b(?:the|this|that|a similar) (?:same )?(?:situation|position|boat)"
    r"(?:$| (?:head on|as|now|myself|before|too|once|last|where|and|when)\b)"
    r"|\bone of (?:mine|ours)\b"
    r"|(?<!of )(?<!is )(?<!was )(?<!are )(?<!were )(?<!the )(?<!stays )(?<!stay )(?<!coal )(?<!gold )(?<!a )\bmine\b"
    r"|\b(?:(?:an)?other|that|which|the|next|last|a \w+|\w+er) ones?\b|\b(?:the|an)other\s*$"
    r"|\bthe (?:same|latter|former)(?:\s*$|\s*[,;]| (?:with|for|as|here|goes)\b)"
    r"|\bbetween\b(?!.*\band\b)|\b(?:too|so|such)\s*$|\bthe choice\b|\bsome\s*$|\bdo(?:es)? so\b"
    r"|\bthat (?:before|either|yet)$|\bthat lot\b|\band something\s*$|\bit(?:'s| is) (?:him|her|them)\b"
    r"|(?<!'s )(?<!is )(?<!are )(?<!was )(?<!were )(?<!of )\b(?:hers|theirs)\b"
    r"|\bthere\b(?!(?:'s| is| are| was| were|fore|'re)\b)|\bhere\b",
    re.I,
)
_ONE = re.compile(
    r"\b(?:the (?!only one (?:in|at|on|with|who|of|[a-z]+ing)\b)[\w'-]+|lost|had|have|has|got|gets?|bought|needs?"
    r"|wants?|saw|made|found|took|takes?|used?|ordered|sold"
    r"|gave|keeps?|kept|owns?|tried|broke) ones?\b(?= *(?:$|[,;.]|(?:in|on|at|for|from|before|after|last|this"
    r"|ever|since"
    r"|when|because|and|but|so|too|by|until|again|already|now|yet)\b))",
    re.I,
)
"""One of what was named before: "we lost one in March"."""
_OF_A_KIND = re.compile(r"\bthe (?!only\b|number\b)[\w'-]+ one\b(?! (?:of|in|to|who|that|among)\b)", re.I)
"""Which of those that were named: "the red one"."""
_PARTS = re.compile(
    r"[,;:(]|\b(?:\w+ing|and|but|so|or|because|since|when|while|after|before|until|till|if|who|whose|which|that|where|then|as|with"
    r"|to(?! (?:it|them|him)\b))\b",
    re.I,
)
"""Where a part of a statement ends: what is named within one is not what a verb of the same part is done to."""
_OF_BEFORE = re.compile(
    r"^(?:that|those) (?!(?:is|was|said|way|being)\b)[a-z]"
    r"|\b(?:the|that) (?:show|movie|film|book|song|album|game|series|episode|story|article|video|clip|photo|picture"
    r"|sport|restaurant|hotel|event|guy|girl|lady|thing|one|idea|joke|trailer|ending|plot|sequel|actor|actress|character)"
    r"(?= *(?:$|[,;.]|\b(?:at|a|once|twice|several|many|and|but|so|too|again|yet|lately|either|anyway"
    r"|because|when|is|are|was|were|has|had|can|could)\b))",
    re.I,
)
"""A thing that was named in the talk before, not in the statement."""
_ONE_NAMED = re.compile(
    r"\b(?:an?|my|our|another|the) (?!(?:lot|bit|while|few|bunch)\b|little(?! [a-z]{4}))(?:[\w'-]+ ){0,2}[a-z]{2,}",
    re.I,
)
_MANY_NAMED = re.compile(
    r"\b(?:my|our|the|some|two|three|four|five|\d+|many|several|most|all|both|few|more|of|with)"
    r" (?:[\w'-]+ ){0,2}[a-z]+s\b"
    r"|\b(?:parents|kids|children|people|family|siblings|grandparents)\b|\b\w+[^s\W]s\b",
    re.I,
)
_DONE_TO = re.compile(
    r"\b(?:play|learn|study|studi|teach|smoke|drink|eat|grow|speak|cook|watch|collect)(?:ed|t|d|s|es|ing)?"
    r" (?!(?:to|it|that|this|with|in|on|at|for|up|out|about|and|but|so|well|together|again|more|too)\b)[a-z]{3,}"
    r"(?! (?:is|are|was|were)\b)"
)
"""What one does needs no article: "I played cello and gave it up"."""
KIN = re.compile(rf"\b(?:{KIN_EN}|dog|cat|baby|puppy|kitten)s?\b", re.I)
_OF_KIN = re.compile(rf"\b(?:my|our|an?|the) (?:[\w-]+ )?(?:{KIN_EN})s?\b", re.I)
_ONE_PERSON = re.compile(
    r"\b(?!(?:family(?! member)|parents|kids|children|siblings|in-laws|grandparents|grandkids|grandchildren)\b)"
    rf"(?:{KIN_EN}|{alternatives('roles')}|dog|cat|baby|puppy|kitten|someone|somebody|person|man|woman|guy|girl|boy"
    r"|lady|son|daughter|family member)\b",
    re.I,
)
"""Whom "he" and "she" may mean: not a family."""
_NAME = re.compile(r"(?<=[a-z,'] )[A-Z][a-z]+\b")


def resolved(text: str) -> bool:
    """Does everything that the text points at stand in the text before it?"""
    if _SHOWN.search(text):
        return False
    if named_before(text):
        return False
    if (object_match := _OBJECT.search(text)) is not None:
        behind = _earlier(
            " ".join(text[: object_match.start()].split()[2:])
        )  # not the subject of its own verb, not its object
        done = _DONE_TO.search(_earlier(text[: object_match.start()]))
        if not (done or _names_thing(behind) if object_match.group().lower() == "it" else _names_several(behind)):
            return False
    if (one := _ONE.search(text)) is not None:
        behind = _earlier(text[: one.start()])
        if not (_names_thing(behind) or _names_several(behind)):
            return False
    if (one := _OF_A_KIND.search(text)) is not None and not _names_thing(text[: one.start()]):
        return False
    for pointing, names in ((_PERSON, _names_person), (_THING, _names_thing), (_SEVERAL, _names_several)):
        match = pointing.search(text)
        if match is not None and not names(text[: match.start()]):
            return False
    return True


def _earlier(before: str) -> str:
    """The parts before the one in which `before` ends."""
    ends = [part.start() for part in _PARTS.finditer(before)]
    return before[: ends[-1]] if ends else ""


def named_before(text: str) -> bool:
    """Does the text speak of "the show" or "that book", which the talk before it named?"""
    known = _OF_BEFORE.search(text)
    return known is not None and not _names_thing(_OF_KIN.sub("", text[: known.start()]))


def _names_person(before: str) -> bool:
    return bool(_ONE_PERSON.search(before) or _NAME.search(before))


def _names_thing(before: str) -> bool:
    return bool(_ONE_NAMED.search(before) or _NAME.search(before) or _DONE_TO.search(before))


def _names_several(before: str) -> bool:
    return bool(_MANY_NAMED.search(before) or KIN.search(before))
