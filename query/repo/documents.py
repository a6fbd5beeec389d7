"""What is ranked: the turns and memories of a scope, with terms and vectors.

A scope is one owner's: a user (turns and memories), a project (its members' turns, its own memories), or the
knowledge of a tenant (chunks). A fingerprint, one number over ids and revisions, says whether a copy still is what
Postgres holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from query.repo.db import Database, OwnerStatement, Row, TenantStatement
from schemas.owner import OwnerKind
from schemas.scope import OwnerScope, TenantScope

TURN_COLUMNS = """user_id, turn_id, revision, session_id, position, role, speaker, content, intent, language,
    project_id, occurred_at, expires_at, terms, embedding, model_id, metadata, sealed, sealed_for"""
MEMORY_COLUMNS = """record_id, version, revision, owner_kind, owner_id, kind, field, fields, scope, category,
    episode_type, namespace, key, text, value, attributes, importance, source, user_id, session_id, project_id,
    language, sources,
    occurred_at, valid_from, valid_to, last_accessed_at, expires_at, terms, embedding, model_id,
    sealed, sealed_for"""
_KINDS = "('fact', 'preference', 'intent', 'episode', 'relation', 'item', 'hot', 'report', 'chunk')"
_STANDS = f"NOT deleted AND state = 'active' AND kind IN {_KINDS}"
_OWNER = "tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s"
_MARK = "count(*) AS n, COALESCE(bit_xor(hashtextextended({id}, revision)), 0) AS mark"


def _turns(condition: str) -> tuple[OwnerStatement, OwnerStatement, OwnerStatement]:
    """Fingerprint, ids with revisions, rows."""
    where = f"FROM {{v}}.turns WHERE tenant = %(tenant)s AND {condition}"
    key = "user_id || '/' || turn_id"
    return (
        OwnerStatement(f"SELECT {_MARK.format(id=key)} {where}"),
        OwnerStatement(f"SELECT {key} AS key, revision {where}"),
        OwnerStatement(f"SELECT {TURN_COLUMNS} {where} AND {key} = ANY(%(keys)s)"),
    )


def _memories(condition: str, kind: type[TenantStatement]) -> tuple[TenantStatement, TenantStatement, TenantStatement]:
    where = f"FROM {{v}}.memories WHERE {condition} AND {_STANDS}"
    key = "record_id || '/' || version"
    return (
        kind(f"SELECT {_MARK.format(id=key)} {where}"),
        kind(f"SELECT {key} AS key, revision {where}"),
        kind(f"SELECT {MEMORY_COLUMNS} {where} AND {key} = ANY(%(keys)s)"),
    )


_USER_TURNS = _turns("user_id = %(owner_id)s")
_PROJECT_TURNS = _turns("project_id = %(owner_id)s")
_OWN = _memories(_OWNER, OwnerStatement)
_CHUNKS = _memories("tenant = %(tenant)s AND owner_kind = 'document'", TenantStatement)

_AS_OF = OwnerStatement(
    f"""SELECT {MEMORY_COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND NOT deleted AND state IN ('active', 'superseded') AND kind IN {_KINDS}
      AND COALESCE(valid_from, occurred_at) <= %(as_of)s AND (valid_to IS NULL OR valid_to > %(as_of)s)"""  # noqa: S608
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
        self._turn_statements: tuple[OwnerStatement, ...] = ()
        self._memory_statements: tuple[TenantStatement, ...] = _CHUNKS
        if isinstance(scope, OwnerScope):
            self._memory_statements = _OWN
            self._turn_statements = _USER_TURNS if scope.owner.kind is OwnerKind.USER else _PROJECT_TURNS

    async def mark(self) -> Mark:
        turns = (0, 0)
        if self._turn_statements:
            row = (await self._run(self._turn_statements[0]))[0]
            turns = (row["n"], row["mark"])
        row = (await self._run(self._memory_statements[0]))[0]
        return Mark(turns, (row["n"], row["mark"]))

    async def turn_revisions(self) -> dict[str, int]:
        return await self._revisions(self._turn_statements)

    async def memory_revisions(self) -> dict[str, int]:
        return await self._revisions(self._memory_statements)

    async def turn_rows(self, keys: Sequence[str]) -> list[Row]:
        return await self._run(self._turn_statements[2], keys=list(keys)) if self._turn_statements else []

    async def memory_rows(self, keys: Sequence[str]) -> list[Row]:
        return await self._run(self._memory_statements[2], keys=list(keys))

    async def _revisions(self, statements: Sequence[TenantStatement]) -> dict[str, int]:
        return {r["key"]: r["revision"] for r in await self._run(statements[1])} if statements else {}

    async def _run(self, statement: TenantStatement, **values: object) -> list[Row]:
        if isinstance(self._scope, OwnerScope):
            assert isinstance(statement, OwnerStatement)  # noqa: S101 - chosen together in __init__
            return await self._db.of_owner(self._scope, statement, **values)
        return await self._db.of_tenant(self._scope, statement, **values)


async def memories_as_of(db: Database, scope: OwnerScope, as_of: object) -> list[Row]:
    """Versions of an owner's memories that were true at a time (N8)."""
    return await db.of_owner(scope, _AS_OF, as_of=as_of)
