"""What the gate keeps of a user beside memories: structured tables, kept feedback, learned preferences, the narrative,
and what time ends (C2, C3, C6, C8, B6).

`takes` answers events that are about one of these alone; `followed` adds to the outputs of any other what follows from
them; `tick` ends what is due.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from processors.dedupe.calibration import Calibration
from processors.memory import marks, ratings, retention
from processors.memory.changes.activation import judged
from processors.memory.emit import plain_decision, update
from processors.memory.habits.metadata import zone_of
from processors.memory.habits.rows import ZONE
from processors.memory.learned import Learned
from processors.memory.profile_reading import any_low
from processors.memory.retention import Retention
from processors.memory.store import UserMemoryStore
from processors.memory.summary import Summary
from processors.memory.tables import TableGate
from processors.memory.versions import Encode, Versions
from processors.ports import ProfileBook
from processors.step import Emit, Out, Reads, StateSpace
from schemas.events.amendments import Amendment
from schemas.events.memory import Extraction, Feedback, JobResult, MemoryCommand, MemoryUpdate
from schemas.log.owner import Owner
from schemas.profile.model import Profile

UserRecord = Extraction | Feedback | MemoryCommand | JobResult


@dataclass(frozen=True, slots=True)
class ViewParts:
    """What the views are made with. `ask_model`: narratives are also worded by a model, as jobs."""

    book: ProfileBook
    encode: Encode
    calibration: Calibration | None
    dimensions: int
    model_id: str
    ask_model: bool = False


class UserViews:
    """The views of one user, during one event."""

    def __init__(self, parts: ViewParts, owner: Owner, store: UserMemoryStore, state: StateSpace, at: datetime) -> None:
        self._parts = parts
        self._profile: Profile = parts.book.of(owner.tenant)
        self._store = store
        self._rows = state.of(owner.key)
        self._at = at
        self._owner = owner
        self._tables = TableGate(owner, store, self._profile, at, parts.encode, parts.model_id)
        self._summary = Summary(owner, store, state.of(owner.key), self._profile, at, parts.ask_model)
        self._retention = Retention(owner, store, self._profile, state)

    def takes(self, event: UserRecord, refused: str | None) -> list[Emit] | None:
        """The outputs of an event that is about these views alone; None for any other. `refused`: the entity in it that
        policy refuses."""
        match event:
            case JobResult():
                return self._summary.answered(event) if event.job == "narrative" else []
            case MemoryCommand(command="summarize"):
                return self._summary.requested(event)
            case MemoryCommand():
                place = self._tables.takes(event)
                return None if place is None else self._tables.command(event, place, refused)
            case Feedback():
                return self._judged(event)
        return None

    def followed(self, event: UserRecord | Amendment, outs: Iterable[Out]) -> list[Out]:
        """The outputs of an event, with what follows from them."""
        given = list(outs)
        emits = [e for e in given if isinstance(e, Emit)]
        rest: list[Out] = [o for o in given if not isinstance(o, Emit)]
        if isinstance(event, Feedback):
            emits += self._kept(event, decided=bool(emits))
        for u in (e.event for e in emits):
            if isinstance(u, MemoryUpdate) and (zone := zone_of(u, self._profile.habits.zone_preferences)):
                self._rows.single(ZONE).put(zone)
        if not isinstance(event, Amendment):  # a regate brings the marks of its own gate
            emits += judged(self._store, self._versions(), self._at)
        emits += marks.followed(self._store, emits)
        emits += self._tables.said(emits)
        emits += self._summary.after(emits)
        dated = self._retention.dated(emits, self._at)
        return [*dated, *self._retention.trimmed(self._at), *rest]

    def _versions(self) -> Versions:
        return Versions(self._store, self._profile, self._parts.encode, self._parts.model_id)

    def judged_later(self, outs: Iterable[Emit]) -> list[Emit]:
        """What follows from feedback that had waited for what it is about."""
        return self._summary.after(outs)

    def _judged(self, f: Feedback) -> list[Emit] | None:
        """Feedback on a row, a function, a suggestion or a bug, or of traits alone; None where it is about memories,
        or names nothing at all."""
        row = self._tables.named(f.record_id) if f.record_id else None
        reaches = f.memory_ids or f.record_id or f.context_id or f.interaction_id
        if row is None and f.about == "answer" and (reaches or not f.sealed.traits):
            return None
        if row is None or self._store.applied(f"feedback/{f.feedback_id}", self._at):
            return []
        return self._tables.judged(f, row)

    def _kept(self, f: Feedback, decided: bool) -> list[Emit]:
        """Once a feedback: the record of it, and what it teaches of the one who gave it. Where nothing else was
        `decided`, that it was kept is what became of it (N5)."""
        if self._store.applied(f"kept/{f.feedback_id}", self._at):
            return []
        versions = self._versions()
        learned = Learned(
            self._owner, self._store, versions, self._profile, self._at, self._parts.encode, self._parts.model_id
        )
        taught = learned.feedback(f) if f.by in (None, f.user_id) else []
        record = ratings.kept(f, self._store, self._profile, self._at)
        out = [update(record), *taught]
        if not decided:
            out.append(plain_decision(self._owner, f.feedback_id, "feedback", record.reason, record, self._at))
        return out


reads_of_tick = retention.reads_of_tick
then_reads_of_tick = retention.then_reads_of_tick


def reads_of(parts: ViewParts, event: UserRecord | Amendment, at: datetime) -> tuple[Reads, ...]:
    command = event if isinstance(event, MemoryCommand) else None
    doubted = False
    if isinstance(event, Extraction):  # under the version that made it, as it is decided
        doubted = any_low(event, parts.book.named(event.tenant, event.profile, event.profile_version))
    return retention.reads_of(parts.book.of(event.tenant), at, command, doubted=doubted)


def tick(parts: ViewParts, now: datetime, state: StateSpace) -> list[Emit]:
    """Records whose day has come, and the lists of the days that have."""
    out: list[Emit] = []
    for owner, record, key in retention.due(now, state):
        store = UserMemoryStore(state.of(owner.key), parts.calibration, parts.dimensions)
        out += Retention(owner, store, parts.book.of(owner.tenant), state).end(record, key, now)
        out += marks.remove_marks_of(store, [] if store.get(record) is not None else [record])
    retention.open_days(now, state)
    return out
