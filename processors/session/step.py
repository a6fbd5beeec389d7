"""session: conversation.history -> session.state, memory.jobs. The whole value of a session, by revision (E1, D6, E8),
and when it is summarised (E2, E3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest

from processors.ports import Models, ProfileBook
from processors.session.amended import checkpoint_of, rescreened, with_turn
from processors.session.anchors import with_said
from processors.session.rows import ENDS, OPEN, OPEN_OWNER, SESSIONS, OpenSession, SessionEnd, place
from processors.session.segment import Kept, Segment, carried, cost, job_id, job_payload, newest
from processors.session.value import CALLERS_BYTES, LAST_MESSAGE_CHARS, empty, fitting, patched, shortened, too_large
from processors.step import Emit, Out, PlainStep, Reads, Record, Reject, StateSpace
from schemas.events.amendments import Amendment
from schemas.events.documents import Job, JobBody
from schemas.events.envelope import Tick
from schemas.events.memory import MemoryCommand
from schemas.events.prompt_lines import summary_line
from schemas.events.sessions import Checkpoint, CheckpointBody, SessionState, WindowMessage
from schemas.events.turns import CheckpointResult, ScreenedTurn, SessionCommand
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind

A_TICK = 500
"""Sessions of a partition that a tick closes: what each writes is one transaction. The next tick goes on."""
_MAX_SUMMARIES = 50
_STATE_KEPT = timedelta(days=30)
"""How long a session that is not open is kept whole; its revision and segment are kept as long as the user."""
_SUMMARY_TOKENS = 1_000
_SUMMARY_SHARE = 4
"""A summary has at most 1,000 tokens (B7), and no more than a quarter of what brings about the next one."""


class Session(PlainStep):
    """State: one row a session, one a session that is open, one a turn of an open segment and of what is carried into
    it. Bound: `window_messages` messages a session; a segment ends at the profile's share of the model's window."""

    name = "session"
    source = topics.HISTORY
    outputs = (topics.SESSION_STATE, topics.JOBS, topics.LEDGER)
    marks = (topics.SESSION_STATE,)
    coalesce = frozenset({topics.SESSION_STATE.name})
    asks = True

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[int]:
        """Tokens of the summary that a record brings."""
        return [self._summary_tokens(r.event) for r in records]

    def reads(self, record: Record, prepared: int) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case ScreenedTurn() | SessionCommand() | CheckpointResult() | Amendment():
                if event.session_id is None:
                    return ()
                mine = Reads(event.owner.key, (SESSIONS.key(event.session_id), ENDS.key(event.session_id)))
                return mine, Reads(OPEN_OWNER), Reads(place(event.owner.key, event.session_id))
            case Tick():
                return (Reads(OPEN_OWNER),)
        return ()

    def then_reads(self, record: Record, prepared: int, state: StateSpace) -> tuple[Reads, ...]:
        if not isinstance(record.event, Tick):
            return ()
        return tuple(Reads(s.owner, (SESSIONS.key(s.session_id),)) for s in self._idle(record.event.now, state))

    def handle(self, record: Record, prepared: int, state: StateSpace) -> Iterable[Out]:
        event = record.event
        match event:
            case ScreenedTurn() if event.revision > 1:
                return self._amended(_load(state, event.owner.key, event.session_id, event.accepted_at), event, state)
            case ScreenedTurn():
                return self._turn(event, state)
            case Amendment():
                return self._amendment(event, record, state)
            case SessionCommand():
                return self._command(event, record, prepared, state)
            case CheckpointResult():
                return self._result(event, record, prepared, state)
            case Tick():
                return [out for idle in self._idle(event.now, state) for out in self._close(idle, event.now, state)]
        return []

    def _turn(self, t: ScreenedTurn, state: StateSpace) -> list[Out]:
        profile = self._book.of(t.tenant)
        old = _load(state, t.owner.key, t.session_id, t.accepted_at) or self._new(t, t.accepted_at, state)
        message = WindowMessage(
            role=t.role, content=t.sealed.content, timestamp=t.occurred_at, turn_id=t.turn_id, tokens=t.tokens,
            speaker=t.sealed.speaker,
        )
        body = old.sealed.model_copy(
            update={
                "window": fitting((*old.sealed.window, message)[-profile.session.window_messages :]),
                "last_bot_message": t.sealed.content[:LAST_MESSAGE_CHARS]
                if t.role == "assistant"
                else old.sealed.last_bot_message,
                "anchors": with_said(old.sealed.anchors, t, profile.session.anchors),
            }
        )
        new = old.model_copy(
            update={
                "revision": old.revision + 1,
                "status": "open",
                "turn_count": old.turn_count + (t.role == "user"),
                "segment_tokens": old.segment_tokens + cost(t),
                "project_id": t.project_id or old.project_id,
                "current_agent_key": t.agent_id or old.current_agent_key,
                "updated_at": max(old.updated_at, t.accepted_at),
                "sealed": body,
            }
        )
        if too_large(new):  # what callers keep leaves no room for what a turn says
            kept = body.model_copy(update={"anchors": old.sealed.anchors})
            new = new.model_copy(update={"sealed": kept})
        segment = _segment(new, state)
        segment.add(t, _STATE_KEPT)
        spec = profile.session
        due = new.segment_tokens >= spec.token_threshold_ratio * spec.model_context_window
        return [self._keep(new, state), *(self._ask(new, segment, None, t.accepted_at) if due else ())]

    def _amended(self, s: SessionState | None, t: ScreenedTurn, state: StateSpace) -> list[Out]:
        """A turn whose text was amended: where it stands in the window and in the segment, it is replaced."""
        if s is None:
            return []
        _segment(s, state).replace(t)
        new = with_turn(s, t, self._models, self._book)
        return [] if new is s else [self._keep(new, state)]

    def _amendment(self, a: Amendment, record: Record, state: StateSpace) -> list[Out]:
        """A checkpoint as it is to stand; of a session, every text under the policy of now (D5)."""
        if a.what == "checkpoint":
            return [Emit(topics.SESSION_STATE, checkpoint_of(a))]
        s = _load(state, a.owner.key, a.session_id or a.target, a.accepted_at or record.timestamp)
        if s is None:
            return []
        new = rescreened(s, self._models, self._book)
        return [] if new is s else [self._keep(new, state)]

    def _command(self, c: SessionCommand, record: Record, tokens: int, state: StateSpace) -> list[Out]:
        at = c.accepted_at or record.timestamp
        old = _load(state, c.owner.key, c.session_id, at)
        base = old or self._new(c, at, state)
        revised = {"revision": base.revision + 1, "updated_at": max(base.updated_at, at), "status": "open"}
        match c.command:
            case "create" | "reset":
                segment = _segment(base, state)
                start = _end(segment.turns(), base.segment_start)
                segment.restart()
                new = self._new(c, at, state).model_copy(
                    update={**revised, "segment": base.segment + (old is not None), "segment_start": start}
                )
                return self._patch(new, c, state)
            case "close":
                closed = base.model_copy(update={**revised, "status": "closed"})
                return [self._keep(closed, state), *(_ended(closed, at) if base.status == "open" and old else ())]
            case "patch" | "anchors":
                return self._patch(base.model_copy(update=revised), c, state)
            case "checkpoint":
                return self._checkpoint(base.model_copy(update=revised), c, at, tokens, state)

    def _checkpoint(
        self, s: SessionState, c: SessionCommand, at: datetime, tokens: int, state: StateSpace
    ) -> list[Out]:
        """By hand (E5): with the caller's summary at once, without one by a job; nothing where nothing was said."""
        segment = _segment(s, state)
        turns = segment.turns()
        if not c.sealed.summary:
            return list(self._ask(s, segment, c.recent_turns, at))
        if not turns and not s.sealed.window:
            return []
        recent = c.recent_turns or self._book.of(s.tenant).session.recent_turns
        end = _end(turns, s.segment_start)
        return self._switch(s, segment, _Summary(c.sealed.summary, tokens, False, None, end, recent), at, state)

    def _ask(self, s: SessionState, segment: Segment, recent_turns: int | None, at: datetime) -> Iterable[Emit]:
        """A summary job over what was said since the last one, unless one is open; none without a new turn."""
        turns = [t for t in segment.turns() if t.position >= s.segment_start]
        if not turns or segment.waits(at):
            return
        profile = self._book.of(s.tenant)
        spec = profile.session
        limit = min(_SUMMARY_TOKENS, int(spec.token_threshold_ratio * spec.model_context_window / _SUMMARY_SHARE))
        name = job_id(s, turns[-1])
        segment.note_request(name, at)
        payload = job_payload(s, turns, recent_turns or spec.recent_turns, limit)
        yield Emit(
            topics.JOBS,
            Job(
                tenant=s.tenant, owner_kind=OwnerKind.USER, owner_id=s.user_id, job_id=name, job="checkpoint",
                asked_by=self.name, session_id=s.session_id, profile=profile.name, profile_version=profile.version,
                accepted_at=at, sealed=JobBody(payload=payload),
            ),
        )  # fmt: skip

    def _result(self, r: CheckpointResult, record: Record, tokens: int, state: StateSpace) -> list[Out]:
        """Applies only while its segment is open and its last turn is known (E3). A failure leaves FULL_HISTORY of the
        segment, and the next turn asks again."""
        s = _load(state, r.owner.key, r.session_id, r.accepted_at or record.timestamp)
        if s is None or s.segment != r.segment:
            return []
        segment = _segment(s, state)
        last = next((t for t in segment.turns() if t.turn_id == r.last_turn_id), None)
        if last is None or last.position < s.segment_start:
            return []
        revised = s.model_copy(update={"revision": s.revision + 1})
        if r.status == "failed" or not r.sealed.summary:
            segment.restart(newest(segment.turns()))  # what no summary would read need not be kept
            return [self._keep(revised.model_copy(update={"mode": "FULL_HISTORY"}), state)]
        summary = _Summary(r.sealed.summary, tokens, r.extractive, r.model, last.position + 1, r.recent_turns)
        return self._switch(revised, segment, summary, r.accepted_at or record.timestamp, state)

    def _switch(self, s: SessionState, segment: Segment, made: _Summary, at: datetime, state: StateSpace) -> list[Out]:
        """SUMMARY_N: the segment restarts behind the last turn that the summary knows; the last turns are carried."""
        spec = self._book.of(s.tenant).session
        turns = segment.turns()
        old, since = [t for t in turns if t.position < made.end], [t for t in turns if t.position >= made.end]
        limit = spec.token_threshold_ratio * spec.model_context_window
        taken = made.tokens + sum(t.tokens for t in since)
        over = carried(old, taken, made.recent_turns, limit)
        kept = [*over, *since]
        segment.restart(kept)
        named = {t.turn_id for t in kept}
        body = s.sealed.model_copy(
            update={
                "summary": made.text,
                "summaries": shortened((made.text, *s.sealed.summaries)[:_MAX_SUMMARIES]),
                "window": tuple(m for m in s.sealed.window if m.turn_id in named),
                "carried_from": over[0].position if over else made.end,
            }
        )
        number = s.segment + 1
        message_id = record_id(s.owner, "checkpoint", s.session_id, number)
        new = s.model_copy(
            update={
                "mode": "SUMMARY_N",
                "checkpoint_message_id": message_id,
                "segment": number,
                "segment_start": made.end,
                "segment_tokens": made.tokens + sum(t.tokens for t in kept),
                "sealed": body,
            }
        )
        row = Checkpoint(
            tenant=s.tenant, user_id=s.user_id, session_id=s.session_id, message_id=message_id, segment=number,
            position=made.end, created_at=at, extractive=made.extractive, model=made.model,
            sealed=CheckpointBody(summary=made.text),
        )  # fmt: skip
        return [Emit(topics.SESSION_STATE, row), self._keep(new, state)]

    def _summary_tokens(self, event: Event) -> int:
        if not isinstance(event, SessionCommand | CheckpointResult) or not event.sealed.summary:
            return 0
        counter = self._models.counter(self._book.of(event.tenant).encoding)
        summary = event.sealed.summary
        return counter.count(f"{summary_line(summary, self._models.language_of(summary))}\n")

    def _new(self, event: ScreenedTurn | SessionCommand, at: datetime, state: StateSpace) -> SessionState:
        """A session before its first event, which makes the next revision. Revisions and segments of a session that
        was swept go on where it ended: its rows in the views are still there."""
        end = state.of(event.owner.key).table(ENDS).get(event.session_id)
        revision, segment = end or SessionEnd(0, 0)
        return empty(event.tenant, event.user_id, event.session_id, self._book.of(event.tenant), at, revision, segment)

    def _patch(self, s: SessionState, c: SessionCommand, state: StateSpace) -> list[Out]:
        new = patched(s, c)
        if too_large(new):
            return [
                Reject("too_large", f"sealed: what callers keep with a session must not pass {CALLERS_BYTES} bytes")
            ]
        return [self._keep(new, state)]

    def _keep(self, s: SessionState, state: StateSpace) -> Emit:
        owner = s.owner.key
        rows, open_sessions = state.of(owner), state.of(OPEN_OWNER).table(OPEN)
        if s.status == "open":
            idle_at = s.updated_at + timedelta(minutes=self._book.of(s.tenant).session.idle_minutes)
            rows.table(SESSIONS).put(s.session_id, s)
            open_sessions.put(place(owner, s.session_id), OpenSession(idle_at, owner, s.session_id))
        else:
            rows.table(SESSIONS).put(s.session_id, s, s.updated_at + _STATE_KEPT)
            rows.table(ENDS).put(s.session_id, SessionEnd(s.revision, s.segment))
            open_sessions.delete(place(owner, s.session_id))
        return Emit(topics.SESSION_STATE, s)

    def _idle(self, now: datetime, state: StateSpace) -> list[OpenSession]:
        """The sessions whose time is over: the longest idle, as many as a tick closes."""
        rows = (row for _, row in state.of(OPEN_OWNER).table(OPEN).items())
        return nsmallest(A_TICK, (row for row in rows if row.idle_at <= now))

    def _close(self, idle: OpenSession, now: datetime, state: StateSpace) -> list[Emit]:
        s = _load(state, idle.owner, idle.session_id)
        if s is None:
            state.of(OPEN_OWNER).table(OPEN).delete(place(idle.owner, idle.session_id))
            return []
        closed = s.model_copy(update={"revision": s.revision + 1, "status": "idle"})
        return [self._keep(closed, state), *_ended(closed, now)]


@dataclass(frozen=True, slots=True)
class _Summary:
    """A summary of everything before the position `end`; `tokens` with its label."""

    text: str
    tokens: int
    extractive: bool
    model: str | None
    end: int
    recent_turns: int


def _ended(s: SessionState, at: datetime) -> list[Emit]:
    """A conversation that ended has its user summed up (B9): the gate decides whether there is anything new."""
    if not s.turn_count:
        return []
    command = MemoryCommand(
        tenant=s.tenant, user_id=s.user_id, command="summarize", session_id=s.session_id, accepted_at=at,
        command_id=record_id(s.owner, "session-ended", s.session_id, s.revision),
    )  # fmt: skip
    return [Emit(topics.LEDGER, command)]


def _load(state: StateSpace, owner: str, session_id: str, now: datetime | None = None) -> SessionState | None:
    """None when it was swept by `now`, or is about to be."""
    s = state.of(owner).table(SESSIONS).get(session_id)
    if s is None:
        return None
    swept = s.status != "open" and now is not None and s.updated_at + _STATE_KEPT <= now
    return None if swept else s


def _segment(s: SessionState, state: StateSpace) -> Segment:
    return Segment(state.of(place(s.owner.key, s.session_id)))


def _end(turns: Sequence[Kept], start: int) -> int:
    """The position behind the last turn."""
    return max([start, *(t.position + 1 for t in turns)])
