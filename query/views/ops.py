"""What operations ask of Postgres: counts and digests, never content."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from query.views.db import Database, SystemStatement

_HEARTBEATS = SystemStatement(
    "SELECT process, at, stats FROM ops.heartbeats WHERE at > now() - make_interval(secs => %(seconds)s)",
    shared=True,
)
_ERASURES = SystemStatement(
    """SELECT count(*) AS pending, coalesce(extract(epoch FROM now() - min(started_at)), 0)::float8 AS oldest
    FROM trust.erasures WHERE state = 'under_way'"""
)


async def heartbeats(db: Database, seconds: float) -> dict[str, tuple[datetime, Any]]:
    """What each process said of itself within the last `seconds`."""
    rows = await db.of_system(_HEARTBEATS, seconds=seconds)
    return {r["process"]: (r["at"], r["stats"]) for r in rows}


async def erasures_pending(db: Database) -> tuple[int, float]:
    """How many are not done, and the age of the oldest in seconds. (Not by its cut-off, which may lie ahead.)"""
    (row,) = await db.of_system(_ERASURES)
    return row["pending"], max(0.0, row["oldest"])
