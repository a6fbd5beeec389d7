"""The session view."""

from __future__ import annotations

from query.views.db import Database, OwnerStatement, Row
from query.views.sealed import sealed_columns
from schemas.events.sessions import Checkpoint, SessionState
from schemas.security.scope import OwnerScope

_GET = OwnerStatement(
    f"""SELECT tenant, user_id, session_id, revision, status, mode, checkpoint_message_id, segment, segment_start,
      turn_count, segment_tokens, current_agent_key, project_id, updated_at, body,
      {sealed_columns(SessionState)} FROM {{v}}.sessions
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s"""  # noqa: S608 - constants
)
_REVISION = OwnerStatement(
    """SELECT revision FROM {v}.sessions
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s"""
)
_CHECKPOINTS = OwnerStatement(
    f"""SELECT message_id, segment, position, summary, extractive, model, created_at,
      {sealed_columns(Checkpoint)}
    FROM {{v}}.checkpoints
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s
      AND (%(before)s::bigint IS NULL OR position < %(before)s)
    ORDER BY position DESC, message_id LIMIT %(limit)s"""  # noqa: S608 - constants
)


async def get(db: Database, scope: OwnerScope, session_id: str) -> Row | None:
    """The newest revision, whole."""
    rows = await db.of_owner(scope, _GET, session_id=session_id)
    return rows[0] if rows else None


async def revision(db: Database, scope: OwnerScope, session_id: str) -> int | None:
    rows = await db.of_owner(scope, _REVISION, session_id=session_id)
    return rows[0]["revision"] if rows else None


async def checkpoints(
    db: Database, scope: OwnerScope, session_id: str, limit: int, before: int | None
) -> list[Row]:
    """Past checkpoints, newest first (E5)."""
    return await db.of_owner(scope, _CHECKPOINTS, session_id=session_id, limit=limit, before=before)
