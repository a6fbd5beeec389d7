"""project: project.events -> memory.updates. Hot memory with one writer a project (A3, A4, A5), and its weekly reports
(A6; `processors.project.weeks`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from processors.future_timestamps import dated_ahead
from processors.memory.emit import because, plain_decision
from processors.pii.redact import Redaction
from processors.pii.redaction import redact, telling
from processors.ports import Models, ProfileBook
from processors.project import daily, hot_withdrawn, hot_writer, report_job, user_memories, week_places, weeks
from processors.project.hot_writer import HotWriter, Saying
from processors.project.rollup import week_of
from processors.project.rows import ANSWERS, HOT, WRITTEN_BY, HotName
from processors.project.weeks_rescreen import WeeksScreened
from processors.screen import callers
from processors.step import Emit, Null, Out, PlainStep, Reads, Record, Reject, StateSpace, accepted_as
from schemas.events.documents import ProjectCandidate, ProjectCommand, ReportResult, TurnDigest, UserMemory
from schemas.events.envelope import Tick
from schemas.events.hot_memory import HAND, RESCREENED
from schemas.events.memory import HotValue, MemoryUpdate
from schemas.log import topics
from schemas.log.owner import Owner
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
    asks = True

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
                turn_reads = Reads(event.owner.key, (WRITTEN_BY.key(event.turn.turn_id),))
                return *hot_writer.reads_of(event.owner, hot), turn_reads, daily.READS
            case ProjectCommand() if event.hot_type and event.key:
                return hot_writer.reads(event.owner, HotName(event.hot_type, event.key)), daily.READS
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
                own = () if now is None else hot_writer.reads_of(event.owner, now)
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
        event = record.event
        match event:
            case TurnDigest():
                return hot_withdrawn.then_reads(event, state)
            case UserMemory():
                now, held = event.sealed.now, user_memories.entries_of(event, state)
                own = (hot_writer.reads(event.owner, entry) for entry in held)
                return *own, *self._beside(event.owner, now, state)
            case ProjectCandidate():
                return self._beside(event.owner, event.sealed.candidate.hot, state)
            case ProjectCommand(command="put_hot") if event.hot_type and event.key:
                return hot_writer.then_reads(event.owner, HotName(event.hot_type, event.key), event.priority, state)
            case Tick():
                late = (
                    reads
                    for place in week_places.due(event.now, state)
                    for reads in week_places.reads_of_report(place, self._book.of(place.owner.tenant))
                )
                return *late, *(Reads(owner.key) for owner in daily.due(event.now, state))
        return ()

    def handle(self, record: Record, prepared: _Screened | None, state: StateSpace) -> Iterable[Out]:
        event = record.event if prepared is None else accepted_as(prepared.command, record)
        if (ahead := dated_ahead(event, record)) is not None:
            return [ahead]
        if (name := outgrown_value(event)) is not None:
            return [Reject("too_large", f"sealed.{name}: {TOO_LARGE}")]
        match event:
            case ProjectCandidate() if event.sealed.candidate.hot:
                saying = Saying(
                    event.sealed.candidate.hot, event.turn.occurred_at, event.accepted_at,
                    f"{event.record_id}/{event.turn.turn_id}", "talk", text=event.sealed.candidate.text,
                    sources=(event.turn,), user_id=event.user_id, memory=event.record_id,
                )  # fmt: skip
                return self._hot(event.owner, state).say(saying)
            case ProjectCommand(command="put_hot") if event.hot_type and event.key:
                return self._put(event, event.accepted_at or record.timestamp, state)
            case ProjectCommand(command="delete_hot") if event.hot_type and event.key:
                masked = prepared is not None and prepared.masked
                at = event.accepted_at or record.timestamp
                return self._hot(event.owner, state).delete(event, at, masked=masked)
            case ProjectCommand(command="report"):
                at = event.accepted_at or record.timestamp
                place = week_places.Place(event.owner, week_of(at, self._zone(event.owner)))
                return self._weeks(event.tenant, state).report(place, at, "asked_for", event.command_id)
            case ProjectCommand(command="rescreen"):
                at, book = event.accepted_at or record.timestamp, self._weeks(event.tenant, state)
                return self._screened.again(event, at, state, {} if prepared is None else prepared.texts, book)
            case TurnDigest():
                withdrawn = self._hot(event.owner, state).withdraw(event)
                return [*withdrawn, *self._weeks(event.tenant, state).add(event)]
            case UserMemory():
                user_memories.retell(event, self._book.of(event.tenant), state)
                return self._hot(event.owner, state).follow(event)
            case Tick():
                places = week_places.due(event.now, state)
                done = [self._weeks(p.owner.tenant, state).close(p, event.now) for p in places]
                return [*(o for outs in done for o in outs), *self._daily(event.now, state)]
            case ReportResult():
                return self._answer(event, record, state)
        return []

    def _put(self, e: ProjectCommand, at: datetime, state: StateSpace) -> list[Out]:
        """A caller's own value; or one that stands, as policy has it now, of whoever said it."""
        if e.refused_for is not None:
            reason = because("refused", "pii", e.refused_for)
            return [plain_decision(e.owner, f"hot/{e.command_id}", "hot", reason, None, at)]
        hot = HotValue(type=e.hot_type or "meta", key=e.key or "", value=e.sealed.value, priority=e.priority)
        held = state.of(e.owner.key).table(HOT).get(HotName(hot.type, hot.key).name)
        when = at if held is None else max(at, held.occurred_at)  # a turn may be dated a day ahead
        rule = HAND if e.restores is None else RESCREENED
        saying = Saying(hot, when, at, e.command_id, "hand", rule, user_id=e.user_id)
        writer = self._hot(e.owner, state)
        return writer.restore_proposal(saying) if e.restores == "proposal" else writer.say(saying)

    def _answer(self, r: ReportResult, record: Record, state: StateSpace) -> list[Out]:
        """A model's summary. The log keeps the one that the report has: it tells what users said (C9)."""
        place, key = _answered(r), (record.key or b"").decode(errors="replace")
        nulls = [Null(self.source, r.owner, record.key)] if record.key else []
        if place is None:
            return [*nulls]
        at, answers = r.accepted_at or record.timestamp, state.of(r.owner.key).table(ANSWERS)
        outs, name = self._weeks(r.tenant, state).answered(place, r, at), place.monday.isoformat()
        before = answers.get(name)
        if not any(isinstance(o, Emit) and isinstance(o.event, MemoryUpdate) for o in outs):
            return outs if before == key else [*outs, *nulls]
        answers.put(name, key)
        return outs if before in (None, key) else [*outs, Null(self.source, r.owner, str(before).encode())]

    def _daily(self, now: datetime, state: StateSpace) -> list[Out]:
        """Status that follows from other figures, once a local day (A4)."""
        out: list[Out] = []
        for owner in daily.due(now, state):
            state.of(daily.DUE).delete(owner.key)
            table = state.of(owner.key).table(HOT)
            for key in daily.derived(self._book.of(owner.tenant)):
                held = {k.key: table.get(HotName(k.type, k.key).name) for k in self._book.of(owner.tenant).hot_keys}
                parts = [u for n in key.ratio_of if (u := held.get(n)) is not None and u.state == "active"]
                value = daily.ratio(u.sealed.value for u in parts)
                stated = held.get(key.key)
                if value is None:
                    if stated is not None and stated.state == "active" and daily.is_derived(stated):
                        reason = because("retired", "command", daily.RULE)
                        out += self._hot(owner, state).leave(HotName(key.type, key.key), now, reason)
                    continue
                # It holds from its figures on: dated by the tick, it would itself pass for what was said later.
                newest = max(u.occurred_at for u in parts)
                if stated is not None and stated.occurred_at > newest:
                    continue  # what somebody said later than the figures stands
                hot = HotValue(type=key.type, key=key.key, value=value, priority=key.priority)
                cited = tuple({s.turn_id: s for u in parts for s in u.sources}.values())
                made = Saying(hot, newest, now, f"daily/{now.date()}", "figures", daily.RULE, sources=cited)
                out += self._hot(owner, state).say(made)
        return out

    def _hot(self, owner: Owner, state: StateSpace) -> HotWriter:
        return HotWriter(owner, self._book.of(owner.tenant), state, self._models)

    def _beside(self, owner: Owner, hot: HotValue | None, state: StateSpace) -> tuple[Reads, ...]:
        return () if hot is None else hot_writer.then_reads_of(owner, hot, self._book.of(owner.tenant), state)

    def _zone(self, owner: Owner) -> str:
        return self._book.of(owner.tenant).zone_of(owner.id)

    def _weeks(self, tenant: str, state: StateSpace) -> weeks.Weeks:
        return weeks.Weeks(self._models, self._book.of(tenant), state, ask_model=self._ask_model)


def _answered(r: ReportResult) -> week_places.Place | None:
    monday = report_job.monday(r.week_start)
    return None if monday is None else week_places.Place(r.owner, monday)
