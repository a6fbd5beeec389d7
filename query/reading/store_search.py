"""Searching store items (C1): exact over what Postgres holds, so that a put is found by the next search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from fastapi import Request

from query.namespaces import owner_of
from query.reading import store_filter
from query.reading.common import Context
from query.repo import items
from query.repo.db import Row
from query.retrieval import documents
from query.retrieval.lane import Understood
from query.retrieval.retriever import Retriever
from schemas.base import JsonObject
from schemas.scope import OwnerScope, TenantScope

MOST = 5_000
"""Items below one prefix that a filter or a query looks at: the newest."""
_MEANING = 0.7
"""Weight of the cosine in an item's score; the rest is the share of the query's words that it holds. Words find
codes and names that a sentence vector blurs."""


async def find(
    request: Request, ctx: Context, scope: TenantScope, prefix: Sequence[str], *, query: str | None,
    wanted: JsonObject | None, limit: int, offset: int,
) -> list[tuple[Row, float | None]]:  # fmt: skip
    """Rows with their score in [-1, 1] (None without a query, and for items that are not indexed, which come last).
    Raises OutOfScopeError."""
    user = scope.user(owner_of(prefix)).owner.id if len(prefix) > 1 else None
    now = ctx.deps.clock()
    if query is None or not query.strip():
        most, skip = (MOST, 0) if wanted else (limit, offset)
        rows = await items.below(ctx.db, scope, prefix, now, most, skip=skip, user=user)
        kept = [r for r in rows if store_filter.matches(r["value"], wanted)]
        return [(r, None) for r in (kept[offset : offset + limit] if wanted else kept)]
    rows = await items.below(ctx.db, scope, prefix, now, MOST, searched=True, user=user)
    kept = [r for r in rows if store_filter.matches(r["value"], wanted)]
    if not kept:
        return []
    retriever: Retriever = request.app.state.retriever
    asked, model_id = await retriever.understood(query)
    return scored(kept, asked, model_id)[offset : offset + limit]


def scored(rows: Sequence[Row], asked: Understood, model_id: str) -> list[tuple[Row, float | None]]:
    """Best first; equal scores and items without an index keep their order."""
    words = frozenset(asked.terms)
    out: list[tuple[Row, float | None]] = []
    for row in rows:
        vector = documents.vector(row, model_id, len(asked.plain))
        if vector is None and not row["terms"]:
            out.append((row, None))
            continue
        meaning = 0.0 if vector is None else float(np.dot(vector, asked.plain))
        share = len(words.intersection(row["terms"])) / len(words) if words else 0.0
        out.append((row, round(_MEANING * meaning + (1 - _MEANING) * share, 6)))
    return sorted(out, key=lambda found: (found[1] is None, -(found[1] or 0.0)))


def owners_of(rows: Sequence[Row], scope: TenantScope) -> dict[str, tuple[OwnerScope, list[str]]]:
    """Whose items were shown: user -> scope and record ids (C10)."""
    out: dict[str, tuple[OwnerScope, list[str]]] = {}
    for row in rows:
        owner = owner_of(row["namespace"])
        out.setdefault(owner, (scope.user(owner), []))[1].append(row["record_id"])
    return out
