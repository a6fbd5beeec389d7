"""Store items below a namespace prefix (C1), with what a search of them needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Database, Row, TenantStatement
from query.views.memories import PLACED
from query.views.sealed import sealed_columns
from schemas.events.memory import MemoryUpdate
from schemas.security.scope import TenantScope

_COLUMNS = f"""record_id, owner_id, namespace, key, value, attributes, occurred_at, known_at, last_accessed_at,
    expires_at, {sealed_columns(MemoryUpdate)}"""
_WHERE = f"""tenant = %(tenant)s AND {PLACED} AND state = 'active' AND NOT deleted
    AND (expires_at IS NULL OR expires_at > %(now)s)
    AND owner_kind = 'user' AND (%(users)s::text[] IS NULL OR owner_id = ANY(%(users)s))"""
_BELOW = f"""{_WHERE} AND namespace[1:cardinality(%(prefix)s::text[])] = %(prefix)s
    AND (%(after_at)s::timestamptz IS NULL OR known_at < %(after_at)s
      OR (known_at = %(after_at)s AND record_id > %(after_id)s))
    ORDER BY known_at DESC, record_id LIMIT %(most)s OFFSET %(skip)s"""

_PAGE = TenantStatement(f"SELECT {_COLUMNS} FROM {{v}}.memories WHERE {_BELOW}")  # noqa: S608 - constants
_SEARCHED = TenantStatement(
    f"SELECT {_COLUMNS}, terms, embedding, model_id FROM {{v}}.memories WHERE {_BELOW}"  # noqa: S608
)


async def below(
    db: Database, scope: TenantScope, prefix: Sequence[str], now: datetime, most: int, *, skip: int = 0,
    searched: bool = False, user: str | None = None, after: tuple[datetime, str] | None = None,
) -> list[Row]:  # fmt: skip
    """Newest put first, of the users that the scope reaches (of `user` alone, where given). `searched`: with terms
    and embedding. `after`: beyond the item put then, with that record id."""
    reached = None if scope.users is None else sorted(scope.users)
    return await db.of_tenant(
        scope, _SEARCHED if searched else _PAGE, prefix=list(prefix), now=now, most=most, skip=skip,
        users=[user] if user is not None else reached,
        after_at=after and after[0], after_id=after and after[1],
    )  # fmt: skip
