"""What is kept for how long (C6, C8): counts by class, and kept feedback."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Database, OwnerStatement, Row, TenantStatement
from query.views.memories import COLUMNS, After
from query.views.sealed import sealed_columns
from schemas.events.memory import MemoryUpdate
from schemas.security.scope import OwnerScope, TenantScope

_FEEDBACK = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s AND NOT deleted
      AND kind = 'feedback' AND state = 'active' AND (expires_at IS NULL OR expires_at > %(now)s)
      AND (%(about)s::text IS NULL OR category = %(about)s)
      AND (%(after_at)s::timestamptz IS NULL
        OR (known_at, record_id, version) < (%(after_at)s, %(after_id)s, %(after_version)s))
    ORDER BY known_at DESC, record_id DESC, version DESC LIMIT %(limit)s"""  # noqa: S608 - constants
)
_FEEDBACK_OF_ALL = TenantStatement(
    f"""SELECT record_id, owner_id, category, text, value, attributes, known_at,
      {sealed_columns(MemoryUpdate)}
    FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND owner_kind = 'user' AND NOT deleted AND kind = 'feedback' AND state = 'active'
      AND (expires_at IS NULL OR expires_at > %(now)s) AND known_at >= %(since)s
      AND (%(about)s::text IS NULL OR category = %(about)s)
    ORDER BY known_at DESC, record_id LIMIT %(limit)s"""  # noqa: S608 - constants
)
_HELD = TenantStatement(
    """SELECT CASE WHEN cardinality(namespace) > 0 THEN namespace[1] ELSE kind END AS class,
      count(*) FILTER (WHERE state IN ('active', 'observed')) AS standing,
      count(*) FILTER (WHERE state = 'archived') AS archived,
      min(expires_at) FILTER (WHERE state <> 'archived') AS next_expiry
    FROM {v}.memories WHERE tenant = %(tenant)s AND owner_kind = 'user' AND NOT deleted GROUP BY 1"""
)
_ENDED = TenantStatement(
    """SELECT kind, rule, count(*) AS count, max(accepted_at) AS last FROM {v}.decisions
    WHERE tenant = %(tenant)s AND gate = 'retention' AND outcome = 'retired' GROUP BY 1, 2 ORDER BY 1, 2"""
)
_ARCHIVED = OwnerStatement(
    f"""SELECT {COLUMNS} FROM (
      SELECT m.* FROM {{v}}.archive a, jsonb_populate_record(NULL::{{v}}.memories, a.record) AS m
      WHERE a.tenant = %(tenant)s AND a.owner_kind = %(owner_kind)s AND a.owner_id = %(owner_id)s
        AND a.kind = ANY(%(kinds)s)
        AND (m.tenant, m.owner_kind, m.owner_id, m.record_id, m.version)
          = (a.tenant, a.owner_kind, a.owner_id, a.record_id, a.version)
        AND (%(after_at)s::timestamptz IS NULL
          OR (a.known_at, a.record_id, a.version) < (%(after_at)s, %(after_id)s, %(after_version)s))
      ORDER BY a.known_at DESC, a.record_id DESC, a.version DESC LIMIT %(limit)s) AS found"""  # noqa: S608 - constants
)
_TURNS = TenantStatement(
    """SELECT count(*) AS held, min(expires_at) AS next_expiry FROM {v}.turns WHERE tenant = %(tenant)s"""
)


async def feedback(
    db: Database, scope: OwnerScope, about: str | None, now: datetime, limit: int, after: After
) -> list[Row]:
    return await db.of_owner(
        scope, _FEEDBACK, about=about, now=now, limit=limit, after_at=after.at, after_id=after.record_id,
        after_version=after.version,
    )  # fmt: skip


async def feedback_of_all(
    db: Database, scope: TenantScope, about: str | None, since: datetime, now: datetime, limit: int
) -> list[Row]:
    """Kept feedback of the tenant's users, the newest first."""
    return await db.of_tenant(scope, _FEEDBACK_OF_ALL, about=about, since=since, now=now, limit=limit)


async def archived(db: Database, scope: OwnerScope, kinds: Sequence[str], limit: int, after: After) -> list[Row]:
    """What left the views of an owner for the archive, newest known first; `expires_at`: when its class ended it."""
    return await db.of_owner(
        scope, _ARCHIVED, kinds=list(kinds), limit=limit, after_at=after.at, after_id=after.record_id,
        after_version=after.version,
    )  # fmt: skip


async def held(db: Database, scope: TenantScope) -> list[Row]:
    """Standing and archived records of the tenant's users by class, and when the next one ends."""
    return await db.of_tenant(scope, _HELD)


async def ended(db: Database, scope: TenantScope) -> list[Row]:
    """What retention ended, as far back as decisions are kept."""
    return await db.of_tenant(scope, _ENDED)


async def turns(db: Database, scope: TenantScope) -> Row:
    return (await db.of_tenant(scope, _TURNS))[0]
