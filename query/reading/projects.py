"""A project's shared memory: hot memory and weekly reports (A3, A5, A6)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.freshness import Freshness
from query.reading import hot
from query.reading.common import Ctx, PathId, source_turn_ids
from query.views import memories
from query.views.db import Row

router = APIRouter(route_class=Route, tags=["reading"])

@router.get("/v1/projects/{project_id}/hot-memory")
async def get_hot(project_id: PathId, scope: Reader, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """Grouped; in each group the highest priority first, then the newest."""
    owner = scope.project(project_id)
    await fresh.wait("projects")
    groups, degraded = await hot.load(ctx, owner)
    ctx.saw(owner)
    return {"project_id": project_id, **groups, **({"degraded": degraded} if degraded else {})}


@router.get("/v1/projects/{project_id}/reports")
async def list_reports(
    project_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    limit: paging.Limit = 20,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Weekly reports, the last written first."""
    owner = scope.project(project_id)
    after = paging.after(cursor)
    await fresh.wait("projects")
    rows = await memories.listed(ctx.db, owner, ("report",), "active", ctx.deps.clock(), limit + 1, after)
    last = rows[limit - 1] if len(rows) > limit else None
    more = paging.dump(last["known_at"], last["record_id"], last["version"]) if last else None
    ctx.saw(owner, [r["record_id"] for r in rows[:limit]])
    return {"reports": [report(r) for r in rows[:limit]], "cursor": more}


def report(row: Row) -> dict[str, Any]:
    """A week: Markdown summary, and what was counted."""
    value = row["value"] if isinstance(row["value"], dict) else {}
    fields = {**row["attributes"], **value}
    return {
        "id": row["record_id"],
        "week_start": fields.get("week_start", row["key"]),
        "week_end": fields.get("week_end"),
        "summary": row["text"],
        "key_events": fields.get("key_events", []),
        "decisions": fields.get("decisions", []),
        "open_tasks": fields.get("open_tasks", []),
        "problems": fields.get("problems", []),
        "figures": fields.get("figures", []),
        "metrics": fields.get("metrics", {}),
        "revision": row["revision"],
        "updated_at": row["known_at"],
        "source_turn_ids": source_turn_ids(row),
    }
