"""Indexes on tables that are written to while a database is brought to another version."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from alembic import op
from psycopg import Connection, errors, sql

from schemas.migrations import LOCK_SECONDS

log = logging.getLogger(__name__)
_TRIES = 5
_PAUSE_SECONDS = 10.0
"""After a deadlock: a sink of an older version waits for the migration within a statement, for half a minute at most,
and the index waits for the end of every statement."""
_FOUND = """
SELECT i.indisvalid, i.indrelid = to_regclass(%(table)s) FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE n.nspname = %(schema)s AND c.relname = %(name)s
"""


class NameTakenError(RuntimeError):
    """Another relation has the name of an index of ours; the message says what to do."""


def build_index(schema: str, table: str, name: str, definition: str) -> None:
    """CREATE INDEX in a migration, without stopping writes: the table is read twice, and writes go on meanwhile. What
    the migration did before is committed. Safe to repeat: what a killed build left behind is dropped and built anew.
    It waits for the transactions that are open as it begins, a dump's too.

    `definition`: what stands behind the table's name. Raises NameTakenError.
    """
    with op.get_context().autocommit_block():
        connection = cast("Connection[Any]", op.get_bind().connection.dbapi_connection)
        with _patient(connection):
            _build(connection, schema, table, name, definition)


def _build(connection: Connection[Any], schema: str, table: str, name: str, definition: str) -> None:
    for left in reversed(range(_TRIES)):
        try:
            if not _is_complete(connection, schema, table, name):
                log.info("building index %s.%s", schema, name)
                _create(connection, schema, table, name, definition)
            return
        except errors.DeadlockDetected:
            if not left:
                raise
            time.sleep(_PAUSE_SECONDS)


@contextmanager
def _patient(connection: Connection[Any]) -> Iterator[None]:
    """Nobody waits behind a build that waits for open transactions: it may take as long as they do."""
    connection.execute("SET lock_timeout = 0")
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{LOCK_SECONDS:g}s",))


def _create(connection: Connection[Any], schema: str, table: str, name: str, definition: str) -> None:
    place = sql.SQL("CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON {} ").format(
        sql.Identifier(name), sql.Identifier(schema, table)
    )
    connection.execute(place + sql.SQL(cast(Any, definition)))


def _is_complete(connection: Connection[Any], schema: str, table: str, name: str) -> bool:
    """Whether the index is there and whole. Half of one, which no query uses and every write pays for, is dropped."""
    asked = {"schema": schema, "table": f"{schema}.{table}", "name": name}
    row = connection.execute(_FOUND, asked).fetchone()
    if row is None:
        return False
    valid, ours = row
    if not ours:
        raise NameTakenError(
            f"{schema}.{name} is no index of {schema}.{table}: rename or drop it (a structured table is made again from"
            " memories), then migrate again"
        )
    if not valid:
        connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(schema, name)))
    return bool(valid)
