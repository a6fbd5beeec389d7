"""A candidate without a field, against statements like it (D3)."""

from __future__ import annotations

from datetime import timedelta

from processors.dedupe.features import Features
from processors.dedupe.window import Match
from processors.memory.changes.excluding import only_takes_back
from processors.memory.changes.forget_requests import taken_back
from processors.memory.changes.judge import changes
from processors.memory.emit import because, decision, update
from processors.memory.low_readings import is_doubted
from processors.memory.marks import dates_of, marked, marked_as, with_marks
from processors.memory.readings import of_people
from processors.memory.repetition import Repetition
from processors.memory.replaced_versions import CHANGED
from processors.memory.restate import note_replaced
from processors.memory.store import text_features
from processors.memory.values import canonical
from processors.step import Emit
from schemas.events.memory import Candidate, MemoryUpdate, Outcome

_OF_ALL_TURNS = (
    "sources", "session_id", "interaction_id", "project_id", "language", "occurred_at", "valid_from", "valid_to",
    "last_accessed_at", "importance", "confidence", "source", "state", "reason", "conflicts_with",
)  # fmt: skip
"""Of a record that several turns said: what follows from all of them, and not from how one is read."""

LATE = timedelta(hours=1)
"""From when on a turn is late, after it was said: others that were said since may have come before it, and what they
change of it is looked for."""


class FreeStatements(Repetition):
    """Episodes, relations and statements that fill no field, by their words."""

    def _by_text(self, c: Candidate) -> list[Emit]:
        """Episodes and free statements: near-duplicates within 7 days (D3). What a newer extractor says of a place that
        was read before is the next wording of what stands there; what people judged keeps its words."""
        if only_takes_back(c.text, c.attributes.get("about")):
            as_said = self._new(c, (), self._places.name(c), [])
            over = taken_back(self._source, c, as_said, self._store, self._versions, self._when(c))
            if over is not None:
                return over
        existing = self._places.restated(c)
        same_words = existing is not None and canonical(c.text) == canonical(existing.sealed.text)
        if existing is not None and same_words and c.kind == existing.kind:
            return self._said_again(c, existing, rule="same_text")
        if existing is not None and of_people(existing):
            return [decision(self._source, c, because("skipped", "command", "corrected_stands"), existing)]
        features = text_features(c.text)
        match = self._repeats.nearest(c, features, existing)
        if (again := self._said_elsewhere(c, match)) is not None:
            return again  # `stands` is not said any more and retires
        if existing is not None and same_words and not self._said_here(existing):
            return self._of_another_kind(c, existing, features)
        return self._free(c, self._places.name(c), features, match)

    def _free(self, c: Candidate, record: str, features: Features, match: Match | None) -> list[Emit]:
        """A statement without a field under its id: new, or the next version of what stands there."""
        before = self._store.get(record)
        if before is not None and before.extractor == "command":
            return [decision(self._source, c, because("skipped", "command", "corrected_stands"), before)]
        if before is None and self._ended(c, record):
            return [decision(self._source, c, because("skipped", "extraction", "ended_since"), None)]
        made = self._made_room(c, (), record)
        if made is None:
            return [self._full(c)]
        out: list[Emit] = [*made] if before is None else self._restated(before)
        kept, notices = self._contradicting(self._new(c, (), record, []), before, match)
        kept, changing = self._changing(c, kept)
        self._store.put(kept, features)
        if self._source.accepted_at - self._source.turn.occurred_at > LATE:
            self._store.raised.append(kept.record_id)
        return [*out, *notices, *changing, update(kept), decision(self._source, c, kept.reason, kept)]

    def _contradicting(
        self, kept: MemoryUpdate, before: MemoryUpdate | None, match: Match | None
    ) -> tuple[MemoryUpdate, list[Emit]]:
        """A statement with its marks: those of its words before, and of what it contradicts, which is marked too."""
        kept = kept if before is None else marked_as(self._store, kept, before)
        other = None if match is None else self._store.get(match.record_id)  # it may be what left
        if match is None or other is None or other.record_id == kept.record_id:
            return kept, []
        reason = because(kept.reason.outcome, "dedupe", "contradiction", match.verdict.score)
        reason = kept.reason if is_doubted(kept) else reason
        notices = [marked(self._store, other, kept.record_id)]
        kept = with_marks(kept, (*kept.conflicts_with, other.record_id), dates_of(self._store, kept))
        return kept.model_copy(update={"reason": reason}), notices

    def _ended(self, c: Candidate, record: str) -> bool:
        """Was it read there before, and ended by what was said since?"""
        return self._store.ended_by_change(record) or (self._again is not None and self._again.ended_at(c))

    def _of_another_kind(self, c: Candidate, existing: MemoryUpdate, features: Features) -> list[Emit]:
        """A newer extractor names words that other turns said as well another kind: what those made of them stays."""
        out = self._restated(existing)
        new = self._new(c, (), existing.record_id, [])
        new = new.model_copy(update={name: getattr(existing, name) for name in _OF_ALL_TURNS})
        kept = marked_as(self._store, new, existing)
        self._store.put(kept, features)
        return [*out, update(kept), *self._said_again(c, kept, rule="same_text")]

    def _changing(self, c: Candidate, kept: MemoryUpdate) -> tuple[MemoryUpdate, list[Emit]]:
        """What a free statement changes of what stands ends where its words say so and the head agrees; else both
        stand, and each names the other (docs/quality.md)."""
        out: list[Emit] = []
        named, ended, score = list(kept.conflicts_with), [], kept.reason.score
        for change in changes(self._store, kept):
            if change.old.record_id in dates_of(self._store, kept):
                continue  # it was said again since
            old, score = change.old, change.score
            if change.outcome == "retired":
                reason = because("superseding", "dedupe", CHANGED, score)
                out += self._versions.end(old, self._when(c), self._source.accepted_at, reason)
                ended.append(old)
            else:
                out.append(marked(self._store, old, kept.record_id, change.stated_at))
                named.append(old.record_id)
        if not out:
            return kept, out
        note_replaced(self._store, kept.record_id, ended, self._source.turn.turn_id, self._source.accepted_at)
        outcome: Outcome = "superseding" if ended else kept.reason.outcome
        names = [n for n in named if self._store.get(n) is not None]
        denied = bool(kept.conflicts_with) and not ended  # said so already, and why
        reason = kept.reason if denied else because(outcome, "dedupe", CHANGED, score)
        return with_marks(kept.model_copy(update={"reason": reason}), names, dates_of(self._store, kept)), out
