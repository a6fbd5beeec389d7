"""What operations ask of Postgres: counts and digests, never content."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from query.log_epochs import LostOffsets
from query.pipeline.state import Stopped
from query.views.db import Database, SystemStatement
from schemas.storage.suspects import GIVEN_UP_BY_HAND, KEPT_DAYS, MOST_TIMES

_HEARTBEATS = SystemStatement(
    "SELECT process, at, stats FROM ops.heartbeats WHERE at > now() - make_interval(secs => %(seconds)s)",
    shared=True,
)
_ERASURES = SystemStatement(
    """SELECT count(*) AS pending, coalesce(extract(epoch FROM now() - min(started_at)), 0)::float8 AS oldest
    FROM trust.erasures WHERE state = 'under_way'"""
)
_STOPPED = SystemStatement(
    """SELECT s.step, s.partition, s.record_offset, s.times FROM stream.suspects s
    LEFT JOIN stream.positions p ON p.step = s.step AND p.partition = s.partition
    WHERE s.times >= %(most)s AND s.times < %(by_hand)s
        AND s.noted_at > now() - make_interval(days => %(days)s) AND s.record_offset >= coalesce(p.next_offset, 0)
    ORDER BY s.step, s.partition, s.record_offset LIMIT 100"""
)

_LOSSES = SystemStatement(
    """SELECT topic, partition, first_offset, next_offset FROM ops.log_losses
    WHERE at > now() - make_interval(days => %(days)s) ORDER BY at DESC LIMIT 10000"""
)
LOSSES_DAYS = 7
"""For which a token that names no leader is not believed of a partition that lost something."""


async def heartbeats(db: Database, seconds: float) -> dict[str, tuple[datetime, Any]]:
    """What each process said of itself within the last `seconds`."""
    rows = await db.of_system(_HEARTBEATS, seconds=seconds)
    return {r["process"]: (r["at"], r["stats"]) for r in rows}


async def erasures_pending(db: Database) -> tuple[int, float]:
    """How many are not done, and the age of the oldest in seconds. (Not by its cut-off, which may lie ahead.)"""
    (row,) = await db.of_system(_ERASURES)
    return row["pending"], max(0.0, row["oldest"])


async def losses(db: Database) -> list[LostOffsets]:
    """What recovery found the logs to have lost."""
    rows = await db.of_system(_LOSSES, days=LOSSES_DAYS)
    return [LostOffsets((r["topic"], r["partition"]), r["first_offset"], r["next_offset"]) for r in rows]


async def stopped(db: Database) -> list[Stopped]:
    """Where steps are stopped before what hung alone twice or more and is never given up. What is given up is here
    until it is a dead letter, a moment later."""
    rows = await db.of_system(_STOPPED, most=MOST_TIMES, by_hand=GIVEN_UP_BY_HAND, days=KEPT_DAYS)
    return [Stopped(r["step"], r["partition"], r["record_offset"], r["times"]) for r in rows]
