"""Rows by the words that they share with a question, where nothing better can be asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from query.views import conditions
from query.views.db import Database, Row, TenantStatement
from query.views.documents import MEMORY_COLUMNS, TURN_COLUMNS
from schemas.log.owner import OwnerKind
from schemas.security.scope import OwnerScope, TenantScope

_SHARED = "cardinality(ARRAY(SELECT unnest(terms) INTERSECT SELECT unnest(%(terms)s::text[])))"
_BOUND = """(%(user)s::text IS NULL OR user_id = %(user)s) AND (%(project)s::text IS NULL OR project_id = %(project)s)
      AND (%(users)s::text[] IS NULL OR user_id = ANY(%(users)s))
      AND (%(projects)s::text[] IS NULL OR project_id = ANY(%(projects)s))"""

_TURNS = TenantStatement(
    f"""SELECT {TURN_COLUMNS} FROM {{v}}.turns
    WHERE tenant = %(tenant)s AND terms && %(terms)s::text[] AND expires_at > %(now)s AND {_BOUND}
      AND {conditions.TURNS}
    ORDER BY {_SHARED} DESC, accepted_at DESC LIMIT %(limit)s"""  # noqa: S608 - constants
)
_MEMORIES = TenantStatement(
    f"""SELECT {MEMORY_COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND terms && %(terms)s::text[] AND NOT deleted
      AND kind = ANY(%(kinds)s) AND {conditions.CURRENT}
      AND (%(documents)s OR owner_kind <> 'document') AND {_BOUND}
      AND {conditions.MEMORIES}
    ORDER BY {_SHARED} DESC, known_at DESC LIMIT %(limit)s"""  # noqa: S608
)

_BY_TURN_KEYS = TenantStatement(
    f"""SELECT {TURN_COLUMNS} FROM {{v}}.turns
    JOIN unnest(%(asked_users)s::text[], %(ids)s::text[]) AS asked(user_id, turn_id) USING (user_id, turn_id)
    WHERE tenant = %(tenant)s AND expires_at > %(now)s AND {conditions.TURNS}"""  # noqa: S608
)
_BY_MEMORY_KEYS = TenantStatement(
    f"""SELECT {MEMORY_COLUMNS} FROM {{v}}.memories
    JOIN unnest(%(ids)s::text[], %(versions)s::integer[]) AS asked(record_id, version) USING (record_id, version)
    WHERE tenant = %(tenant)s AND NOT deleted AND state = 'active' AND (expires_at IS NULL OR expires_at > %(now)s)
      AND {conditions.MEMORIES}"""  # noqa: S608
)


async def confirmed(
    db: Database,
    tenant: TenantScope,
    turn_keys: Sequence[tuple[str, str]],
    memory_keys: Sequence[tuple[str, int]],
    limits: Mapping[str, object],
    now: datetime,
) -> list[Row]:
    """The rows behind hits of another store, as far as they stand: (user, turn) ids and (record, version). `limits`:
    the values of `limited`."""
    rows: list[Row] = []
    if turn_keys:
        users, ids = (list(column) for column in zip(*turn_keys, strict=True))
        rows += await db.of_tenant(tenant, _BY_TURN_KEYS, asked_users=users, ids=ids, now=now, **limits)
    if memory_keys:
        records, versions = (list(column) for column in zip(*memory_keys, strict=True))
        rows += await db.of_tenant(tenant, _BY_MEMORY_KEYS, ids=records, versions=versions, now=now, **limits)
    return rows


async def by_words(
    db: Database,
    scope: OwnerScope | TenantScope,
    terms: Sequence[str],
    kinds: Collection[str],
    limits: Mapping[str, object],
    now: datetime,
    limit: int,
) -> list[Row]:
    """At most `limit` turns and as many memories of a scope, those with most words in common first. `limits`: the
    values of `limited`, asked before the best are taken."""
    tenant = scope.tenant if isinstance(scope, OwnerScope) else scope
    owner = scope.owner if isinstance(scope, OwnerScope) else None
    whole = owner is None or owner.kind is OwnerKind.TENANT  # one owner was asked for by name, and refused there
    values = {
        **limits,
        "terms": list(terms),
        "now": now,
        "limit": limit,
        "user": owner.id if owner and owner.kind == "user" else None,
        "project": owner.id if owner and owner.kind == "project" else None,
        "users": None if tenant.users is None or not whole else sorted(tenant.users),
        "projects": None if tenant.projects is None or not whole else sorted(tenant.projects),
    }
    rows: list[Row] = []
    if owner is None:
        if "chunk" not in kinds:
            return []
        chunk = {**values, "users": None, "projects": None, "kinds": ["chunk"], "documents": True}
        return await db.of_tenant(tenant, _MEMORIES, **chunk)
    if "turn" in kinds:
        rows += await db.of_tenant(tenant, _TURNS, **values)
    rest = sorted(set(kinds) - {"turn", "chunk"})
    if rest:
        rows += await db.of_tenant(tenant, _MEMORIES, kinds=rest, documents=False, **values)
    return rows
