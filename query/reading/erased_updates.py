"""What a resumed stream of updates does not show (C9): the topic holds what was erased until it is compacted, and a
caller may go on behind any record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from query.views.db import Database, SystemStatement
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import OwnerKind

_CUTS = SystemStatement(
    """SELECT user_id, session_id, accepted_at FROM trust.erasures
    WHERE tenant = %(tenant)s AND (user_id IS NULL OR user_id = ANY(%(users)s))"""
)


class _Cut(NamedTuple):
    """`user_id` None: of a tenant; `session_id` None: of all sessions."""

    user_id: str | None
    session_id: str | None
    accepted_at: datetime

    def takes(self, u: MemoryUpdate) -> bool:
        if u.known_at > self.accepted_at or self.user_id not in (None, _user(u)):
            return False
        return self.session_id is None or self.session_id in {u.session_id, *(s.session_id for s in u.sources)}


async def erased(db: Database, tenant: str, updates: Iterable[MemoryUpdate]) -> Callable[[MemoryUpdate], bool]:
    """Whether an erasure has taken one of these updates: a user's, or an entry of a project that the user wrote. Raises
    ProblemError."""
    users = sorted({name for u in updates if (name := _user(u)) is not None})
    rows = await db.of_system(_CUTS, tenant=tenant, users=users)
    cuts = [_Cut(r["user_id"], r["session_id"], r["accepted_at"]) for r in rows]
    return lambda u: any(cut.takes(u) for cut in cuts)


def _user(u: MemoryUpdate) -> str | None:
    return u.owner_id if u.owner_kind is OwnerKind.USER else u.user_id
