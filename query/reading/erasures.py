"""How far an erasure is, and its signed report (N6)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from query.auth.boundary import Writer
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import Ctx
from query.views.db import SystemStatement
from schemas.base import Id

router = APIRouter(route_class=Route, tags=["erasure"])
# As our own role: the registry of erasures lies outside the views; the tenant is the scope's.
_ONE = SystemStatement(
    """SELECT erasure_id, scope, user_id, session_id, accepted_at, state, step, started_at, finished_at, report,
      (SELECT count(*) FROM trust.erasure_findings f WHERE f.erasure_id = e.erasure_id) AS places
    FROM trust.erasures e WHERE tenant = %(tenant)s AND erasure_id = %(erasure_id)s"""
)


@router.get("/v1/erasures/{erasure_id}")
async def erasure(erasure_id: Annotated[Id, Path()], scope: Writer, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """`state` under_way or done; `places`: stores and steps that have answered; `report`: signed, once done."""
    await fresh.wait("turns")
    rows = await ctx.db.of_system(_ONE, tenant=scope.tenant, erasure_id=erasure_id)
    if not rows or (
        rows[0]["user_id"] is not None and scope.users is not None and rows[0]["user_id"] not in scope.users
    ):
        raise not_found("erasure")
    return rows[0]
