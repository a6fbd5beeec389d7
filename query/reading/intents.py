"""What a query is about (D10), by the profile's own words. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.profile import Intent, Profile


@dataclass(frozen=True, slots=True)
class Routed:
    """Intents, the strongest first (empty: unknown), and the project that the query names."""

    intents: Sequence[Intent]
    project_id: str | None


def route(profile: Profile, query: str, intent: str | None = None) -> Routed:
    """Intents by how many of their keywords and patterns the query has; a given one stands alone."""
    folded = query.casefold()
    project = next(
        (p.id for p in profile.projects if any(a.casefold() in folded for a in (p.id, *p.aliases))), None
    )
    if intent is not None:
        return Routed([i for i in profile.intents if i.name == intent], project)
    scored = [(_hits(i, query, folded), i) for i in profile.intents]
    # Equal scores keep the profile's order.
    return Routed([i for n, i in sorted(scored, key=lambda s: -s[0]) if n > 0], project)


def _hits(intent: Intent, query: str, folded: str) -> int:
    words = sum(1 for k in intent.keywords if k.casefold() in folded)
    return words + sum(1 for p in intent.patterns if _compiled(p).search(query))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
