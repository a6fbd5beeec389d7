"""The sink in memory: the contract without a store, for tests of the worker and of what stands before it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import datetime

from schemas.events.erasure import Erasure
from schemas.events.memory import Decision, MemoryBody, MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.security.erasure_findings import place
from sinks.clock import utc_now
from sinks.collapse import accepted_at, identity, memory_of, revision, session_of
from sinks.protocol import Findings, Mark, Message, SinkBatch, Tombstone

ALL_TOPICS = (topics.HISTORY.name, topics.UPDATES.name, topics.DECISIONS.name, topics.SESSION_STATE.name)


_FED_BY = {
    topics.HISTORY.name: ("turn",), topics.UPDATES.name: ("memory",), topics.DECISIONS.name: ("decision",),
    topics.SESSION_STATE.name: ("session", "checkpoint"),
}  # fmt: skip


_KINDS = {"turn": "turns", "memory": "memories", "decision": "decisions", "session": "sessions"}


class MemorySink:
    """Rows by identity. Keeps deleted memories as emptied rows, as Postgres does. `findings` is told what an erasure
    removed, as of a generation of the store."""

    def __init__(
        self, name: str = "memory", consumed: Sequence[str] = ALL_TOPICS, now: Callable[[], datetime] = utc_now,
        findings: Findings | None = None, generation: int = 1,
    ) -> None:  # fmt: skip
        self._generation = generation
        self._now = now
        self._findings = findings
        self.name = name
        self.topics = tuple(consumed)
        self.rows: dict[tuple[Hashable, ...], Event] = {}
        self._progress: dict[Mark, int] = {}
        self._written_at: datetime | None = None

    def ensure(self) -> None:
        """Nothing to create."""

    def write(self, batch: SinkBatch) -> int:
        refused = 0
        for item in batch.items:
            name = identity(item.event)
            if name is None:
                continue
            if isinstance(item.event, Erasure):
                self._erase(item.event, item.message)
                continue
            if isinstance(item.event, Tombstone):
                refused += not self._remove(item.event)
                continue
            old = self.rows.get(name)
            if old is not None and revision(old) >= max(revision(item.event), 1):
                refused += 1
                continue
            self.rows[name] = emptied(item.event)
        for mark, offset in batch.progress.items():
            self._progress[mark] = max(offset, self._progress.get(mark, 0))
        if batch.progress:
            self._written_at = self._now()
        if batch.sweep is not None:
            self._sweep(batch.sweep)
        return refused

    def progress(self) -> dict[Mark, int]:
        return dict(self._progress)

    def written_at(self) -> datetime | None:
        return self._written_at

    def idle(self, now: datetime) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to close."""

    def _remove(self, tombstone: Tombstone) -> bool:
        """Memories go once they are marked deleted, sessions at once. False when nothing was removed."""
        if (memory := memory_of(tombstone)) is not None:
            row = self.rows.get(("memory", *memory))
            if not isinstance(row, MemoryUpdate) or row.op != "delete":
                return False
            del self.rows["memory", *memory]
            return True
        session = session_of(tombstone)
        over = [k for k in self.rows if session is not None and session == _session_key(k)]
        for name in over:
            del self.rows[name]
        return bool(over)

    def _erase(self, e: Erasure, message: Message) -> None:
        """Rows of the owner that the topic feeds and that were accepted by the cut-off (C9); decisions on a project's
        records that it deleted or wrote anew."""
        counts: dict[str, int] = {}
        for name, row in list(self.rows.items()):
            owner, when = getattr(row, "owner", None), accepted_at(row)
            mine = owner == e.owner or (e.scope == "tenant" and owner is not None and owner.tenant == e.tenant)
            if e.scope == "session":
                mine = mine and getattr(row, "session_id", None) == e.session_id
            mine = mine or (e.stage == "project" and isinstance(row, Decision) and row.record_id in e.record_ids)
            taken = when is not None and e.covers(when, getattr(row, "record_id", None))
            if mine and taken and name[0] in _FED_BY.get(message.topic, ()):
                del self.rows[name]
                kind = _KINDS.get(str(name[0]), f"{name[0]}s")
                counts[kind] = counts.get(kind, 0) + 1
        if self._findings is not None:
            self._findings(e, place(self.name, self._generation, message.topic, e.stage, message.partition), counts)

    def _sweep(self, now: datetime) -> None:
        over = [k for k, v in self.rows.items() if isinstance(v, ScreenedTurn) and v.expires_at <= now]
        for name in over:
            del self.rows[name]


def _session_key(name: tuple[Hashable, ...]) -> tuple[Hashable, ...] | None:
    """(tenant, user, rest) of a session's or checkpoint's row, as `session_of` gives it."""
    if name[0] == "session":
        return name[1:]
    return (name[1], name[2], f"{name[3]}/{name[4]}") if name[0] == "checkpoint" else None


def emptied(event: Event) -> Event:
    """A deletion keeps ids and revision; its content goes, whatever the event still carries."""
    if not isinstance(event, MemoryUpdate) or event.op != "delete":
        return event
    return event.model_copy(update={"sealed": MemoryBody(), "sources": ()})
