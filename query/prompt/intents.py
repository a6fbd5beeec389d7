"""What a query is about (D10), by the profile's own words, and which of its words limit what is looked for. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import Stemmer

from inference.language import HAN
from query.reading import times
from query.search.request import Filters
from schemas.profile.model import Intent, Profile

_STEMMER = Stemmer.Stemmer("english")
_HAN = re.compile(f"[{HAN}]")
_LETTER = rf"[^\W_{HAN}]"
_WORD = re.compile(rf"{_LETTER}+(?:[-'’]{_LETTER}+)*")
_JOINTS = re.compile(r"[\s_-]+")
_TELLING = 3
"""Letters that make a key a name; with a digit, fewer do."""


NEAREST = 0.55
"""Cosine from which an example claims a query. In a small trial with the shipped profiles most paraphrases of an
example, also from one language to the other, lay at 0.5 to 0.95, what had nothing to do with it below 0.36; two
paraphrases lay there, too, and are missed."""
MOST_MATCHED = 2_000
"""Characters of a query in which an intent's patterns are looked for: on the event loop, for each start of a match."""
_DECISION = re.compile(r"\bdeci(?:sions?|ded?|ding)\b|决策|决定|决议", re.IGNORECASE)
_TIMED = frozenset({"turn", "episode"})
"""Kinds that happened at a time; what stands is true now, whenever it was said."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Intents, the strongest first (empty: unknown, all kinds are searched), the project that the query names, and
    what its words limit. `because`: for each of these, the words that say so."""

    intents: Sequence[Intent]
    project_id: str | None
    filters: Filters | None = None
    kinds: frozenset[str] = frozenset()
    """Kinds that the filters are about."""
    because: Sequence[dict[str, Any]] = ()
    times: Filters | None = None
    """Of the filters the time alone."""

    def limits(self, kinds: Set[str]) -> tuple[Filters | None, frozenset[str]]:
        """What limits a search of these kinds, and which of them. Decisions are episodes: where turns are searched
        alone, "last month's decisions" are looked for among the turns of last month."""
        limited = frozenset(kinds) & self.kinds
        return (self.filters, limited) if limited else (self.times, frozenset(kinds) & _TIMED)

    @property
    def limits_history(self) -> bool:
        """Whether turns are limited, as far as they are searched."""
        first = self.intents[0] if self.intents else None
        alone = first is not None and (first.history_turns or (first.kinds and "episode" not in first.kinds))
        return "turn" in self.kinds or (self.times is not None and bool(alone))


def route(
    profile: Profile, query: str, intent: str | None = None, now: datetime | None = None, project_id: str | None = None
) -> Routed:
    """Intents by how many of their keywords and patterns the query has; a given one stands alone. Times ("last
    month", "上周") count from `now` and are looked for where they are over or running; None: they are not. Days are
    those of `now`, or of a project with a zone of its own: `project_id`, else the one that is named."""
    lowered = query.casefold()
    because: list[dict[str, Any]] = []
    # "Atlas Mobile" names the project of that name, also where another is called Atlas.
    aliases = [(a, p.id) for p in profile.projects for a in (p.id, *p.aliases) if _alone(a.casefold()).search(lowered)]
    project = max(aliases, key=lambda n: len(n[0]))[1] if aliases else None
    if project is not None:
        because.append({"project": project, "words": [next(a for a, of in aliases if of == project)]})
    if intent is not None:
        intents = [i for i in profile.intents if i.name == intent]
        because += [{"intent": i.name, "words": [], "given": True} for i in intents]
    else:
        stems = _stems(lowered)
        scored = [(_words(i, query, lowered, stems), i) for i in profile.intents]
        # Equal scores keep the profile's order.
        found = sorted(((w, i) for w, i in scored if w), key=lambda s: -len(s[0]))
        intents = [i for _, i in found]
        because += [{"intent": i.name, "words": w} for w, i in found]
    zone = profile.zone_of(project_id or project)
    if now is not None and zone != profile.time_zone:
        now = now.astimezone(ZoneInfo(zone))
    filters, kinds, timed = _limits(query, now, because)
    return Routed(intents, project, filters, kinds, because, timed)


def by_example(routed: Routed, examples: Sequence[tuple[Intent, str]], likeness: Sequence[float]) -> Routed:
    """The intents whose examples are near a query that none of their words claims, the nearest first."""
    found: dict[str, tuple[float, Intent, str]] = {}
    for (intent, text), near in sorted(zip(examples, likeness, strict=True), key=lambda e: -e[1]):
        if near >= NEAREST:
            found.setdefault(intent.name, (near, intent, text))
    why = [
        {"intent": i.name, "words": [], "example": text, "likeness": round(near, 3)}
        for near, i, text in found.values()
    ]
    return replace(routed, intents=[i for _, i, _ in found.values()], because=[*routed.because, *why])


def _limits(
    query: str, now: datetime | None, because: list[dict[str, Any]]
) -> tuple[Filters | None, frozenset[str], Filters | None]:
    wanted: dict[str, Any] = {}
    kinds = _TIMED
    if now is not None and (when := times.limit(query, now)) is not None:
        wanted["occurred_from"], wanted["occurred_to"] = when.since, when.until
        because.append({"filter": "occurred", "words": when.words})
    timed = Filters(**wanted) if wanted else None
    if decided := _DECISION.search(query):
        wanted["episode_type"] = "decision"
        kinds = frozenset({"episode"})
        because.append({"filter": "episode_type", "words": [decided.group()]})
    return (Filters(**wanted), kinds, timed) if wanted else (None, frozenset(), None)


_ENTITIES = {"episode_type": "event_type", "occurred": "time"}
_MEMORIES = {"episode": "episodic_memory", "turn": "history"}


def reason_fields(query: str, routed: Routed) -> dict[str, Any]:
    """What the router made of a query, in the seed's shape (D10): intents, the entities by what they are, and what
    limits the search of each memory. Words are the query's own; ids and times are the filters."""
    entities: dict[str, Any] = {}
    for why in routed.because:
        if "project" in why:
            entities["project_name"] = why["words"][0]
        elif "filter" in why:
            words = why["words"]
            entities[_ENTITIES[why["filter"]]] = words if len(words) > 1 else words[0]
    limits: dict[str, Any] = {}
    if routed.project_id is not None:
        limits["project_id"] = routed.project_id
    if (f := routed.filters) is not None:
        given = {"event_type": f.episode_type, "occurred_from": f.occurred_from, "occurred_to": f.occurred_to}
        limits |= {k: v for k, v in given.items() if v is not None}
    limited = {name: limits for kind, name in _MEMORIES.items() if limits and kind in (routed.kinds or _TIMED)}
    if limited and routed.limits_history:
        limited["history"] = {k: v for k, v in limits.items() if k != "event_type"}
    return {
        "query": query, "intents": [i.name for i in routed.intents], "entities": entities, "metadata_filter": limited,
    }  # fmt: skip


def folded(text: str) -> str:
    """Text as keys are compared: "Record 12" names the key "record_12"."""
    return _JOINTS.sub("", text.lower())


def names(query: str, key: str) -> bool:
    """Whether a query names a key: "record 12" does not name "record-1"."""
    key = folded(key)
    if len(key) < _TELLING and not any(c.isdigit() for c in key):
        return False
    # A number is none within a longer one, a decimal or a time; a word none within another, but for its plural.
    before = r"(?<!\d)(?<!\d[:.])" if key[:1].isdigit() else rf"(?<!{_LETTER})" if re.match(_LETTER, key) else ""
    after = r"(?!\d|[:.]\d)" if key[-1:].isdigit() else ""
    if re.match(_LETTER, key[-1:]) and not key[-1:].isdigit():
        after = rf"(?:e?s)?(?!{_LETTER})"
    pattern = r"[\s_-]*".join(map(re.escape, key))
    return re.search(before + pattern + after, query.lower()) is not None


def is_of(record_id: str, key: str) -> bool:
    """Whether a key is that of a record: `record-12` is of 12 and of "Record 12", `record-112` is not."""
    return folded(record_id) == folded(key) or names(key, record_id)


@lru_cache(maxsize=1024)
def _alone(name: str) -> re.Pattern[str]:
    """A name that is no part of a longer word; Chinese has no mark between words."""
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, name) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, name[-1:]) else ""
    return re.compile(before + re.escape(name) + after)


def _stems(text: str) -> list[str]:
    return list(_STEMMER.stemWords(_WORD.findall(text)))


@lru_cache(maxsize=1024)
def _form(keyword: str) -> tuple[str, ...]:
    """Stems that say a keyword; nothing where its characters do, as in Chinese."""
    return () if _HAN.search(keyword) else tuple(_stems(keyword))


def _says(lowered: str, stems: list[str], keyword: str) -> bool:
    """Whether a query has the keyword: "painful" has "pain", "painted" has not."""
    form = _form(keyword)
    if not form:
        return keyword in lowered
    return any(tuple(stems[i : i + len(form)]) == form for i in range(len(stems) - len(form) + 1))


def _words(intent: Intent, query: str, lowered: str, stems: list[str]) -> list[str]:
    words = [k for k in intent.keywords if _says(lowered, stems, k.casefold())]
    return words + [m.group() for p in intent.patterns if (m := _compiled(p).search(query, 0, MOST_MATCHED))]


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
