"""A user as a whole: profile and preferences (B6, D9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from query.auth.boundary import Reader
from query.body import Route
from query.errors import invalid
from query.freshness import Freshness
from query.reading import profile_rows, profile_view
from query.reading.common import AsOf, Context, Ctx, PathId, memory
from query.views import memories, structured
from query.views.db import Row
from query.views.temporal_values import without_overtaken
from schemas.base import Id
from schemas.events.memory import PROJECT_SCOPE
from schemas.security.scope import OwnerScope

router = APIRouter(route_class=Route, tags=["reading"])
_SOURCE_ORDER = {"explicit": 0, "confirmed": 1, "inferred": 2}
MANY = 2_000
"""Standing facts and preferences of one user that are read at once; where there are more, further reads follow."""
_STATED = ("fact", "preference", "intent")


async def current_rows(
    ctx: Context, owner: OwnerScope, kinds: Sequence[str], as_of: datetime | None = None
) -> list[Row]:
    """What stands for an owner now, or stood at a time; newest known first. All of it: `bounds.memories` bounds it."""
    now, after, rows = ctx.deps.clock(), memories.After(), list[Row]()
    while True:
        if as_of is not None:
            page = await memories.as_of(ctx.db, owner, kinds, as_of, MANY, after)
        else:
            page = await memories.listed(ctx.db, owner, kinds, "active", now, MANY, after)
        rows += page
        if len(page) < MANY:
            return rows if as_of is None else without_overtaken(rows)
        after = memories.After(page[-1]["known_at"], page[-1]["record_id"], page[-1]["version"])


@router.get("/v1/users/{user_id}/profile")
async def get_profile(
    user_id: PathId, scope: Reader, fresh: Freshness, ctx: Ctx, as_of: AsOf = None
) -> dict[str, Any]:
    """The structured profile over the configured catalogue, which of its fields were said as about that much
    (`approximate`), how complete it is, and a narrative."""
    owner = scope.user(user_id)
    await fresh.wait("memories")
    # A kept narrative tells of now: what was true at a time is worded from what stood then (N8).
    rows = await current_rows(ctx, owner, _STATED if as_of else (*_STATED, "profile"), as_of)
    tables = [] if as_of else profile_rows.tables_of(ctx.deps.profile_of(scope.tenant))
    table_rows = [r for t in tables for r in await structured.rows(ctx.db, owner, t.name, ctx.deps.clock(), 1)]
    ctx.saw(owner, [r["record_id"] for r in (*rows, *table_rows)])
    return profile_answer(ctx, scope.tenant, rows, table_rows)


def profile_answer(ctx: Context, tenant: str, rows: Sequence[Row], table_rows: Sequence[Row] = ()) -> dict[str, Any]:
    """`table_rows`: the user's rows of structured tables."""
    profile = ctx.deps.profile_of(tenant)
    # What holds in one project only says nothing of the user as a whole.
    stated = profile_view.of_the_user([r for r in rows if r["kind"] != "profile"])
    kept = next((r for r in rows if r["kind"] == "profile"), None)
    values = {**profile_view.values_by_field(stated), **profile_view.by_project(profile, rows)}
    answer = profile_view.build(profile, profile_rows.over(profile, values, table_rows))
    text, author = profile_view.narrative_of(profile, stated, kept)
    vague = profile_view.vague(profile, stated)
    return {**answer, "approximate": vague, "narrative_summary": text, "narrative_written_by": author}


@router.get("/v1/users/{user_id}/preferences")
async def get_preferences(
    user_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    in_scope: Annotated[Id | None, Query(alias="scope")] = None,
    as_of: AsOf = None,
) -> dict[str, Any]:
    """Preferences in the order in which they win; `effective` is the one that holds for its key."""
    owner = scope.user(user_id)
    if in_scope == PROJECT_SCOPE:  # no memory's: of all projects, it would show the global ones alone
        raise invalid("scope", "expected global, or the id of a project or other scope")
    await fresh.wait("memories")
    rows = await current_rows(ctx, owner, ("preference",), as_of)
    ctx.saw(owner, [r["record_id"] for r in rows])
    return {"preferences": ordered(rows, in_scope)}


def ordered(rows: Sequence[Row], in_scope: str | None) -> list[dict[str, Any]]:
    """The scope's own before global ones, then explicit, confirmed, inferred, then newest (D9). Other scopes are
    left out where one is asked for."""
    rows_in_scope = [r for r in rows if in_scope is None or r["scope"] in (in_scope, "global")]
    ranked = sorted(
        rows_in_scope,
        key=lambda r: (r["scope"] == "global", _SOURCE_ORDER[r["source"]], -r["known_at"].timestamp(), r["record_id"]),
    )
    seen: set[tuple[str, str]] = set()
    out = []
    for row in ranked:
        name = row["field"] or row["record_id"]
        place = (name, "" if in_scope is not None else row["scope"])
        out.append({**memory(row), "key": row["field"], "effective": place not in seen})
        seen.add(place)
    return out
