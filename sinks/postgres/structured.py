"""The relational tables of the profiles (C2): typed columns and the profile's indexes, for queries in SQL.

A relational row is made of the guarded row in `memories`, by Postgres, in the sink's transaction: whatever order a
redelivery brings, the two cannot disagree, and a table that a profile adds is filled from what is there. Values that
stand encrypted in `memories` are empty here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, cast

from psycopg import Connection, errors
from psycopg.rows import TupleRow

from schemas.events.memory import MemoryUpdate
from schemas.profile.model import TableColumn, TableSpec

log = logging.getLogger(__name__)
Specs = Callable[[], Sequence[TableSpec]]
_TYPES = {
    "integer": "bigint", "number": "double precision", "string": "text", "boolean": "boolean", "json": "jsonb",
    "timestamp": "timestamp with time zone",
}  # fmt: skip
_OWN = ("tenant text NOT NULL", "record_id text NOT NULL", "user_id text NOT NULL", "key text NOT NULL",
        "revision bigint NOT NULL", "created_at timestamptz NOT NULL", "updated_at timestamptz NOT NULL")  # fmt: skip
_FROM = "m.kind = 'table' AND m.state = 'active' AND NOT m.deleted AND m.category = %s"


def no_tables() -> Sequence[TableSpec]:
    return ()


_REFUSED = (errors.ProgrammingError, errors.DataError, errors.IntegrityError, errors.NotSupportedError,
            errors.ProgramLimitExceeded, errors.StatementTooComplex, errors.TooManyColumns,
            errors.TooManyArguments)  # fmt: skip
"""What Postgres says of a statement that it will refuse the next time, too."""


class StructuredTables:
    """Tables of every profile in force. `specs` may grow while the sink runs.

    Profiles come from tenants, and what Postgres refuses of them (a table whose name is another relation's, a row that
    breaks a unique index that another tenant's profile made) is left out, and said so: the rows are in `memories` all
    the same, and nobody else waits.
    """

    def __init__(self, specs: Specs) -> None:
        self._specs = specs
        self._made: dict[tuple[str, str], tuple[TableSpec, tuple[TableColumn, ...] | None]] = {}
        """Columns None: left out, until its spec is another."""

    def ensure(self, conn: Connection[TupleRow], schema: str) -> None:
        """Create what is missing and fill it from the rows there are. In the caller's transaction."""
        for spec in self._specs():
            made = self._made.get((schema, spec.name))
            if made is not None and made[0] == spec:
                continue
            try:
                with conn.transaction():
                    columns = _create(conn, schema, spec)
                    _fill(conn, schema, spec.name, columns, None)
            except _REFUSED as exc:
                self._made[schema, spec.name] = spec, None
                told = {"schema": schema, "table": spec.name, "error": f"SQLSTATE {exc.sqlstate}"}
                log.error("a structured table of a profile is left out: Postgres refuses it", extra=told)
            else:
                self._made[schema, spec.name] = spec, columns

    def write(self, conn: Connection[TupleRow], schema: str, rows: Sequence[MemoryUpdate]) -> None:
        """After their rows in `memories`."""
        named: dict[str, list[MemoryUpdate]] = {}
        for u in rows:
            named.setdefault(u.category or "", []).append(u)
        if named:
            self.ensure(conn, schema)
        for name, updates in named.items():
            _, columns = self._made.get((schema, name), (None, None))
            if columns is None or _taken(conn, schema, name, columns, updates):
                continue
            refused = sum(not _taken(conn, schema, name, columns, [u]) for u in updates)
            log.error("rows of a structured table are left out: Postgres refuses them",
                      extra={"schema": schema, "table": name, "rows": refused})  # fmt: skip

    def forget(self) -> None:
        """The caller's transaction may have been undone: what was made, and what was left out, is tried again."""
        self._made.clear()


def _fill(
    conn: Connection[TupleRow], schema: str, name: str, columns: Sequence[TableColumn],
    rows: Sequence[MemoryUpdate] | None,
) -> None:  # fmt: skip
    """`rows` None: all."""
    keys: tuple[Any, ...] = ()
    some = ""
    if rows is not None:
        keys = [u.tenant for u in rows], [u.record_id for u in rows]
        some = "AND (m.tenant, m.record_id) IN (SELECT * FROM unnest(%s::text[], %s::text[])) "
        _run(
            conn,
            f'DELETE FROM {schema}."{name}" t USING unnest(%s::text[], %s::text[]) AS g(t, r) '  # noqa: S608
            "WHERE t.tenant = g.t AND t.record_id = g.r",
            keys,
        )
    names = "".join(f', "{c.name}"' for c in columns)
    reads = "".join(f", {_value(c)}" for c in columns)
    sets = "".join(f', "{c.name}" = EXCLUDED."{c.name}"' for c in columns)
    _run(
        conn,
        f'INSERT INTO {schema}."{name}" (tenant, record_id, user_id, key, revision, created_at, updated_at{names}) '  # noqa: S608
        "SELECT m.tenant, m.record_id, m.owner_id, coalesce(m.key, ''), m.revision, m.occurred_at, "
        f"m.known_at{reads} "
        f"FROM {schema}.memories m WHERE {_FROM} {some}"
        "ON CONFLICT (tenant, record_id) DO UPDATE SET revision = EXCLUDED.revision, key = EXCLUDED.key, "
        f"created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at{sets}",
        (name, *keys),
    )


def _taken(
    conn: Connection[TupleRow], schema: str, name: str, columns: Sequence[TableColumn], rows: Sequence[MemoryUpdate]
) -> bool:
    """Behind a savepoint, so that the caller's transaction goes on where Postgres refuses them."""
    try:
        with conn.transaction():
            _fill(conn, schema, name, columns, rows)
    except _REFUSED:
        return False
    return True


def _create(conn: Connection[TupleRow], schema: str, spec: TableSpec) -> tuple[TableColumn, ...]:
    """The table and its indexes; the columns that it has in their type (a column that stands in another type, from
    another profile, is left empty and said so)."""
    _run(
        conn, f'CREATE TABLE IF NOT EXISTS {schema}."{spec.name}" ({", ".join(_OWN)}, PRIMARY KEY (tenant, record_id))'
    )
    for c in spec.columns:
        _run(conn, f'ALTER TABLE {schema}."{spec.name}" ADD COLUMN IF NOT EXISTS "{c.name}" {_TYPES[c.type]}')
    found = _run(
        conn,
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = %s AND table_name = %s",
        (schema, spec.name),
    )  # fmt: skip
    types = {str(r[0]): str(r[1]) for r in found}
    usable = tuple(c for c in spec.columns if types.get(c.name) == _TYPES[c.type])
    for c in spec.columns:
        if c not in usable:
            log.warning("a column stands in another type", extra={"table": spec.name, "column": c.name})
    over = {name: ("tenant", *columns) for name, columns in spec.indexes.items()}
    for name, columns in over.items():
        _index(conn, schema, spec.name, name, columns, unique=False)
    _index(conn, schema, spec.name, f"{spec.name}_user", ("tenant", "user_id"), unique=spec.unique)
    return usable


def _index(
    conn: Connection[TupleRow], schema: str, table: str, name: str, columns: Sequence[str], *, unique: bool
) -> None:
    """Under the profile's name; where another table has that name, with the table's before it."""
    taken = list(
        _run(conn, "SELECT tablename FROM pg_indexes WHERE schemaname = %s AND indexname = %s", (schema, name))
    )
    if taken and taken[0][0] == table:
        return
    if taken:
        name = f"{table}_{name}"[:63]
    over = ", ".join(f'"{c}"' for c in columns)
    _run(conn, f'CREATE {"UNIQUE " if unique else ""}INDEX IF NOT EXISTS "{name}" ON {schema}."{table}" ({over})')


def _value(c: TableColumn) -> str:
    """The column in a row's JSON, NULL where it is not of the type (rows of an earlier profile)."""
    raw, kind = f"m.value->'{c.name}'", f"jsonb_typeof(m.value->'{c.name}')"
    match c.type:
        case "json":
            return raw
        case "integer" | "number":
            return f"CASE WHEN {kind} = 'number' THEN (m.value->>'{c.name}')::numeric::{_TYPES[c.type]} END"
        case "boolean":
            return f"CASE WHEN {kind} = 'boolean' THEN (m.value->>'{c.name}')::boolean END"
        case "timestamp":
            return f"CASE WHEN {kind} = 'string' THEN (m.value->>'{c.name}')::timestamptz END"
        case _:
            return f"CASE WHEN {kind} = 'string' THEN m.value->>'{c.name}' END"


def _run(conn: Connection[TupleRow], query: str, params: Sequence[Any] | None = None) -> Any:
    return conn.execute(cast(Any, query), params)
