"""A session from the two stores that hold it: Redis for speed, confirmed by Postgres (E4, E6)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import orjson
from redis.exceptions import RedisError

from query.errors import ProblemError, store_down
from query.reading.common import Context
from query.repo import sessions
from query.repo.db import Row
from schemas.scope import OwnerScope
from schemas.stores import RedisLayout

REDIS_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Session:
    """`value` in the seed's shape (E1); `row` from Postgres, None while it is away."""

    value: dict[str, Any]
    row: Row | None
    degraded: list[dict[str, str]] = field(default_factory=list)


async def load(ctx: Context, owner: OwnerScope, session_id: str) -> Session | None:
    """The newest value that is known. Postgres decides whether the session exists; while it is away Redis answers
    alone, and that is said. The reader never writes (E6). Raises ProblemError when neither store answers."""
    cached, row = await asyncio.gather(_cached(ctx, owner, session_id), _stored(ctx, owner, session_id))
    if isinstance(row, ProblemError):
        if isinstance(cached, ProblemError):
            raise row
        if cached is None:
            raise row
        return Session(cached[1], None, [{"store": "postgres", "reason": "unreachable"}])
    if row is None:
        return None
    if isinstance(cached, ProblemError):
        return Session(value_of(row), row, [{"store": "redis", "reason": "unreachable"}])
    if cached is not None and cached[0] >= row["revision"]:
        return Session(cached[1], row)
    return Session(value_of(row), row)


async def _stored(ctx: Context, owner: OwnerScope, session_id: str) -> Row | ProblemError | None:
    try:
        return await sessions.get(ctx.db, owner, session_id)
    except ProblemError as exc:
        return exc


async def _cached(ctx: Context, owner: OwnerScope, session_id: str) -> tuple[int, dict[str, Any]] | ProblemError | None:
    keys = [RedisLayout.session(owner.owner, session_id), RedisLayout.revision(owner.owner, session_id)]
    try:
        async with asyncio.timeout(REDIS_SECONDS):
            value, revision = await ctx.deps.redis.mget(keys)
    except (RedisError, OSError, TimeoutError):
        return store_down("redis")
    if value is None or revision is None:
        return None
    try:
        return int(revision), orjson.loads(value)
    except ValueError:
        return None


def value_of(row: Row) -> dict[str, Any]:
    """The seed's SessionValue of a row (E1)."""
    body = row["body"]
    return {
        "meta": {
            "conversation_id": row["session_id"],
            "user_id": row["user_id"],
            "updated_at": int(row["updated_at"].timestamp()),
        },
        "flow_context": {
            "current_agent_key": row["current_agent_key"] or "",
            "last_bot_message": body.get("last_bot_message", ""),
            "turn_count": row["turn_count"],
        },
        "message_context": {
            "summary": body.get("summary", ""),
            "window_messages": [{"role": m["role"], "content": m["content"]} for m in body.get("window", ())],
            "mode": row["mode"],
            "checkpoint_message_id": row["checkpoint_message_id"] or "",
            "cached_checkpoint": body.get("summary", "") if row["checkpoint_message_id"] else "",
        },
        "global_state": {
            "shared": {},
            "entities": {},
            "agent_slots": {},
            "current_intent": "",
            "pending_action": None,
            **body.get("global_state", {}),
        },
        "user_snapshot": {"user_id": row["user_id"], **body.get("user_snapshot", {})},
        "anchors": body.get("anchors", {}),
        "status": row["status"],
        "revision": row["revision"],
    }
