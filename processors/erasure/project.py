"""What a project holds of a user: hot memory and weekly reports, written anew without them or deleted (C9)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, cast

import orjson

from processors.erasure.guard import DENY, Erased
from processors.erasure.steps import NothingHeld
from processors.memory.emit import because, update
from processors.ports import Models, ProfileBook
from processors.project import daily, weeks
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.report_value import lists_of, with_values
from processors.project.rows import ANSWERS, REPORT, WEEK
from processors.project.week_places import DUE, Place, held, place_of, places_of, span
from processors.step import Emit, Null, OwnerState, Reads, Record, StateSpace
from schemas.base import JsonObject
from schemas.events.documents import ProjectCandidate, ProjectCommand, TurnDigest, UserMemory
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind, user

_PLAIN = Codec()
_LAST = 2**31 - 1
"""The last revision that a report can have: its week is closed for good, nothing else writes it."""
_EMPTY: JsonObject = {"problems": [], "key_events": [], "open_tasks": [], "decisions": [], "figures": []}
_REASON = because("retired", "command", "erased")
_SESSIONS = 50
"""Sessions that a user's row of a week names; where there were more, any may have been in it."""


class ProjectEraser(NothingHeld):
    """State: under the user's name, `w|project|monday` for each week, with the sessions in which the user spoke, and
    `h|project|row` for each key of hot memory that the user wrote to. They stand as long as the report or value may."""

    passes_to = (topics.UPDATES, topics.DECISIONS)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        super().__init__()
        self._models = models
        self._book = book

    def also_reads(self, record: Record) -> tuple[Reads, ...]:
        return tuple(Reads(owner, (row,)) for owner, row in self._places(record))

    def note(self, record: Record, state: StateSpace) -> None:
        for owner, row in self._places(record, state):
            if isinstance(record.event, ProjectCommand) and record.event.command == "delete_hot":
                state.of(owner).delete(row)  # its name is the key, which may be what was said
            elif isinstance(record.event, TurnDigest):
                _note_session(state.of(owner), row, record.event.turn.session_id)
            elif state.of(owner).get(row) is None:
                state.of(owner).put(row, 1)

    def reads(self, e: Erasure) -> tuple[Reads, ...]:
        if e.scope in ("user", "session"):
            return (Reads(e.owner.key), Reads(DUE))
        if e.scope == "project":
            return (Reads(e.owner.key), Reads(DUE), *(Reads(p.key) for p in self._recent(e)))
        return ()

    def then_reads(self, e: Erasure, state: StateSpace) -> tuple[Reads, ...]:
        if e.scope not in ("user", "session"):
            return ()
        rows = state.of(e.owner.key)
        weeks_ = [_week(k) for k, _ in rows.items("w|")]
        places = [Reads(p.key) for p in weeks_] + [Reads(p.next().key) for p in weeks_]
        places += [Reads(p.owner.key, (ANSWERS.key(p.monday.isoformat()),)) for p in weeks_]
        hot = [k for k, _ in rows.items("h|")]
        follows = [Reads(_hot(k)[0], self._derived(e, k)) for k in hot]
        return (*places, *(Reads(*_hot(k)) for k in hot), *follows, daily.READS)

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope == "project":
            places = [state.of(p.key).clear() for p in self._recent(e)]
            for p in self._recent(e):
                state.of(DUE).delete(p.key)
            return Erased(found={"rows": sum(places) + state.of(e.owner.key).clear()})
        done = Erased()
        if e.scope in ("user", "session"):
            rows = state.of(e.owner.key)
            wrote = [k for k, _ in rows.items("h|")]
            hot = [n for k in wrote for n in (self._drop_derived(e, k, state, done), self._drop_hot(e, k, state, done))]
            weeks_ = [k for k, _ in rows.items("w|") if e.scope == "user" or _leaves_week(e, rows, k, state)]
            texts = [self._rewrite(e, _week(k), state, done) for k in weeks_]
            for place in {_week(k).next(): None for k in weeks_ if _week(k).next() not in map(_week, weeks_)}:
                self._without_change(e, place, state, done)
            if e.scope == "user":
                rows.clear((DENY,))
            done.found = {"hot": sum(hot), "texts": sum(texts), "reports": len(done.record_ids) - sum(hot)}
        return done

    def _drop_hot(self, e: Erasure, name: str, state: StateSpace, done: Erased) -> int:
        owner, (row, _) = _hot(name)
        old = _load(state.of(owner).get(row))
        if old is None or old.user_id != e.user_id or old.state == "deleted":
            return 0
        if e.scope == "session" and not _cites(old, e):
            return 0
        state.of(e.owner.key).delete(name)
        return _drop(old, row, state.of(owner), done)

    def _derived(self, e: Erasure, name: str) -> tuple[str, ...]:
        """Rows of the figures that the daily status makes from a row that the user wrote to."""
        _, (row, _) = _hot(name)
        profile = self._book.of(e.tenant)
        of = {k.key for k in profile.hot_keys if f"hot/{k.type}/{k.key}" == row}
        return tuple(f"hot/{k.type}/{k.key}" for k in daily.derived(profile) if of & set(k.ratio_of))

    def _drop_derived(self, e: Erasure, name: str, state: StateSpace, done: Erased) -> int:
        """A figure made from one of the user's goes with it, also where the user's was replaced since: the two could be
        computed back from it. The next tick makes it anew from what stands."""
        owner = _hot(name)[0]
        count = 0
        for row in self._derived(e, name):
            old = _load(state.of(owner).get(row))
            if old is None or old.state == "deleted" or not daily.is_derived(old):
                continue
            if e.scope == "session" and not _cites(old, e):
                continue
            count += _drop(old, row, state.of(owner), done)
            daily.again(Owner.parse(owner), e.accepted_at, state)
        return count

    def _rewrite(self, e: Erasure, place: Place, state: StateSpace, done: Erased) -> int:
        """A week without the user: how many texts and statements went."""
        rows = state.of(place.key)
        answers, monday = state.of(place.owner.key).table(ANSWERS), place.monday.isoformat()
        if (answer := answers.get(monday)) is not None:  # a model's words on the week stand in the log, too
            answers.delete(monday)
            done.outs.append(Null(topics.PROJECT_EVENTS, place.owner, answer.encode()))
        old = _load(rows.get("report"))
        if rows.get("meta") is None:
            done.outs.append(update(_gone_for_good(e, place)))
            done.record_ids.append(record_id(place.owner, "report", place.monday.isoformat()))
            return 0
        meta = cast(dict[str, Any], rows.get("meta"))
        count = _take_out(e, rows, meta)
        profile = self._book.of(e.tenant)
        gone = span(place, profile).gone
        others = any(True for prefix in ("t/", "k/") for _ in rows.items(prefix))
        meta["dirty"] = True
        if not others:
            meta["turns"] = 0
        rows.put("meta", meta, gone)
        rows.delete("extract")
        if old is None or (old.op == "delete" and not count):
            return count
        done.record_ids.append(old.record_id)
        emptied = old.model_copy(update={"sources": (), "sealed": MemoryBody(value=_EMPTY)})
        rows.put("report", orjson.loads(_PLAIN.value(emptied)), gone)
        if others:
            written = weeks.Weeks(self._models, profile, state).report(place, _now(e, old), "erased")
            done.outs += [Emit(o.topic, _said(o.event)) for o in written if isinstance(o, Emit)]
            return count
        marker = emptied.model_copy(
            update={"revision": old.revision + 1, "op": "delete", "state": "deleted", "reason": _REASON}
        )
        rows.put("report", orjson.loads(_PLAIN.value(marker)), gone)
        state.of(DUE).delete(place.key)
        done.outs.append(update(marker.model_copy(update={"sealed": MemoryBody()})))
        return count

    def _without_change(self, e: Erasure, place: Place, state: StateSpace, done: Erased) -> None:
        """The week behind one of the user's states a change against figures that the user may have told."""
        rows = state.of(place.key)
        counts, old = rows.single(WEEK).get(), rows.single(REPORT).get()
        if counts is None or old is None or old.op == "delete":
            return
        held = lists_of(old).figures
        if all(f.before is None for f in held):
            return
        profile = self._book.of(e.tenant)
        gone = span(place, profile).gone
        bare = [f.model_copy(update={"before": None, "turn_before": None}).model_dump(mode="json") for f in held]
        body = old.sealed.model_copy(update={"value": with_values(old, {"figures": list(bare)})})
        rows.single(REPORT).put(old.model_copy(update={"sealed": body}), gone)
        counts.dirty = True
        rows.single(WEEK).put(counts, gone)
        done.record_ids.append(old.record_id)
        written = weeks.Weeks(self._models, profile, state).report(place, _now(e, old), "erased")
        done.outs += [Emit(o.topic, _said(o.event)) for o in written if isinstance(o, Emit)]

    def _places(self, record: Record, state: StateSpace | None = None) -> list[tuple[str, str]]:
        """(user's state owner, row) that a record of a user writes to; without `state` those that it may write to."""
        event = record.event
        match event:
            case TurnDigest():
                profile = self._book.of(event.tenant)
                places = places_of(event, profile) if state is None else [place_of(event, profile, state)]
                owner = user(event.tenant, event.user_id).key
                return [(owner, f"w|{event.owner.key}|{p.monday.isoformat()}") for p in places]
            case ProjectCandidate() if event.sealed.candidate.hot:
                hot = event.sealed.candidate.hot
                return _row(event, event.user_id, hot.type, hot.key)
            case UserMemory() if event.sealed.now:
                hot = event.sealed.now
                return _row(event, event.user_id, hot.type, hot.key)
            case ProjectCommand(command="put_hot" | "delete_hot") if event.user_id and event.hot_type and event.key:
                return _row(event, event.user_id, event.hot_type, event.key)
        return []

    def _recent(self, e: Erasure) -> list[Place]:
        return held(e.owner, e.accepted_at, self._book.of(e.tenant))


def _row(
    event: ProjectCandidate | ProjectCommand | UserMemory, user_id: str, hot_type: str, key: str
) -> list[tuple[str, str]]:
    return [(user(event.tenant, user_id).key, f"h|{event.owner.key}|hot/{hot_type}/{key}")]


def _note_session(rows: OwnerState, row: str, session_id: str | None) -> None:
    held = rows.get(row)
    held = [] if held is None else held
    if isinstance(held, list) and session_id not in held:
        rows.put(row, [*held, session_id] if session_id is not None and len(held) < _SESSIONS else 1)


def _leaves_week(e: Erasure, rows: OwnerState, row: str, state: StateSpace) -> bool:
    """Whether the session may have been in a week; its name leaves the row."""
    held = rows.get(row)
    if not isinstance(held, list):
        return not _is_without(e, state.of(_week(row).key))
    if e.session_id not in held:
        return False
    left = [name for name in held if name != e.session_id]
    if left:
        rows.put(row, left)
    else:
        rows.delete(row)
    return True


def _is_without(e: Erasure, rows: OwnerState) -> bool:
    """Whether every text that a week has had is still there, and nothing in it is of the session. Of a week that has
    lost some, as they expired or there was no room, that cannot be said."""
    meta = cast("dict[str, Any] | None", rows.get("meta"))
    if meta is None or meta.get("left_out") or any(rows.get(f"t/{name}") is None for name in meta["texts"]):
        return False
    said = (cast("dict[str, Any]", raw) for prefix in ("t/", "k/") for _, raw in rows.items(prefix))
    return not any(row["u"] == e.user_id and row["s"]["session_id"] == e.session_id for row in said)


def _drop(old: MemoryUpdate, row: str, rows: OwnerState, done: Erased) -> int:
    """A value of hot memory leaves; its revision stays."""
    gone = old.model_copy(
        update={
            "revision": old.revision + 1,
            "op": "delete", "state": "deleted", "reason": _REASON, "user_id": None, "key": None,
            "sealed": MemoryBody(), "sources": (),
        }
    )  # fmt: skip
    rows.delete(row)
    HotKeys(rows).leaves(row)
    rows.put(f"gone/{old.record_id}", gone.revision)
    done.outs.append(update(gone))
    done.record_ids.append(old.record_id)
    return 1


def _cites(u: MemoryUpdate, e: Erasure) -> bool:
    return any(s.session_id == e.session_id for s in u.sources)


def _take_out(e: Erasure, rows: OwnerState, meta: dict[str, Any]) -> int:
    """Texts and statements of the user leave the week and its counts."""
    turns: set[str] = set()
    for prefix in ("t/", "k/"):
        for key, raw in list(rows.items(prefix)):
            row = cast(dict[str, Any], raw)
            if row["u"] != e.user_id or (e.scope == "session" and row["s"]["session_id"] != e.session_id):
                continue
            name = key.removeprefix(prefix)
            turns.add(name)
            rows.delete(key)
            if prefix == "t/":
                meta["texts"].pop(name, None)
                continue
            meta["notes"] -= 1
            for kept in row["k"]:
                meta["memories"][kept[0]] -= 1
    said = meta["users"].get(e.user_id, 0)
    gone = said if e.scope == "user" else min(said, len(turns))
    meta["turns"] = max(0, meta["turns"] - gone)
    if e.scope == "user":
        meta["users"].pop(e.user_id, None)
    elif e.user_id in meta["users"]:
        meta["users"][e.user_id] = said - gone
    return len(turns)


def _gone_for_good(e: Erasure, place: Place) -> MemoryUpdate:
    """A report whose week is no longer held: nobody can say which of its sentences were whose."""
    monday = place.monday.isoformat()
    return MemoryUpdate(
        tenant=e.tenant, owner_kind=OwnerKind.PROJECT, owner_id=place.owner.id,
        record_id=record_id(place.owner, "report", monday), revision=_LAST, op="delete", kind="report",
        state="deleted", reason=_REASON, key=monday, scope=place.owner.id, project_id=place.owner.id,
        occurred_at=e.accepted_at, known_at=e.accepted_at, last_accessed_at=e.accepted_at,
    )  # fmt: skip


def _now(e: Erasure, old: MemoryUpdate) -> datetime:
    return max(e.accepted_at, old.known_at)


def _said(event: Any) -> Any:
    """A report that was written anew says why."""
    reason = because("superseding", "command", "erased")
    return event.model_copy(update={"reason": reason}) if isinstance(event, MemoryUpdate) else event


def _week(row: str) -> Place:
    _, owner, monday = row.split("|")
    return Place(Owner.parse(owner), date.fromisoformat(monday))


def _hot(row: str) -> tuple[str, tuple[str, ...]]:
    """State owner, and keys of a row of hot memory (it may hold any character) and of their index."""
    _, owner, key = row.split("|", 2)
    return owner, (key, INDEX)


def _load(raw: Any) -> MemoryUpdate | None:
    return None if raw is None else cast(MemoryUpdate, _PLAIN.event(topics.UPDATES.name, raw))
