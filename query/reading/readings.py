"""Readings of a user over time (C6): `GET /v1/users/{id}/readings?field=&limit=`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from query.auth.boundary import Reader
from query.body import Route
from query.errors import invalid
from query.freshness import Freshness
from query.reading import profile_rows
from query.reading.common import Context, Ctx, PathId, source_turn_ids
from query.reading.reading_verdicts import Against, Judged, baselines_of, fields_read, judged, readings, usual_of
from query.views import memories, structured
from query.views import readings as view
from query.views.db import Row
from schemas.base import Id
from schemas.profile.model import FieldSpec, Profile
from schemas.security.scope import OwnerScope

router = APIRouter(route_class=Route, tags=["reading"])


@router.get("/v1/users/{user_id}/readings")
async def get_readings(
    user_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    field: Annotated[Id | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> dict[str, Any]:
    """Readings of the fields that the profile measures, the newest first: each with how it lies to what is usual for
    the user, as it was stated (`baseline`), and to the median of up to 10 readings before it (`history`). `verdict`
    is that of the baseline, else of the history, null where there is neither. `field` leaves its own."""
    owner = scope.user(user_id)
    profile = ctx.deps.profile_of(scope.tenant)
    measured = fields_read(profile)
    wanted = [f for f in measured if field is None or f.name == field]
    if field is not None and not wanted:
        raise invalid("field", f"expected one of: {', '.join(f.name for f in measured)}")
    await fresh.wait("memories")
    now = ctx.deps.clock()
    rows = await view.of_fields(ctx.db, owner, [f.name for f in wanted], now)
    usual = await _usual(ctx, owner, profile, wanted, now)
    found = [(f, j) for f in wanted for j in _of_field(f, rows, usual)]
    found.sort(key=lambda p: p[1].reading.at, reverse=True)
    shown = found[:limit]
    ctx.saw(owner, list(dict.fromkeys(j.reading.row["record_id"] for _, j in shown)))
    return {"readings": [_reading_fields(f, j) for f, j in shown]}


async def _usual(
    ctx: Context, owner: OwnerScope, profile: Profile, wanted: list[FieldSpec], now: datetime
) -> dict[str, Any]:
    """Field -> what stands for it, however many readings there are since: as it was said, or written into a structured
    table."""
    tables = profile_rows.tables_of(profile)
    written = [r for t in tables for r in await structured.rows(ctx.db, owner, t.name, now, 1)]
    names = baselines_of(wanted)
    stated = await memories.current_of_fields(ctx.db, owner, names, now) if names else []
    return usual_of(profile, [r for r in stated if r["scope"] == "global"], written)


def _of_field(spec: FieldSpec, rows: list[Row], usual: dict[str, Any]) -> list[Judged]:
    if spec.reading is None:
        return []
    baseline = None if spec.reading.baseline is None else usual.get(spec.reading.baseline)
    return list(judged(spec.reading, readings(rows, spec.name), baseline))


def _reading_fields(spec: FieldSpec, j: Judged) -> dict[str, Any]:
    row = j.reading.row
    return {
        "id": row["record_id"],
        "version": row["version"],
        "field": spec.name,
        "label": spec.label,
        "unit": spec.unit,
        "value": values_in_unit(j.reading.value),
        "approximate": row["approximate"],
        "at": j.reading.at,
        "text": row["text"],
        "verdict": j.verdict,
        "baseline": _against(j.baseline),
        "history": _against(j.history),
        "source_turn_ids": source_turn_ids(row),
    }


def values_in_unit(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _against(a: Against | None) -> dict[str, Any] | None:
    if a is None:
        return None
    fields = {"usual": values_in_unit(a.usual), "difference": values_in_unit(a.difference), "verdict": a.verdict}
    return fields if a.count is None else {**fields, "count": a.count}
