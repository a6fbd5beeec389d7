"""Searching store items (C1): exact over what Postgres holds, so that a put is found by the next search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from fastapi import Request

from query import paging
from query.errors import invalid
from query.namespaces import owner_of
from query.reading import store_filter
from query.reading.common import Context
from query.search import documents
from query.search.executor import Understood
from query.search.ranked_cursor import Walk, question
from query.search.retriever import Retriever
from query.views import items
from query.views.db import Row
from schemas.base import JsonObject
from schemas.security.scope import OwnerScope, TenantScope

MOST = 5_000
"""Items below one prefix that a filter or a query looks at: the newest."""
_MEANING = 0.7
"""Weight of the cosine in an item's score; the rest is the share of the query's words that it holds. Words find
codes and names that a sentence vector blurs."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search of items. `offset`: for callers that count; `cursor`: for those that page."""

    prefix: Sequence[str]
    query: str | None
    wanted: JsonObject | None
    limit: int
    offset: int = 0
    cursor: str | None = None
    field: str = ""
    """What an error calls the body."""

    @property
    def ranked(self) -> bool:
        return self.query is not None and bool(self.query.strip())


Shown = list[tuple[Row, float | None]]
"""Rows with their score in [-1, 1]: None without a query, and for items that are not indexed, which come last."""


async def find(
    request: Request, ctx: Context, scope: TenantScope, search_query: SearchQuery
) -> tuple[Shown, str | None]:
    """A page, and the cursor of the next. Raises OutOfScopeError, or ProblemError for a cursor of another search."""
    user = scope.user(owner_of(search_query.prefix)).owner.id if len(search_query.prefix) > 1 else None
    if search_query.cursor is not None and search_query.offset:
        raise invalid(f"{search_query.field}offset", "expected no offset with a cursor")
    reached = None if scope.users is None else sorted(scope.users)
    bound = question(scope.tenant, reached, list(search_query.prefix), search_query.query, search_query.wanted)
    if search_query.ranked:
        walk = Walk.resume(search_query.cursor, bound, f"{search_query.field}cursor")
        return await _by_meaning(request, ctx, scope, search_query, walk, user)
    return await _by_time(ctx, scope, search_query, bound.hex(), user)


async def _by_meaning(
    request: Request, ctx: Context, scope: TenantScope, search_query: SearchQuery, walk: Walk, user: str | None
) -> tuple[Shown, str | None]:
    rows = await items.below(ctx.db, scope, search_query.prefix, ctx.deps.clock(), MOST, searched=True, user=user)
    kept = [r for r in rows if store_filter.matches(r["value"], search_query.wanted) and not walk.has(r["record_id"])]
    if not kept:
        return [], None
    retriever: Retriever = request.app.state.retriever
    understood, model_id = await retriever.understood(search_query.query or "")
    end = search_query.offset + min(search_query.limit, walk.room)
    ranked = scored(kept, understood, model_id)
    # Who skips has not seen what was skipped, so its cursor would bring that first.
    page, more = ranked[search_query.offset : end], len(ranked) > end and not search_query.offset
    return page, walk.cursor(r["record_id"] for r, _ in page) if more else None


async def _by_time(
    ctx: Context, scope: TenantScope, search_query: SearchQuery, bound: str, user: str | None
) -> tuple[Shown, str | None]:
    parts = paging.load(search_query.cursor, str, datetime, str, field=f"{search_query.field}cursor")
    if parts is not None and parts[0] != bound:
        raise invalid(f"{search_query.field}cursor", "expected the cursor that a page of this search returned")
    after = None if parts is None else (parts[1], parts[2])
    most, skip = (MOST, 0) if search_query.wanted else (search_query.limit + 1, search_query.offset)
    rows = await items.below(
        ctx.db, scope, search_query.prefix, ctx.deps.clock(), most, skip=skip, user=user, after=after
    )
    kept = [r for r in rows if store_filter.matches(r["value"], search_query.wanted)]
    if search_query.wanted:
        kept = kept[search_query.offset :]
    page = kept[: search_query.limit]
    last = None
    if len(kept) > search_query.limit:
        last = page[-1]
    elif search_query.wanted and len(rows) == most:  # older ones were not looked at
        last = rows[-1]
    return [(r, None) for r in page], paging.dump(bound, last["known_at"], last["record_id"]) if last else None


def scored(rows: Sequence[Row], understood: Understood, model_id: str) -> list[tuple[Row, float | None]]:
    """Best first; equal scores and items without an index keep their order."""
    words = frozenset(understood.terms)
    out: list[tuple[Row, float | None]] = []
    for row in rows:
        vector = documents.vector(row, model_id, len(understood.plain))
        if vector is None and not row["terms"]:
            out.append((row, None))
            continue
        meaning = 0.0 if vector is None else float(np.dot(vector, understood.plain))
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
