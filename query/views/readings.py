"""Readings of a user in the memory view: every version of the facts that fill fields of the catalogue (C6, N8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Database, OwnerStatement, Row
from query.views.memories import COLUMNS, LIVING
from schemas.security.scope import OwnerScope

MANY = 2_000
"""Readings of one user that are looked at: the newest."""
_READ = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s AND NOT deleted
      AND kind = 'fact' AND scope = 'global' AND state IN ('active', 'superseded') AND {LIVING}
      AND (field = ANY(%(names)s) OR fields && %(names)s)
    ORDER BY COALESCE(valid_from, occurred_at) DESC, known_at DESC, record_id, version DESC
    LIMIT %(limit)s"""  # noqa: S608 - constants
)


async def of_fields(db: Database, scope: OwnerScope, names: Sequence[str], now: datetime) -> list[Row]:
    """Newest first, by the time from which they hold."""
    return await db.of_owner(scope, _READ, names=list(names), now=now, limit=MANY) if names else []
