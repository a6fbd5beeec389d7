"""The memory view: every version of every record of an owner (N8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from query.views.db import Database, OwnerStatement, Row, TenantStatement
from query.views.sealed import sealed_columns
from schemas.events.memory import MemoryUpdate
from schemas.security.scope import OwnerScope, TenantScope

COLUMNS = f"""record_id, version, revision, owner_kind, owner_id, kind, state, field, fields, scope, category,
    episode_type, namespace, key, text, value, attributes, importance, confidence, source, priority, negated,
    approximate, user_id, session_id, project_id, interaction_id, language, sources, reason, conflicts_with,
    also, occurred_at, valid_from, valid_to, known_at, last_accessed_at, expires_at,
    {sealed_columns(MemoryUpdate)}"""
_OWNER = "tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s AND NOT deleted"
LIVING = "(expires_at IS NULL OR expires_at > %(now)s)"
_PAGE = """AND (%(after_at)s::timestamptz IS NULL
      OR (known_at, record_id, version) < (%(after_at)s, %(after_id)s, %(after_version)s))
    ORDER BY known_at DESC, record_id DESC, version DESC LIMIT %(limit)s"""

PLACED = "kind IN ('item', 'pattern', 'feedback') AND cardinality(namespace) > 0"
"""What has a place in the store (C1): what callers put, and what the engine keeps under a namespace of its own."""

_LIST = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND {LIVING} AND kind = ANY(%(kinds)s) AND state = %(state)s {_PAGE}"""  # noqa: S608 - constants
)
_AS_OF = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND kind = ANY(%(kinds)s) AND state IN ('active', 'superseded')
      AND COALESCE(valid_from, occurred_at) <= %(as_of)s
      AND (valid_to IS NULL OR valid_to > %(as_of)s OR (kind = 'episode' AND state = 'active')) {_PAGE}"""  # noqa: S608
)
_OF_FIELDS = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND {LIVING} AND kind IN ('fact', 'preference', 'intent') AND state = 'active'
      AND (field = ANY(%(names)s) OR fields && %(names)s)
    ORDER BY known_at DESC, record_id DESC, version DESC LIMIT 500"""  # noqa: S608 - constants
)
_BY_KEY = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND {LIVING} AND {PLACED} AND state = 'active' AND namespace = %(namespace)s
      AND key = %(key)s ORDER BY kind = 'item' DESC LIMIT 1"""  # noqa: S608
)
_BY_RECORD = TenantStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND record_id = %(record_id)s AND NOT deleted ORDER BY version DESC"""  # noqa: S608
)
_LED = TenantStatement(
    """SELECT record_id FROM {v}.memories
    WHERE tenant = %(tenant)s AND record_id = ANY(ARRAY(SELECT {v}.led_to(%(told)s))) AND NOT deleted LIMIT 1"""
)
_DECISIONS = TenantStatement(
    """SELECT decision_id, owner_kind, owner_id, turn_id, session_id, ordinal, kind, field, outcome, gate, rule, score,
      extractor, accepted_at FROM {v}.decisions
    WHERE tenant = %(tenant)s AND record_id = %(record_id)s ORDER BY accepted_at DESC, decision_id LIMIT 200"""
)
_REFUSED = OwnerStatement(
    """SELECT decision_id, turn_id, session_id, kind, field, fields, category, record_id, outcome, gate, rule, score,
      accepted_at FROM {v}.decisions
    WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s AND outcome = 'refused'
      AND kind = ANY(%(kinds)s)
      AND (%(after_at)s::timestamptz IS NULL OR (accepted_at, decision_id) < (%(after_at)s, %(after_id)s))
    ORDER BY accepted_at DESC, decision_id DESC LIMIT %(limit)s"""
)
_FOLDED_KEY = "regexp_replace(lower(key), '[[:space:]_-]+', '', 'g')"
_IS_NAMED = f"""kind = 'item' AND state = 'active'
      AND (strpos(%(folded)s, {_FOLDED_KEY}) > 0
        OR (%(record)s::text <> '' AND strpos({_FOLDED_KEY}, %(record)s::text) > 0))
    ORDER BY known_at DESC, record_id LIMIT %(limit)s"""
_NAMED = OwnerStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE {_OWNER} AND {LIVING}
      AND (%(project_id)s::text IS NULL OR project_id IS NULL)
      AND {_IS_NAMED}"""  # noqa: S608
)
_NAMED_IN_PROJECT = TenantStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND owner_kind = 'user' AND project_id = %(project_id)s AND NOT deleted AND {LIVING}
      AND {_IS_NAMED}"""  # noqa: S608
)
_ITEMS = TenantStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND kind = 'item' AND state = 'active' AND NOT deleted AND {LIVING}
      AND owner_kind = 'user' AND (%(users)s::text[] IS NULL OR owner_id = ANY(%(users)s))
      AND namespace[1:cardinality(%(prefix)s::text[])] = %(prefix)s
    ORDER BY known_at DESC, record_id LIMIT %(most)s"""  # noqa: S608
)
DEEPEST = 16
"""Parts of the longest namespace."""
_LAST_OFFSET = 2**62
_NAMESPACES = TenantStatement(
    f"""SELECT DISTINCT (namespace[1:%(depth)s::int]) COLLATE "C" AS namespace FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND {PLACED} AND state = 'active' AND NOT deleted AND {LIVING}
      AND owner_kind = 'user' AND (%(users)s::text[] IS NULL OR owner_id = ANY(%(users)s))
      AND cardinality(namespace) >= greatest(cardinality(%(prefix)s::text[]), cardinality(%(suffix)s::text[]))
      AND NOT EXISTS (SELECT FROM unnest(%(prefix)s::text[]) WITH ORDINALITY AS p(part, place)
        WHERE part <> '*' AND part <> namespace[place::int])
      AND NOT EXISTS (SELECT FROM unnest(%(suffix)s::text[]) WITH ORDINALITY AS s(part, place)
        WHERE part <> '*' AND part <> namespace[cardinality(namespace) - cardinality(%(suffix)s::text[]) + place::int])
      AND (%(after)s::text[] IS NULL OR (namespace[1:%(depth)s::int]) COLLATE "C" > %(after)s::text[])
    ORDER BY 1 LIMIT %(limit)s OFFSET %(offset)s"""  # noqa: S608
)
_BY_THIS_ID = """SELECT 1 FROM {v}.memories
    WHERE tenant = %(tenant)s AND owner_kind = %(owner_kind)s AND owner_id = %(owner_id)s
      AND record_id = ANY(array_append(ARRAY(SELECT {v}.led_to(%(record_id)s)), %(record_id)s::text))"""
_FOUND = OwnerStatement(f"{_BY_THIS_ID} AND NOT deleted LIMIT 1")
_WAS_THERE = OwnerStatement(f"{_BY_THIS_ID} LIMIT 1")
_CONFIRM = TenantStatement(
    f"""SELECT {COLUMNS} FROM {{v}}.memories
    WHERE tenant = %(tenant)s AND record_id = ANY(%(ids)s) AND NOT deleted AND state = 'active' AND {LIVING}"""  # noqa: S608
)


class After:
    """Where a page begins: after this row."""

    def __init__(self, at: datetime | None = None, record_id: str = "", version: int = 0) -> None:
        self.at, self.record_id, self.version = at, record_id, version


async def items_named_in(
    db: Database, scope: OwnerScope, project: OwnerScope | None, folded: str, record: str, now: datetime, limit: int
) -> list[Row]:
    """Items whose key is in a text, or has the id of a record; of all, case, spaces, `_` and `-` do not count
    (`folded`, `record`: without them). Those that callers keep for the project, whoever's they are, the newest of a
    key; then the owner's own, as far as they are of no other project."""
    parameters: dict[str, Any] = {"folded": folded, "record": record, "now": now, "limit": limit}
    if project is None:
        return await db.of_owner(scope, _NAMED, project_id=None, **parameters)
    of_project = project.owner.id
    shared = await db.of_tenant(project.tenant, _NAMED_IN_PROJECT, project_id=of_project, **parameters)
    own = await db.of_owner(scope, _NAMED, project_id=of_project, **parameters)
    newest = {row["key"]: row for row in reversed(shared)}
    return [*reversed(newest.values()), *own]


async def listed(
    db: Database, scope: OwnerScope, kinds: Sequence[str], state: str, now: datetime, limit: int, after: After
) -> list[Row]:
    """Records of an owner in a state, newest known first."""
    return await db.of_owner(
        scope, _LIST, kinds=list(kinds), state=state, now=now, limit=limit,
        after_at=after.at, after_id=after.record_id, after_version=after.version,
    )  # fmt: skip


async def current_of_fields(db: Database, scope: OwnerScope, names: Sequence[str], now: datetime) -> list[Row]:
    """What stands for fields of the catalogue, newest known first; at most 500."""
    return await db.of_owner(scope, _OF_FIELDS, names=list(names), now=now)


async def as_of(
    db: Database, scope: OwnerScope, kinds: Sequence[str], when: datetime, limit: int, after: After
) -> list[Row]:
    """What was true at a time (N8): versions whose validity covers it."""
    return await db.of_owner(
        scope, _AS_OF, kinds=list(kinds), as_of=when, limit=limit,
        after_at=after.at, after_id=after.record_id, after_version=after.version,
    )  # fmt: skip


async def refused(
    db: Database, scope: OwnerScope, kinds: Sequence[str], limit: int, after: After
) -> list[Row]:
    """What the gates refused: decisions, for what is refused is not kept."""
    return await db.of_owner(
        scope, _REFUSED, kinds=list(kinds), limit=limit, after_at=after.at, after_id=after.record_id
    )


async def by_record(db: Database, scope: TenantScope, record_id: str) -> list[Row]:
    """All versions of a record, newest first. The caller checks that the scope reaches its owner."""
    return await db.of_tenant(scope, _BY_RECORD, record_id=record_id)


async def found(db: Database, scope: OwnerScope, record_id: str) -> bool:
    """Whether the owner has a memory by this id, whatever its state."""
    return bool(await db.of_owner(scope, _FOUND, record_id=record_id))


async def was_there(db: Database, scope: OwnerScope, record_id: str) -> bool:
    """Whether the owner has a memory by this id, or had one that was deleted."""
    return bool(await db.of_owner(scope, _WAS_THERE, record_id=record_id))


async def resolve_alias(db: Database, scope: TenantScope, alias: str) -> str | None:
    """The record that an id leads to which was told for the same said again. The caller checks owners."""
    rows = await db.of_tenant(scope, _LED, told=alias)
    return str(rows[0]["record_id"]) if rows else None


async def decisions(db: Database, scope: TenantScope, record_id: str) -> list[Row]:
    """What the gates decided about a record, newest first."""
    return await db.of_tenant(scope, _DECISIONS, record_id=record_id)


async def item(db: Database, scope: OwnerScope, namespace: Sequence[str], key: str, now: datetime) -> Row | None:
    """A store item (C1), or what the engine keeps at that place; what a caller put there comes first."""
    rows = await db.of_owner(scope, _BY_KEY, namespace=list(namespace), key=key, now=now)
    return rows[0] if rows else None


async def items(db: Database, scope: TenantScope, prefix: Sequence[str], now: datetime, most: int) -> list[Row]:
    """Store items below a namespace prefix, of the users that the scope reaches; at most `most`, newest first."""
    users = None if scope.users is None else sorted(scope.users)
    return await db.of_tenant(scope, _ITEMS, prefix=list(prefix), users=users, now=now, most=most)


@dataclass(frozen=True, slots=True)
class Listed:
    """Which namespaces: those that begin and end so (`*`: any one part), cut at a depth, after one of them."""

    prefix: Sequence[str] = ()
    suffix: Sequence[str] = ()
    depth: int | None = None
    after: Sequence[str] | None = None
    offset: int = 0


async def namespaces(db: Database, scope: TenantScope, now: datetime, asked: Listed, limit: int) -> list[list[str]]:
    """The first `limit` that hold items, in the order of their characters' code points."""
    rows = await db.of_tenant(
        scope, _NAMESPACES, users=None if scope.users is None else sorted(scope.users), now=now,
        prefix=list(asked.prefix), suffix=list(asked.suffix), depth=min(asked.depth or DEEPEST, DEEPEST),
        after=None if asked.after is None else list(asked.after), offset=min(asked.offset, _LAST_OFFSET), limit=limit,
    )  # fmt: skip
    return [r["namespace"] for r in rows]


async def confirmed(db: Database, scope: TenantScope, record_ids: Sequence[str], now: datetime) -> list[Row]:
    """The rows behind hits from another store: those that stand, in state active. The caller checks owners."""
    return await db.of_tenant(scope, _CONFIRM, ids=list(record_ids), now=now) if record_ids else []
