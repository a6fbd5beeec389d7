"""Amendments of a user's memories and decisions: the gate writes them, since it is their one writer (N1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import ValidationError

from processors.memory.emit import Changes, because, plain_decision, update
from processors.memory.index import slots_of
from processors.memory.low_readings import is_doubted
from processors.memory.marks import joined
from processors.memory.rows import Tail
from processors.memory.store import UserMemoryStore, text_features
from processors.memory.versions import Encode
from processors.step import Emit, Out, Reject
from schemas.events.amendments import Amendment
from schemas.events.memory import Decision, GateName, MemoryUpdate, parse
from schemas.log import topics

_GATES: Mapping[str, GateName] = {"rescreen": "pii", "regate": "dedupe", "redate": "retention"}


class AmendmentGate:
    """Applies one amendment to one user's records. `encode`: text to terms and embedding, by the model `model_id`."""

    def __init__(self, store: UserMemoryStore, at: datetime, encode: Encode, model_id: str) -> None:
        self._store, self._at, self._encode, self._model_id = store, at, encode, model_id

    def amend(self, a: Amendment) -> list[Out]:
        """Rejects what is no record of this user; a record that has moved on since it was read stays as it is."""
        if self._store.applied(f"amendment/{a.amendment_id}", self._at):
            return []
        try:
            return self._decision(a) if a.what == "decision" else self._memory(a)
        except ValidationError:
            return [Reject("invalid", "sealed.record: expected the record as JSON")]

    def _decision(self, a: Amendment) -> list[Out]:
        decision = Decision.model_validate(a.sealed.record)
        if decision.owner != a.owner or decision.decision_id != a.target:
            return [Reject("invalid", "sealed.record: expected a decision of this user, by the id in target")]
        return [Emit(topics.DECISIONS, decision.model_copy(update={"revision": a.expected + 1}))]

    def _memory(self, a: Amendment) -> list[Out]:
        record = parse(a.sealed.record)
        if record.owner != a.owner or (record.record_id, record.version) != (a.target, a.version):
            return [Reject("invalid", "sealed.record: expected a memory of this user, by the id and version in target")]
        present, tail = self._store.get(a.target), self._store.tail(a.target)
        newest = present.revision if present is not None else (tail.revision if tail is not None else 0)
        if newest != a.expected or (newest == 0 and a.cause != "regate"):
            return [self._left(a, present)]
        new = self._redated(a, record, present) if a.cause == "redate" else self._written(a, record)
        ends = a.cause == "rescreen" and present is not None and _is_current(present, a) and new.state == "superseded"
        if ends:  # policy refuses now what it was learned from (D5)
            new = new.model_copy(update={"reason": because("refused", "pii", a.rule or a.cause)})
        new = new.model_copy(update={"revision": newest + 1})
        if a.cause == "rescreen":
            self._store.replaced.reword(new)
        named: list[Emit] = []
        if a.cause == "regate":
            named = self._decided_anew(new, present, tail)
        elif ends:
            self._store.remove(new)
        elif present is not None and present.version == a.version:
            kept = self._store.features(a.target) is not None
            self._store.put(new, text_features(new.sealed.text) if kept else None)
        elif present is not None:
            # An earlier version: the record's counter moves on with it.
            self._store.put(present.model_copy(update={"revision": new.revision}), self._store.features(a.target))
        elif tail is not None:
            self._not_active(new, tail.version)
        return [update(new), *named, self._amendment_decision(a, new)]

    def _decided_anew(
        self, new: MemoryUpdate, present: MemoryUpdate | None, tail: Tail | None
    ) -> list[Emit]:
        """A version that stands or stood, where it may be another than the one before. The one that stands comes last
        (memstream.reprocess.regate). What it names names it too."""
        if new.state in ("active", "observed"):
            self._store.put(new, None if slots_of(new) else text_features(new.sealed.text))
            return joined(self._store, new)
        if present is not None and present.version != new.version:
            features = self._store.features(new.record_id)
            self._store.put(present.model_copy(update={"revision": new.revision}), features)
        else:
            self._not_active(new, 0 if tail is None else tail.version)
        return []

    def _not_active(self, new: MemoryUpdate, last: int) -> None:
        """A version of a record of which none is active. How it ended is what the last one says."""
        if new.version < last:
            self._store.tails.move_on(new.record_id, new.revision)
        else:
            self._store.remove(new)

    def _redated(self, a: Amendment, record: MemoryUpdate, present: MemoryUpdate | None) -> MemoryUpdate:
        """The same with another end."""
        is_current = present is not None and present.version == a.version
        same = present if present is not None and is_current else self._written(a, record)
        return same.model_copy(update={"expires_at": a.until})

    def _written(self, a: Amendment, record: MemoryUpdate) -> MemoryUpdate:
        body: Changes = {}
        text = record.sealed.text or (record.sealed.value if isinstance(record.sealed.value, str) else "")
        if text:
            body["terms"], body["embedding"] = self._encode(text)
        changes: Changes = {
            "sealed": record.sealed.model_copy(update=body), "model_id": self._model_id,
        }  # fmt: skip
        waits = is_doubted(record)  # and ends by its reason (retention)
        if a.cause == "rescreen" and record.state in ("active", "observed") and not waits:
            changes["reason"] = because("masked", "pii", a.rule or a.cause)
        return record.model_copy(update=changes)

    def _amendment_decision(self, a: Amendment, new: MemoryUpdate) -> Emit:
        reason = because("refused" if new.reason.outcome == "refused" else "masked", "pii", a.rule or a.cause)
        if a.cause == "regate":
            reason = because(new.reason.outcome, new.reason.gate, a.rule or a.cause)
        if a.cause == "redate":
            reason = because("kept", "retention", a.rule or a.cause)
        return plain_decision(a.owner, a.amendment_id, new.kind, reason, new, self._at)

    def _left(self, a: Amendment, present: MemoryUpdate | None) -> Emit:
        reason = because("skipped", _GATES[a.cause], "moved_on")
        return plain_decision(a.owner, a.amendment_id, "amendment", reason, present, self._at)


def _is_current(present: MemoryUpdate, a: Amendment) -> bool:
    return present.version == a.version and present.state in ("active", "observed")
