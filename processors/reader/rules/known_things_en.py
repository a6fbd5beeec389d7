"""Things that an English statement names with "the" though only the talk before it says which: "I like the atmosphere",
"I never played the sport".

What is a part, a kind or a member of something else ("the plot", "the class") says nothing without it. What everybody
has once, or what the statement itself says more of, needs no more.
"""

from __future__ import annotations

import re

from processors.reader.rules.antecedents_en import names_thing
from processors.reader.rules.words_en import alternatives, listed

_KNOWN = re.compile(
    rf"\b(?:the|those|these) (?P<noun>{alternatives('known_by_the_talk')}|(?:{alternatives('named_in_talk')})s?)\b"
    r"(?=\s*(?:$|[,;.!]|(?:and|but|so|or|because|since|when|while|though|although|if|at all|too|very|either|yet|now"
    r"|again|any ?more|a lot|so much|as well|back then|well|as a (?:kid|child)|every|each|before|after|is|are|was"
    r"|were|has|have|had)\b))",
    re.I,
)
_NAMED = re.compile(r"(?<=[a-z,'] )(?!I\b)[A-Z][a-z]+|\b(?:an?|my|our|some) (?!bit\b|little\b|lot\b)[a-z]")
"""What the statement names before, of which it may be."""


_DEFINITE = re.compile(
    rf"(?P<before>(?:[\w']+ )?)\bthe (?P<words>(?:(?!(?:{alternatives('ends_a_noun_phrase')})\b)[\w'-]+ ?){{1,4}})"
    r"(?P<after>[^,;]*)",
    re.I,
)
_ONE_FOR_ALL = re.compile(
    rf"(?:{alternatives('known_to_all', 'one_for_all', 'nothing_to_come_back_to')})|[a-z]+(?:est|most)|\w*[A-Z\d]\S*"
)
_ONE_OF_MANY = frozenset(listed("one_of_many"))
_NEAR_ONE = frozenset(listed("near_one"))
_OF_NO_KIND = frozenset(listed("of_no_kind_before"))
_VERB_FORM = re.compile(
    rf"(?:[a-z]{{3,}}(?:ed|ly)|{alternatives('steps')}|lost|won|met|broke|closed"
    r"|last|next|again|yesterday|today|tomorrow)$"
)
_SAYS_WHICH = re.compile(
    r"(?:of|in|at|from|near|for|about|between|behind|who|whom|whose|that|where|which|to|I|we|my|our|he|she"
    r"|they|it|is that|was that)\b|(?:called|named)\b",
    re.I,
)
_WITHIN = re.compile(r"(?:in|from|near|outside|into|around|across|of|at|by|for|leave|leaving|left) $", re.I)
"""The city as against the country, not one of the cities."""
_TAKEN_UP = re.compile(
    r"(?:play|plays|played|playing|learn|learned|learning|practise|likes?|liked|loves?|loved|follow"
    r"|for) $", re.I
)
"""The harp, the lions."""


def is_known_by_the_talk(text: str) -> bool:
    """Does the statement speak of a thing without saying of what, or which?"""
    if any(_NAMED.search(text, 0, match.start()) is None for match in _KNOWN.finditer(text)):
        return True
    return any(_is_one_of_many(text, match) for match in _DEFINITE.finditer(text))


def _is_one_of_many(text: str, match: re.Match[str]) -> bool:
    """Is "the" thing one of many, of which the statement does not say which?"""
    words = match["words"].split()
    if any(word[0].isupper() for word in words) or _SAYS_WHICH.match(match["after"]):
        return False
    low = [word.lower() for word in words]
    heads = (n for n in range(len(low)) if n + 1 == len(low) or _VERB_FORM.search(low[n + 1]))
    at = next((n for n in heads if low[n] in _ONE_OF_MANY), None)
    within = at is not None and low[at] in _NEAR_ONE and _WITHIN.match(match["before"]) is not None
    if (at is None or within) and any(_ONE_FOR_ALL.fullmatch(word) for word in words):
        return False
    if _says_which_kind(low[: len(low) - 1 if at is None else at], low[-1]):
        return False
    taken_up = words[-1].endswith("s") and _TAKEN_UP.match(match["before"])
    if taken_up or any(word in {"called", "named"} for word in low):
        return False
    return not names_thing(text[: match.start("words")].removesuffix("the "))


def _says_which_kind(before: list[str], last: str) -> bool:
    """Do words before a noun say what it is: "the tennis team", not "the whole team" nor "the team lost"?"""
    return bool(before) and before[0] not in _OF_NO_KIND and _VERB_FORM.search(last) is None
