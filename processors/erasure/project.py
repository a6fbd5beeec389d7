"""What a project holds of a user: hot memory and weekly reports, written anew without them or deleted (C9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from processors.erasure.guard import Erased
from processors.erasure.project_rows import HOT_OF_USER, WEEKS_OF_USER, HotPlace, SessionsOfWeek, week_of_name
from processors.erasure.refused import REFUSED
from processors.erasure.steps import NothingHeld
from processors.hot_matter import keys_of
from processors.memory.emit import because, deleted, update
from processors.ports import Models, ProfileBook
from processors.project import daily, weeks
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.report_value import ReportFigure, lists_of, with_values
from processors.project.rows import (
    ANSWERS,
    DUE_WEEKS,
    EXTRACT,
    HOT,
    PROPOSED,
    REMOVED,
    REPORT,
    STATEMENTS,
    TEXTS,
    WEEK,
    HeldText,
    HotName,
    TurnStatements,
    WeekCounts,
)
from processors.project.week_places import DUE, Place, held, place_of, places_of, reads_of_report, span
from processors.state_tables import Table
from processors.step import Emit, Null, OwnerState, Reads, Record, StateSpace
from schemas.base import JsonObject
from schemas.events.documents import ProjectCandidate, ProjectCommand, TurnDigest, UserMemory
from schemas.events.erasure import Erasure
from schemas.events.memory import Deletion, MemoryBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind, user

_LAST = 2**31 - 1
"""The last revision that a report can have: its week is closed for good, nothing else writes it."""
_EMPTY: JsonObject = {"problems": [], "key_events": [], "open_tasks": [], "decisions": [], "figures": []}
_REASON = because("retired", "command", "erased")


class ProjectEraser(NothingHeld):
    """State: under the user, the weeks in which the user spoke and the entries of hot memory that the user wrote to
    (project_rows.py). They are kept as long as the report or value may be."""

    passes_to = (topics.UPDATES, topics.DECISIONS)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        super().__init__()
        self._models = models
        self._book = book

    def also_reads(self, record: Record) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, TurnDigest):
            owner, places = user(event.tenant, event.user_id).key, places_of(event, self._book.of(event.tenant))
            return tuple(Reads(owner, (WEEKS_OF_USER.key(p.key),)) for p in places)
        wrote = _wrote(event)
        return () if wrote is None else (Reads(wrote.user, tuple(HOT_OF_USER.key(p.name) for p in wrote.places)),)

    def note(self, record: Record, state: StateSpace) -> None:
        event = record.event
        if isinstance(event, TurnDigest):
            weeks_ = state.of(user(event.tenant, event.user_id).key).table(WEEKS_OF_USER)
            name = place_of(event, self._book.of(event.tenant), state).key
            old = weeks_.get(name) or SessionsOfWeek()
            if (now := old.having(event.turn.session_id)) != old:
                weeks_.put(name, now)
            return
        wrote = _wrote(event)
        if wrote is None:
            return
        entries = state.of(wrote.user).table(HOT_OF_USER)
        for place in wrote.places:
            if isinstance(event, ProjectCommand) and event.command == "delete_hot":
                entries.delete(place.name)  # the name is the key, which may be what was said
            elif place.name not in entries:
                entries.put(place.name, 1)

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
        weeks_ = [week_of_name(name) for name in rows.table(WEEKS_OF_USER).names()]
        profile = self._book.of(e.tenant)
        all_weeks = dict.fromkeys(of for p in weeks_ for of in (p, *self._behind(e, p)))
        places = [r for p in all_weeks for r in reads_of_report(p, profile)]
        answers = [Reads(p.owner.key, (_answer_of(p),)) for p in all_weeks]
        hot = [HotPlace.parse(name) for name in rows.table(HOT_OF_USER).names()]
        derived = [Reads(h.owner, tuple(entry.row for entry in self._derived(e, h.entry))) for h in hot]
        entries = [Reads(h.owner, (h.entry.row, PROPOSED.key(h.entry.name), INDEX)) for h in hot]
        return (*places, *answers, *entries, *derived, daily.READS)

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope == "project":
            places = [state.of(p.key).clear() for p in self._recent(e)]
            for p in self._recent(e):
                state.of(DUE).table(DUE_WEEKS).delete(p.key)
            return Erased(found={"rows": sum(places) + state.of(e.owner.key).clear()})
        done = Erased()
        if e.scope in ("user", "session"):
            rows = state.of(e.owner.key)
            wrote = [HotPlace.parse(name) for name in rows.table(HOT_OF_USER).names()]
            hot = [n for h in wrote for n in (self._drop_derived(e, h, state, done), self._drop_hot(e, h, state, done))]
            spoke = [week_of_name(name) for name in rows.table(WEEKS_OF_USER).names()]
            left = [p for p in spoke if e.scope == "user" or _leaves_week(e, rows, p, state)]
            texts = [self._rewrite_from(e, p, left, state, done) for p in sorted(left, key=lambda p: p.monday)]
            if e.scope == "user":
                rows.clear((REFUSED.key,))
            done.found = {"hot": sum(hot), "texts": sum(texts), "reports": len(done.record_ids) - sum(hot)}
        return done

    def _drop_hot(self, e: Erasure, place: HotPlace, state: StateSpace, done: Erased) -> int:
        """A value of the user's, and what was proposed: with the value, or by the user."""
        rows, name = state.of(place.owner), place.entry.name
        old, proposed = rows.table(HOT).get(name), rows.table(PROPOSED).get(name)
        deleted, count = _hot_is_of(old, e), 0
        if proposed is not None and (deleted or _hot_is_of(proposed, e)):
            count += _drop(proposed, place.entry, PROPOSED, rows, done)
        if old is not None and deleted:
            count += _drop(old, place.entry, HOT, rows, done)
        left = any(u is not None and u.user_id == e.user_id and not _hot_is_of(u, e) for u in (old, proposed))
        # A name may be what was said, and is of no use where nothing of the user's has it.
        if not left and (count or not self._derived(e, place.entry)):
            state.of(e.owner.key).table(HOT_OF_USER).delete(place.name)
        return count

    def _derived(self, e: Erasure, entry: HotName) -> tuple[HotName, ...]:
        """Figures that the daily status makes from an entry."""
        profile = self._book.of(e.tenant)
        of = {k.key for k in profile.hot_keys if HotName(k.type, k.key) == entry}
        return tuple(HotName(k.type, k.key) for k in daily.derived(profile) if of & set(k.ratio_of))

    def _drop_derived(self, e: Erasure, place: HotPlace, state: StateSpace, done: Erased) -> int:
        """A figure made from one of the user's is deleted with it, also where the user's was replaced since: the two
        could be computed back from it. The next tick makes it anew from what is active."""
        rows, count = state.of(place.owner), 0
        for entry in self._derived(e, place.entry):
            old = rows.table(HOT).get(entry.name)
            if old is None or old.state == "deleted" or not daily.is_derived(old):
                continue
            if e.scope == "session" and not _cites(old, e):
                continue
            count += _drop(old, entry, HOT, rows, done)
            daily.again(Owner.parse(place.owner), e.accepted_at, state)
        return count

    def _rewrite(self, e: Erasure, place: Place, state: StateSpace, done: Erased) -> int:
        """A week without the user: how many texts and statements went."""
        rows = state.of(place.key)
        _drop_answer(place, state, done)
        old, counts = rows.single(REPORT).get(), rows.single(WEEK).get()
        if counts is None:
            done.outs.append(update(_final_deletion(e, place)))
            done.record_ids.append(record_id(place.owner, "report", place.monday.isoformat()))
            return 0
        count = _take_out(e, rows, counts)
        profile = self._book.of(e.tenant)
        ends_at = span(place, profile).ends_at
        others = bool(rows.table(TEXTS).names() or rows.table(STATEMENTS).names())
        counts.dirty = True
        if not others:
            counts.turns = 0
        rows.single(WEEK).put(counts, ends_at)
        rows.single(EXTRACT).delete()
        if old is None or (old.op == "delete" and not count):
            return count
        done.record_ids.append(old.record_id)
        emptied = old.model_copy(update={"sources": (), "sealed": MemoryBody(value=_EMPTY)})
        rows.single(REPORT).put(emptied, ends_at)
        if others:
            written = weeks.Weeks(self._models, profile, state).report(place, _now(e, old), "erased")
            done.outs += [Emit(o.topic, _with_reason(o.event)) for o in written if isinstance(o, Emit)]
            return count
        marker = deleted(emptied, revision=old.revision + 1, reason=_REASON)
        rows.single(REPORT).put(marker, ends_at)
        state.of(DUE).table(DUE_WEEKS).delete(place.key)
        done.outs.append(update(marker.model_copy(update={"sealed": MemoryBody()})))
        return count

    def _behind(self, e: Erasure, place: Place) -> list[Place]:
        """The weeks behind one, to the one of the erasure."""
        last = max((p.monday for p in self._recent_of(e, place)), default=place.monday)
        return [place.next(n) for n in range(1, (last - place.monday).days // 7 + 1)]

    def _rewrite_from(self, e: Erasure, place: Place, left: list[Place], state: StateSpace, done: Erased) -> int:
        """A week without the user, and the weeks behind it, to the user's next, without figures that come from it."""
        count = self._rewrite(e, place, state, done)
        for behind in self._behind(e, place):
            if behind in left:
                break
            self._without_figures(e, behind, state, done, change=behind == place.next())
        return count

    def _without_figures(self, e: Erasure, place: Place, state: StateSpace, done: Erased, *, change: bool) -> None:
        """A week behind one of the user's tells of shares of what the user may have said is the whole, and the next one
        (`change`) a change against figures that the user may have told."""
        rows = state.of(place.key)
        counts, old = rows.single(WEEK).get(), rows.single(REPORT).get()
        if counts is None or old is None or old.op == "delete":
            return
        held = lists_of(old).figures
        if not any((change and f.before is not None) or f.hands_down for f in held):
            return
        _drop_answer(place, state, done)
        profile = self._book.of(e.tenant)
        ends_at = span(place, profile).ends_at
        bare = [_bare(f, change=change).model_dump(mode="json") for f in held]
        body = old.sealed.model_copy(update={"value": with_values(old, {"figures": list(bare)})})
        rows.single(REPORT).put(old.model_copy(update={"sealed": body}), ends_at)
        counts.dirty = True
        rows.single(WEEK).put(counts, ends_at)
        done.record_ids.append(old.record_id)
        written = weeks.Weeks(self._models, profile, state).report(place, _now(e, old), "erased")
        done.outs += [Emit(o.topic, _with_reason(o.event)) for o in written if isinstance(o, Emit)]

    def _recent(self, e: Erasure) -> list[Place]:
        return held(e.owner, e.accepted_at, self._book.of(e.tenant))

    def _recent_of(self, e: Erasure, place: Place) -> list[Place]:
        return held(place.owner, e.accepted_at, self._book.of(e.tenant))


@dataclass(frozen=True, slots=True)
class _Wrote:
    """Entries of hot memory that a record may write to. `user`: the key of who wrote it."""

    user: str
    places: tuple[HotPlace, ...]


def _wrote(event: Event) -> _Wrote | None:
    match event:
        case ProjectCandidate() if event.sealed.candidate.hot:
            hot_type, keys = event.sealed.candidate.hot.type, keys_of(event.sealed.candidate.hot)
        case UserMemory() if event.sealed.now:
            hot_type, keys = event.sealed.now.type, keys_of(event.sealed.now)
        case ProjectCommand(command="put_hot" | "delete_hot") if event.user_id and event.hot_type and event.key:
            hot_type, keys = event.hot_type, (event.key,)
        case _:
            return None
    places = tuple(HotPlace(event.owner.key, HotName(hot_type, key)) for key in keys)
    return _Wrote(user(event.tenant, str(event.user_id)).key, places)


def _leaves_week(e: Erasure, rows: OwnerState, place: Place, state: StateSpace) -> bool:
    """Whether the session may have been in a week; its name leaves the row."""
    weeks_ = rows.table(WEEKS_OF_USER)
    sessions = weeks_.get(place.key) or SessionsOfWeek()
    if sessions.any:
        return not _is_without(e, state.of(place.key))
    if e.session_id not in sessions.names:
        return False
    left = sessions.without(e.session_id)
    if left.names:
        weeks_.put(place.key, left)
    else:
        weeks_.delete(place.key)
    return True


def _bare(figure: ReportFigure, *, change: bool) -> ReportFigure:
    left: dict[str, object] = {"before": None, "turn_before": None} if change else {}
    return figure.model_copy(update=left | ({"of": None} if figure.hands_down else {}))


def _answer_of(place: Place) -> str:
    return ANSWERS.key(place.monday.isoformat())


def _drop_answer(place: Place, state: StateSpace, done: Erased) -> None:
    """A model's words on the week: they stand in the log, too."""
    answers, monday = state.of(place.owner.key).table(ANSWERS), place.monday.isoformat()
    if (answer := answers.get(monday)) is not None:
        answers.delete(monday)
        done.outs.append(Null(topics.PROJECT_EVENTS, place.owner, answer.encode()))


def _is_without(e: Erasure, rows: OwnerState) -> bool:
    """Whether every text that a week has had is still there, and nothing in it is of the session. Of a week that has
    lost some, as they expired or there was no room, that cannot be said."""
    counts, texts = rows.single(WEEK).get(), rows.table(TEXTS)
    if counts is None or counts.left_out or any(name not in texts for name in counts.texts):
        return False
    held: Iterable[tuple[str, HeldText | TurnStatements]] = chain(texts.items(), rows.table(STATEMENTS).items())
    return not any(row.user_id == e.user_id and row.source.session_id == e.session_id for _, row in held)


def _drop(old: MemoryUpdate, entry: HotName, table: Table[MemoryUpdate], rows: OwnerState, done: Erased) -> int:
    """An entry of hot memory, or what is proposed instead, is deleted; its revision stays."""
    marker = deleted(
        old, revision=old.revision + 1, reason=_REASON, user_id=None, key=None, sealed=MemoryBody(), sources=()
    )
    rows.table(table).delete(entry.name)
    HotKeys(rows).leaves(table.key(entry.name))
    rows.table(REMOVED).put(old.record_id, marker.revision)
    done.outs.append(update(marker))
    done.record_ids.append(old.record_id)
    return 1


def _hot_is_of(u: MemoryUpdate | None, e: Erasure) -> bool:
    if u is None or u.user_id != e.user_id or u.state == "deleted":
        return False
    return e.scope != "session" or _cites(u, e)


def _cites(u: MemoryUpdate, e: Erasure) -> bool:
    return any(s.session_id == e.session_id for s in u.sources)


def _take_out(e: Erasure, rows: OwnerState, counts: WeekCounts) -> int:
    """Texts and statements of the user leave the week and its counts: of how many turns."""
    turns: set[str] = set()
    texts, statements = rows.table(TEXTS), rows.table(STATEMENTS)
    for name, text in texts.items():
        if _is_of(e, text):
            turns.add(name)
            texts.delete(name)
            counts.texts.pop(name, None)
    for name, of_turn in statements.items():
        if _is_of(e, of_turn):
            turns.add(name)
            statements.delete(name)
            counts.notes -= 1
            for statement in of_turn.statements:
                counts.memories[statement.kind] -= 1
    of_user = counts.users.get(e.user_id or "", 0)
    removed = of_user if e.scope == "user" else min(of_user, len(turns))
    counts.turns = max(0, counts.turns - removed)
    if e.scope == "user":
        counts.users.pop(e.user_id or "", None)
    elif e.user_id in counts.users:
        counts.users[e.user_id] = of_user - removed
    return len(turns)


def _is_of(e: Erasure, row: HeldText | TurnStatements) -> bool:
    return row.user_id == e.user_id and (e.scope != "session" or row.source.session_id == e.session_id)


def _final_deletion(e: Erasure, place: Place) -> Deletion:
    """A report whose week is no longer held: nobody can say which of its sentences were whose."""
    monday = place.monday.isoformat()
    return Deletion(
        tenant=e.tenant, owner_kind=OwnerKind.PROJECT, owner_id=place.owner.id,
        record_id=record_id(place.owner, "report", monday), revision=_LAST, kind="report",
        state="deleted", reason=_REASON, key=monday, scope=place.owner.id, project_id=place.owner.id,
        occurred_at=e.accepted_at, known_at=e.accepted_at, last_accessed_at=e.accepted_at,
    )  # fmt: skip


def _now(e: Erasure, old: MemoryUpdate) -> datetime:
    return max(e.accepted_at, old.known_at)


def _with_reason(event: Event) -> Event:
    """A report that was written anew says why."""
    reason = because("superseding", "command", "erased")
    return event.model_copy(update={"reason": reason}) if isinstance(event, MemoryUpdate) else event
