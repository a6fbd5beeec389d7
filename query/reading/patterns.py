"""Habits of a user (C5): `GET /v1/users/{id}/patterns?action=&at=`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query

from processors.memory.habits.patterns import TIMES, compare
from processors.memory.habits.wording import PART, PHRASE, SLOT
from query.auth.boundary import Reader
from query.body import Route
from query.freshness import Freshness
from query.reading.common import Ctx, PathId, source_turn_ids
from query.views import memories
from query.views.db import Row
from schemas.base import CleanText, Timestamp

router = APIRouter(route_class=Route, tags=["reading"])
MANY = 200
"""More than a user's state can hold."""


@router.get("/v1/users/{user_id}/patterns")
async def get_patterns(
    user_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    action: Annotated[CleanText | None, Query(max_length=100)] = None,
    at: Annotated[Timestamp | None, Query()] = None,
    observed: bool = False,
) -> dict[str, Any]:
    """Habits with support and confidence, the surest first. `action` leaves its own; `at` (now, if not said) adds to
    each time habit how that moment lies to it: "usually at 08:00, now 08:30". With `observed` also those whose
    confidence is not yet, or no longer, above 0.7."""
    owner = scope.user(user_id)
    ahead = ctx.deps.profile_of(scope.tenant).habits.times
    await fresh.wait("memories")
    now = ctx.deps.clock()
    rows = await memories.listed(ctx.db, owner, ("pattern",), "active", now, MANY, memories.After())
    if observed:
        rows += await memories.listed(ctx.db, owner, ("pattern",), "observed", now, MANY, memories.After())
    wanted = [r for r in rows if action is None or _of_action(r, action)]
    ranked = sorted(wanted, key=lambda r: (-float(r["confidence"]), r["key"] or ""))
    ctx.saw(owner, [r["record_id"] for r in ranked])
    return {"patterns": [pattern(r, at or now, ahead) for r in ranked]}


def _of_action(row: Row, action: str) -> bool:
    value = row["value"] if isinstance(row["value"], dict) else {}
    keys = (action, PHRASE + action, SLOT + action, PART + action)
    return value.get("action") == action or value.get("key") in keys


def pattern(row: Row, at: Any, ahead: Collection[str] = ()) -> dict[str, Any]:
    """`ahead`: the profile's keys of times of something to come, which is never overdue."""
    value: Mapping[str, Any] = row["value"] if isinstance(row["value"], dict) else {}
    fields = {
        "id": row["record_id"],
        "pattern": row["key"],
        "state": row["state"],
        "text": row["text"],
        "support": value.get("support"),
        "confidence": float(row["confidence"]),
        **{k: v for k, v in value.items() if k not in ("support", "confidence")},
        "updated_at": row["known_at"],
        "source_turn_ids": source_turn_ids(row),
    }
    if not _timed(value):
        return fields
    lies = compare(value, at)
    return {**fields, "at": {**lies, "overdue": lies["overdue"] and value.get("action") not in ahead}}


def _timed(value: Mapping[str, Any]) -> bool:
    """Whether it is a time habit with all that a moment is compared with; records of older versions may lack some."""
    return value.get("type") == "time" and value.keys() >= TIMES
