"""The cut-off (C9, N6): one wrapper around a step drops what was accepted before an erasure, wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast

from processors.step import Emit, Null, Out, Reads, Record, StateSpace, Step
from schemas.base import Json
from schemas.envelope import Envelope
from schemas.erasure import Erasure
from schemas.owner import tenant_owner, user
from schemas.topics import Cleanup, Topic

DENY = "deny"
"""State row of a user or tenant: {"all": time or None, "sessions": {session: time}}."""


@dataclass(slots=True)
class Erased:
    """What a step gives up. `found`: rows by kind. `record_ids`: a project's records that it deleted or wrote anew."""

    outs: list[Out] = field(default_factory=list)
    found: dict[str, int] = field(default_factory=dict)
    record_ids: list[str] = field(default_factory=list)


class Eraser(Protocol):
    """What one step holds of a user. Pure, as the step is."""

    @property
    def passes_to(self) -> tuple[Topic, ...]:
        """Output topics that the erasure goes on into."""
        ...

    @property
    def everywhere(self) -> tuple[Topic, ...]:
        """Output topics that it goes on into in every partition."""
        ...

    def reads(self, e: Erasure) -> tuple[Reads, ...]: ...

    def then_reads(self, e: Erasure, state: StateSpace) -> tuple[Reads, ...]: ...

    def erase(self, e: Erasure, state: StateSpace) -> Erased: ...

    def also_reads(self, record: Record) -> tuple[Reads, ...]:
        """What `note` needs beside the step's own reads."""
        ...

    def note(self, record: Record, state: StateSpace) -> None:
        """Remember where a record of a user went, where its state will not say."""
        ...


class Guarded:
    """A step behind the cut-off. All but erasures and what they refuse goes through unchanged."""

    def __init__(self, inner: Step, eraser: Eraser, *, refuses: bool = True) -> None:
        """`refuses` False: a step without state whose reader refuses."""
        self._inner = inner
        self._eraser = eraser
        self._refuses = refuses
        self.name = inner.name
        self.source: Topic = inner.source
        self.outputs = inner.outputs
        self.marks = inner.marks
        self.coalesce = inner.coalesce
        self._keyed = inner.source.cleanup is not Cleanup.DELETE

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        return self._inner.prepare(records)

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, Erasure):
            return (*self._eraser.reads(event), Reads(event.owner.key, (DENY,)))
        own = (*self._inner.reads(record, prepared), *self._eraser.also_reads(record))
        return (*own, *(Reads(key, (DENY,)) for key in _owners(event))) if self._refuses else own

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if isinstance(record.event, Erasure):
            return self._eraser.then_reads(record.event, state)
        return self._inner.then_reads(record, prepared, state)

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if isinstance(event, Erasure):
            return self._erase(event, state)
        if self._refuses and isinstance(event, Envelope) and refused(event, record.timestamp, state):
            # A record that came late into a topic that is kept must not stay in it.
            return [Null(self.source, event.owner, record.key)] if self._keyed and record.key else []
        self._eraser.note(record, state)
        return self._inner.handle(record, prepared, state)

    def _erase(self, e: Erasure, state: StateSpace) -> list[Out]:
        done = self._eraser.erase(e, state)
        if self._refuses and e.scope != "project":
            _deny(e, state)
        on = e.model_copy(
            update={"stage": self.name, "found": done.found, "record_ids": tuple(done.record_ids), "part": e.part}
        )
        told: list[Out] = [Emit(topic, on) for topic in self._eraser.passes_to]
        if e.scope in ("user", "session"):
            told += [Emit(t, on.model_copy(update={"everywhere": True}), True) for t in self._eraser.everywhere]
        elif e.everywhere:
            told += [Emit(t, on) for t in self._eraser.everywhere]
        # Nulls last, so that a store counts what it removes; what a project writes anew first, so that a store that has
        # the erasure has it too.
        nulls = [o for o in done.outs if isinstance(o, Null)]
        return [*(o for o in done.outs if not isinstance(o, Null)), *told, *nulls]


def refused(event: Envelope, timestamp: datetime, state: StateSpace) -> bool:
    """Was what the event tells accepted at or before an erasure of its user, session or tenant?"""
    for key in _owners(event):
        row = state.of(key).get(DENY)
        if row is None:
            continue
        told = cast(dict[str, Any], row)
        cuts = [told["all"], told["sessions"].get(_session(event))]
        when = _accepted(event) or timestamp
        if any(cut is not None and when <= datetime.fromisoformat(cut) for cut in cuts):
            return True
    return False


def _deny(e: Erasure, state: StateSpace) -> None:
    rows = state.of(e.owner.key)
    row = cast("dict[str, Any] | None", rows.get(DENY)) or {"all": None, "sessions": {}}
    at = e.accepted_at.isoformat()
    if e.scope == "session":
        held = row["sessions"]
        held[e.session_id] = max(at, held.get(e.session_id, ""))
    else:
        row["all"] = max(at, row["all"] or "")
        row["sessions"] = {s: t for s, t in row["sessions"].items() if t > row["all"]}
    rows.put(DENY, cast(Json, row))


def _owners(event: object) -> tuple[str, ...]:
    """State owners whose deny row counts for an event: its user, where it has one, and its tenant."""
    if not isinstance(event, Envelope):
        return ()
    name = getattr(event, "user_id", None)
    tenant = tenant_owner(event.tenant).key
    return (tenant,) if name is None else (user(event.tenant, name).key, tenant)


def _session(event: Envelope) -> str | None:
    turn = getattr(event, "turn", None)
    found = getattr(event, "session_id", None) or getattr(turn, "session_id", None)
    return None if found is None else str(found)


def _accepted(event: Envelope) -> datetime | None:
    """When what the event tells was accepted: an answer's time is that of its question."""
    for name in ("asked_at", "accepted_at"):
        when = getattr(event, name, None)
        if isinstance(when, datetime):
            return when
    return None
