"""What the operators' page asks of Postgres: counts of the system; sessions of a tenant; one user's memory in time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from query.views.db import Database, OwnerStatement, Row, SystemStatement, TenantStatement
from query.views.sealed import sealed_columns
from schemas.events.memory import Decision
from schemas.security.scope import OwnerScope, TenantScope

_MINUTES = SystemStatement(
    """SELECT date_trunc('minute', accepted_at) AS minute, gate, outcome, count(*) AS n FROM {v}.decisions
    WHERE accepted_at >= %(since)s GROUP BY 1, 2, 3"""
)
_SESSIONS = TenantStatement(
    """SELECT count(*) AS total, count(*) FILTER (WHERE updated_at > now() - interval '30 minutes') AS active,
        count(*) FILTER (WHERE mode = 'SUMMARY_N') AS summarised,
        coalesce(max(segment_tokens), 0) AS most_tokens
    FROM {v}.sessions WHERE tenant = %(tenant)s AND updated_at > now() - interval '24 hours'"""
)
_NEWEST = TenantStatement(
    """SELECT session_id, status, mode, turn_count, segment_tokens, updated_at FROM {v}.sessions
    WHERE tenant = %(tenant)s AND updated_at > now() - interval '24 hours' ORDER BY updated_at DESC LIMIT %(limit)s"""
)
_CHECKPOINTS = TenantStatement(
    """SELECT count(*) AS day, count(*) FILTER (WHERE created_at > now() - interval '1 hour') AS hour,
        count(*) FILTER (WHERE extractive) AS extractive
    FROM {v}.checkpoints WHERE tenant = %(tenant)s AND created_at > now() - interval '24 hours'"""
)
_TIMELINE = OwnerStatement(
    f"""SELECT accepted_at AS at, outcome, gate, rule, score, kind, field, text, value, record_id, version, turn_id,
        decision_id, {sealed_columns(Decision)}
    FROM {{v}}.decisions
    WHERE tenant = %(tenant)s AND owner_id = %(owner_id)s AND owner_kind = %(owner_kind)s
        AND (%(before)s::timestamptz IS NULL OR (accepted_at, decision_id) < (%(before)s, %(before_id)s))
    ORDER BY accepted_at DESC, decision_id DESC LIMIT %(limit)s"""  # noqa: S608 - constants
)


async def gate_minutes(db: Database, since: datetime) -> dict[datetime, dict[tuple[str, str], int]]:
    """Minute of acceptance -> (gate, outcome) -> decisions, from `since` on."""
    out: dict[datetime, dict[tuple[str, str], int]] = {}
    for row in await db.of_system(_MINUTES, since=since):
        out.setdefault(row["minute"], {})[row["gate"], row["outcome"]] = row["n"]
    return out


async def sessions(db: Database, scope: TenantScope, limit: int) -> dict[str, Any]:
    """Counts of the last day, and the newest sessions, without who is in them."""
    (counts,) = await db.of_tenant(scope, _SESSIONS)
    (checkpoints,) = await db.of_tenant(scope, _CHECKPOINTS)
    newest = await db.of_tenant(scope, _NEWEST, limit=limit)
    return {**counts, "checkpoints": checkpoints, "newest": newest}


async def timeline(
    db: Database, scope: OwnerScope, limit: int, before: datetime | None, before_id: str | None
) -> list[Row]:
    """What the gates decided of a user, newest first."""
    return await db.of_owner(scope, _TIMELINE, limit=limit, before=before, before_id=before_id)
