"""Rows of structured tables in the memory view: records of kind `table` (C2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Database, OwnerStatement, Row
from query.views.memories import COLUMNS
from schemas.security.scope import OwnerScope

_CURRENT = """tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s AND NOT deleted
    AND kind = 'table' AND state = 'active' AND category = %(name)s
    AND (expires_at IS NULL OR expires_at > %(now)s)"""
_ROWS = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories WHERE {_CURRENT}
      AND (%(after_at)s::timestamptz IS NULL OR occurred_at < %(after_at)s
        OR (occurred_at = %(after_at)s AND record_id > %(after_id)s))
    ORDER BY occurred_at DESC, record_id LIMIT %(limit)s OFFSET %(offset)s"""  # noqa: S608 - constants
)
_BY_KEYS = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories WHERE {_CURRENT} AND key = ANY(%(keys)s)"""  # noqa: S608 - constants
)


async def rows(
    db: Database, scope: OwnerScope, table: str, now: datetime, limit: int, offset: int = 0,
    after: tuple[datetime, str] | None = None,
) -> list[Row]:  # fmt: skip
    """Newest first, by the time that the row is of. `after`: beyond the row of that time, with that record id."""
    at, record_id = after or (None, None)
    return await db.of_owner(
        scope, _ROWS, name=table, now=now, limit=limit, offset=offset, after_at=at, after_id=record_id
    )


async def by_keys(db: Database, scope: OwnerScope, table: str, keys: Sequence[str], now: datetime) -> list[Row]:
    return await db.of_owner(scope, _BY_KEYS, name=table, keys=list(keys), now=now) if keys else []


async def row(db: Database, scope: OwnerScope, table: str, key: str, now: datetime) -> Row | None:
    found = await by_keys(db, scope, table, [key], now)
    return found[0] if found else None
