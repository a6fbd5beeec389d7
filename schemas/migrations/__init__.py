"""Migrations of the Postgres schemas (`stream`, `ops`, `views_gN`).

Alembic keeps the order and the applied version; the SQL itself is plain files in `schemas/sql`. Those files
describe what a *new* database or generation gets, so a later migration is written with `IF [NOT] EXISTS` and
applies to every generation that `generations()` lists; the same change then goes into the file. The services run
meanwhile: an index on a table that grows is built by `indexes.build_index`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from psycopg import Connection, errors, sql
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_fixed

from schemas.components.installed import components
from schemas.storage import postgres_connections
from schemas.storage.layouts import postgres_schema

if TYPE_CHECKING:
    import sqlalchemy
    from alembic.config import Config

log = logging.getLogger(__name__)
LOCK = 0x6D656D73
"""Advisory lock key of everything that creates or alters schemas: one process at a time."""
VERSION_TABLE = "memstream_version"
_WAIT_SECONDS = 20.0
"""Longest wait for that lock where a caller comes again later: a migration may take longer."""
_LOOK_SECONDS = 0.2
LOCK_SECONDS = 3.0
"""Longest wait of a migration's statement for a table: what comes after it waits behind it, reads too."""
_LOCK_PAUSE_SECONDS = 5.0
"""Between two tries, in which others take their turn."""
_LOCK_TRIES = 120
"""With the above some 15 minutes, which covers a dump or a report that holds a table."""
_FIRST = "INSERT INTO ops.generations (store, generation, state) VALUES (%s, 1, 'standing') ON CONFLICT DO NOTHING"
_LIVE = "INSERT INTO ops.live_views (store, generation) VALUES (%s, 1) ON CONFLICT DO NOTHING"
_TABLES_AT_ONCE = 200
"""Tables that one transaction drops: each takes several locks, for itself, its indexes and its long values."""


def sql_text(name: str) -> str:
    """The text of `schemas/sql/NAME.sql`."""
    return files("schemas").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def upgrade(dsn: str) -> None:
    """Bring the database at `dsn` (libpq form) to the newest version. Safe when several processes call at once:
    one migrates, the others wait and then find nothing to do. Each migration is committed by itself, so a run that was
    ended goes on where it was. One that needs a table which others hold lets go after `LOCK_SECONDS` and tries again,
    so that nobody waits behind it for longer. Raises psycopg.Error, NameTakenError or alembic's CommandError."""
    with postgres_connections.connect(dsn) as conn:
        if version(conn) == newest():  # as at nearly every start of a process, which then goes without Alembic's import
            _complete(conn)
            return
    from alembic.config import Config
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    def creator() -> Connection[Any]:  # without a deadline: it may wait for another migration, and rewrite tables
        conn = postgres_connections.connect(dsn, answer_seconds=None)
        conn.execute("SELECT set_config('lock_timeout', %s, false)", (f"{LOCK_SECONDS:g}s",))
        conn.commit()
        return conn

    engine = create_engine("postgresql+psycopg://", creator=creator, poolclass=NullPool)
    with engine.connect() as connection:  # whose end gives the lock back
        while not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({LOCK})").scalar_one():
            connection.commit()
            time.sleep(_LOOK_SECONDS)
        connection.commit()
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
        config.attributes["connection"] = connection
        _migrate(config)
    engine.dispose()
    with postgres_connections.connect(dsn) as conn:
        add_stores(conn)


def _complete(conn: Connection[Any]) -> None:
    """What the newest migration made in each generation, in those that a process of an older release made after it; and
    the first generation of each store that is new."""
    add_stores(conn)
    conn.commit()
    for generation in generations(conn):
        schema = postgres_schema(generation)
        if conn.execute("SELECT to_regprocedure(%s) IS NULL", (f"{schema}.led_to(text)",)).fetchone() == (True,):
            with _alone(conn):
                create_told(conn, generation)
                conn.execute("SELECT ops.wall(%s)", (schema,))
    conn.commit()


def add_stores(conn: Connection[Any], stores: Iterable[str] | None = None) -> list[str]:
    """Give each store that has no generation its first one, which is read. Returns those. `stores`: without, all that
    are declared. Raises ComponentError."""
    stores = components().sinks if stores is None else stores
    with conn.transaction():
        known = {str(row[0]) for row in conn.execute("SELECT DISTINCT store FROM ops.generations")}
        new = sorted(set(stores) - known)
        for store in new:
            for query in (_FIRST, _LIVE):
                conn.execute(query, (store,))
    return new


def _migrate(config: Config) -> None:
    """All that is left, one after the other. Raises LockNotAvailable for a table that others keep."""
    from alembic import command

    connection: sqlalchemy.Connection = config.attributes["connection"]
    for attempt in _lock_attempts():
        with attempt:
            connection.rollback()
            command.upgrade(config, "head")


def _lock_attempts() -> Retrying:
    return Retrying(
        retry=retry_if_exception(_lock_kept),
        wait=wait_fixed(_LOCK_PAUSE_SECONDS),
        stop=stop_after_attempt(_LOCK_TRIES),
        before_sleep=lambda state: log.warning(
            "a migration waits for a table that others hold", extra={"attempt": state.attempt_number}
        ),
        reraise=True,
    )


def _lock_kept(error: BaseException) -> bool:
    """As psycopg's own error, or in SQLAlchemy's."""
    return isinstance(getattr(error, "orig", error), errors.LockNotAvailable)


@contextmanager
def _alone(conn: Connection[Any]) -> Iterator[None]:
    """One process at a time, until the caller's transaction ends where it has one. Raises LockNotAvailable where others
    keep the lock. Nobody waits for it within a statement or a transaction of ours: the building of an index waits for
    the end of these, and is done by a migration, which holds this lock."""
    until = time.monotonic() + _WAIT_SECONDS
    while conn.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone() != (True,):
        if time.monotonic() > until:
            raise errors.LockNotAvailable("another process makes or alters schemas")
        time.sleep(_LOOK_SECONDS)
    try:
        with conn.transaction():
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))  # at once: this session has it
            yield
    finally:
        if not conn.closed:
            conn.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def version(conn: Connection[Any]) -> str | None:
    """The revision that was applied last; None where none was."""
    if conn.execute("SELECT to_regclass(%s) IS NULL", (VERSION_TABLE,)).fetchone() == (True,):
        return None
    query = sql.SQL("SELECT version_num FROM {}").format(sql.Identifier(VERSION_TABLE))
    row = conn.execute(query).fetchone()
    return None if row is None else str(row[0])


def newest() -> str:
    """The revision that `upgrade` leads to: each file is named after its own, and they are one line."""
    return max(path.name[1:5] for path in (Path(__file__).parent / "versions").glob("v[0-9][0-9][0-9][0-9]_*.py"))


def create_generation(conn: Connection[Any], generation: int) -> bool:
    """Create the views of a generation unless they stand already; True when they were created.

    Runs in the caller's transaction, or in one of its own where the caller has none.
    """
    schema = postgres_schema(generation)
    with _alone(conn):
        found = conn.execute("SELECT to_regnamespace(%s) IS NOT NULL", (schema,)).fetchone()
        if found is not None and found[0]:
            return False
        # psycopg sends a statement without parameters by the simple protocol, which takes many at once.
        conn.execute(cast(Any, sql_text("views").replace("{schema}", schema)))
        create_archive(conn, generation)
        create_messages(conn, generation)
        create_seeds(conn, generation)
        create_told(conn, generation)
        if conn.execute("SELECT to_regproc('ops.wall') IS NOT NULL").fetchone() == (True,):
            conn.execute("SELECT ops.wall(%s)", (schema,))
    return True


def create_archive(conn: Connection[Any], generation: int) -> None:
    """The archive of a generation (C8): a table beside `memories`, and what moves rows there. Safe to repeat."""
    conn.execute(cast(Any, sql_text("archive").replace("{schema}", postgres_schema(generation))))


def create_messages(conn: Connection[Any], generation: int) -> None:
    """Turns and checkpoints of a generation as the seed's ai_message (E3). Safe to repeat. Postgres 15 or newer."""
    conn.execute(cast(Any, sql_text("messages").replace("{schema}", postgres_schema(generation))))


def create_seeds(conn: Connection[Any], generation: int) -> None:
    """The seeds' own tables of a generation, as views (A1, A3, A6, D7, D8, D9). Safe to repeat."""
    conn.execute(cast(Any, sql_text("seeds").replace("{schema}", postgres_schema(generation))))


def create_told(conn: Connection[Any], generation: int) -> None:
    """What finds a generation's records by ids that callers were told. Safe to repeat."""
    conn.execute(cast(Any, sql_text("told").replace("{schema}", postgres_schema(generation))))


def wall_function(conn: Connection[Any]) -> None:
    """`ops.wall` as it is now, without the role: who may not make roles upgrades, too."""
    text = sql_text("wall")
    conn.execute(cast(Any, text[text.index("CREATE OR REPLACE FUNCTION") :]))


def wall(conn: Connection[Any]) -> None:
    """Put every table with a tenant, of every generation, behind the policy of the reading role (C7). A migration that
    adds such a table calls it too. Raises psycopg.errors.InsufficientPrivilege where the role is missing and this user
    may not create it: a database administrator then runs `CREATE ROLE memstream_reader NOLOGIN` and grants it."""
    conn.execute(cast(Any, sql_text("wall")))
    for generation in generations(conn):
        conn.execute("SELECT ops.wall(%s)", (postgres_schema(generation),))


def drop_generation(conn: Connection[Any], generation: int) -> None:
    """Drop the views of a generation, its tenants' tables by pages before: all at once would take more locks than a
    server has. Raises ValueError for the live one."""
    while _drop_page(conn, generation):
        pass


def _drop_page(conn: Connection[Any], generation: int) -> bool:
    """Whether there may be more: the schema itself goes with the last."""
    with _alone(conn):
        row = conn.execute("SELECT generation FROM ops.live_views WHERE store = 'postgres'").fetchone()
        if row is not None and row[0] == generation:
            raise ValueError(f"generation {generation} is live: switch to another before dropping it")
        schema = postgres_schema(generation)
        query = "SELECT tablename FROM pg_tables WHERE schemaname = %s AND strpos(tablename, '/') > 0 LIMIT %s"
        names = [row[0] for row in conn.execute(query, (schema, _TABLES_AT_ONCE))]
        for name in names:
            conn.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(schema, name)))
        if not names:
            conn.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))
        return bool(names)


def generations(conn: Connection[Any]) -> list[int]:
    """The generations of views that exist, ascending."""
    rows = conn.execute("SELECT substr(nspname, 8)::int FROM pg_namespace WHERE nspname ~ '^views_g[0-9]+$' ORDER BY 1")
    return [int(row[0]) for row in rows]
