"""Regular expressions of a profile: they compile, and no repeat of theirs goes on for ever.

They run over clauses of what anybody may write; a repeat without an upper bound can make one clause cost a minute.
"""

from __future__ import annotations

import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator

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
    """Raises ValueError for what is no regular expression, or repeats without an upper bound."""
    if fault := _fault(text):
        raise ValueError(fault)
    return text


@lru_cache(maxsize=2_048)
def _fault(text: str) -> str:
    """Profiles are loaded again and again, and share their wordings: to parse these is half of a load."""
    try:
        tree = parser.parse(text)
        re.compile(text)
    except re.error as exc:
        return f"not a regular expression: {exc}"
    if unbounded(tree):
        return "repeats without an upper bound: write {0,40} or {1,40} in place of *, + and {1,}"
    return ""


def groups(text: str) -> frozenset[str]:
    """The names that a pattern captures."""
    return frozenset(re.compile(text).groupindex)


Pattern = Annotated[str, AfterValidator(bounded)]
