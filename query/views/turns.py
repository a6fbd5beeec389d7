"""The turn view: history by id, session, and what the gates made of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Database, OwnerStatement, Row, TenantStatement
from query.views.sealed import sealed_columns
from schemas.events.memory import Decision
from schemas.events.turns import ScreenedTurn
from schemas.security.encrypted_values import Originals
from schemas.security.scope import OwnerScope, TenantScope

MOST_TURNS, MOST_TOKENS = 10_000, 1_000_000
"""Of a session's turns that one call reads: more than a model takes. A conversation has a checkpoint long before."""
_SEALED = sealed_columns(ScreenedTurn)
_COLUMNS = f"""turn_id, user_id, session_id, role, speaker, content, occurred_at, accepted_at, expires_at, project_id,
    agent_id, interaction_id, intent, language, tokens, position, metadata, pii, refused, content_hash, {_SEALED}"""

_BY_ID = OwnerStatement(
    f"""SELECT {_COLUMNS} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND turn_id = %(turn_id)s AND expires_at > %(now)s"""  # noqa: S608
)
_ORIGINALS = OwnerStatement(
    f"""SELECT turn_id, originals, {_SEALED} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND turn_id = %(turn_id)s AND expires_at > %(now)s"""  # noqa: S608 - constants
)
_BY_IDS = OwnerStatement(
    f"""SELECT {_COLUMNS} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND turn_id = ANY(%(ids)s) AND expires_at > %(now)s"""  # noqa: S608
)
_BY_IDS_OF_PROJECT = OwnerStatement(
    f"""SELECT {_COLUMNS} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND project_id = %(owner_id)s AND turn_id = ANY(%(ids)s) AND expires_at > %(now)s"""  # noqa: S608
)
_OF_SESSION = OwnerStatement(
    f"""SELECT turn_id, role, speaker, content, occurred_at, tokens, position, {_SEALED} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s AND expires_at > %(now)s
      AND position >= %(start)s
    ORDER BY position"""  # noqa: S608 - constants
)
_LENGTHS_OF_SESSION = OwnerStatement(
    """SELECT position, tokens FROM {v}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s AND expires_at > %(now)s
      AND position >= %(start)s
    ORDER BY position DESC LIMIT %(limit)s"""
)
_PAGE_OF_SESSION = OwnerStatement(
    f"""SELECT turn_id, role, speaker, content, occurred_at, interaction_id, tokens, position, {_SEALED}
    FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s AND expires_at > %(now)s
      AND position >= %(start)s
    ORDER BY position LIMIT %(limit)s"""  # noqa: S608 - constants
)
_BEFORE = OwnerStatement(
    f"""SELECT turn_id, role, speaker, content, occurred_at, tokens, position, {_SEALED} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s AND expires_at > %(now)s
      AND position < %(start)s AND position >= %(first)s
    ORDER BY position DESC LIMIT %(limit)s"""  # noqa: S608 - constants
)
_LAST = OwnerStatement(
    f"""SELECT content, embedding, model_id, {_SEALED} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND user_id = %(owner_id)s AND session_id = %(session_id)s AND expires_at > %(now)s
    ORDER BY position DESC LIMIT %(limit)s"""  # noqa: S608 - constants
)
_DECISIONS = OwnerStatement(
    f"""SELECT d.decision_id, d.ordinal, d.kind, d.field, d.fields, d.category, d.record_id, d.version, d.text, d.value,
      d.outcome, d.gate, d.rule, d.score, d.extractor, d.accepted_at, {sealed_columns(Decision, 'd')},
      m.deleted AS gone
    FROM {{v}}.decisions d LEFT JOIN {{v}}.memories m USING (tenant, record_id, version)
    WHERE d.tenant = %(tenant)s AND d.owner_id = %(owner_id)s AND d.owner_kind = %(owner_kind)s
      AND d.turn_id = %(turn_id)s
    ORDER BY d.ordinal, d.accepted_at, d.decision_id"""  # noqa: S608 - constants
)
_TENANT_BY_KEYS = TenantStatement(
    f"""SELECT t.turn_id, t.user_id, t.session_id, t.role, t.speaker, t.content, t.occurred_at, t.project_id,
      {sealed_columns(ScreenedTurn, 't')}
    FROM {{v}}.turns t JOIN unnest(%(users)s::text[], %(ids)s::text[]) AS k(user_id, turn_id) USING (user_id, turn_id)
    WHERE t.tenant = %(tenant)s AND t.expires_at > %(now)s"""  # noqa: S608 - constants
)


async def by_id(db: Database, scope: OwnerScope, turn_id: str, now: datetime) -> Row | None:
    rows = await db.of_owner(scope, _BY_ID, turn_id=turn_id, now=now)
    return rows[0] if rows else None


async def originals(db: Database, scope: OwnerScope, turn_id: str, now: datetime) -> list[Originals] | None:
    """What the policy `encrypt` took out of a turn, as it is kept; None where there is no such turn."""
    rows = await db.of_owner(scope, _ORIGINALS, turn_id=turn_id, now=now)
    return [Originals.model_validate(o) for o in rows[0]["originals"] or ()] if rows else None


async def by_ids(db: Database, scope: OwnerScope, turn_ids: Sequence[str], now: datetime) -> dict[str, Row]:
    """Those that stand, by id; of a user, or of a project's members."""
    if not turn_ids:
        return {}
    statement = _BY_IDS if scope.owner.kind == "user" else _BY_IDS_OF_PROJECT
    rows = await db.of_owner(scope, statement, ids=list(turn_ids), now=now)
    return {r["turn_id"]: r for r in rows}


async def by_keys(db: Database, scope: TenantScope, keys: Sequence[tuple[str, str]], now: datetime) -> list[Row]:
    """Turns of several users of a tenant, by (user, turn) id: the confirmation of hits from elsewhere."""
    users, turn_ids = [k[0] for k in keys], [k[1] for k in keys]
    return await db.of_tenant(scope, _TENANT_BY_KEYS, users=users, ids=turn_ids, now=now)


async def of_session(
    db: Database, scope: OwnerScope, session_id: str, now: datetime, start: int = 0
) -> tuple[list[Row], bool]:
    """Turns of a session from a position on, in the order of the log (E3); the newest where they are more than
    `MOST_TURNS` or have more than `MOST_TOKENS`, and whether they are. Lengths are read first: no more text comes into
    memory than is returned."""
    where = {"session_id": session_id, "now": now}
    lengths = await db.of_owner(scope, _LENGTHS_OF_SESSION, **where, start=start, limit=MOST_TURNS + 1)
    kept, spent = 0, 0
    for row in lengths[:MOST_TURNS]:
        spent += row["tokens"]
        if kept and spent > MOST_TOKENS:
            break
        kept += 1
    if kept < len(lengths):
        start = lengths[kept - 1]["position"]
    return await db.of_owner(scope, _OF_SESSION, **where, start=start), kept < len(lengths)


async def page_of_session(
    db: Database, scope: OwnerScope, session_id: str, now: datetime, start: int, limit: int
) -> list[Row]:
    """The first `limit` turns of a session from a position on, in the order of the log."""
    return await db.of_owner(scope, _PAGE_OF_SESSION, session_id=session_id, now=now, start=start, limit=limit)


async def before(
    db: Database, scope: OwnerScope, session_id: str, now: datetime, first: int, start: int, limit: int
) -> list[Row]:
    """The last `limit` turns of a session from position `first` on and before `start`, in the order of the log."""
    rows = await db.of_owner(scope, _BEFORE, session_id=session_id, now=now, first=first, start=start, limit=limit)
    return rows[::-1]


async def last_of_session(
    db: Database, scope: OwnerScope, session_id: str, now: datetime, limit: int
) -> list[Row]:
    """The newest turns of a session as they are ranked, oldest first."""
    return (await db.of_owner(scope, _LAST, session_id=session_id, now=now, limit=limit))[::-1]


async def decisions(db: Database, scope: OwnerScope, turn_id: str) -> list[Row]:
    """What the gates decided about a turn's candidates. `gone`: what came of it has been forgotten, or has expired."""
    return await db.of_owner(scope, _DECISIONS, turn_id=turn_id)
