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
    """SELECT user_id, session_id, accepted_at, record_ids, named_at FROM trust.erasures
    WHERE tenant = %(tenant)s AND (user_id IS NULL OR user_id = ANY(%(users)s))"""
)


class _Cut(NamedTuple):
    """`user_id` None: of a tenant; `session_id` None: of all sessions. `record_ids`: records that it took, too, as far
    as they were known by `named_at`."""

    user_id: str | None
    session_id: str | None
    accepted_at: datetime
    record_ids: frozenset[str]
    named_at: datetime | None

    def takes(self, u: MemoryUpdate) -> bool:
        if self.user_id not in (None, _user(u)) or not (u.known_at <= self.accepted_at or self._names(u)):
            return False
        return self.session_id is None or self.session_id in {u.session_id, *(s.session_id for s in u.sources)}

    def _names(self, u: MemoryUpdate) -> bool:
        return self.named_at is not None and u.known_at <= self.named_at and u.record_id in self.record_ids


async def erased(
    db: Database, tenant: str, updates: Iterable[MemoryUpdate]
) -> Callable[[MemoryUpdate], MemoryUpdate | None]:
    """What erasures have left of one of these updates: nothing of a user's, or of an entry of a project that the user
    wrote. A deletion stays, without names: who follows the stream has to hear of it. Raises ProblemError."""
    users = sorted({name for u in updates if (name := _user(u)) is not None})
    rows = await db.of_system(_CUTS, tenant=tenant, users=users)
    cuts = [
        _Cut(r["user_id"], r["session_id"], r["accepted_at"], frozenset(r["record_ids"]), r["named_at"]) for r in rows
    ]

    def left(u: MemoryUpdate) -> MemoryUpdate | None:
        if not any(cut.takes(u) for cut in cuts):
            return u
        return u.model_copy(update={"key": None, "field": None, "fields": ()}) if u.op == "delete" else None

    return left


def _user(u: MemoryUpdate) -> str | None:
    return u.owner_id if u.owner_kind is OwnerKind.USER else u.user_id
