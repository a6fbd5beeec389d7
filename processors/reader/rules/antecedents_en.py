"""Whom and what an English pronoun may mean within its statement: "I bought a car and it broke down".

A pronoun's thing stands in a clause before it. A person is no "it", a place is no "she", and "a lot" is nothing that
one comes back to.
"""

from __future__ import annotations

import re

from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives, listed

_PARTS = re.compile(
    r"[,;:(]|\b(?:\w+ing|and|but|so|or|because|since|when|while|after|before|until|till|if|who|whose|which|that|where|then|as|with"
    r"|to(?! (?:it|them|him)\b))\b",
    re.I,
)
"""Where a part of a statement ends: what is named within one is not what a verb of the same part is done to."""
_BOUND = rf"(?:{alternatives('ends_a_noun_phrase')})"
_NOUN_PHRASE = re.compile(
    rf"\b(?:an?|my|our|another|the|his|her|their|one|every) (?P<words>(?:(?!{_BOUND}\b)[\w'-]+ ?){{1,4}})", re.I
)
_EMPTY = frozenset(listed("nothing_to_come_back_to"))
_MANY_NAMED = re.compile(
    r"\b(?:my|our|the|some|two|three|four|five|\d+|many|several|most|all|both|few|more|of|with)"
    r" (?:[\w'-]+ ){0,2}(?P<word>[a-z]+s)\b"
    r"|\b(?:parents|kids|children|people|family|siblings|grandparents|someone|somebody|anyone|everyone|everybody)\b",
    re.I,
)
_BARE_PLURAL = re.compile(r"(?P<before>[\w']+) (?P<word>[a-z]+[^s\W]s)\b", re.I)
_NO_PLURAL = frozenset(listed("no_plurals"))
_BEHIND_A_SUBJECT = re.compile(rf"(?:I|we|he|she|it|who|that|which|(?-i:[A-Z])[a-z]+|{KIN_EN}|dog|cat)$", re.I)
_DONE_TO = re.compile(
    r"\b(?:play|learn|study|studi|teach|smoke|drink|eat|grow|speak|cook|watch|collect)(?:ed|t|d|s|es|ing)?"
    r" (?!(?:to|it|that|this|with|in|on|at|for|up|out|about|and|but|so|well|together|again|more|too)\b)[a-z]{3,}"
    r"(?! (?:is|are|was|were)\b)"
    r"|\b(?:love|like|hate|enjoy|have|had|need|use|tried|got|bought|made|sell|sold|prefer)d? "
    rf"(?!{_BOUND}\b|(?:{alternatives('nothing_to_come_back_to')})\b)[a-z]{{3,}}(?<!ing)(?<!ed)\b"
)
"""What one does needs no article: "I played cello and gave it up"."""
KIN = re.compile(rf"\b(?:{KIN_EN}|dog|cat|baby|puppy|kitten)s?\b", re.I)
_GENDERED = re.compile(rf"(?:{alternatives('he', 'she')})", re.I)
"""Nobody of whom one says "they"."""
_PERSON = re.compile(
    rf"(?:{KIN_EN}|{alternatives('roles', 'he', 'she')}|someone|somebody|person|man|woman|guy|girl|boy)s?$", re.I
)
_ONE_PERSON = re.compile(
    r"\b(?!(?:family(?! member)|parents|kids|children|siblings|in-laws|grandparents|grandkids|grandchildren)\b)"
    rf"(?:{KIN_EN}|{alternatives('roles')}|dog|cat|baby|puppy|kitten|someone|somebody|person|man|woman|guy|girl|boy"
    r"|lady|son|daughter|family member)\b",
    re.I,
)
"""Whom "he" and "she" may mean: not a family."""
_NAME = re.compile(
    r"(?<=[a-z,'] )(?!(?:I|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|January|February|March|April|June|July|August|September"
    r"|October|November|December|Christmas|Easter)(?:day)?\b)[A-Z][a-z]+\b"
)
_OF_A_PLACE = re.compile(r"\b(?:in|at|from|near|around|through|across|outside|into|to|of|the)(?: the)? $")
_OF_A_PERSON = re.compile(rf"\b(?:told|tell|asked|ask|named|called|married|dated|dating|{KIN_EN}),? $", re.I)


def earlier(before: str) -> str:
    """The parts before the one in which `before` ends."""
    ends = [part.start() for part in _PARTS.finditer(before)]
    return before[: ends[-1]] if ends else ""


def names_person(before: str) -> bool:
    """Does it name somebody whom "he" or "she" may mean?"""
    if _ONE_PERSON.search(before):
        return True
    return any(_OF_A_PLACE.search(before, 0, name.start()) is None for name in _NAME.finditer(before))


def names_thing(before: str) -> bool:
    """Does it name something that "it" may mean?"""
    if _DONE_TO.search(before) or any(_is_thing(match["words"]) for match in _NOUN_PHRASE.finditer(before)):
        return True
    return any(_OF_A_PERSON.search(before, 0, name.start()) is None for name in _NAME.finditer(before))


def names_several(before: str) -> bool:
    """Does it name several, or somebody of whom one says "they"?"""
    kin = [match.group() for match in KIN.finditer(before)]
    if len(kin) > 1 or any(_GENDERED.fullmatch(who) is None for who in kin):
        return True
    if any((match["word"] or "").lower() not in _NO_PLURAL for match in _MANY_NAMED.finditer(before)):
        return True
    return any(
        match["word"].lower() not in _NO_PLURAL and _BEHIND_A_SUBJECT.match(match["before"]) is None
        for match in _BARE_PLURAL.finditer(before)
    )


def _is_thing(words: str) -> bool:
    """Is a noun phrase, without its article, a thing: neither a person nor "lot" nor "hard time"?"""
    parts = words.lower().split()
    return not any(word in _EMPTY or _PERSON.fullmatch(word) for word in parts)
