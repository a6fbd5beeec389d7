"""Which record that stands of a turn a statement of a newer extractor is: told by where both were read, not by how they
are worded. Free statements alone: what fills a field is identified by its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from processors.memory.index import values_of as standing_values
from processors.memory.readings import TurnReading
from processors.memory.values import canonical
from processors.memory.versions import VERSIONED
from processors.reader.carried import words_of
from processors.reader.rules.protocol import values_of
from schemas.events.memory import Candidate, MemoryUpdate, Span

LEAST_WORDS = 0.5
"""Share of the words of the shorter of two statements that both hold, from which they are one where the place of the
older is not known: an extractor of before did not say it."""


def family(kind: str) -> str:
    """Kinds between which a newer extractor may move a statement: those with versions, and the others."""
    return "statement" if kind in VERSIONED else "telling"


def matched(
    candidates: Sequence[Candidate], before: Sequence[MemoryUpdate], reading: TurnReading
) -> Mapping[int, MemoryUpdate]:
    """Ordinal of a candidate -> the free record of the turn that it restates; each record once, the best match first.
    Candidates that do not say where they were read have none."""
    free = [u for u in before if not standing_values(u)]
    pairs = [
        (score, c.ordinal, u)
        for c in candidates
        if c.spans and (not values_of(c) or c.negated)
        for u in free
        if family(u.kind) == family(c.kind) and (score := _alike(c, u, reading.spans.get(u.record_id))) > 0
    ]
    found: dict[int, MemoryUpdate] = {}
    taken: set[str] = set()
    for _, ordinal, u in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2].record_id)):
        if ordinal not in found and u.record_id not in taken:
            found[ordinal] = u
            taken.add(u.record_id)
    return found


def _alike(c: Candidate, u: MemoryUpdate, place: Span | None) -> float:
    """0 for two that are not the same statement. Of several at one place the one with the same words goes first."""
    shared = 1.0 if canonical(c.text) == canonical(u.sealed.text) else _shared_words(c, u)
    if place is None or c.head is None:
        return shared if shared >= LEAST_WORDS else 0.0
    both = min(place.end, c.head.end) - max(place.start, c.head.start)
    if both <= 0:
        return 0.0
    return both / (max(place.end, c.head.end) - min(place.start, c.head.start)) + shared


def _shared_words(c: Candidate, u: MemoryUpdate) -> float:
    owners = [str(a) for a in (c.attributes.get("about"), u.sealed.attributes.get("about")) if a]
    new, old = words_of(c.text, owners), words_of(u.sealed.text, owners)
    return len(new & old) / min(len(new), len(old)) if new and old else 0.0
