"""Ids of free statements: told by where in the turn they were read, not by wording, kind or number among the others
(docs/decisions/2026-11-29-ids-by-span.md). What fills a field is identified by its field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from processors.memory.index import values_of as standing_values
from processors.memory.readings import made_by, of_people
from processors.memory.rows import TurnReading
from processors.memory.store import UserMemoryStore
from processors.memory.values import canonical
from processors.memory.versions import VERSIONED
from processors.reader.quotation_support import words_of
from processors.reader.rules.protocol import values_of
from schemas.events.memory import Candidate, Extraction, MemoryUpdate, Span
from schemas.log.ids import record_id

LEAST_WORDS = 0.5
"""Share of the words of the shorter of two statements that both hold, from which they are one where their places do not
tell, as an older extractor did not say its own."""
MAX_UNPLACED = 200
"""Records of a turn by an extractor that did not say their places, that its candidates are compared with."""
LEAST_PLACE = 0.5
"""Characters that lie in both of two places, as a share of those in either, from which they are one: a statement within
another one, or beside it, has a place of its own."""


def family(kind: str) -> str:
    """Kinds between which a newer extractor may move a statement: those with versions, and the others."""
    return "statement" if kind in VERSIONED else "telling"


class Places:
    """Of one extraction. What does not say its place is told by its number in the turn and its words, as ever."""

    def __init__(
        self, source: Extraction, store: UserMemoryStore, before: Sequence[MemoryUpdate],
        restates: Mapping[int, MemoryUpdate], reader: str = "",
    ) -> None:  # fmt: skip
        """`before`: what stands of the turn from the extractor before; `restates`: ordinal of a candidate -> the one of
        them whose statement it is, to which `Restated.match` may add. `reader`: what numbers count for beside those of
        another reading."""
        self._source = source
        self._store = store
        self._restates = restates
        self._given = {u.record_id for u in restates.values()}
        self._reader = (reader,) if reader else ()
        statements = {canonical(c.text) for c in source.sealed.candidates}
        worded = {(u.kind, canonical(u.sealed.text)): u.record_id for u in before if not standing_values(u)}
        self._worded = {place: name for place, name in worded.items() if place[1] in statements}
        texts = {c.ordinal: (c.kind, canonical(c.text)) for c in source.sealed.candidates if c.ordinal in restates}
        self._rewords = {
            ordinal: u.record_id for ordinal, u in restates.items()
            if not of_people(u) and texts[ordinal] != (u.kind, canonical(u.sealed.text))
        }  # fmt: skip

    def restated(self, c: Candidate) -> MemoryUpdate | None:
        """The free record of the turn that a newer extractor's candidate says."""
        before = self._restates.get(c.ordinal)
        name = before.record_id if before is not None else None
        if not c.spans:
            name = self._worded.get((c.kind, canonical(c.text)))
        return None if name is None else self._store.get(name)

    def being_reworded(self, c: Candidate) -> set[str]:
        """Records whose words of before say nothing beside a candidate: the one that it restates, and those to which
        later candidates of the turn give other words."""
        own = self._restates.get(c.ordinal)
        later = {name for ordinal, name in self._rewords.items() if ordinal > c.ordinal}
        return later if own is None else {own.record_id, *later}

    def name(self, c: Candidate) -> str:
        """The id of a free statement: of its turn and head span. Of several at one place, the later ones also by their
        order there."""
        e = self._source
        if c.ordinal in self._restates:
            return self._restates[c.ordinal].record_id
        if c.spans:
            return self._apart(record_id(e.owner, family(c.kind), *self._place(c)))
        record = record_id(e.owner, c.kind, *self._place(c))
        if record in self._worded.values():  # another candidate says what stands under this ordinal
            return record_id(e.owner, c.kind, e.turn.turn_id, e.extractor, e.extractor_version, c.ordinal)
        return record

    def history(self, c: Candidate, fields: Sequence[str]) -> str:
        """The id of what was said too late to stand."""
        apart = fields if c.spans else ()
        history_id = record_id(self._source.owner, f"{c.kind}-history", c.scope, *self._place(c), *apart)
        return self._apart(history_id) if c.spans else history_id

    def _place(self, c: Candidate) -> tuple[str | int, ...]:
        """Identifies a statement among those of its user."""
        turn = self._source.turn.turn_id
        return (turn, c.spans[0].start, c.spans[0].end) if c.spans else (turn, *self._reader, c.ordinal)

    def _apart(self, name: str) -> str:
        while name in self._given or self._store.get(name) is not None:
            name = record_id(self._source.owner, "beside", name)
        self._given.add(name)
        return name


def matched(
    candidates: Sequence[Candidate], before: Sequence[MemoryUpdate], reading: TurnReading, turn_id: str
) -> dict[int, MemoryUpdate]:
    """Ordinal of a candidate -> the free record of the turn that it restates; each record once, the best match first.
    Candidates that do not say where they were read have none."""
    spans = reading.spans
    free = [_RecordWords.of_record(u) for u in before if not standing_values(u)]
    placed = [statement for statement in free if spans.get(statement.u.record_id) is not None]
    known = {statement.u.record_id for statement in placed}
    unplaced = [statement for statement in free if statement.u.record_id not in known][:MAX_UNPLACED]
    pairs: list[tuple[float, int, MemoryUpdate]] = []
    for c in candidates:
        if not c.spans or _by_field(c):
            continue
        words = words_of(c.text, _owners(c.attributes))
        for statement in (*placed, *unplaced):
            score = statement.alike(c, words, spans.get(statement.u.record_id), turn_id)
            if score > 0:
                pairs.append((score, c.ordinal, statement.u))
    found: dict[int, MemoryUpdate] = {}
    taken: set[str] = set()
    for _, ordinal, u in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2].record_id)):
        if ordinal not in found and u.record_id not in taken:
            found[ordinal] = u
            taken.add(u.record_id)
    return found


def _by_field(c: Candidate) -> bool:
    """Is it identified by its field? What is told of an event or a relation is not, whatever values it brings."""
    return c.kind in VERSIONED and bool(values_of(c)) and not c.negated


@dataclass(frozen=True, slots=True)
class _RecordWords:
    """A record and the words of content that it says."""

    u: MemoryUpdate
    words: frozenset[str]

    @classmethod
    def of_record(cls, u: MemoryUpdate) -> _RecordWords:
        return cls(u, words_of(u.sealed.text, _owners(u.sealed.attributes)))

    def alike(self, c: Candidate, words: frozenset[str], place: Span | None, turn_id: str) -> float:
        """0 for two that are not the same statement. Of several at one place the one with the same words goes first."""
        if family(self.u.kind) != family(c.kind):
            return 0.0
        overlap = 0.0 if place is None else _overlap(place, c.spans[0])
        if place is not None and not overlap:
            return 0.0
        same_words = canonical(c.text) == canonical(self.u.sealed.text)
        if not same_words and made_by(self.u) != "command" and any(s.turn_id != turn_id for s in self.u.sources):
            return 0.0  # another turn's statement, which this turn only repeated as it was read before
        shared = 1.0 if same_words else _share(words, self.words)
        one = same_words or (shared >= LEAST_WORDS if place is None else overlap >= LEAST_PLACE)
        return overlap + shared if one else 0.0


def same_place(one: Span, other: Span) -> bool:
    return _overlap(one, other) >= LEAST_PLACE


def _overlap(one: Span, other: Span) -> float:
    """Characters that lie in both, of those that lie in either."""
    both = min(one.end, other.end) - max(one.start, other.start)
    return max(0.0, both / max(1, max(one.end, other.end) - min(one.start, other.start)))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def _owners(attributes: Mapping[str, object]) -> list[str]:
    return [str(about)] if (about := attributes.get("about")) else []
