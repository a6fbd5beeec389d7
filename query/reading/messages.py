"""The messages of a conversation, page by page (E1, E3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.errors import invalid, not_found
from query.freshness import Freshness
from query.reading.common import Ctx, PathId, UserId
from query.views import sessions, turns

router = APIRouter(route_class=Route, tags=["reading"])


@router.get("/v1/sessions/{session_id}/messages")
async def list_messages(
    session_id: PathId,
    user_id: UserId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    segment: Annotated[Literal["open", "all"], Query()] = "all",
    limit: paging.Limit = 100,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Messages of a conversation in their order: `all` that are kept, or those of the `open` segment, said since the
    last checkpoint or reset."""
    owner = scope.user(user_id)
    parts = paging.load(cursor, str, int, int)
    if parts is not None and parts[0] != segment:
        raise invalid("cursor", "expected the cursor of a page of this segment")
    await fresh.wait("sessions", "turns")
    known = parts is not None
    if parts is None:
        row = await sessions.get(ctx.db, owner, session_id)
        known = row is not None
        start, after = row["segment_start"] if row is not None and segment == "open" else 0, -1
    else:
        start, after = parts[1], parts[2]
    rows = await turns.page_of_session(ctx.db, owner, session_id, ctx.deps.clock(), max(start, after + 1), limit + 1)
    if not rows and not known:
        raise not_found("session")
    ctx.saw(owner)
    shown = [
        {
            "message_id": r["turn_id"],
            "role": r["role"],
            "speaker": r["speaker"],
            "content": r["content"],
            "occurred_at": r["occurred_at"],
            "interaction_id": r["interaction_id"],
            "tokens": r["tokens"],
        }
        for r in rows[:limit]
    ]
    more = paging.dump(segment, start, rows[limit - 1]["position"]) if len(rows) > limit else None
    return {"conversation_id": session_id, "segment": segment, "messages": shown, "cursor": more}
