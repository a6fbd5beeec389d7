"""Which erasures there are, how far one is, and its signed report (N6)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path

from query import paging
from query.auth.boundary import Operator, Writer
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import Ctx
from query.views.db import SystemStatement
from schemas.base import Id
from schemas.security.scope import TenantScope

router = APIRouter(route_class=Route, tags=["erasure"])
# As our own role: the registry of erasures lies outside the views; the tenant is the scope's.
_ONE = SystemStatement(
    """SELECT erasure_id, scope, user_id, session_id, accepted_at, state, step, started_at, finished_at, report,
      (SELECT count(*) FROM trust.erasure_findings f WHERE f.erasure_id = e.erasure_id) AS places
    FROM trust.erasures e WHERE tenant = %(tenant)s AND erasure_id = %(erasure_id)s"""
)
_SOME = SystemStatement(
    """SELECT erasure_id, scope, user_id, session_id, accepted_at, state, step, started_at, finished_at,
      (SELECT count(*) FROM trust.erasure_findings f WHERE f.erasure_id = e.erasure_id) AS places
    FROM trust.erasures e WHERE tenant = %(tenant)s AND (%(state)s = 'all' OR state = %(state)s)
      AND (started_at, erasure_id) > (%(at)s, %(name)s)
    ORDER BY started_at, erasure_id LIMIT %(limit)s"""
)
_OPEN = SystemStatement(
    """SELECT count(*) AS under_way, min(started_at) AS oldest
    FROM trust.erasures WHERE tenant = %(tenant)s AND state = 'under_way'"""
)
_FIRST = datetime.min.replace(tzinfo=UTC)


@router.get("/v1/erasures")
async def list_erasures(
    scope: Operator, fresh: Freshness, ctx: Ctx, state: Literal["under_way", "done", "all"] = "under_way",
    limit: paging.Limit = 50, cursor: paging.Cursor = None,
) -> dict[str, Any]:  # fmt: skip
    """The tenant's erasures, the oldest first, without their reports. `under_way`: how many are not done, on all pages
    together; `oldest`: when the first of those began."""
    at, name = paging.load(cursor, datetime, str) or (_FIRST, "")
    await fresh.wait("turns")
    (count,) = await ctx.db.of_system(_OPEN, tenant=scope.tenant)
    found = await ctx.db.of_system(
        _SOME, tenant=scope.tenant, state=state, at=at, name=name, limit=limit + 1
    )
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    return {
        **count, "erasures": page,
        "cursor": paging.dump(last["started_at"], last["erasure_id"]) if last else None,
    }  # fmt: skip


@router.get("/v1/erasures/{erasure_id}")
async def erasure(erasure_id: Annotated[Id, Path()], scope: Writer, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """`state` under_way or done; `places`: stores and steps that have answered; `report`: signed, once done."""
    await fresh.wait("turns")
    rows = await ctx.db.of_system(_ONE, tenant=scope.tenant, erasure_id=erasure_id)
    if not rows or not _reached(scope, rows[0]["user_id"]):
        raise not_found("erasure")
    return rows[0]


def _reached(scope: TenantScope, user_id: str | None) -> bool:
    """An erasure of the whole tenant (`user_id` None) counts what everybody had: not for a key that is bound."""
    return not scope.bound if user_id is None else scope.users is None or user_id in scope.users
