"""What screen, extract, session and gate hold of a user, and give up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from processors.dedupe.calibration import calibration_for
from processors.erasure.guard import Erased
from processors.erasure.refused import REFUSED
from processors.memory import citations, ended_records, marks
from processors.memory.changes import activation
from processors.memory.habits import mining as habits
from processors.memory.replaced_versions import Replaced
from processors.memory.restate import ended_by_words
from processors.memory.rows import RECORDS, REJECTIONS, TAILS, VERSIONS_OF_SESSION, Tail
from processors.memory.store import UserMemoryStore
from processors.memory.summary import Summary
from processors.memory.versions import Versions
from processors.ports import Models, ProfileBook, vectors
from processors.reader import pending_replies
from processors.screen.rows import PREVIOUS, PreviousTurns
from processors.screen.step import PREVIOUS_KEPT
from processors.session.rows import ENDS, OPEN, OPEN_OWNER, SESSIONS, place
from processors.step import Null, OwnerState, Reads, Record, StateSpace
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.ids import record_id
from schemas.log.topics import Topic


class NothingHeld:
    """A step that remembers nothing of a user."""

    passes_to: tuple[Topic, ...] = ()
    everywhere: tuple[Topic, ...] = ()

    def __init__(self, *passes_to: Topic) -> None:
        if passes_to:
            self.passes_to = passes_to

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        return ()

    def then_reads(self, e: Erasure, state: StateSpace) -> tuple[Reads, ...]:
        return ()

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        return Erased()

    def also_reads(self, record: Record) -> tuple[Reads, ...]:
        return ()

    def note(self, record: Record, state: StateSpace) -> None:
        """Nothing to remember."""


class OwnRows(NothingHeld):
    """A step whose rows stand under the user."""

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        return (Reads(e.owner.key),) if e.scope in ("user", "session") else ()


class ScreenEraser(OwnRows):
    """Content hashes of turns, and the last turns of each session."""

    passes_to = (topics.HISTORY,)

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope not in ("user", "session"):
            return Erased()
        rows = state.of(e.owner.key)
        previous = rows.table(PREVIOUS)
        if e.scope == "user":
            newest = _newest_turn(kept for _, kept in previous.items())
            return Erased(found={"rows": rows.clear((REFUSED.key,))}, newest=newest)
        kept = previous.get(str(e.session_id))
        previous.delete(str(e.session_id))
        return Erased(found={"rows": int(kept is not None)}, newest=_newest_turn([] if kept is None else [kept]))


class ExtractEraser(OwnRows):
    """Turns that wait for their reply."""

    passes_to = (topics.LEDGER,)

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        own = super().reads(e)
        return (*own, Reads(pending_replies.DUE)) if own else ()

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope not in ("user", "session"):
            return Erased()
        only = e.session_id if e.scope == "session" else None
        return Erased(found={"turns": pending_replies.forget(state, e.owner, only)})


class GateEraser(OwnRows):
    """Standing records, tails, rejections, habits. Every key that the user has in memory.updates gets a null. After a
    session's erasure the narrative is written again from what is left."""

    passes_to = (topics.UPDATES, topics.DECISIONS)
    everywhere = (topics.PROJECT_EVENTS,)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        super().__init__()
        self._models = models
        self._book = book
        self._calibration = calibration_for(models.embedder.model_id)

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        if e.scope not in ("user", "session"):
            return ()
        return (*super().reads(e), Reads(habits.DUE), Reads(citations.place(e.owner)))

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope not in ("user", "session"):
            return Erased()
        rows = state.of(e.owner.key)
        return self._session(e, rows) if e.scope == "session" else self._user(e, rows, state)

    def _user(self, e: Erasure, rows: OwnerState, state: StateSpace) -> Erased:
        done = Erased()
        records = 0
        for name, version in _numbers(rows):
            records += 1
            done.record_ids += _dated_behind(e, rows, name)
            done.outs += [_null(e, name, v) for v in range(min(1, version), version + 1)]
        answers = state.of(citations.place(e.owner)).clear()
        rejections = len(rows.table(REJECTIONS).names())
        habits.forget(e.owner, state)
        done.found = {"records": records, "rejections": rejections, "rows": answers + rows.clear((REFUSED.key,))}
        return done

    def _session(self, e: Erasure, rows: OwnerState) -> Erased:
        """Versions whose text came from the session go; the others lose their citations of it."""
        done = Erased()
        session_id, records, tails = str(e.session_id), rows.table(RECORDS), rows.table(TAILS)
        versions = rows.table(VERSIONS_OF_SESSION).get(session_id) or ()
        for name in dict.fromkeys(v.record_id for v in versions):  # stores look at each version's session
            done.record_ids += _dated_behind(e, rows, name)
        erased: list[MemoryUpdate] = []
        for name, version in versions:
            done.outs.append(_null(e, name, version))
            row = records.get(name)
            if row is not None and (u := row.update).version == version:
                erased.append(u)
                records.delete(name)
                tails.put(name, Tail(version, u.revision, u.kind, number=0, deleted=True))
        rows.table(VERSIONS_OF_SESSION).delete(session_id)
        Replaced(rows).leave(session_id)
        rows.clear(rows.keys())  # nothing but what is derived from them
        store = UserMemoryStore(rows, self._calibration, self._models.embedder.dimensions, self._models.hash_key)
        removed = [name for name, _ in versions if store.get(name) is None]
        done.outs += marks.remove_marks_of(store, removed)
        profile = self._book.of(e.tenant)
        for u in erased:
            done.outs += ended_by_words(u, e.accepted_at, store)
        versions_of = Versions(store, profile, self._encode, self._models.embedder.model_id)
        done.outs += activation.judged(store, versions_of, e.accepted_at)
        done.outs += Summary(e.owner, store, rows, profile, e.accepted_at, ask_model=False).without()
        done.found = {"records": len(versions)}
        return done

    def _encode(self, text: str) -> tuple[tuple[str, ...], bytes]:
        return tuple(self._models.terms(text)), vectors(self._models.embedder, [text])[0]


class SessionEraser(OwnRows):
    """Sessions whole, with the turns of their open segments."""

    passes_to = (topics.SESSION_STATE,)

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        return (*super().reads(e), Reads(OPEN_OWNER)) if e.scope in ("user", "session") else ()

    def then_reads(self, e: Erasure, state: StateSpace) -> tuple[Reads, ...]:
        return tuple(Reads(place(e.owner.key, s)) for s in self._sessions(e, state))

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope not in ("user", "session"):
            return Erased()
        done, turns = Erased(), 0
        rows = state.of(e.owner.key)
        sessions = self._sessions(e, state)
        for name in sessions:
            subject, segment = f"{e.owner.key}/{name}", place(e.owner.key, name)
            keys = [subject, *(f"{subject}/{m}" for m in _checkpoints(e, rows, name))]
            done.outs += [Null(topics.SESSION_STATE, e.owner, k.encode()) for k in keys]
            turns += state.of(segment).clear()
            state.of(OPEN_OWNER).table(OPEN).delete(segment)
            rows.table(SESSIONS).delete(name)
            rows.table(ENDS).delete(name)
        done.found = {"sessions": len(sessions), "turns": turns}
        return done

    def _sessions(self, e: Erasure, state: StateSpace) -> list[str]:
        if e.scope not in ("user", "session"):
            return []
        rows = state.of(e.owner.key)
        found = {*rows.table(SESSIONS).names(), *rows.table(ENDS).names()}
        return sorted(found if e.scope == "user" else found & {str(e.session_id)})


def _numbers(rows: OwnerState) -> Iterable[tuple[str, int]]:
    """Record id and newest version of everything that stands or stood."""
    records = rows.table(RECORDS)
    for name, row in records.items():
        yield name, row.update.version
    for name, tail in rows.table(TAILS).items():
        if name not in records:
            yield name, tail.version


def _dated_behind(e: Erasure, rows: OwnerState, name: str) -> list[str]:
    """The record, where a version of it is dated behind the cut-off: by a tick, or as what a client wrote to the ledger
    while the erasure was on its way."""
    row = rows.table(RECORDS).get(name)
    times = ended_records.known_at(rows, name), None if row is None else row.update.known_at
    return [name] if any(at is not None and at > e.accepted_at for at in times) else []


def _newest_turn(kept: Iterable[PreviousTurns]) -> datetime | None:
    """When the newest turn of these sessions was accepted: their rows say until when they are kept."""
    ends = [row.kept_until for row in kept]
    return max(ends) - PREVIOUS_KEPT if ends else None


def _null(e: Erasure, name: str, version: int) -> Null:
    return Null(topics.UPDATES, e.owner, f"{name}/{version}".encode())


def _checkpoints(e: Erasure, rows: OwnerState, session_id: str) -> Iterable[str]:
    """Ids of a session's checkpoints: each segment after the first began with one, or with a reset."""
    session, end = rows.table(SESSIONS).get(session_id), rows.table(ENDS).get(session_id)
    count = session.segment if session is not None else (end.segment if end is not None else 0)
    return (record_id(e.owner, "checkpoint", session_id, number) for number in range(1, count + 1))
