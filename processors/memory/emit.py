"""Building the gate's outputs: updates, decisions, and what goes on to the project."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from processors.memory.changes.excluding import only_takes_back
from processors.step import Emit
from schemas.events.envelope import SourceTurn
from schemas.events.memory import (
    Candidate,
    Decision,
    DecisionBody,
    Deletion,
    Extraction,
    GateName,
    MemoryUpdate,
    Outcome,
    Reason,
)
from schemas.log import topics
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind

U = TypeVar("U", bound=MemoryUpdate)
Changes: TypeAlias = dict[str, Any]
"""Fields of a record or of its body by name, as `model_copy` takes them: each has a type of its own."""


def update(u: MemoryUpdate) -> Emit:
    return Emit(topics.UPDATES, u)


def changed(u: U, **fields: Any) -> U:
    """The next revision of a record."""
    return u.model_copy(update={"revision": u.revision + 1, **fields})


def deleted(u: MemoryUpdate, **fields: Any) -> Deletion:
    """The marker of a record's deletion, which says what `u` says but for `fields`."""
    return Deletion.model_construct(**{**u.__dict__, "op": "delete", "state": "deleted", **fields})


def sources(old: tuple[SourceTurn, ...], new: SourceTurn, limit: int) -> tuple[SourceTurn, ...]:
    """Add a citation once; beyond the limit the first and the newest stay."""
    if any(s.turn_id == new.turn_id for s in old):
        return old
    grown = (*old, new)
    return grown if len(grown) <= limit else (grown[0], *grown[len(grown) - limit + 1 :])


def decision(
    source: Extraction, c: Candidate, reason: Reason, target: MemoryUpdate | None, only: tuple[str, ...] = ()
) -> Emit:
    """What became of a candidate (or, with `only`, of some of its fields)."""
    owner = source.owner
    forgets = only_takes_back(c.text, c.attributes.get("about"))  # its words are not to be kept here either
    fields = only or (c.fields if c.field is None else (c.field,))
    value = c.value
    if only and isinstance(c.value, dict) and c.field is None:
        value = {n: c.value.get(n) for n in only}
    return Emit(
        topics.DECISIONS,
        Decision(
            tenant=source.tenant, owner_kind=OwnerKind.USER, owner_id=source.user_id,
            decision_id=record_id(
                owner, "decision", source.turn.turn_id, source.extractor, source.extractor_version, c.ordinal,
                reason.outcome, *only,
            ),
            turn_id=source.turn.turn_id, session_id=source.session_id, ordinal=c.ordinal, kind=c.kind,
            field="+".join(fields) or None, fields=fields, category=c.category,
            record_id=None if target is None else target.record_id,
            version=0 if target is None else target.version,
            reason=reason, accepted_at=source.accepted_at, profile=source.profile,
            profile_version=source.profile_version, extractor=source.extractor,
            sealed=DecisionBody() if forgets else DecisionBody(text=c.text, value=value),
        ),
    )  # fmt: skip


def plain_decision(
    owner: Owner, decision_id: str, kind: str, reason: Reason, target: MemoryUpdate | None, accepted_at: datetime,
    turn: SourceTurn | None = None, text: str = "",
) -> Emit:  # fmt: skip
    """A decision on a command, on feedback, or on a turn as a whole. `decision_id` names it among the owner's own:
    callers' turn ids, and records that go to several projects, are the same under more than one owner."""
    return Emit(
        topics.DECISIONS,
        Decision(
            tenant=owner.tenant, owner_kind=owner.kind, owner_id=owner.id, kind=kind,
            decision_id=record_id(owner, "decision", decision_id),
            turn_id=None if turn is None else turn.turn_id, session_id=None if turn is None else turn.session_id,
            field=None if target is None else target.field, fields=() if target is None else target.fields,
            record_id=None if target is None else target.record_id,
            version=0 if target is None else target.version, reason=reason, accepted_at=accepted_at,
            sealed=DecisionBody(text=text),
        ),
    )  # fmt: skip


def because(outcome: Outcome, gate: GateName, rule: str, score: float | None = None) -> Reason:
    return Reason(outcome=outcome, gate=gate, rule=rule, score=score)
