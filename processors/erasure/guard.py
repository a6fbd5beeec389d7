"""The cut-off (C9, N6): one wrapper around a step drops what was accepted before an erasure, wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from processors.erasure.refused import REFUSED, Refused
from processors.future_timestamps import dated_ahead
from processors.step import Emit, Null, Out, Prepared, Reads, Record, StateSpace, Step
from schemas.base import JsonObject
from schemas.events.amendments import Amendment
from schemas.events.documents import ProjectCommand
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Feedback, JobResult, MemoryCommand
from schemas.events.turns import SessionCommand, TurnEvent
from schemas.log.owner import tenant_owner, user
from schemas.log.topics import Cleanup, Topic

_FIRST_HAND = (TurnEvent, SessionCommand, MemoryCommand, Feedback, ProjectCommand)


@dataclass(slots=True)
class Erased:
    """What a step gives up. `found`: rows by kind. `record_ids`: those that the erasure names (`Erasure.record_ids`).
    `newest`: when the newest of it was accepted, told by the first step: the others follow its cut-off."""

    outs: list[Out] = field(default_factory=list)
    found: dict[str, int] = field(default_factory=dict)
    record_ids: list[str] = field(default_factory=list)
    newest: datetime | None = None


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
        self.refuses = refuses
        self.name = inner.name
        self.source: Topic = inner.source
        self.outputs = inner.outputs
        self.marks = inner.marks
        self.carries = inner.carries
        self.coalesce = inner.coalesce
        self.completes = inner.completes
        self.asks = inner.asks
        self.passes_to, self.everywhere = eraser.passes_to, eraser.everywhere
        self._keyed = inner.source.cleanup is not Cleanup.DELETE

    def prepare(self, records: Sequence[Record]) -> Sequence[Prepared]:
        new = [r for r in records if not r.redelivered]
        prepared = iter(self._inner.prepare(new) if new else ())
        return [None if r.redelivered else next(prepared) for r in records]

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, Erasure):
            return (*self._eraser.reads(event), Reads(event.owner.key, (REFUSED.key,)))
        own = () if record.redelivered else (*self._inner.reads(record, prepared), *self._eraser.also_reads(record))
        return (*own, *(Reads(key, (REFUSED.key,)) for key in _owners(event))) if self.refuses else own

    def then_reads(self, record: Record, prepared: Prepared, state: StateSpace) -> tuple[Reads, ...]:
        if isinstance(record.event, Erasure):
            return self._eraser.then_reads(record.event, state)
        if record.redelivered:
            return ()
        return self._inner.then_reads(record, prepared, state)

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Prepared], states: Sequence[StateSpace]
    ) -> Sequence[Prepared]:
        new = [(r, p, s) for r, p, s in zip(records, prepared, states, strict=True) if not r.redelivered]
        done = iter(self._inner.complete(*zip(*new, strict=True)) if new else ())
        return [p if r.redelivered else next(done) for r, p in zip(records, prepared, strict=True)]

    def handle(self, record: Record, prepared: Prepared, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if isinstance(event, Erasure):
            ahead = dated_ahead(event, record)
            return self._erase(event, state) if ahead is None else [ahead]
        if self.refuses and isinstance(event, Envelope):
            cut = _cut(event, state)
            if cut is not None and _came_after(record, event, cut, state):
                record = _after(record, event, cut)
            elif cut is not None and _when(record, event) <= cut:
                # A record that came late into a topic that is kept must not stay in it.
                return [Null(self.source, event.owner, record.key)] if self._keyed and record.key else []
        if record.redelivered:
            return []
        self._eraser.note(record, state)
        return self._inner.handle(record, prepared, state)

    def _erase(self, e: Erasure, state: StateSpace) -> list[Out]:
        done = self._eraser.erase(e, state)
        # What stands before the erasure in the log came before it, also where a clock ran ahead.
        if done.newest is not None and done.newest > e.accepted_at:
            e = e.model_copy(update={"accepted_at": done.newest, "requested_at": e.requested_at or e.accepted_at})
        if self.refuses and e.scope != "project":
            _refuse(e, state)
        on = e.model_copy(
            update={"stage": self.name, "found": done.found, "record_ids": tuple(done.record_ids), "part": e.part}
        )
        out_events: list[Out] = [Emit(topic, on) for topic in self._eraser.passes_to]
        if e.scope in ("user", "session"):
            out_events += [Emit(t, on.model_copy(update={"everywhere": True}), True) for t in self._eraser.everywhere]
        elif e.everywhere:
            out_events += [Emit(t, on) for t in self._eraser.everywhere]
        # Nulls last, so that a store counts what it removes; what a project writes anew first, so that a store that has
        # the erasure has it too.
        nulls = [o for o in done.outs if isinstance(o, Null)]
        return [*(o for o in done.outs if not isinstance(o, Null)), *out_events, *nulls]


def _cut(event: Envelope, state: StateSpace) -> datetime | None:
    """The latest erasure of the event's user, session or tenant."""
    rows = (state.of(key).single(REFUSED).get() for key in _owners(event))
    any_session, session_id = _of_all_sessions(event), _session(event)
    cuts = (row.latest() if any_session else row.cut_of(session_id) for row in rows if row is not None)
    return max((cut for cut in cuts if cut is not None), default=None)


def _came_after(record: Record, event: Envelope, cut: datetime, state: StateSpace) -> bool:
    """A client's own record behind the erasure in the log, dated after the request and before the newest that a clock
    dated ahead: there time alone does not tell it from the erased. What is dated before the request stays out."""
    if not record.first_hand or not isinstance(event, _FIRST_HAND):
        return False
    for key in _owners(event):
        row = state.of(key).single(REFUSED).get()
        requested = None if row is None else row.requested.get(cut)
        if requested is not None and requested < _when(record, event) <= cut:
            return True
    return False


def _after(record: Record, event: Envelope, cut: datetime) -> Record:
    """Accepted just after the cut-off: here the order of the log counts, so for everything that follows from it."""
    at = cut + timedelta(microseconds=1)
    return replace(record, event=event.model_copy(update={"accepted_at": at}), timestamp=max(at, record.timestamp))


def _when(record: Record, event: Envelope) -> datetime:
    """When it was accepted; of a replay no later than its source came into the log: a clock that ran ahead must not
    carry it over an erasure."""
    accepted = _accepted(event) or record.timestamp
    return accepted if record.replayed_at is None else min(accepted, record.timestamp)


def _refuse(e: Erasure, state: StateSpace) -> None:
    row = state.of(e.owner.key).single(REFUSED)
    old = row.get() or Refused()
    if e.scope == "session":
        row.put(old.with_session(str(e.session_id), e.accepted_at, e.requested_at))
    else:
        row.put(old.with_all(e.accepted_at, e.requested_at))


def _owners(event: object) -> tuple[str, ...]:
    """State owners whose deny row counts for an event: its user, where it has one, and its tenant."""
    if not isinstance(event, Envelope):
        return ()
    name = getattr(event, "user_id", None)
    tenant = tenant_owner(event.tenant).key
    return (tenant,) if name is None else (user(event.tenant, name).key, tenant)


def _of_all_sessions(event: Envelope) -> bool:
    """Whether it tells of every session of its user: a model words a narrative of what was said in any."""
    return isinstance(event, JobResult) and event.job == "narrative"


def _session(event: Envelope) -> str | None:
    turn = getattr(event, "turn", None)
    found = getattr(event, "session_id", None) or getattr(turn, "session_id", None)
    if found is None and isinstance(event, Amendment):
        found = event.sealed.record.get("session_id")
    return None if found is None else str(found)


def _accepted(event: Envelope) -> datetime | None:
    """When what the event tells was accepted: an answer's time is that of its question, and an amendment's that of the
    record, which was read before it was sent."""
    if isinstance(event, Amendment):
        return min(filter(None, (event.accepted_at, *_times(event.sealed.record))), default=None)
    for name in ("asked_at", "accepted_at"):
        when = getattr(event, name, None)
        if isinstance(when, datetime):
            return when
    return None


def _times(record: JsonObject) -> Iterable[datetime]:
    """Of a stored record: a turn or decision, a memory, a checkpoint."""
    for name in ("accepted_at", "known_at", "created_at"):
        with suppress(TypeError, ValueError):  # none, or no time: its writer refuses the record
            when = datetime.fromisoformat(record[name]) if name in record else None
            if when is not None and when.tzinfo is not None:
                yield when
