"""Feedback that was kept (C6), and what retention holds and ends (C8)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from query import paging
from query.auth.boundary import Operator, Reader
from query.body import Route
from query.freshness import Freshness
from query.reading.common import Ctx, PathId
from query.reading.complaints import MOST, MOST_FUNCTIONS, by_function
from query.views import retention
from query.views.db import Row

router = APIRouter(route_class=Route, tags=["reading"])
About = Literal["answer", "function", "performance", "suggestion", "bug"]


@router.get("/v1/users/{user_id}/feedback")
async def list_feedback(
    user_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    about: Annotated[About | None, Query()] = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Ratings, suggestions and bug reports of a user, the newest first."""
    owner = scope.user(user_id)
    after = paging.after(cursor)
    await fresh.wait("memories")
    rows = await retention.feedback(ctx.db, owner, about, ctx.deps.clock(), limit + 1, after)
    ctx.saw(owner, [r["record_id"] for r in rows[:limit]])
    last = rows[limit - 1] if len(rows) > limit else None
    more = paging.dump(last["known_at"], last["record_id"], last["version"]) if last else None
    return {"feedback": [_feedback_fields(r) for r in rows[:limit]], "cursor": more}


@router.get("/v1/feedback/summary")
async def summarize_feedback(
    scope: Operator,
    ctx: Ctx,
    about: Annotated[About | None, Query()] = None,
    days: Annotated[int, Query(ge=1, le=730)] = 90,
) -> dict[str, Any]:
    """Feedback of all users of the last `days`, by what it is about and by function, the most complained of first: how
    many ratings of each kind, the mean score, and the words that at least three users have in their complaints.
    Counts only, of the caller's tenant: nobody is named, and no word of a comment is shown that one user alone said.
    `feature` is what the application named it. `truncated`: of the newest 10,000, or the first 200 functions."""
    since = ctx.deps.clock() - timedelta(days=days)
    rows = await retention.feedback_of_all(ctx.db, scope, about, since, ctx.deps.clock(), MOST + 1)
    given = rows[:MOST]
    ctx.saw(scope)
    functions = await asyncio.to_thread(by_function, given)
    return {
        "since": since,
        "count": len(given),
        "users": len({r["owner_id"] for r in given}),
        "truncated": len(rows) > MOST or len(functions) > MOST_FUNCTIONS,
        "functions": functions[:MOST_FUNCTIONS],
    }


def _feedback_fields(row: Row) -> dict[str, Any]:
    value = row["value"] if isinstance(row["value"], dict) else {}
    return {
        "id": row["record_id"],
        **value,
        "about": row["category"],
        "comment": row["text"] or None,
        "created_at": row["known_at"],
        "expires_at": row["expires_at"],
    }


@router.get("/v1/retention")
async def get_retention(scope: Operator, ctx: Ctx) -> dict[str, Any]:
    """Per class of the profile: days, what becomes of it, how many records are active and archived, when the next one
    ends, and how many ended in the last 14 days. Counts only, of the caller's tenant."""
    profile = ctx.deps.profile_of(scope.tenant)
    spec = profile.retention
    held = {r["class"]: r for r in await retention.held(ctx.db, scope)}
    ended = await retention.ended(ctx.db, scope)
    classes = []
    for name in sorted({*spec.classes, *held}):
        row = held.get(name)
        classes.append(
            {
                "class": name,
                "days": spec.classes.get(name),
                "on_expiry": spec.on_expiry.get(name, "delete") if name in spec.classes else None,
                "standing": row["standing"] if row else 0,
                "archived": row["archived"] if row else 0,
                "next_expiry": row["next_expiry"] if row else None,
            }
        )
    return {
        "profile": profile.name,
        "profile_version": profile.version,
        "turns_days": spec.turns_days,
        "turns": await retention.turns(ctx.db, scope),
        "classes": classes,
        "ended": [{"kind": r["kind"], "rule": r["rule"], "count": r["count"], "last": r["last"]} for r in ended],
    }
