"""The namespaced store (C1): get, search and list; the shapes are those of LangGraph's items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from pydantic import Field

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.errors import invalid
from query.freshness import Freshness
from query.models import ItemKey
from query.namespaces import owner_of
from query.reading import store_filter, store_search
from query.reading.common import Context, Ctx, PathId
from query.reading.tables import store_row
from query.search.ranked_cursor import LONGEST, question
from query.views import memories
from query.views.db import Row
from schemas.base import CleanText, Frozen, Id, JsonObject
from schemas.security.scope import TenantScope

router = APIRouter(route_class=Route, tags=["reading"])


class StoreSearchIn(Frozen):
    namespace_prefix: tuple[Id, ...] = Field(max_length=16)
    query: CleanText | None = Field(default=None, max_length=100_000)
    filter: JsonObject | None = None
    limit: int = Field(default=10, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=store_search.MOST)
    cursor: CleanText | None = Field(default=None, max_length=LONGEST)


class NamespacesIn(Frozen):
    prefix: tuple[Id, ...] = Field(default=(), max_length=16)
    suffix: tuple[Id, ...] = Field(default=(), max_length=16)
    max_depth: int | None = Field(default=None, ge=1)
    limit: int = Field(default=100, ge=1, le=1_000)
    offset: int = Field(default=0, ge=0)
    cursor: CleanText | None = Field(default=None, max_length=40_000)


def item(row: Row, score: float | None = None) -> dict[str, Any]:
    """An item as LangGraph has it, and when it runs out (null: never)."""
    attributes = row.get("attributes")
    first = attributes.get("created_at") if isinstance(attributes, dict) else None
    return {
        "namespace": row["namespace"],
        "key": row["key"],
        "value": row["value"],
        "created_at": first or row["occurred_at"],
        "updated_at": row.get("known_at", row["occurred_at"]),
        "score": score,
        "expires_at": row.get("expires_at"),
    }


async def got(ctx: Context, scope: TenantScope, namespace: Sequence[str], key: str) -> dict[str, Any]:
    owner = scope.user(owner_of(namespace))
    place, row = await store_row(ctx, scope, owner, namespace, key)
    if row is None:
        row = await memories.item(ctx.db, owner, namespace, place.key if place else key, ctx.deps.clock())
    ctx.saw(owner, [row["record_id"]] if row else [])
    return {"item": item(row) if row else None}


@router.post("/v1/store/items/get")
async def get_item(
    body: Annotated[ItemKey, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """One item; null where there is none (missing reads as empty)."""
    await fresh.wait("memories")
    return await got(ctx, scope, body.namespace, body.key)


@router.get("/v1/store/{namespace}/{user_id}/{key}")
async def get_item_alias(
    namespace: PathId, user_id: PathId, key: PathId, scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Alias of POST /v1/store/items/get."""
    await fresh.wait("memories")
    return await got(ctx, scope, (namespace, user_id), key)


@router.post("/v1/store/search")
async def search_items(
    request: Request, body: Annotated[StoreSearchIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Items below a prefix: by meaning with a query, else newest first."""
    await fresh.wait("memories")
    return await searched(request, ctx, scope, body)


async def searched(
    request: Request, ctx: Context, scope: TenantScope, body: StoreSearchIn, field: str = ""
) -> dict[str, Any]:
    """A page of a search. `field`: what an error calls the body."""
    store_filter.check(body.filter, f"{field}filter")
    search_query = store_search.SearchQuery(
        body.namespace_prefix, body.query, body.filter, body.limit, body.offset, body.cursor, field
    )
    found, more = await store_search.find(request, ctx, scope, search_query)
    for owner, ids in store_search.owners_of([r for r, _ in found], scope).values():
        ctx.saw(owner, ids)
    return {"items": [item(r, s) for r, s in found], "cursor": more}


@router.post("/v1/store/namespaces")
async def list_namespaces(
    body: Annotated[NamespacesIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Namespaces that hold items, in order."""
    await fresh.wait("memories")
    return await listed(ctx, scope, body)


async def listed(ctx: Context, scope: TenantScope, body: NamespacesIn, field: str = "") -> dict[str, Any]:
    """A page of the namespaces that hold items and fit, cut at a depth, in order."""
    if body.cursor is not None and body.offset:
        raise invalid(f"{field}offset", "expected no offset with a cursor")
    bound = question(scope.tenant, body.prefix, body.suffix, body.max_depth).hex()
    parts = paging.load(body.cursor, str, list, field=f"{field}cursor")
    if parts is not None and (parts[0] != bound or not all(isinstance(p, str) for p in parts[1])):
        raise invalid(f"{field}cursor", "expected the cursor that a page of this list returned")
    after = None if parts is None else parts[1]
    asked = memories.Listed(body.prefix, body.suffix, body.max_depth, after, body.offset)
    found = await memories.namespaces(ctx.db, scope, ctx.deps.clock(), asked, body.limit + 1)
    more = paging.dump(bound, found[body.limit - 1]) if len(found) > body.limit else None
    return {"namespaces": found[: body.limit], "cursor": more}
