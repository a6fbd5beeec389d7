"""A session from the two stores that hold it: Redis for speed, confirmed by Postgres (E4, E6)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from query.errors import ProblemError, done_without
from query.reading import cache
from query.reading.common import Context
from query.views import sessions
from query.views.db import Row, SystemStatement
from query.views.sealed import PLACE, opened
from schemas.events.session_value import row_of_sealed, value_of_row
from schemas.events.sessions import SessionState
from schemas.log.places import place_of_row
from schemas.security.scope import OwnerScope
from schemas.security.sealing import Place
from schemas.storage.layouts import RedisLayout

AHEAD_SECONDS = 60.0
"""How long Redis may have a session that Postgres has not: beyond it the row was taken away."""
# As our own role: the registry of erasures lies outside the views. It is written with the rows' removal, so what an
# erasure took from Postgres is named in it.
_ERASED = SystemStatement(
    """SELECT 1 FROM trust.erasures WHERE tenant = %(tenant)s AND accepted_at >= %(since)s
      AND (scope = 'tenant' OR user_id = %(user_id)s) LIMIT 1"""
)


@dataclass(frozen=True, slots=True)
class Session:
    """`value` in the seed's shape (E1); `row` from Postgres, None while it is away or does not have it yet."""

    value: dict[str, Any]
    row: Row | None
    degraded: list[dict[str, str]] = field(default_factory=list)

    @property
    def mode_and_body(self) -> tuple[str, Mapping[str, Any]]:
        """Mode, and what a prompt tells of the session: as the newer of the two stores has it (N3)."""
        if self.row is not None and self.row["revision"] >= self.value["revision"]:
            return self.row["mode"], self.row["body"]
        context = self.value["message_context"]
        known = self.row["body"].get("window", ()) if self.row is not None else ()
        window = with_ids(context["window_messages"], known)
        body = {"anchors": self.value.get("anchors", {}), "summary": context["summary"], "window": window}
        return context["mode"], body


def with_ids(messages: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A window of Redis, whose messages have no ids: those that Postgres has too, at the end of its window and the
    beginning of this one, with the ids that it knows."""
    for both in range(min(len(messages), len(known)), 0, -1):
        tail = known[-both:]
        if all(_same(a, b) for a, b in zip(tail, messages, strict=False)):
            return [*tail, *messages[both:]]
    return [*messages]


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return (a["role"], a["content"], a.get("speaker")) == (b["role"], b["content"], b.get("speaker"))


async def load(ctx: Context, owner: OwnerScope, session_id: str) -> Session | None:
    """The newest value that is known. Postgres decides whether the session exists, but for one that it does not have
    yet (N3); while it is away Redis answers alone, and that is said. The reader never writes (E6). Raises ProblemError
    when neither store answers."""
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
        return None if isinstance(cached, ProblemError) else await _not_yet(ctx, owner, session_id, cached)
    if isinstance(cached, ProblemError):
        return Session(value_of_row(row), row, [done_without(cached)])
    if cached is not None and cached[0] >= row["revision"]:
        return Session(cached[1], row)
    await cache.wish(ctx, RedisLayout.want_session(owner.owner, session_id))
    return Session(value_of_row(row), row)


async def _not_yet(
    ctx: Context, owner: OwnerScope, session_id: str, cached: tuple[int, dict[str, Any]] | None
) -> Session | None:
    """A session that Redis has and Postgres has not: begun a moment ago (N3), unless it went (C9)."""
    if cached is None:
        return None
    updated = _updated_at(cached[1])
    if ctx.deps.clock().timestamp() - updated > AHEAD_SECONDS:
        return None
    if ctx.withheld.session(owner.owner.tenant, owner.owner.id, session_id, updated):
        return None
    since = datetime.fromtimestamp(updated, UTC)
    erased = await ctx.db.of_system(_ERASED, tenant=owner.owner.tenant, user_id=owner.owner.id, since=since)
    return None if erased else Session(cached[1], None)


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
            row = {**row_of_sealed(found), PLACE: _place(owner, session_id, found)}
            rows = await opened(ctx.deps.codec, [row], ctx.deps.key_threads)
        except ProblemError as exc:
            return exc
        return (int(revision), value_of_row(rows[0])) if rows else None
    return int(revision), found


def _place(owner: OwnerScope, session_id: str, found: Mapping[str, Any]) -> Place:
    """Of the session that was asked for, whatever its value says of itself."""
    asked = {"tenant": owner.owner.tenant, "user_id": owner.owner.id, "session_id": session_id}
    return place_of_row(SessionState, {**asked, "revision": found.get("revision")})
