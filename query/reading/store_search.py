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
from query.search.ranked_cursor import RankedCursor, question
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
class Asked:
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


async def find(request: Request, ctx: Context, scope: TenantScope, asked: Asked) -> tuple[Shown, str | None]:
    """A page, and the cursor of the next. Raises OutOfScopeError, or ProblemError for a cursor of another search."""
    user = scope.user(owner_of(asked.prefix)).owner.id if len(asked.prefix) > 1 else None
    if asked.cursor is not None and asked.offset:
        raise invalid(f"{asked.field}offset", "expected no offset with a cursor")
    reached = None if scope.users is None else sorted(scope.users)
    bound = question(scope.tenant, reached, list(asked.prefix), asked.query, asked.wanted)
    if asked.ranked:
        walk = RankedCursor.resume(asked.cursor, bound, f"{asked.field}cursor")
        return await _by_meaning(request, ctx, scope, asked, walk, user)
    return await _by_time(ctx, scope, asked, bound.hex(), user)


async def _by_meaning(
    request: Request, ctx: Context, scope: TenantScope, asked: Asked, walk: RankedCursor, user: str | None
) -> tuple[Shown, str | None]:
    rows = await items.below(ctx.db, scope, asked.prefix, ctx.deps.clock(), MOST, searched=True, user=user)
    kept = [r for r in rows if store_filter.matches(r["value"], asked.wanted) and not walk.has(r["record_id"])]
    if not kept:
        return [], None
    retriever: Retriever = request.app.state.retriever
    understood, model_id = await retriever.understood(asked.query or "")
    end = asked.offset + min(asked.limit, walk.room)
    ranked = scored(kept, understood, model_id)
    # Who skips has not seen what was skipped, so its cursor would bring that first.
    page, more = ranked[asked.offset : end], len(ranked) > end and not asked.offset
    return page, walk.cursor(r["record_id"] for r, _ in page) if more else None


async def _by_time(
    ctx: Context, scope: TenantScope, asked: Asked, bound: str, user: str | None
) -> tuple[Shown, str | None]:
    parts = paging.load(asked.cursor, str, datetime, str, field=f"{asked.field}cursor")
    if parts is not None and parts[0] != bound:
        raise invalid(f"{asked.field}cursor", "expected the cursor that a page of this search returned")
    after = None if parts is None else (parts[1], parts[2])
    most, skip = (MOST, 0) if asked.wanted else (asked.limit + 1, asked.offset)
    rows = await items.below(ctx.db, scope, asked.prefix, ctx.deps.clock(), most, skip=skip, user=user, after=after)
    kept = [r for r in rows if store_filter.matches(r["value"], asked.wanted)]
    if asked.wanted:
        kept = kept[asked.offset :]
    page = kept[: asked.limit]
    last = None
    if len(kept) > asked.limit:
        last = page[-1]
    elif asked.wanted and len(rows) == most:  # older ones were not looked at
        last = rows[-1]
    return [(r, None) for r in page], paging.dump(bound, last["known_at"], last["record_id"]) if last else None


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
