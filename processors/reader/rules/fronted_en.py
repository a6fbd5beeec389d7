"""English statements with the time or the reason that stands before them: "Before the war, I lived in Rome".

Without it a statement may not be true: one who played as a child does not play every day.
"""

from __future__ import annotations

import re

from processors.reader.rules.clauses_en import SUPPOSED
from processors.reader.rules.person_en import expand

_FRONT = re.compile(
    r"(?:when|while|after|before|during|since|until|in|on|at|for|with|because of|due to|thanks to|despite|growing up"
    r"|as an?)"
    r" [^,;]{2,50},$",
    re.I,
)
_OF_SPEAKER = re.compile(r"(?:I|we|my|our)\b", re.I)


def is_front(phrase: str) -> bool:
    """Does a phrase say when or why what follows its comma holds?"""
    return _FRONT.match(phrase) is not None and SUPPOSED.search(phrase) is None


def with_front(phrase: str, statement: str) -> str | None:
    """The speaker's statement behind what says when or why it holds; None where nothing does."""
    if not is_front(phrase) or not _OF_SPEAKER.match(statement):
        return None
    return f"{expand(phrase)} {statement}"
