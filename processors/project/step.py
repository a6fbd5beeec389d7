"""project: project.events -> memory.updates. Hot memory with one writer a project (A3, A4, A5), and its weekly reports
(A6; `processors.project.weeks`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from processors.future_timestamps import dated_ahead
from processors.memory.emit import because, plain_decision, update
from processors.memory.rules import EXPLICIT
from processors.memory.values import same
from processors.pii.redact import Redaction
from processors.pii.redaction import redact, telling
from processors.ports import Models, ProfileBook
from processors.project import daily, hot_withdrawn, report_job, user_memories, week_places, weeks
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.rollup import week_of
from processors.project.rows import ANSWERS, HOT, REMOVED, WRITTEN_BY, HotName
from processors.project.weeks_rescreen import WeeksScreened
from processors.screen import callers
from processors.step import Emit, Null, Out, OwnerState, PlainStep, Reads, Record, Reject, StateSpace
from schemas.base import JsonObject, JsonValue
from schemas.events.documents import ProjectCandidate, ProjectCommand, ReportResult, TurnDigest, UserMemory
from schemas.events.envelope import SourceTurn, Tick
from schemas.events.memory import HotValue, MemoryBody, MemoryUpdate, Reason
from schemas.log import topics
from schemas.log.owner import Owner, OwnerKind
from schemas.storage.sizes import TOO_LARGE, outgrown_value


@dataclass(frozen=True, slots=True)
class _Screened:
    """`command`: a caller's value, redacted. `masked`: of a deletion, policy takes something out of its key."""

    command: ProjectCommand
    masked: bool = False
    texts: Mapping[str, Redaction] = field(default_factory=dict)
    """Of `rescreen`: what the weeks hold, and what policy makes of it."""


class Project(PlainStep):
    """State: one row a key of hot memory, their index (`processors.project.hot_keys`), and what
    `processors.project.weeks` keeps of a week."""

    name = "project"
    source = topics.PROJECT_EVENTS
    outputs = (topics.UPDATES, topics.DECISIONS, topics.JOBS)
    marks = (topics.UPDATES,)
    completes = True

    def __init__(self, models: Models, book: ProfileBook, *, ask_model: bool = False) -> None:
        """`ask_model`: reports are also worded by a model, as jobs."""
        self._models = models
        self._book = book
        self._ask_model = ask_model
        self._screened = WeeksScreened(models, book)

    def prepare(self, records: Sequence[Record]) -> Sequence[_Screened | None]:
        """Callers' own values go through the same screen as turns."""
        own = [r.event if isinstance(r.event, ProjectCommand) else None for r in records]
        clean = callers.screened(self._models, self._book, own)
        return [
            None if e is None else _Screened(e if c is None else c, self._key_is_masked(e))
            for e, c in zip(own, clean, strict=True)
        ]

    def _key_is_masked(self, event: ProjectCommand) -> bool:
        if event.command != "delete_hot" or not event.key or not telling(event.key):
            return False
        [found] = redact(self._models, self._book, [event.tenant], [event.key])
        return found.text != event.key

    def reads(self, record: Record, prepared: _Screened | None) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case ProjectCandidate():
                hot = event.sealed.candidate.hot
                if hot is None:
                    return ()
                said = Reads(event.owner.key, (WRITTEN_BY.key(event.turn.turn_id),))
                return *_hot_reads(event.owner, _name(hot)), said, daily.READS
            case ProjectCommand() if event.hot_type and event.key:
                return *_hot_reads(event.owner, HotName(event.hot_type, event.key)), daily.READS
            case ProjectCommand(command="report"):
                at = event.accepted_at or record.timestamp
                return week_places.reads_of_command(event.owner, at, self._book.of(event.tenant))
            case ProjectCommand(command="rescreen"):
                at = event.accepted_at or record.timestamp
                return tuple(self._screened.reads(event, at))
            case TurnDigest():
                return *week_places.reads_of_turn(event, self._book.of(event.tenant)), *hot_withdrawn.reads(event)
            case UserMemory():
                now = event.sealed.now
                own = () if now is None else _hot_reads(event.owner, _name(now))
                return *own, *user_memories.reads(event), daily.READS
            case ReportResult():
                place = _answered(event)
                if place is None:
                    return ()
                return Reads(place.key), Reads(event.owner.key, (ANSWERS.key(place.monday.isoformat()),))
            case Tick():
                return *week_places.reads_of_tick(), Reads(daily.DUE)
        return ()

    def complete(
        self, records: Sequence[Record], prepared: Sequence[_Screened | None], states: Sequence[StateSpace]
    ) -> Sequence[_Screened | None]:
        """What weeks hold goes through the recognisers here, where models run: it may take seconds."""
        done = list(prepared)
        for i, (r, state) in enumerate(zip(records, states, strict=True)):
            if isinstance(r.event, ProjectCommand) and r.event.command == "rescreen":
                found = self._screened.found(r.event, r.event.accepted_at or r.timestamp, state)
                done[i] = _Screened(r.event, texts=found)
        return done

    def then_reads(self, record: Record, prepared: _Screened | None, state: StateSpace) -> tuple[Reads, ...]:
        if isinstance(record.event, TurnDigest):
            return hot_withdrawn.then_reads(record.event, state)
        if isinstance(record.event, UserMemory):
            return tuple(
                r
                for entry in user_memories.entries_of(record.event, state)
                for r in _hot_reads(record.event.owner, entry)
            )
        if not isinstance(record.event, Tick):
            return ()
        places = week_places.due(record.event.now, state)
        late = (r for p in places for r in week_places.reads_of_report(p, self._book.of(p.owner.tenant)))
        return *late, *(Reads(owner.key) for owner in daily.due(record.event.now, state))

    def handle(self, record: Record, prepared: _Screened | None, state: StateSpace) -> Iterable[Out]:
        event = record.event if prepared is None else prepared.command
        if (ahead := dated_ahead(event, record)) is not None:
            return [ahead]
        if (name := outgrown_value(event)) is not None:
            return [Reject("too_large", f"sealed.{name}: {TOO_LARGE}")]
        match event:
            case ProjectCandidate() if event.sealed.candidate.hot:
                c = event.sealed.candidate
                return self._hot(
                    event.owner, event.sealed.candidate.hot, c.text, event.turn.occurred_at, event.accepted_at,
                    (event.turn,), event.user_id, f"{event.record_id}/{event.turn.turn_id}", state,
                    memory=event.record_id,
                )  # fmt: skip
            case ProjectCommand(command="put_hot") if event.hot_type and event.key:
                at = event.accepted_at or record.timestamp
                if event.refused_for is not None:
                    reason = because("refused", "pii", event.refused_for)
                    return [plain_decision(event.owner, f"hot/{event.command_id}", "hot", reason, None, at)]
                hot = HotValue(
                    type=event.hot_type, key=event.key, value=event.sealed.value, priority=event.priority
                )
                held = state.of(event.owner.key).table(HOT).get(_name(hot).name)
                when = at if held is None else max(at, held.occurred_at)  # a turn may be dated a day ahead
                return self._hot(event.owner, hot, "", when, at, (), event.user_id, event.command_id, state)
            case ProjectCommand(command="delete_hot") if event.hot_type and event.key:
                return self._delete(event, record, state, masked=prepared is not None and prepared.masked)
            case ProjectCommand(command="report"):
                at = event.accepted_at or record.timestamp
                place = week_places.Place(event.owner, week_of(at, self._zone(event.owner)))
                return self._weeks(event.tenant, state).report(place, at, "asked_for", event.command_id)
            case ProjectCommand(command="rescreen"):
                at, book = event.accepted_at or record.timestamp, self._weeks(event.tenant, state)
                return self._screened.again(event, at, state, {} if prepared is None else prepared.texts, book)
            case TurnDigest():
                return [*self._withdrawn(event, state), *self._weeks(event.tenant, state).add(event)]
            case UserMemory():
                user_memories.retell(event, self._book.of(event.tenant), state)
                return self._users_memory(event, state)
            case Tick():
                places = week_places.due(event.now, state)
                done = [self._weeks(p.owner.tenant, state).close(p, event.now) for p in places]
                return [*(o for outs in done for o in outs), *self._daily(event.now, state)]
            case ReportResult():
                return self._answer(event, record, state)
        return []

    def _answer(self, r: ReportResult, record: Record, state: StateSpace) -> list[Out]:
        """A model's summary. The log keeps the one that the report has: it tells what users said (C9)."""
        place, key = _answered(r), (record.key or b"").decode(errors="replace")
        gone = [Null(self.source, r.owner, record.key)] if record.key else []
        if place is None:
            return [*gone]
        at, answers = r.accepted_at or record.timestamp, state.of(r.owner.key).table(ANSWERS)
        outs, name = self._weeks(r.tenant, state).answered(place, r, at), place.monday.isoformat()
        before = answers.get(name)
        if not any(isinstance(o, Emit) and isinstance(o.event, MemoryUpdate) for o in outs):
            return outs if before == key else [*outs, *gone]
        answers.put(name, key)
        return outs if before in (None, key) else [*outs, Null(self.source, r.owner, str(before).encode())]

    def _daily(self, now: datetime, state: StateSpace) -> list[Out]:
        """Status that follows from other figures, once a local day (A4)."""
        out: list[Out] = []
        for owner in daily.due(now, state):
            state.of(daily.DUE).delete(owner.key)
            rows = state.of(owner.key)
            table = rows.table(HOT)
            for key in daily.derived(self._book.of(owner.tenant)):
                held = {k.key: table.get(HotName(k.type, k.key).name) for k in self._book.of(owner.tenant).hot_keys}
                parts = [u for n in key.ratio_of if (u := held.get(n)) is not None and u.state == "active"]
                value = daily.ratio(u.sealed.value for u in parts)
                stated = held.get(key.key)
                if value is None:
                    if stated is not None and stated.state == "active" and daily.is_derived(stated):
                        reason = because("retired", "command", daily.RULE)
                        out.append(_left(owner, HotName(key.type, key.key), rows, now, reason))
                    continue
                # It holds from its figures on: dated by the tick, it would itself pass for what was said later.
                newest = max(u.occurred_at for u in parts)
                if stated is not None and stated.occurred_at > newest:
                    continue  # what somebody said later than the figures stands
                hot = HotValue(type=key.type, key=key.key, value=value, priority=key.priority)
                cited = tuple({s.turn_id: s for u in parts for s in u.sources}.values())
                out += self._hot(owner, hot, "", newest, now, cited, None, f"daily/{now.date()}", state, daily.RULE)
        return out

    def _zone(self, owner: Owner) -> str:
        return self._book.of(owner.tenant).zone_of(owner.id)

    def _weeks(self, tenant: str, state: StateSpace) -> weeks.Weeks:
        return weeks.Weeks(self._models, self._book.of(tenant), state, ask_model=self._ask_model)

    def _hot(
        self, owner: Owner, hot: HotValue, text: str, occurred: datetime, accepted: datetime,
        sources: tuple[SourceTurn, ...], user_id: str | None, cause: str, state: StateSpace, rule: str = "hot_memory",
        memory: str | None = None,
    ) -> list[Out]:  # fmt: skip
        rows = state.of(owner.key)
        entry, table = _name(hot), rows.table(HOT)
        old = table.get(entry.name)
        name = f"hot/{hot.type}/{hot.key}/{cause}"
        if old is not None and old.occurred_at > occurred:  # also where it was deleted since
            reason = because("skipped", "dedupe", "older_than_standing")
            return [plain_decision(owner, name, "hot", reason, old, accepted)]
        stands = old is not None and old.state == "active"
        if old is not None and stands and same(old.sealed.value, hot.value) and old.priority == hot.priority:
            reason = because("skipped", "dedupe", "same_value")
            return [plain_decision(owner, name, "hot", reason, old, accepted)]
        profile = self._book.of(owner.tenant)
        keys, out = HotKeys(rows), list[Out]()
        leaves = keys.in_the_way(entry.row, hot.priority)
        if leaves == entry.row:
            reason = because("refused", "command", "hot_memory_full")
            return [plain_decision(owner, name, "hot", reason, None, accepted)]
        if leaves is not None:
            out.append(_left(owner, HotName.parse(leaves), rows, accepted, because("retired", "command", "made_room")))
            keys = HotKeys(rows)
        record = entry.record_id(owner)
        revision = old.revision if old is not None else rows.table(REMOVED).get(record) or 0
        told = text or _text(hot.key, hot.value)
        attributes: JsonObject = {} if memory is None else {user_memories.MEMORY: memory}
        reason = because("superseding" if stands else "kept", "extraction" if sources else "command", rule)
        new = MemoryUpdate(
            tenant=owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=owner.id,
            record_id=record, revision=revision + 1,
            kind="hot", state="active", reason=reason, category=hot.type, key=hot.key, priority=hot.priority,
            scope=owner.id, importance=hot.priority / 10, confidence=EXPLICIT, user_id=user_id, project_id=owner.id,
            sources=sources, occurred_at=occurred, valid_from=occurred, known_at=accepted, last_accessed_at=accepted,
            profile=profile.name, profile_version=profile.version,
            sealed=MemoryBody(text=told, value=hot.value, attributes=attributes),
        )  # fmt: skip
        table.put(entry.name, new)
        keys.stands(entry.row, new)
        if user_id is not None:
            hot_withdrawn.note(rows, (s.turn_id for s in sources), new.record_id, accepted)
        daily.note(profile, owner, hot.key, accepted, state)
        return [*out, update(new), plain_decision(owner, name, "hot", reason, new, accepted)]

    def _delete(self, event: ProjectCommand, record: Record, state: StateSpace, *, masked: bool) -> list[Out]:
        """`masked`: policy takes something out of the key, so that it stands nowhere any more."""
        rows = state.of(event.owner.key)
        entry, table = HotName(event.hot_type or "", event.key or ""), rows.table(HOT)
        old = table.get(entry.name)
        if old is None or old.state == "deleted":
            return []
        at = max(old.occurred_at, event.accepted_at or record.timestamp)
        reason = because("retired", "command", "hot_memory")
        if masked:
            return [_left(event.owner, entry, rows, at, reason)]
        gone = old.model_copy(
            update={
                "revision": old.revision + 1, "op": "delete", "state": "deleted", "reason": reason, "occurred_at": at,
                "known_at": at, "valid_to": at, "sealed": MemoryBody(), "sources": (),
            }
        )  # fmt: skip
        table.put(entry.name, gone)
        HotKeys(rows).leaves(entry.row)
        return [update(gone)]

    def _users_memory(self, e: UserMemory, state: StateSpace) -> list[Out]:
        """Entries that came from the memory leave, unless it says the same key anew. What somebody else has said of a
        key since stays."""
        rows, out, now = state.of(e.owner.key), list[Out](), e.sealed.now
        table, anew = rows.table(HOT), None if now is None else _name(now)
        reason = because("retired", "command", "corrected" if e.command == "correct" else "forgotten")
        if e.command == "expire":
            reason = because("retired", "retention", "expired")
        entries = [(entry, table.get(entry.name)) for entry in user_memories.entries_of(e, state)]
        found = [(entry, old) for entry, old in entries if user_memories.written_by(e, old)]
        for entry, old in found:
            if entry != anew:
                out.append(_left(e.owner, entry, rows, e.accepted_at, reason))
                out.append(plain_decision(e.owner, f"{e.command_id}/{entry.row}", "hot", reason, old, e.accepted_at))
                daily.without(self._book.of(e.tenant), e.owner, entry.key, e.accepted_at, state)
        if now is None or (e.command == "correct" and not found):
            return out
        held = table.get(_name(now).name)
        when = e.accepted_at if held is None else max(e.accepted_at, held.occurred_at)
        text = e.sealed.text
        put = self._hot(
            e.owner, now, text, when, e.accepted_at, (), e.user_id, e.command_id, state, memory=e.record_id
        )
        return out + put

    def _withdrawn(self, d: TurnDigest, state: StateSpace) -> list[Out]:
        """What only this turn said, and a newer extractor does not. An older value does not come back for it."""
        if not d.restated:
            return []
        out: list[Out] = []
        rows = state.of(d.owner.key)
        for entry in hot_withdrawn.entries_of(d, state):
            old = rows.table(HOT).get(entry.name)
            if old is not None and old.state == "active" and [s.turn_id for s in old.sources] == [d.turn.turn_id]:
                reason = because("retired", "extraction", "not_restated")
                name = f"hot/{d.turn.turn_id}/{old.record_id}/{old.revision}"
                out.append(_left(d.owner, entry, rows, d.accepted_at, reason))
                out.append(plain_decision(d.owner, name, "hot", reason, old, d.accepted_at, d.turn))
        return out


def _name(hot: HotValue) -> HotName:
    return HotName(hot.type, hot.key)


def _hot_reads(owner: Owner, entry: HotName) -> tuple[Reads, ...]:
    return (Reads(owner.key, (entry.row, REMOVED.key(entry.record_id(owner)), INDEX)),)


def _left(owner: Owner, entry: HotName, rows: OwnerState, at: datetime, reason: Reason) -> Emit:
    """An entry leaves; its revision stays, without its key, so that it can come back."""
    keys, record = HotKeys(rows), entry.record_id(owner)
    revision = keys.revision(entry.row) + 1
    keys.leaves(entry.row)
    rows.table(HOT).delete(entry.name)
    rows.table(REMOVED).put(record, revision)
    return update(
        MemoryUpdate(
            tenant=owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=owner.id,
            record_id=record, revision=revision, op="delete", kind="hot",
            state="deleted", reason=reason, category=entry.hot_type, scope=owner.id,
            project_id=owner.id, occurred_at=at, valid_to=at, known_at=at, last_accessed_at=at,
        )
    )  # fmt: skip


def _answered(r: ReportResult) -> week_places.Place | None:
    monday = report_job.monday(r.week_start)
    return None if monday is None else week_places.Place(r.owner, monday)


def _text(key: str, value: JsonValue) -> str:
    return f"{key}: {value}" if isinstance(value, str | int | float | bool) else key
