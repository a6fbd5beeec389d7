"""Short-term memory: the session value, the history for a prompt, past checkpoints (E1, E2, E4, E5)."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Field

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import Context, Ctx, PathId, UserId
from query.reading.history import Budget, Segment, compose
from query.reading.session_store import Session, load
from query.reading.user_snapshot import with_user
from query.views import sessions, turns
from schemas.base import CleanText, Frozen, Id
from schemas.security.scope import OwnerScope

router = APIRouter(route_class=Route, tags=["reading"])
_MESSAGES_A_TURN = 6
"""A turn is a user's message and what answers it: replies, tool calls and their results."""


class MemoryContextIn(Frozen):
    user_id: Id
    query: CleanText = Field(default="", max_length=100_000)
    token_threshold_ratio: float | None = Field(default=None, gt=0, le=1)
    recent_turns: int | None = Field(default=None, ge=1, le=100)
    model_context_window: int | None = Field(default=None, ge=100, le=10_000_000)
    enterprise_id: Id | None = None
    """The tenant by another name (E4); it must be the credential's."""
    patient_id: Id | None = None


@router.get("/v1/sessions/{session_id}")
async def get_session(
    session_id: PathId, user_id: UserId, scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """The session value: from Redis where it is current, else from Postgres."""
    owner = scope.user(user_id)
    await fresh.wait("sessions")
    found = await load(ctx, owner, session_id)
    if found is None:
        raise not_found("session")
    value = await with_user(ctx, owner, found.value)
    return {**value, "degraded": found.degraded} if found.degraded else value


@router.post("/v1/sessions/{session_id}/memory-context")
async def memory_context(
    session_id: PathId,
    body: Annotated[MemoryContextIn, Body()],
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
) -> dict[str, Any]:
    """The history that fits the model, and whether a summary is due. `truncated`: of more than 10,000 turns or a
    million tokens since the last checkpoint these are the newest."""
    owner = scope.user(body.user_id)
    if body.enterprise_id is not None and body.enterprise_id != scope.tenant:
        raise not_found("session")
    await fresh.wait("sessions", "turns")
    found = await load(ctx, owner, session_id)
    spec = ctx.deps.profile_of(scope.tenant).session
    budget = Budget(
        body.token_threshold_ratio or spec.token_threshold_ratio,
        body.recent_turns or spec.recent_turns,
        body.model_context_window or spec.model_context_window,
    )
    segment, truncated = await _segment(ctx, owner, session_id, found, budget.recent_turns)
    if found is None and not segment.turns:
        raise not_found("session")
    counter = ctx.deps.counter(ctx.deps.profile_of(scope.tenant).encoding)
    # In a thread: a long conversation takes seconds to count, and nobody else's request waits for it.
    history = await asyncio.to_thread(compose, segment, body.query, budget, counter)
    ctx.metrics.token_ratio.observe(history.ratio)
    return {
        "conversation_id": session_id,
        "mode": segment.mode,
        "session": await with_user(ctx, owner, found.value) if found else None,
        "history": history.history,
        "full_history": history.full_history,
        "estimated_tokens": history.tokens,
        "token_ratio": round(history.ratio, 6),
        "should_checkpoint_summary": history.should_checkpoint,
        "truncated": truncated,
    }


async def _segment(
    ctx: Context, owner: OwnerScope, session_id: str, found: Session | None, recent_turns: int
) -> tuple[Segment, bool]:
    """The open segment, cut by log position (E3), and whether its oldest turns were left out; one without a checkpoint
    reads as FULL_HISTORY (E5)."""
    now = ctx.deps.clock()
    row = found.row if found else None
    if row is None:
        phrase, truncated = await turns.of_session(ctx.db, owner, session_id, now)
        return Segment("FULL_HISTORY", turns=phrase), truncated
    start = row["segment_start"]
    since, truncated = await turns.of_session(ctx.db, owner, session_id, now, start)
    if row["checkpoint_message_id"] is None:
        return Segment("FULL_HISTORY", turns=since), truncated
    if truncated:  # what was carried over is older than what was left out
        return Segment(row["mode"], row["body"].get("summary", ""), turns=since), True
    # What the checkpoint carried over, as the stream counts it: fewer than were asked for where they had no room.
    first = row["body"].get("carried_from") or 0
    limit = recent_turns * _MESSAGES_A_TURN
    before = await turns.before(ctx.db, owner, session_id, now, first, start, limit)
    starts = [i for i, m in enumerate(before) if m["role"] == "user"]
    carried = before[starts[-recent_turns] :] if len(starts) > recent_turns else before
    # After a failed checkpoint the mode is FULL_HISTORY again; the one before stays, with all that was said since.
    return Segment(row["mode"], row["body"].get("summary", ""), carried, since), False


@router.get("/v1/sessions/{session_id}/checkpoints")
async def list_checkpoints(
    session_id: PathId,
    user_id: UserId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    limit: paging.Limit = 100,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Past checkpoints, newest first, as rows of the memory engine's ai_message."""
    owner = scope.user(user_id)
    parts = paging.load(cursor, int)
    await fresh.wait("sessions")
    rows = await sessions.checkpoints(ctx.db, owner, session_id, limit + 1, parts[0] if parts else None)
    shown = [
        {
            "message_id": r["message_id"],
            "conversation_id": session_id,
            "query": "[MEMORY_CHECKPOINT]",
            "answer": f"历史摘要: {r['summary']}",
            "summary": r["summary"],
            "segment": r["segment"],
            "extractive": r["extractive"],
            "model": r["model"],
            "create_time": r["created_at"],
        }
        for r in rows[:limit]
    ]
    more = paging.dump(rows[limit - 1]["position"]) if len(rows) > limit else None
    return {"checkpoints": shown, "cursor": more}
