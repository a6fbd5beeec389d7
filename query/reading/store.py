"""The namespaced store (C1): get, search and list; the shapes are those of LangGraph's items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from pydantic import Field

from query.body import Route
from query.door import Reader
from query.errors import invalid
from query.freshness import Freshness
from query.models import ItemKey
from query.namespaces import owner_of
from query.reading.common import Context, Ctx, PathId
from query.reading.search import retriever_of
from query.repo import memories
from query.repo.db import Row
from query.retrieval.request import Filters, Question
from schemas.base import CleanText, Frozen, Id, JsonObject
from schemas.scope import TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
MOST = 5_000
"""Items below one prefix that a filter looks at."""
_OPERATORS = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
}


class StoreSearchIn(Frozen):
    namespace_prefix: tuple[Id, ...] = Field(max_length=16)
    query: CleanText | None = Field(default=None, max_length=100_000)
    filter: JsonObject | None = None
    limit: int = Field(default=10, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=MOST)


class NamespacesIn(Frozen):
    prefix: tuple[Id, ...] = Field(default=(), max_length=16)
    suffix: tuple[Id, ...] = Field(default=(), max_length=16)
    max_depth: int | None = Field(default=None, ge=1)
    limit: int = Field(default=100, ge=1, le=1_000)
    offset: int = Field(default=0, ge=0)


def item(row: Row, score: float | None = None) -> dict[str, Any]:
    """Dates are those of the version that stands; a store item has no earlier ones."""
    return {
        "namespace": row["namespace"],
        "key": row["key"],
        "value": row["value"],
        "created_at": row["occurred_at"],
        "updated_at": row.get("known_at", row["occurred_at"]),
        "score": score,
    }


async def _get(ctx: Context, scope: TenantScope, namespace: Sequence[str], key: str) -> dict[str, Any]:
    owner = scope.user(owner_of(namespace))
    row = await memories.item(ctx.db, owner, namespace, key, ctx.deps.clock())
    return {"item": item(row) if row else None}


@router.post("/v1/store/items/get")
async def get_item(
    body: Annotated[ItemKey, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """One item; null where there is none (C1: missing reads as empty)."""
    await fresh.wait("memories")
    return await _get(ctx, scope, body.namespace, body.key)


@router.get("/v1/store/{namespace}/{user_id}/{key}")
async def get_item_alias(
    namespace: PathId, user_id: PathId, key: PathId, scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Alias of POST /v1/store/items/get."""
    await fresh.wait("memories")
    return await _get(ctx, scope, (namespace, user_id), key)


@router.post("/v1/store/search")
async def search_items(
    request: Request, body: Annotated[StoreSearchIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Items below a prefix: by meaning with a query, else newest first."""
    await fresh.wait("memories")
    _check(body.filter)
    prefix = body.namespace_prefix
    if len(prefix) > 1:
        scope.user(owner_of(prefix))
    rows = await memories.items(ctx.db, scope, prefix, ctx.deps.clock(), MOST)
    kept = [r for r in rows if _matches(r["value"], body.filter)]
    if not body.query or not body.query.strip():
        return {"items": [item(r) for r in kept[body.offset : body.offset + body.limit]]}
    scored = await _scored(request, scope, prefix, body.query, {r["record_id"]: r for r in kept})
    return {"items": [item(r, s) for r, s in scored[body.offset : body.offset + body.limit]]}


async def _scored(
    request: Request, scope: TenantScope, prefix: Sequence[str], query: str, rows: dict[str, Row]
) -> list[tuple[Row, float]]:
    """The kept items by relevance; those that do not match at all stand at the end, newest first."""
    question = Question(
        text=query,
        kinds=frozenset({"item"}),
        limit=MOST,
        tenant=scope,
        user=scope.user(owner_of(prefix)) if len(prefix) > 1 else None,
        filters=Filters(namespace=tuple(prefix) or None),
    )
    found = await retriever_of(request).search(question)
    ranked = [(rows[r["record_id"]], score) for r, score, _ in found.hits if r["record_id"] in rows]
    seen = {r["record_id"] for r, _ in ranked}
    return ranked + [(r, 0.0) for i, r in rows.items() if i not in seen]


@router.post("/v1/store/namespaces")
async def list_namespaces(
    body: Annotated[NamespacesIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Namespaces that hold items, in order."""
    await fresh.wait("memories")
    found = await memories.namespaces(ctx.db, scope, ctx.deps.clock())
    cut = {tuple(n[: body.max_depth]) for n in found if _fits(n, body.prefix, body.suffix)}
    return {"namespaces": [list(n) for n in sorted(cut)][body.offset : body.offset + body.limit]}


def _fits(namespace: Sequence[str], prefix: Sequence[str], suffix: Sequence[str]) -> bool:
    """`*` stands for any one part, as in LangGraph."""

    def alike(a: Sequence[str], b: Sequence[str]) -> bool:
        return len(a) == len(b) and all(y in ("*", x) for x, y in zip(a, b, strict=True))

    tail = namespace[len(namespace) - len(suffix) :] if suffix else ()
    return alike(namespace[: len(prefix)], prefix) and alike(tail, suffix)


def _check(wanted: JsonObject | None) -> None:
    for key, condition in (wanted or {}).items():
        if isinstance(condition, dict):
            for operator in condition:
                if operator.startswith("$") and operator not in _OPERATORS:
                    raise invalid(f"filter.{key[:80]}", f"expected one of {', '.join(sorted(_OPERATORS))}")


def _matches(value: Any, wanted: JsonObject | None) -> bool:
    """LangGraph's filter: equal values, or comparisons under `$` names; what cannot be compared does not match."""
    if not wanted:
        return True
    if not isinstance(value, dict):
        return False
    return all(_meets(value.get(key), condition) for key, condition in wanted.items())


def _meets(value: Any, condition: Any) -> bool:
    if isinstance(condition, dict) and condition and all(k in _OPERATORS for k in condition):
        try:
            return all(_OPERATORS[k](value, c) for k, c in condition.items())
        except TypeError:
            return False
    return bool(value == condition)
