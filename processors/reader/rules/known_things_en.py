"""Things that an English statement names with "the" though only the talk before it says which: "I like the atmosphere",
"I never played the sport".

What is a part, a kind or a member of something else ("the plot", "the class") says nothing without it. What everybody
has once, or what the statement itself says more of, needs no more.
"""

from __future__ import annotations

import re

from processors.reader.rules.words_en import alternatives

_KNOWN = re.compile(
    rf"\b(?:the|those|these) (?P<noun>{alternatives('known_by_the_talk')}|(?:{alternatives('named_in_talk')})s?)\b"
    r"(?=\s*(?:$|[,;.!]|(?:and|but|so|or|because|since|when|while|though|although|if|at all|too|very|either|yet|now"
    r"|again|any ?more|a lot|so much|as well|back then|well|as a (?:kid|child)|every|each|before|after|is|are|was"
    r"|were|has|have|had)\b))",
    re.I,
)
_NAMED = re.compile(r"(?<=[a-z,'] )(?!I\b)[A-Z][a-z]+|\b(?:an?|my|our|some) (?!bit\b|little\b|lot\b)[a-z]")
"""What the statement names before, of which it may be."""


def is_known_by_the_talk(text: str) -> bool:
    """Does the statement speak of a thing without saying of what, or which?"""
    return any(_NAMED.search(text, 0, match.start()) is None for match in _KNOWN.finditer(text))
