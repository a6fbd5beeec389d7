"""session: conversation.history -> session.state. The whole value of a session, by revision (E1, D6, E8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, cast

import orjson

from processors.ports import ProfileBook
from processors.step import Emit, Out, PlainStep, Reads, Record, StateSpace
from schemas import topics
from schemas.codec import Codec
from schemas.envelope import Tick
from schemas.ids import record_id
from schemas.owner import user
from schemas.profile import Profile
from schemas.sessions import Checkpoint, CheckpointBody, SessionBody, SessionState, WindowMessage
from schemas.turns import ScreenedTurn, SessionCommand

_OPEN = "@open"
"""Partition-wide rows: one an open session, so that a tick finds the idle ones."""
_PLAIN = Codec()
_MAX_SUMMARIES = 50
_STATE_KEPT = timedelta(days=30)


class Session(PlainStep):
    """State: one row a session, and one a session that is open. Bound: `window_messages` messages a session."""

    name = "session"
    source = topics.HISTORY
    outputs = (topics.SESSION_STATE,)
    marks = (topics.SESSION_STATE,)
    coalesce = frozenset({topics.SESSION_STATE.name})

    def __init__(self, book: ProfileBook) -> None:
        self._book = book

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case ScreenedTurn() | SessionCommand():
                return Reads(event.owner.key, (_key(event.session_id),)), Reads(_OPEN)
            case Tick():
                return (Reads(_OPEN),)
        return ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if not isinstance(record.event, Tick):
            return ()
        return tuple(Reads(o, (_key(s),)) for _, o, s in self._idle(record.event.now, state))

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        event = record.event
        match event:
            case ScreenedTurn():
                return self._turn(event, state)
            case SessionCommand():
                return self._command(event, record, state)
            case Tick():
                return [self._close(event.now, o, s, state) for _, o, s in self._idle(event.now, state)]
        return []

    def _turn(self, t: ScreenedTurn, state: StateSpace) -> list[Out]:
        profile = self._book.of(t.tenant)
        old = _load(state, t.owner.key, t.session_id) or _new(t.tenant, t.user_id, t.session_id, profile, t.accepted_at)
        message = WindowMessage(
            role=t.role, content=t.sealed.content, timestamp=t.occurred_at, turn_id=t.turn_id, tokens=t.tokens
        )
        body = old.sealed.model_copy(
            update={
                "window": (*old.sealed.window, message)[-profile.session.window_messages :],
                "last_bot_message": t.sealed.content if t.role == "assistant" else old.sealed.last_bot_message,
            }
        )
        new = old.model_copy(
            update={
                "revision": old.revision + 1,
                "status": "open",
                "turn_count": old.turn_count + (t.role == "user"),
                "segment_tokens": old.segment_tokens + t.tokens,
                "project_id": t.project_id or old.project_id,
                "current_agent_key": t.agent_id or old.current_agent_key,
                "updated_at": max(old.updated_at, t.accepted_at),
                "sealed": body,
            }
        )
        return [self._keep(new, state)]

    def _command(self, c: SessionCommand, record: Record, state: StateSpace) -> list[Out]:
        at = c.accepted_at or record.timestamp
        old = _load(state, c.owner.key, c.session_id)
        profile = self._book.of(c.tenant)
        base = old or _new(c.tenant, c.user_id, c.session_id, profile, at)
        revised = {"revision": base.revision + 1, "updated_at": max(base.updated_at, at), "status": "open"}
        match c.command:
            case "create" | "reset":
                new = _new(c.tenant, c.user_id, c.session_id, profile, at).model_copy(
                    update={**revised, "segment": base.segment + (old is not None), "segment_start": record.offset}
                )
                return [self._keep(_patched(new, c), state)]
            case "close":
                closed = base.model_copy(update={**revised, "status": "closed"})
                return [self._keep(closed, state)]
            case "patch" | "anchors":
                return [self._keep(_patched(base.model_copy(update=revised), c), state)]
            case "checkpoint":
                return self._checkpoint(base.model_copy(update=revised), c, at, state)

    def _checkpoint(self, s: SessionState, c: SessionCommand, at: datetime, state: StateSpace) -> list[Out]:
        """By hand, with the caller's summary (E5): the segment restarts, the last turns are carried over."""
        if not c.sealed.summary or not s.sealed.window:
            return []
        segment = s.segment + 1
        message_id = record_id(s.owner, "checkpoint", s.session_id, segment)
        turns = (c.recent_turns or self._book.of(s.tenant).session.recent_turns) * 2
        carried = s.sealed.window[-turns:]
        body = s.sealed.model_copy(
            update={
                "summary": c.sealed.summary,
                "summaries": (c.sealed.summary, *s.sealed.summaries)[:_MAX_SUMMARIES],
                "window": carried,
            }
        )
        new = s.model_copy(
            update={
                "mode": "SUMMARY_N",
                "checkpoint_message_id": message_id,
                "segment": segment,
                "segment_start": 0,
                "segment_tokens": sum(m.tokens for m in carried),
                "sealed": body,
            }
        )
        row = Checkpoint(
            tenant=s.tenant, user_id=s.user_id, session_id=s.session_id, message_id=message_id, segment=segment,
            position=0, created_at=at, extractive=False, sealed=CheckpointBody(summary=c.sealed.summary),
        )  # fmt: skip
        return [Emit(topics.SESSION_STATE, row), self._keep(new, state)]

    def _keep(self, s: SessionState, state: StateSpace) -> Emit:
        owner = s.owner.key
        state.of(owner).put(_key(s.session_id), orjson.loads(_PLAIN.value(s)), s.updated_at + _STATE_KEPT)
        place = f"{owner}|{s.session_id}"
        if s.status == "open":
            idle_at = s.updated_at + timedelta(minutes=self._book.of(s.tenant).session.idle_minutes)
            state.of(_OPEN).put(place, [idle_at.isoformat(), owner, s.session_id])
        else:
            state.of(_OPEN).delete(place)
        return Emit(topics.SESSION_STATE, s)

    def _idle(self, now: datetime, state: StateSpace) -> list[tuple[str, str, str]]:
        """(idle since, owner key, session id) of the sessions whose time is over."""
        rows = (cast(list[str], row) for _, row in state.of(_OPEN).items())
        return [(at, owner, session) for at, owner, session in rows if datetime.fromisoformat(at) <= now]

    def _close(self, now: datetime, owner: str, session_id: str, state: StateSpace) -> Emit:
        s = _load(state, owner, session_id)
        if s is None:
            raise LookupError("an open session has no row")
        return self._keep(s.model_copy(update={"revision": s.revision + 1, "status": "idle"}), state)


def _key(session_id: str) -> str:
    return f"session/{session_id}"


def _load(state: StateSpace, owner: str, session_id: str) -> SessionState | None:
    raw = state.of(owner).get(_key(session_id))
    if raw is None:
        return None
    return cast(SessionState, _PLAIN.decode(topics.SESSION_STATE.name, orjson.dumps(raw)))


def _new(tenant: str, user_id: str, session_id: str, profile: Profile, at: datetime) -> SessionState:
    """Revision 0 is never emitted: the first event makes it 1. Built unvalidated for that one field."""
    owner = user(tenant, user_id)
    return SessionState.model_construct(
        type="session_state", schema_version=1, tenant=owner.tenant, user_id=user_id, session_id=session_id,
        revision=0, status="open", mode="FULL_HISTORY", checkpoint_message_id=None, segment=0, segment_start=0,
        turn_count=0, segment_tokens=0, current_agent_key=None, project_id=None, updated_at=at, profile=profile.name,
        profile_version=profile.version, sealed=SessionBody(),
    )  # fmt: skip


def _patched(s: SessionState, c: SessionCommand) -> SessionState:
    """Keys given replace keys kept; absent keys change nothing; null removes a key."""
    body = s.sealed
    changed = {
        "global_state": _merged(body.global_state, c.sealed.global_state),
        "user_snapshot": _merged(body.user_snapshot, c.sealed.user_snapshot),
        "anchors": _merged(body.anchors, c.sealed.anchors),
    }
    agent = c.sealed.current_agent_key or s.current_agent_key
    return s.model_copy(update={"sealed": body.model_copy(update=changed), "current_agent_key": agent})


def _merged(old: Mapping[str, Any], new: Mapping[str, Any] | None) -> dict[str, Any]:
    both = {**old, **(new or {})}
    return {k: v for k, v in both.items() if v is not None}
