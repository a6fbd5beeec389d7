"""Regular expressions of a profile: they compile, no repeat of theirs goes on for ever, and no text matches one in so
many ways that trying them holds everybody up.

They run over clauses of what anybody may write, for all tenants in the same processes; a match of `re` lets nobody else
in before it ends.
"""

from __future__ import annotations

import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator

from schemas.profile.ambiguity import ways

MOST_CHARS = 5_000
MOST_WAYS, MOST_WAYS_ASKED = 250_000, 5_000
"""In which a text may match, by the estimate of `ways`: of a pattern of the stream, whose record is given up where it
holds a step too long, and of one that the query service runs beside its requests. Of the shipped ones the most are
200,000, of names of medicines, and 120."""
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def unbounded(tree: Any) -> list[str]:
    """The repeats without an upper bound in a parsed pattern. Read off the parse tree: the text alone does not tell a
    quantifier from a character."""
    found: list[str] = []
    for code, value in tree:
        if code in _REPEATS:
            low, high, inner = value
            if high == codes.MAXREPEAT:
                found.append(f"{{{low},}} over {list(inner)[:2]}")
            found += unbounded(inner)
        elif code is codes.BRANCH:
            found += [each for branch in value[1] for each in unbounded(branch)]
        elif code is codes.SUBPATTERN:
            found += unbounded(value[3])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            found += unbounded(value[1])
        elif code is codes.ATOMIC_GROUP:
            found += unbounded(value)
        elif code is codes.GROUPREF_EXISTS:
            found += [each for part in value[1:] if part is not None for each in unbounded(part)]
    return found


def bounded(text: str) -> str:
    """Raises ValueError for what is no regular expression, repeats without an upper bound, or is too ambiguous."""
    return _checked(text, MOST_WAYS)


def bounded_asked(text: str) -> str:
    """The same, by the bound of the query service."""
    return _checked(text, MOST_WAYS_ASKED)


def _checked(text: str, most: int) -> str:
    if fault := _fault(text, most):
        raise ValueError(fault)
    return text


@lru_cache(maxsize=2_048)
def _fault(text: str, most: int) -> str:
    """Profiles are loaded again and again, and share their wordings: to parse these is half of a load."""
    if len(text) > MOST_CHARS:
        return f"must have at most {MOST_CHARS} characters"
    try:
        tree = parser.parse(text)
        re.compile(text)
    except re.error as exc:
        return f"not a regular expression: {exc}"
    if unbounded(tree):
        return "repeats without an upper bound: write {0,40} or {1,40} in place of *, + and {1,}"
    if ways(text) > most:
        return (
            f"a text may match it in more than {most} ways, which are all tried where it does not match in the end: "
            "let no repeat hold another whose matches can begin where its own go on, as in (?:a{1,9}){1,9}, and repeat "
            "wide places less often"
        )
    return ""


def groups(text: str) -> frozenset[str]:
    """The names that a pattern captures."""
    return frozenset(re.compile(text).groupindex)


Pattern = Annotated[str, AfterValidator(bounded)]
AskedPattern = Annotated[str, AfterValidator(bounded_asked)]
"""Of questions."""
