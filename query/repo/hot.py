"""Hot memory of a project (A3): the rows, or only what confirms a snapshot of them."""

from __future__ import annotations

from query.repo.db import Database, OwnerStatement, Row
from schemas.scope import OwnerScope

_WHERE = """FROM {v}.memories WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s
    AND kind = 'hot' AND state = 'active' AND NOT deleted"""
_ROWS = OwnerStatement(
    f"""SELECT record_id, revision, state, deleted, category, key, value, priority, known_at, sources, text,
    sealed, sealed_for {_WHERE}"""
)
_REVISIONS = OwnerStatement(f"SELECT record_id, revision {_WHERE}")


async def rows(db: Database, scope: OwnerScope) -> list[Row]:
    return await db.of_owner(scope, _ROWS)


async def revisions(db: Database, scope: OwnerScope) -> dict[str, int]:
    return {r["record_id"]: r["revision"] for r in await db.of_owner(scope, _REVISIONS)}
