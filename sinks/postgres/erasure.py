"""Erasure in Postgres (C9): every table of a generation that holds the owner, known to this code or not.

Rows go by owner and by when they were accepted, so that what came after the cut-off stays, in whatever order a
redelivery brings it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

import psycopg
from psycopg import Connection, sql

from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.owner import Owner
from schemas.security import erasure_findings as findings
from schemas.storage import postgres_connections
from schemas.storage.layouts import postgres_schema
from schemas.storage.relations import foreign, space
from sinks.erased import Cut
from sinks.protocol import Transient

_TIMES = ("accepted_at", "known_at", "updated_at", "created_at", "occurred_at")
"""The first of these that a table has says when its row was accepted."""
_FED_BY = {
    topics.HISTORY.name: {"turns"},
    topics.DECISIONS.name: {"decisions"},
    topics.SESSION_STATE.name: {"sessions", "checkpoints"},
}
"""A table is swept when the erasure comes along the topic that feeds it; memory.updates feeds all others."""
_COLUMNS = """SELECT c.table_name, c.column_name
FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = %s AND t.table_type = 'BASE TABLE'
AND (strpos(c.table_name, '/') = 0 OR (%s <> '' AND starts_with(c.table_name, %s)))"""
"""Views show what stands in tables. Those in other tenants' spaces are left out, as there may be very many."""


def erase(conn: Connection[Any], generation: int, e: Erasure, topic: str, partition: int) -> None:
    """In the caller's transaction: remove, count, and note what the steps found."""
    schema = postgres_schema(generation)
    own = space(e.tenant)
    tables: dict[str, set[str]] = {}
    for name, column in conn.execute(_COLUMNS, (schema, own, own)):
        tables.setdefault(name, set()).add(column)
    known = set().union(*_FED_BY.values())
    counts: dict[str, int] = {}
    for name, columns in sorted(tables.items()):
        fed = name in _FED_BY[topic] if topic in _FED_BY else name not in known
        where = _rows(e, columns) if fed and not foreign(e.tenant, name) else None
        if where is not None:
            query = sql.SQL("DELETE FROM {}.{} WHERE {}").format(sql.Identifier(schema), sql.Identifier(name), where)
            counts[name] = conn.execute(query).rowcount
    if e.stage == "project" and topic == topics.DECISIONS.name and e.record_ids:
        counts["decisions"] = _of_records(conn, schema, e)
    findings.begin(conn, e)
    findings.named(conn, e)
    findings.found(conn, e, findings.place("postgres", generation, topic, e.stage, partition), counts)
    if e.found:
        findings.found(conn, e, f"state/{e.stage}/{partition}", e.found)


def _rows(e: Erasure, columns: set[str]) -> sql.Composed | None:
    """The rows of the erasure's owner; None where the table has none, or the step speaks for itself."""
    time = next((t for t in _TIMES if t in columns), None)
    if "tenant" not in columns or time is None:
        return None
    by_time = sql.SQL("{} <= {}").format(sql.Identifier(time), sql.Literal(e.accepted_at))
    if e.record_ids and "record_id" in columns:
        by_time = sql.SQL("({} OR record_id = ANY({}))").format(by_time, sql.Literal(list(e.record_ids)))
    parts: list[sql.Composable] = [_equal("tenant", e.tenant), by_time]
    if e.scope in ("user", "session"):
        if e.stage == "project":
            return None
        if {"owner_kind", "owner_id"} <= columns:
            parts += [_equal("owner_kind", "user"), _equal("owner_id", e.user_id)]
        elif "user_id" in columns:
            parts.append(_equal("user_id", e.user_id))
        else:
            return None
        if e.scope == "session":
            if "session_id" not in columns:
                return None
            parts.append(_equal("session_id", e.session_id))
    elif e.scope == "project":
        return None
    return sql.SQL(" AND ").join(parts)


def _of_records(conn: Connection[Any], schema: str, e: Erasure) -> int:
    query = sql.SQL("DELETE FROM {}.decisions WHERE tenant = %s AND record_id = ANY(%s) AND accepted_at <= %s")
    return conn.execute(query.format(sql.Identifier(schema)), (e.tenant, list(e.record_ids), e.accepted_at)).rowcount


def _equal(column: str, value: str | None) -> sql.Composed:
    return sql.SQL("{} = {}").format(sql.Identifier(column), sql.Literal(value))


class PostgresFindings:
    """Where the other sinks note what they removed."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def __call__(self, erasure: Erasure, place: str, counts: dict[str, int]) -> None:
        """Raises Transient while Postgres is away."""
        try:
            with postgres_connections.connect(self._dsn, application_name="memstream-erasure") as conn:
                findings.begin(conn, erasure)  # Postgres' own sink may be behind
                findings.found(conn, erasure, place, counts)
        except psycopg.Error as exc:
            raise Transient(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None


_NEWEST = """SELECT erasure_id, tenant, user_id, session_id, accepted_at, state = 'done' FROM trust.erasures
ORDER BY started_at DESC LIMIT %s"""
_OF = """SELECT DISTINCT e.erasure_id, e.tenant, e.user_id, e.session_id, e.accepted_at, e.state = 'done'
FROM unnest(%s::text[], %s::text[]) AS o(tenant, id)
JOIN trust.erasures e ON e.tenant = o.tenant AND (e.user_id = o.id OR e.user_id IS NULL)"""
_LATE = "UPDATE trust.erasures SET state = 'under_way', step = 'late' WHERE erasure_id = ANY(%s)"
"""Also of one that is not done: the eraser may have read the topics already."""


class PostgresErasures:
    """The erasures as the register has them. A connection for each call: few are made."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def newest(self, most: int) -> Sequence[Cut]:
        return [Cut(*row) for row in reversed(self._call(_NEWEST, (most,)))]

    def of(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        return [Cut(*row) for row in self._call(_OF, ([o.tenant for o in owners], [o.id for o in owners]))]

    def came_late(self, erasure_ids: Collection[str]) -> None:
        self._call(_LATE, (sorted(erasure_ids),))

    def _call(self, query: str, params: Sequence[Any]) -> list[Any]:
        """Raises Transient while Postgres is away."""
        try:
            with postgres_connections.connect(self._dsn, application_name="memstream-erasure") as conn:
                cursor = conn.execute(cast(Any, query), params)
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as exc:
            raise Transient(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None
