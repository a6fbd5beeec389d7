"""A session from the two stores that hold it: Redis for speed, confirmed by Postgres (E4, E6)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from query.errors import ProblemError, done_without
from query.reading import cache
from query.reading.common import Context
from query.repo import sessions
from query.repo.db import Row
from query.repo.sealed import opened
from schemas.scope import OwnerScope
from schemas.session_value import row_of_sealed, value_of_row
from schemas.stores import RedisLayout


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
        if ctx.withheld.session(owner.owner.tenant, owner.owner.id, session_id, _updated_at(cached[1])):
            raise row
        return Session(cached[1], None, [done_without(row)])
    if row is None:
        return None
    if isinstance(cached, ProblemError):
        return Session(value_of_row(row), row, [done_without(cached)])
    if cached is not None and cached[0] >= row["revision"]:
        return Session(cached[1], row)
    if row["status"] == "open":
        await cache.wish(ctx, RedisLayout.want_session(owner.owner, session_id))
    return Session(value_of_row(row), row)


def _updated_at(value: dict[str, Any]) -> float:
    """Seconds since 1970; 0 where the value does not say."""
    meta = value.get("meta")
    at = meta.get("updated_at") if isinstance(meta, dict) else None
    return float(at) if isinstance(at, int | float) else 0.0


async def _stored(ctx: Context, owner: OwnerScope, session_id: str) -> Row | ProblemError | None:
    try:
        with ctx.metrics.session_seconds.labels("postgres").time():
            return await sessions.get(ctx.db, owner, session_id)
    except ProblemError as exc:
        return exc


async def _cached(
    ctx: Context, owner: OwnerScope, session_id: str
) -> tuple[int, dict[str, Any]] | ProblemError | None:
    layout = cache.layout(ctx)
    keys = (layout.session(owner.owner, session_id), layout.revision(owner.owner, session_id))
    try:
        with ctx.metrics.session_seconds.labels("redis").time():
            value, revision = await cache.read(ctx, *keys)
    except ProblemError as exc:
        return exc
    found = cache.parsed(value)
    if not isinstance(found, dict) or revision is None or not revision.isdigit():
        return None
    if "sealed" in found:
        try:
            rows = await opened(ctx.deps.codec, [row_of_sealed(found)])
        except ProblemError as exc:
            return exc
        return (int(revision), value_of_row(rows[0])) if rows else None
    return int(revision), found
