"""What a candidate becomes: the record, its id, its time, and what it takes the place of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from typing import Literal

from processors.memory.capacity import Room
from processors.memory.corrected_values import CORRECTED
from processors.memory.emit import Changes, because, decision
from processors.memory.existing_info import CallersValues
from processors.memory.index import Slot, since
from processors.memory.index import values_of as standing_values
from processors.memory.places import Places
from processors.memory.repeats import Repeats
from processors.memory.restate import Restated
from processors.memory.rules import readable
from processors.memory.store import UserMemoryStore
from processors.memory.values import canonical
from processors.memory.versions import VERSIONED, Versions
from processors.reader.rules.protocol import holds_many, values_of
from processors.step import Emit
from schemas.events.memory import (
    LOW_READING,
    Candidate,
    Extraction,
    MemoryBody,
    MemoryUpdate,
    Outcome,
    State,
    StatementMemory,
)
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile


class TurnRecords:
    """Records of one extraction: it, the user's active records, and what both are decided by."""

    def __init__(
        self, source: Extraction, store: UserMemoryStore, versions: Versions, profile: Profile, hash_key: bytes,
        again: Restated | None = None, *, reader: str = "",
    ) -> None:  # fmt: skip
        """`again`: what stands of the turn from the extractor before, where this one restates it. `reader`: as in
        `Places`."""
        before = () if again is None else again.before
        self._places = Places(source, store, before, {} if again is None else again.restates, reader)
        self._repeats = Repeats(source, store, self._places)
        self._source = source
        self._store = store
        self._room = Room(source.owner, store, profile, source.accepted_at, source.turn)
        self._versions = versions
        self._profile = profile
        self._hash_key = hash_key
        self._again = again
        self._held = CallersValues(source, profile)
        self._before = frozenset(u.record_id for u in before)
        self._taken_back = frozenset(d.candidate.ordinal for d in source.sealed.dropped)
        self._corrected: set[str] = set()
        """Records that hold the value which the candidate at hand names as wrong."""
        self._decided: set[str] = set()
        """Records that earlier candidates were decided on."""
        self.spared: set[str] = set()
        """Records of the turn that stand beside a rejected one, read from the same words: barred with it, they are not
        said anew, and do not end for that."""

    def _slots(self, c: Candidate, names: Iterable[str]) -> list[Slot]:
        return [Slot(c.kind, c.scope, str(c.attributes.get("about", "")), n) for n in names]

    def _when(self, c: Candidate) -> datetime:
        """From when on it holds. What is wished, meant or stated for a time to come holds from when it was said: held
        until then for not begun, it would stand in the way of all that is said of the field before."""
        occurred_at = self._source.turn.occurred_at
        when = c.occurred_from or occurred_at
        return min(when, occurred_at) if c.kind in VERSIONED and not c.negated else when

    def _new(self, c: Candidate, names: tuple[str, ...], record: str, replaced: list[MemoryUpdate]) -> StatementMemory:
        s = self._source
        version, revision = self._store.next_numbers(record)
        version = version if c.kind in VERSIONED else 0
        state: State = "active" if readable(c.confidence) else "observed"
        gate, rule = self._change(replaced)
        outcome: Outcome = "observed" if state == "observed" else ("superseding" if replaced else "kept")
        reason = because(outcome, "confidence" if state == "observed" else gate, rule)
        if state == "observed" and c.low_reading is not None:
            reason = because("observed", "confidence", LOW_READING, c.low_reading)
        value = c.value
        if names and c.field is None and isinstance(c.value, dict):
            value = c.value.get(names[0]) if len(names) == 1 else {n: c.value.get(n) for n in names}
        return StatementMemory(
            tenant=s.tenant, owner_kind=OwnerKind.USER, owner_id=s.user_id, record_id=record, version=version,
            revision=revision, kind=c.kind, state=state,
            reason=reason,
            field=names[0] if len(names) == 1 else None,
            fields=names if len(names) > 1 else (), scope=c.scope, category=c.category, episode_type=c.episode_type,
            importance=c.importance, confidence=c.confidence, source=c.source, negated=c.negated,
            approximate=c.approximate, user_id=s.user_id, session_id=s.session_id, project_id=self._project(c),
            interaction_id=s.interaction_id, language=s.language, sources=(s.turn,), occurred_at=s.turn.occurred_at,
            valid_from=self._when(c), valid_to=c.occurred_to if c.kind not in VERSIONED else None,
            known_at=s.accepted_at, last_accessed_at=s.accepted_at,
            extractor=f"{s.extractor}@{s.extractor_version}", profile=s.profile,
            profile_version=s.profile_version, model_id=self._model_id(c),
            sealed=MemoryBody(
                text=c.text, value=value, attributes={**c.attributes, **_time(c)}, terms=c.terms, embedding=c.embedding
            ),
        )  # fmt: skip

    def _record(self, c: Candidate, names: tuple[str, ...], leaving: Set[str] = frozenset()) -> str:
        """A single value is identified by its field; one of several beside each other also by its value. A record
        that stands under that id for something else (it was corrected, or fields have left it) keeps it. `leaving`:
        records that end for it."""
        many = [canonical(values_of(c)[n]) for n in names if holds_many(self._profile, n)]
        about = str(c.attributes.get("about", ""))
        record = record_id(self._source.owner, c.kind, c.scope, about, *names, *many)
        while (existing := self._store.get(record)) is not None and (
            (many and record not in leaving) or set(standing_values(existing)).isdisjoint(names)
        ):
            record = record_id(self._source.owner, c.kind, "beside", record)
        return record

    def _project(self, c: Candidate) -> str | None:
        return c.project_id or self._source.project_id

    def _model_id(self, c: Candidate) -> str:
        """Of the candidate's embedding: what the reader had dropped is encoded here."""
        return self._versions.model_id if c.ordinal in self._taken_back else self._source.model_id

    def _change(self, replaced: Sequence[MemoryUpdate]) -> tuple[Literal["dedupe", "extraction"], str]:
        """Gate and rule by which a candidate takes the place of records."""
        if any(u.record_id in self._corrected for u in replaced):
            return "dedupe", CORRECTED
        return "dedupe", "field_changed" if replaced else "new"

    def _said_here(self, held: MemoryUpdate) -> bool:
        """Only this turn said it."""
        return all(s.turn_id == self._source.turn.turn_id for s in held.sources)

    def _retiring(self, held: MemoryUpdate) -> bool:
        """The extractor before took it from this turn alone: what this one says stands in its place."""
        return held.record_id in self._before and self._said_here(held)

    def _is_late(self, c: Candidate, held: MemoryUpdate) -> bool:
        """Whether what a candidate says was true before what stands. "I moved to York last week" is news beside an
        older "I live in Leeds", whose own beginning nobody told: what counts is which was said last, and told times
        only where both have one."""
        turn, begun = self._source.turn.occurred_at, since(held)
        begun = held.occurred_at if begun > self._source.accepted_at else begun  # one of before `_when` looked at it
        if turn < max((s.occurred_at for s in held.sources), default=held.occurred_at) or turn < begun:
            return True
        return c.occurred_from is not None and begun != held.occurred_at and c.occurred_from < begun

    def _made_room(self, c: Candidate, names: tuple[str, ...], record: str) -> Sequence[Emit] | None:
        return self._room.made_for(self._new(c, names, record, [])) if self._room.crowded else []

    def _full(self, c: Candidate, names: tuple[str, ...] = ()) -> Emit:
        return decision(self._source, c, because("refused", "retention", "full"), None, part(c, names))

    def _restated(self, before: MemoryUpdate, rule: str = "restated") -> list[Emit]:
        """A newer extractor words the same place of the same turn differently: the version before ends at once."""
        if before.kind not in VERSIONED:
            return []
        reason = because("superseding", "extraction", rule)
        return self._versions.end(before, before.valid_from or before.occurred_at, self._source.accepted_at, reason)


def _time(c: Candidate) -> Changes:
    return {} if c.time_text is None else {"time_text": c.time_text}


def part(c: Candidate, names: Iterable[str]) -> tuple[str, ...]:
    """The fields that a decision is about, where it is not about all of them."""
    chosen = tuple(names)
    return chosen if len(chosen) < len(values_of(c)) else ()
