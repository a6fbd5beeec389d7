"""The value of a session: how it begins, what a caller's patch makes of it, and what bounds it (E1, D6)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import accumulate

import orjson

from schemas.events.sessions import SessionBody, SessionState, WindowMessage
from schemas.events.turns import SessionCommand
from schemas.log.owner import user
from schemas.profile.model import Profile

WINDOW_CHARS = 100_000
SUMMARIES_CHARS = 50_000
LAST_MESSAGE_CHARS = 50_000
CALLERS_BYTES = 500_000
"""Bounds of a session's value, which travels whole: its parts stay together below what a topic takes."""
SHARED_MAPS = ("shared", "entities", "agent_slots")
"""Of the global state: agents write beside each other into these, so an entry is what a patch replaces (E8)."""


def fitting(window: tuple[WindowMessage, ...]) -> tuple[WindowMessage, ...]:
    """The newest messages that have room together; at least one."""
    room = WINDOW_CHARS
    for i in range(len(window) - 1, -1, -1):
        room -= len(window[i].content)
        if room < 0:
            return window[min(i + 1, len(window) - 1) :]
    return window


def shortened(summaries: tuple[str, ...]) -> tuple[str, ...]:
    """The newest whole; older ones as long as there is room."""
    ends = accumulate(len(x) for x in summaries)
    return tuple(x for i, (x, end) in enumerate(zip(summaries, ends, strict=True)) if i == 0 or end <= SUMMARIES_CHARS)


def empty(
    tenant: str, user_id: str, session_id: str, profile: Profile, at: datetime, revision: int, segment: int
) -> SessionState:
    """Revision 0 is never emitted: the first event makes it 1. Built unvalidated for that one field."""
    owner = user(tenant, user_id)
    return SessionState.model_construct(
        type="session_state", schema_version=1, tenant=owner.tenant, user_id=user_id, session_id=session_id,
        revision=revision, status="open", mode="FULL_HISTORY", checkpoint_message_id=None, segment=segment,
        segment_start=0, turn_count=0, segment_tokens=0, current_agent_key=None, project_id=None, updated_at=at,
        profile=profile.name, profile_version=profile.version, sealed=SessionBody(),
    )  # fmt: skip


def patched(s: SessionState, c: SessionCommand) -> SessionState:
    """Keys given replace keys kept; absent keys change nothing; null removes a key. Anchors that are put are whole:
    what they do not name stands no more."""
    body = s.sealed
    changed = {
        "global_state": _state(body.global_state, c.sealed.global_state or {}),
        "user_snapshot": _merged(body.user_snapshot, c.sealed.user_snapshot),
        "anchors": _merged({} if c.command == "anchors" else body.anchors, c.sealed.anchors),
    }
    agent = c.sealed.current_agent_key or s.current_agent_key
    return s.model_copy(update={"sealed": body.model_copy(update=changed), "current_agent_key": agent})


def _state(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    """Two agents that write a slot each lose nothing, whoever comes last."""
    beside: dict[str, object] = {}
    for name in SHARED_MAPS:
        was, now = old.get(name), new.get(name)
        if isinstance(was, dict) and isinstance(now, dict):
            beside[name] = _merged(was, now)
    return _merged(old, {**new, **beside})


def _merged(old: Mapping[str, object], new: Mapping[str, object] | None) -> dict[str, object]:
    both = {**old, **(new or {})}
    return {k: v for k, v in both.items() if v is not None}


def too_large(s: SessionState) -> bool:
    """Is what callers keep with the session beyond its bound?"""
    kept = [s.sealed.global_state, s.sealed.user_snapshot, s.sealed.anchors]
    return len(orjson.dumps(kept)) > CALLERS_BYTES
