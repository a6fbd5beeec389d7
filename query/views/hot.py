"""Hot memory of a project (A3): the rows, or only what confirms a snapshot of them."""

from __future__ import annotations

from query.views.db import Database, OwnerStatement, Row
from query.views.sealed import sealed_columns
from schemas.events.memory import MemoryUpdate
from schemas.security.scope import OwnerScope

_WHERE = """FROM {v}.memories WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s
    AND kind = 'hot' AND state IN ('active', 'observed') AND NOT deleted"""
_ROWS = OwnerStatement(
    f"""SELECT record_id, revision, state, deleted, category, key, value, priority, known_at, user_id, reason,
    conflicts_with, sources, {sealed_columns(MemoryUpdate)} {_WHERE}"""
)
_REVISIONS = OwnerStatement(f"SELECT record_id, revision {_WHERE}")
_PROJECTS = OwnerStatement(
    """SELECT DISTINCT project_id FROM {v}.memories
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND NOT deleted
      AND project_id IS NOT NULL AND (kind = 'hot' OR record_id = %(record_id)s) ORDER BY project_id LIMIT 100"""
)


async def rows(db: Database, scope: OwnerScope) -> list[Row]:
    return await db.of_owner(scope, _ROWS)


async def revisions(db: Database, scope: OwnerScope) -> dict[str, int]:
    return {r["record_id"]: r["revision"] for r in await db.of_owner(scope, _REVISIONS)}


async def projects(db: Database, scope: OwnerScope, record_id: str) -> tuple[str, ...]:
    """Projects that may show a memory of a user: those with entries of the user's, and its own."""
    found = await db.of_owner(scope, _PROJECTS, record_id=record_id)
    return tuple(r["project_id"] for r in found)
