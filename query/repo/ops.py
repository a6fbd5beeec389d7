"""What operations ask of Postgres: counts and digests, never content."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from query.repo.db import Database, SystemStatement

_HEARTBEATS = SystemStatement(
    "SELECT process, at, stats FROM ops.heartbeats WHERE at > now() - make_interval(secs => %(seconds)s)"
)
_OUTCOMES = SystemStatement(
    """SELECT gate, outcome, count(*) AS n FROM {v}.decisions
    WHERE accepted_at > now() - interval '1 hour' GROUP BY gate, outcome"""
)


async def heartbeats(db: Database, seconds: float) -> dict[str, tuple[datetime, Any]]:
    """What each process said of itself within the last `seconds`."""
    rows = await db.of_system(_HEARTBEATS, seconds=seconds)
    return {r["process"]: (r["at"], r["stats"]) for r in rows}


async def gate_outcomes(db: Database) -> dict[str, dict[str, int]]:
    """Gate -> outcome -> decisions of the last hour."""
    out: dict[str, dict[str, int]] = {}
    for row in await db.of_system(_OUTCOMES):
        out.setdefault(row["gate"], {})[row["outcome"]] = row["n"]
    return out
