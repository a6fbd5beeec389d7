"""The relational tables of the profiles (C2): typed columns and the profile's indexes, for queries in SQL.

A relational row is made of the guarded row in `memories`, by Postgres, in the sink's transaction: whatever order a
redelivery brings, the two cannot disagree, and a table that a profile adds is filled from what is there. Values that
stand encrypted in `memories` are empty here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, cast

from psycopg import Connection, errors
from psycopg.rows import TupleRow

from schemas.events.memory import MemoryUpdate
from schemas.profile.checks import RESERVED_TABLES
from schemas.profile.model import TableColumn, TableSpec
from schemas.storage.relations import relation

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Specs:
    """`of`: the tables of the profile in force for a tenant. `known`: tenants whose tables are made before they have a
    row; those of the others are made with the first, and at a start where they have rows already."""

    of: Callable[[str], Sequence[TableSpec]]
    known: Callable[[], Iterable[str]]


NO_TABLES = Specs(lambda tenant: (), lambda: ())
_TYPES = {
    "integer": "bigint", "number": "double precision", "string": "text", "boolean": "boolean", "json": "jsonb",
    "timestamp": "timestamp with time zone",
}  # fmt: skip
_OWN = ("tenant text NOT NULL", "record_id text NOT NULL", "user_id text NOT NULL", "key text NOT NULL",
        "revision bigint NOT NULL", "created_at timestamptz NOT NULL", "updated_at timestamptz NOT NULL")  # fmt: skip
_CURRENT_ROWS = "m.kind = 'table' AND m.state = 'active' AND NOT m.deleted"
_FROM = f"{_CURRENT_ROWS} AND m.tenant = %s AND m.category = %s"
_WITH_ROWS = """
WITH RECURSIVE found(tenant, category) AS (
    (SELECT m.tenant, m.category FROM {memories} m WHERE {standing} ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT next.tenant, next.category FROM found, LATERAL (
        SELECT m.tenant, m.category FROM {memories} m
        WHERE {standing} AND (m.tenant, m.category) > (found.tenant, found.category) ORDER BY 1, 2 LIMIT 1) next
) SELECT tenant, category FROM found"""
"""Tenants and tables that have rows, by one step over the index `memories_tables` for each."""
_THESE = "WHERE tenant = %s AND record_id = ANY(%s)"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,55}")
_REFUSED = (errors.ProgrammingError, errors.DataError, errors.IntegrityError, errors.NotSupportedError,
            errors.ProgramLimitExceeded, errors.StatementTooComplex, errors.TooManyColumns,
            errors.TooManyArguments)  # fmt: skip
"""What Postgres says of a statement that it will refuse the next time, too."""
_MADE_BESIDE = (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateColumn, errors.DuplicateObject)
"""What it says, IF NOT EXISTS or not, of a relation that another process of the sink has made at the same moment."""


class StructuredTables:
    """Tables of every tenant, each in the tenant's space. `specs` may change while the sink runs.

    Profiles come from tenants, and what Postgres refuses of them is left out, and said so: the rows are in `memories`
    all the same, and nobody else waits. What stands of a row in a relation goes with the row, whatever becomes of the
    table.
    """

    def __init__(self, specs: Specs) -> None:
        self._specs = specs
        self._made: dict[tuple[str, str], tuple[TableSpec, tuple[TableColumn, ...] | None]] = {}
        """By schema and relation. Columns None: left out, until its spec is another."""

    def ensure(self, conn: Connection[TupleRow], schema: str) -> None:
        """Create what is missing and fill it from the rows there are. A transaction a table where the caller has none:
        those of all tenants at once would take more locks than a server has."""
        known = set(self._specs.known())
        for tenant in sorted(known):
            for spec in self._specs.of(tenant):
                self._ensure(conn, schema, tenant, spec)
        for tenant, name in _without_table(conn, schema):
            found = next((s for s in self._specs.of(tenant) if s.name == name), None)
            if tenant not in known and found is not None:
                self._ensure(conn, schema, tenant, found)

    def write(self, conn: Connection[TupleRow], schema: str, rows: Sequence[MemoryUpdate]) -> None:
        """After their rows in `memories`."""
        named: dict[tuple[str, str], list[MemoryUpdate]] = {}
        for u in rows:
            named.setdefault((u.tenant, u.category or ""), []).append(u)
        for (tenant, name), updates in sorted(named.items(), key=itemgetter(0)):  # as other writers lock them
            spec = next((s for s in self._specs.of(tenant) if s.name == name), None)
            table = _Table(schema, tenant, name, () if spec is None else self._ensure(conn, schema, tenant, spec))
            if not table.columns:
                _done(conn, partial(_remove, conn, table, updates))
            elif not _done(conn, partial(_fill, conn, table, updates)):
                self._one_by_one(conn, table, updates)

    def forget(self) -> None:
        """The caller's transaction may have been undone: what was made, and what was left out, is tried again."""
        self._made.clear()

    def _ensure(
        self, conn: Connection[TupleRow], schema: str, tenant: str, spec: TableSpec
    ) -> tuple[TableColumn, ...]:
        """The columns that the table has; none where it is left out."""
        place = schema, relation(tenant, spec.name)
        made = self._made.get(place)
        if made is None or made[0] != spec:
            made = spec, self._create(conn, schema, tenant, spec)
            self._made[place] = made
        return made[1] or ()

    def _create(
        self, conn: Connection[TupleRow], schema: str, tenant: str, spec: TableSpec, tries: int = 3
    ) -> tuple[TableColumn, ...] | None:
        if relation(tenant, spec.name) in RESERVED_TABLES:
            log.error("a structured table of a profile is left out: the engine has a relation of its name",
                      extra={"schema": schema, "table": spec.name})  # fmt: skip
            return None
        try:
            with conn.transaction():
                columns = _create(conn, schema, tenant, spec)
                _fill(conn, _Table(schema, tenant, spec.name, columns), None)
        except _REFUSED as exc:
            if tries > 1 and isinstance(exc, _MADE_BESIDE):
                return self._create(conn, schema, tenant, spec, tries - 1)
            extra = {"schema": schema, "table": spec.name, "error": f"SQLSTATE {exc.sqlstate}"}
            log.error("a structured table of a profile is left out: Postgres refuses it", extra=extra)
            return None
        return columns

    def _one_by_one(self, conn: Connection[TupleRow], table: _Table, updates: Sequence[MemoryUpdate]) -> None:
        """Each row as it can be written; else what stands of it is taken out, as it is not what the row is now."""
        refused = [u for u in updates if not _done(conn, partial(_fill, conn, table, [u]))]
        if refused:
            _done(conn, partial(_remove, conn, table, refused))
            log.error("rows of a structured table are left out: Postgres refuses them",
                      extra={"schema": table.schema, "table": table.name, "rows": len(refused)})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Table:
    """A tenant's table in a generation. No `columns`: there is none to write to, but one of before may stand."""

    schema: str
    tenant: str
    name: str
    columns: tuple[TableColumn, ...]

    @property
    def place(self) -> str:
        return f'{self.schema}."{relation(self.tenant, self.name)}"'


def _without_table(conn: Connection[TupleRow], schema: str) -> list[tuple[str, str]]:
    """Tenants with rows of a table, and its name, where no relation of that name stands."""
    existing = {name for (name,) in _run(conn, "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,))}
    rows = _run(conn, _WITH_ROWS.format(memories=f"{schema}.memories", standing=_CURRENT_ROWS))
    return [(tenant, name) for tenant, name in rows if relation(tenant, name) not in existing]


def _remove(conn: Connection[TupleRow], table: _Table, rows: Sequence[MemoryUpdate]) -> None:
    """What stands of these rows, where the relation is a structured table. The name is a record's: any text."""
    if not _NAME.fullmatch(table.name) or relation(table.tenant, table.name) in RESERVED_TABLES:
        return
    found = _run(
        conn,
        "SELECT 1 FROM information_schema.columns WHERE table_schema = %s AND table_name = %s"
        " AND column_name IN ('tenant', 'record_id', 'user_id', 'revision') HAVING count(*) = 4",
        (table.schema, relation(table.tenant, table.name)),
    )
    if list(found):
        _run(conn, f"DELETE FROM {table.place} {_THESE}", (table.tenant, [u.record_id for u in rows]))  # noqa: S608


def _fill(conn: Connection[TupleRow], table: _Table, rows: Sequence[MemoryUpdate] | None) -> None:
    """`rows` None: all of the tenant's."""
    keys: tuple[Any, ...] = ()
    some = ""
    if rows is not None:
        keys = ([u.record_id for u in rows],)
        some = "AND m.record_id = ANY(%s) "
        _run(conn, f"DELETE FROM {table.place} {_THESE}", (table.tenant, *keys))  # noqa: S608 - names are checked
    columns = table.columns
    names = "".join(f', "{c.name}"' for c in columns)
    reads = "".join(f", {_value(c)}" for c in columns)
    sets = "".join(f', "{c.name}" = EXCLUDED."{c.name}"' for c in columns)
    _run(
        conn,
        f"INSERT INTO {table.place} (tenant, record_id, user_id, key, revision, created_at, updated_at{names}) "  # noqa: S608
        "SELECT m.tenant, m.record_id, m.owner_id, coalesce(m.key, ''), m.revision, m.occurred_at, "
        f"m.known_at{reads} "
        f"FROM {table.schema}.memories m WHERE {_FROM} {some}"
        "ON CONFLICT (tenant, record_id) DO UPDATE SET revision = EXCLUDED.revision, key = EXCLUDED.key, "
        f"created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at{sets}",
        (table.tenant, table.name, *keys),
    )


def _done(conn: Connection[TupleRow], call: Callable[[], None]) -> bool:
    """Behind a savepoint, so that the caller's transaction goes on where Postgres refuses it."""
    try:
        with conn.transaction():
            call()
    except _REFUSED:
        return False
    return True


def _create(
    conn: Connection[TupleRow], schema: str, tenant: str, spec: TableSpec
) -> tuple[TableColumn, ...]:
    """The table and its indexes; the columns that it has in their type (a column that stands in another type, from
    an earlier profile, is left empty and said so)."""
    name = relation(tenant, spec.name)
    _run(conn, f'CREATE TABLE IF NOT EXISTS {schema}."{name}" ({", ".join(_OWN)}, PRIMARY KEY (tenant, record_id))')
    # A sink of before tenants had a space each may have written here since the migration.
    _run(conn, f'DELETE FROM {schema}."{name}" WHERE tenant <> %s', (tenant,))  # noqa: S608 - names are checked
    for c in spec.columns:
        _run(conn, f'ALTER TABLE {schema}."{name}" ADD COLUMN IF NOT EXISTS "{c.name}" {_TYPES[c.type]}')
    found = _run(
        conn,
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = %s AND table_name = %s",
        (schema, name),
    )  # fmt: skip
    types = {str(r[0]): str(r[1]) for r in found}
    usable = tuple(c for c in spec.columns if types.get(c.name) == _TYPES[c.type])
    for c in spec.columns:
        if c not in usable:
            log.warning("a column stands in another type", extra={"table": spec.name, "column": c.name})
    for index, columns in spec.indexes.items():
        names = relation(tenant, index), relation(tenant, f"{spec.name}_{index}")
        _index(conn, schema, name, names, ("tenant", *columns), unique=False)
    own = f"{spec.name}_user"
    names = relation(tenant, own), relation(tenant, f"{spec.name}_{own}")
    _index(conn, schema, name, names, ("tenant", "user_id"), unique=spec.unique)
    return usable


def _index(
    conn: Connection[TupleRow], schema: str, table: str, names: tuple[str, str], columns: Sequence[str], *, unique: bool
) -> None:
    """Under the first of `names`, the profile's; under the other, with the table's before it, where another table has
    that name."""
    name, spare = names
    taken = list(
        _run(conn, "SELECT tablename FROM pg_indexes WHERE schemaname = %s AND indexname = %s", (schema, name))
    )
    if taken and taken[0][0] == table:
        return
    if taken:
        name = spare
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
