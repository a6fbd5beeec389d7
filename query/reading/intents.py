"""What a query is about (D10), by the profile's own words. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.profile import Intent, Profile

_JOINTS = re.compile(r"[\s_-]+")
_TELLING = 3
"""Letters that make a key a name; with a digit, fewer do."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Intents, the strongest first (empty: unknown), and the project that the query names."""

    intents: Sequence[Intent]
    project_id: str | None


def route(profile: Profile, query: str, intent: str | None = None) -> Routed:
    """Intents by how many of their keywords and patterns the query has; a given one stands alone."""
    lowered = query.casefold()
    project = next(
        (p.id for p in profile.projects if any(a.casefold() in lowered for a in (p.id, *p.aliases))), None
    )
    if intent is not None:
        return Routed([i for i in profile.intents if i.name == intent], project)
    scored = [(_hits(i, query, lowered), i) for i in profile.intents]
    # Equal scores keep the profile's order.
    return Routed([i for n, i in sorted(scored, key=lambda s: -s[0]) if n > 0], project)


def folded(text: str) -> str:
    """Text as keys are compared: "Record 12" names the key "record_12"."""
    return _JOINTS.sub("", text.lower())


def names(query: str, key: str) -> bool:
    """Whether a query names a key: "record 12" does not name "record-1"."""
    key = folded(key)
    if len(key) < _TELLING and not any(c.isdigit() for c in key):
        return False
    before = r"(?<!\d)" if key[:1].isdigit() else ""
    after = r"(?!\d)" if key[-1:].isdigit() else ""
    return re.search(before + re.escape(key) + after, folded(query)) is not None


def _hits(intent: Intent, query: str, lowered: str) -> int:
    words = sum(1 for k in intent.keywords if k.casefold() in lowered)
    return words + sum(1 for p in intent.patterns if _compiled(p).search(query))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
