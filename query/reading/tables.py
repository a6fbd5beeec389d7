"""Structured tables over HTTP (C2, C3, C6): rows of a user, newest first; one row; similar cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from pydantic import Field

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.errors import invalid, not_found
from query.freshness import Freshness
from query.reading.common import Context, Ctx, PathId, source_turn_ids
from query.reading.search import retriever_of
from query.search.request import Filters, Question
from query.views import structured
from query.views.db import Row
from schemas.base import Content, Frozen
from schemas.profile.model import TableSpec
from schemas.profile.tables import Place, at_id, at_key, goodness, place_of, shown, table_named
from schemas.security.scope import OwnerScope, TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
ROWS = 10
CASES = 5
_POOL = 4
"""Cases that are similar enough to be put in order by how they went: this many times what is asked for."""


class SimilarIn(Frozen):
    query: Content
    limit: int = Field(default=CASES, ge=1, le=50)


def spec_of(ctx: Context, tenant: str, table: str) -> TableSpec:
    """Raises not found, which names no table of another profile."""
    spec = table_named(ctx.deps.profile_of(tenant), table)
    if spec is None:
        raise not_found("table in the profile")
    return spec


def place_in(spec: TableSpec, key: str) -> Place:
    """A row by its id or by its store key."""
    return at_key(spec, key) or at_id(spec, key)


def table_row(spec: TableSpec, row: Row) -> dict[str, Any]:
    """Every column of the profile, null where nothing is known, and the engine's own."""
    value = row["value"] if isinstance(row["value"], Mapping) else {}
    place = at_key(spec, row["key"])
    return {
        "id": place.row_id if place else row["key"],
        "record_id": row["record_id"],
        "user_id": row["owner_id"],
        **{c.name: value.get(c.name) for c in spec.columns},
        "created_at": row["occurred_at"],
        "updated_at": row["known_at"],
        "revision": row["revision"],
        "source_turn_ids": source_turn_ids(row),
    }


@router.get("/v1/users/{user_id}/tables/{table}")
async def list_rows(
    user_id: PathId,
    table: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    limit: Annotated[int, Query(ge=1, le=200)] = ROWS,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Rows of a structured table, the newest first."""
    owner = scope.user(user_id)
    spec = spec_of(ctx, scope.tenant, table)
    after = None if (parts := paging.load(cursor, datetime, str)) is None else (parts[0], parts[1])
    if after is not None and offset:
        raise invalid("offset", "expected no offset with a cursor")
    await fresh.wait("memories")
    found = await structured.rows(ctx.db, owner, spec.name, ctx.deps.clock(), limit + 1, offset, after)
    rows = found[:limit]
    ctx.saw(owner, [r["record_id"] for r in rows])
    more = paging.dump(rows[-1]["occurred_at"], rows[-1]["record_id"]) if len(found) > limit else None
    return {"table": spec.name, "rows": [table_row(spec, r) for r in rows], "cursor": more}


@router.get("/v1/users/{user_id}/tables/{table}/{key}")
async def get_row(
    user_id: PathId, table: PathId, key: PathId, scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """One row by its id, or by its store key; null where there is none (missing reads as empty)."""
    owner = scope.user(user_id)
    spec = spec_of(ctx, scope.tenant, table)
    await fresh.wait("memories")
    row = await structured.row(ctx.db, owner, spec.name, place_in(spec, key).key, ctx.deps.clock())
    ctx.saw(owner, [row["record_id"]] if row else [])
    return {"table": spec.name, "row": table_row(spec, row) if row else None}


@router.post("/v1/users/{user_id}/tables/{table}/similar")
async def similar_rows(
    request: Request,
    user_id: PathId,
    table: PathId,
    body: Annotated[SimilarIn, Body()],
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
) -> dict[str, Any]:
    """Cases of the same user like the one described: of the most similar ones those that went well first, then those
    that nobody judged, then those that went badly; within each, the most similar first."""
    owner = scope.user(user_id)
    spec = spec_of(ctx, scope.tenant, table)
    await fresh.wait("memories")
    question = Question(
        text=body.query, kinds=frozenset({"item"}), limit=body.limit * _POOL, tenant=scope, user=owner, mode="dense",
        filters=Filters(namespace=(spec.namespace, user_id)),
    )  # fmt: skip
    found = await retriever_of(request).search(question)
    scores = {str(row["key"]): score for row, score, _ in found.hits}
    rows = await structured.by_keys(ctx.db, owner, spec.name, list(scores), ctx.deps.clock())
    ranked = sorted(rows, key=lambda r: (-goodness(spec, _value(r)), -scores[r["key"]], r["record_id"]))[: body.limit]
    ctx.saw(owner, [r["record_id"] for r in ranked])
    cases = [{**table_row(spec, r), "similarity": scores[r["key"]], "went": goodness(spec, _value(r))} for r in ranked]
    return {"table": spec.name, "cases": cases, "degraded": found.degraded}


def _value(row: Row) -> Mapping[str, Any]:
    return row["value"] if isinstance(row["value"], Mapping) else {}


async def store_row(
    ctx: Context, scope: TenantScope, owner: OwnerScope, namespace: Sequence[str], key: str
) -> tuple[Place | None, Row | None]:
    """What the store shows of a row, in the shape of an item's row: the table wins over the item, and a miss of the
    store falls back to it (C3). None where the key is no row's."""
    place = place_of(ctx.deps.profile_of(scope.tenant), namespace, key)
    if place is None:
        return None, None
    row = await structured.row(ctx.db, owner, place.spec.name, place.key, ctx.deps.clock())
    if row is None:
        return place, None
    return place, {**row, "value": shown(place.spec, _value(row), row["occurred_at"], row["known_at"])}
