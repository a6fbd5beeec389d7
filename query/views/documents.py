"""What is ranked: the turns and memories of a scope, with terms and vectors.

A scope is one owner's: a user (turns and memories), a project (its members' turns, its own memories), or the
knowledge of a tenant (chunks). A fingerprint, one number over ids and revisions, says whether a copy still is what
Postgres holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from query.views.db import Database, OwnerStatement, Row, TenantStatement
from query.views.sealed import sealed_columns
from query.views.temporal_values import without_overtaken
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log.owner import OwnerKind
from schemas.security.scope import OwnerScope, TenantScope

TURN_COLUMNS = f"""user_id, turn_id, revision, session_id, position, role, speaker, content, intent, language,
    project_id, occurred_at, expires_at, terms, embedding, model_id, metadata,
    {sealed_columns(ScreenedTurn)}"""
MEMORY_COLUMNS = f"""record_id, version, revision, owner_kind, owner_id, kind, field, fields, scope, category,
    episode_type, namespace, key, text, value, attributes, importance, source, user_id, session_id, project_id,
    language, sources, conflicts_with,
    occurred_at, valid_from, valid_to, last_accessed_at, expires_at, terms, embedding, model_id,
    {sealed_columns(MemoryUpdate)}"""
_KINDS = "('fact', 'preference', 'intent', 'episode', 'relation', 'item', 'hot', 'report', 'chunk', 'pattern')"
_CURRENT = f"NOT deleted AND state = 'active' AND kind IN {_KINDS}"
_OWNER = "tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s"
_FINGERPRINT = "hashtextextended({id}, revision)"
_MARK = f"count(*) AS n, COALESCE(bit_xor({_FINGERPRINT}), 0) AS mark"


@dataclass(frozen=True, slots=True)
class _Table:
    """The statements over one table of a scope: fingerprint, ids with revisions, rows of some ids, and all rows, each
    with its part of the fingerprint."""

    mark: str
    revisions: TenantStatement
    some: TenantStatement
    whole: TenantStatement


def _table(columns: str, where: str, key: str, kind: type[TenantStatement]) -> _Table:
    return _Table(
        mark=f"SELECT {_MARK.format(id=key)} {where}",
        revisions=kind(f"SELECT {key} AS key, revision {where}"),
        some=kind(f"SELECT {columns} {where} AND {key} = ANY(%(keys)s)"),
        whole=kind(f"SELECT {columns}, {_FINGERPRINT.format(id=key)} AS fingerprint {where} LIMIT %(most)s"),
    )


def _turns(condition: str) -> _Table:
    where = f"FROM {{v}}.turns WHERE tenant = %(tenant)s AND {condition}"
    return _table(TURN_COLUMNS, where, "user_id || '/' || turn_id", OwnerStatement)


def _memories(condition: str, kind: type[TenantStatement]) -> _Table:
    where = f"FROM {{v}}.memories WHERE {condition} AND {_CURRENT}"
    return _table(MEMORY_COLUMNS, where, "record_id || '/' || version", kind)


def _marks(turns: _Table | None, memories: _Table, kind: type[TenantStatement]) -> TenantStatement:
    """The fingerprints of both tables in one round trip: asked by every search."""
    turn_marks = turns.mark if turns is not None else "SELECT 0 AS n, 0 AS mark"
    return kind(
        f"SELECT t.n AS turns, t.mark AS turns_mark, m.n AS memories, m.mark AS memories_mark"  # noqa: S608
        f" FROM ({turn_marks}) t, ({memories.mark}) m"
    )


_USER_TURNS = _turns("user_id = %(owner_id)s")
_PROJECT_TURNS = _turns("project_id = %(owner_id)s")
_OWN = _memories(_OWNER, OwnerStatement)
_CHUNKS = _memories("tenant = %(tenant)s AND owner_kind = 'document'", TenantStatement)
_OF_USER = _marks(_USER_TURNS, _OWN, OwnerStatement)
_OF_PROJECT = _marks(_PROJECT_TURNS, _OWN, OwnerStatement)
_OF_KNOWLEDGE = _marks(None, _CHUNKS, TenantStatement)

_AS_OF = OwnerStatement(
    f"""SELECT {MEMORY_COLUMNS}, reason FROM {{v}}.memories
    WHERE {_OWNER} AND NOT deleted AND state IN ('active', 'superseded') AND kind IN {_KINDS}
      AND COALESCE(valid_from, occurred_at) <= %(as_of)s
      AND (valid_to IS NULL OR valid_to > %(as_of)s OR (kind = 'episode' AND state = 'active'))"""  # noqa: S608
)

_CHUNKS_AS_OF = TenantStatement(
    f"""SELECT {MEMORY_COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND owner_kind = 'document' AND NOT deleted AND kind = 'chunk'
      AND occurred_at <= %(as_of)s AND (state = 'active' OR (state = 'archived' AND valid_to > %(as_of)s))
    LIMIT %(most)s"""  # noqa: S608
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Fingerprint of the turns and memories of a scope, and how many there are."""

    turns: tuple[int, int]
    memories: tuple[int, int]

    @property
    def count(self) -> int:
        return self.turns[0] + self.memories[0]


class ScopeDocuments:
    """The documents of one scope in Postgres."""

    def __init__(self, db: Database, scope: OwnerScope | TenantScope) -> None:
        """A tenant's scope stands for its knowledge."""
        self._db, self._scope = db, scope
        self._turns: _Table | None = None
        self._memories, self._mark = _CHUNKS, _OF_KNOWLEDGE
        if isinstance(scope, OwnerScope):
            of_user = scope.owner.kind is OwnerKind.USER
            self._turns, self._memories = (_USER_TURNS if of_user else _PROJECT_TURNS), _OWN
            self._mark = _OF_USER if of_user else _OF_PROJECT

    async def mark(self) -> Mark:
        row = (await self._run(self._mark))[0]
        return Mark((row["turns"], row["turns_mark"]), (row["memories"], row["memories_mark"]))

    async def turn_revisions(self) -> dict[str, int]:
        return await self._revisions(self._turns)

    async def memory_revisions(self) -> dict[str, int]:
        return await self._revisions(self._memories)

    async def whole(self, most: int) -> tuple[Mark, list[list[Row]]] | None:
        """Turns and memories with their fingerprint, by one look at each table; None where either has more rows than
        `most`."""
        parts = await asyncio.gather(self._whole(self._turns, most + 1), self._whole(self._memories, most + 1))
        if any(len(rows) > most for rows in parts):
            return None
        turns, memories = (_mark_of(rows) for rows in parts)
        return Mark(turns, memories), list(parts)

    async def turn_rows(self, keys: Sequence[str]) -> list[Row]:
        return await self._rows(self._turns, keys)

    async def memory_rows(self, keys: Sequence[str]) -> list[Row]:
        return await self._rows(self._memories, keys)

    async def _revisions(self, table: _Table | None) -> dict[str, int]:
        return {} if table is None else {r["key"]: r["revision"] for r in await self._run(table.revisions)}

    async def _whole(self, table: _Table | None, most: int) -> list[Row]:
        return [] if table is None else await self._run(table.whole, most=most)

    async def _rows(self, table: _Table | None, keys: Sequence[str]) -> list[Row]:
        return [] if table is None else await self._run(table.some, keys=list(keys))

    async def _run(self, statement: TenantStatement, **values: object) -> list[Row]:
        if isinstance(self._scope, OwnerScope):
            assert isinstance(statement, OwnerStatement)  # noqa: S101 - chosen together in __init__
            return await self._db.of_owner(self._scope, statement, **values)
        return await self._db.of_tenant(self._scope, statement, **values)


def _mark_of(rows: Sequence[Row]) -> tuple[int, int]:
    """As `_MARK` has it: PostgreSQL's bit_xor over bigints, which are Python's in two's complement."""
    return len(rows), reduce(xor, (row["fingerprint"] for row in rows), 0)


async def memories_as_of(db: Database, scope: OwnerScope, as_of: object) -> list[Row]:
    """Versions of an owner's memories that were true at a time, one value of a field of one value (N8)."""
    return without_overtaken(await db.of_owner(scope, _AS_OF, as_of=as_of))


async def chunks_as_of(db: Database, scope: TenantScope, as_of: object, most: int) -> list[Row]:
    """At most so many chunks of the versions that stood at a time (N8)."""
    return await db.of_tenant(scope, _CHUNKS_AS_OF, as_of=as_of, most=most)
