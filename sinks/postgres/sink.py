"""The Postgres sink: every view, one transaction a batch with its progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

import orjson
import psycopg
from psycopg import Connection, errors
from psycopg.rows import TupleRow

from schemas.components.builtin import POSTGRES
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.migrations import create_generation
from schemas.security.sealed_rows import Seals, by_profile, everything
from schemas.storage import postgres_connections
from schemas.storage.layouts import postgres_schema
from schemas.storage.relations import HOME
from sinks.collapse import memory_of, session_of
from sinks.parts import SinkParts
from sinks.postgres.erasure import erase
from sinks.postgres.held import DECISIONS_KEPT
from sinks.postgres.rows import Row, row_of
from sinks.postgres.structured import NO_TABLES, Specs, StructuredTables
from sinks.postgres.tables import TABLES, Table, progress_upsert
from sinks.protocol import Mark, Permanent, Sink, SinkBatch, Tombstone, Transient

T = TypeVar("T")
_POISON = (errors.DataError, errors.IntegrityError, errors.ProgramLimitExceeded)
"""SQLSTATE classes 22, 23 and 54: the content will never fit. Everything else that Postgres says can be mended on
its side (away, full, not migrated), so the sink waits. No statement comes of what a tenant writes but those of its
structured tables, which are left out where Postgres refuses them."""
_NAME = "memstream-sink-postgres"
SESSIONS_KEPT = timedelta(days=30)
"""How long a session's row outlives its last event: its window holds turn text (A1)."""
SWEPT = 50_000
"""Rows of a table that go with one tick; the rest go with the next. More than come between two."""


class PostgresSink:
    """Writes every generation in `generations` alike (the live one, and one that is being built).

    `statement_timeout` in seconds. The database must have been migrated (schemas.migrations.upgrade); `ensure`
    creates generations that are missing.
    """

    name = "postgres"
    topics = POSTGRES.feed.topics

    def __init__(
        self,
        dsn: str,
        generations: Sequence[int] = (1,),
        *,
        statement_timeout: float = 30.0,
        tables: Specs = NO_TABLES,
        sessions_kept: timedelta = SESSIONS_KEPT,
        seals: Seals = everything,
    ) -> None:
        if not generations:
            raise ValueError("generations must name at least one")
        self._dsn = dsn
        self._generations = tuple(generations)
        self._options = f"-c statement_timeout={int(statement_timeout * 1000)} -c jit=off"
        self._conn: Connection[TupleRow] | None = None
        self._tables = StructuredTables(tables)
        self._sessions_kept = sessions_kept
        self._seals = seals

    def ensure(self) -> None:
        def create(conn: Connection[TupleRow]) -> None:
            for generation in self._generations:
                create_generation(conn, generation)
                self._tables.ensure(conn, postgres_schema(generation))

        self._run(create)

    def write(self, batch: SinkBatch) -> int:
        rows: dict[str, list[Row]] = {}
        for item in batch.items:
            found = row_of(item, self._seals)
            if found is not None:
                rows.setdefault(found[0].name, []).append(found[1])
        tombstones = [item.event for item in batch.items if isinstance(item.event, Tombstone)]
        erasures = [(i.event, i.message) for i in batch.items if isinstance(i.event, Erasure)]
        structured = [i.event for i in batch.items if isinstance(i.event, MemoryUpdate) and i.event.kind == "table"]
        blobs = {t: orjson.dumps(rows[t.name]).decode() for t in TABLES if t.name in rows}

        def transaction(conn: Connection[TupleRow]) -> int:
            with conn.transaction():
                refused = sum(self._write(conn, g, blobs, rows, tombstones, batch) for g in self._generations)
                for g in self._generations:
                    self._tables.write(conn, postgres_schema(g), structured)
                    for event, message in erasures:
                        erase(conn, g, event, message.topic, message.partition)
                return refused

        return self._run(transaction)

    def progress(self) -> dict[Mark, int]:
        """Of the first generation in the configuration."""
        schema = postgres_schema(self._generations[0])
        query = f"SELECT stage, partition, root, next_offset FROM {schema}.progress"  # noqa: S608 - a constant name
        return self._run(lambda conn: {Mark(r[0], r[1], r[2]): r[3] for r in _execute(conn, query)})

    def written_at(self) -> datetime | None:
        """The oldest among the generations: each must have seen every deletion."""
        found = []
        for generation in self._generations:
            query = f"SELECT max(updated_at) FROM {postgres_schema(generation)}.progress"  # noqa: S608
            found += [r[0] for r in self._run(lambda conn, q=query: list(_execute(conn, q)))]  # type: ignore[misc]
        known = [at for at in found if at is not None]
        return min(known) if known else None

    def idle(self, now: datetime) -> None:
        """Nothing to do: what expires goes with the ticks."""

    def close(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def _write(
        self,
        conn: Connection[TupleRow],
        generation: int,
        blobs: dict[Table, str],
        rows: dict[str, list[Row]],
        tombstones: Sequence[Tombstone],
        batch: SinkBatch,
    ) -> int:
        schema = postgres_schema(generation)
        refused = 0
        for table, blob in blobs.items():
            taken = _execute(conn, table.upsert(schema), (blob,)).rowcount
            refused += len(rows[table.name]) - taken
        if tombstones:
            refused += _remove(conn, schema, tombstones)
        if batch.progress:
            columns = [[*m, offset] for m, offset in sorted(batch.progress.items())]
            _execute(conn, progress_upsert(schema), tuple(map(list, zip(*columns, strict=True))))
        if batch.sweep is not None:
            _sweep(conn, schema, batch.sweep, self._sessions_kept)
        return refused

    def _run(self, call: Callable[[Connection[TupleRow]], T]) -> T:
        """Raises Transient and Permanent in place of what psycopg says, whose messages may hold content."""
        try:
            if self._conn is None or self._conn.closed:
                self._conn = postgres_connections.connect(
                    self._dsn, autocommit=True, options=self._options, application_name=_NAME
                )
            return call(self._conn)
        except _POISON as exc:
            self._tables.forget()
            raise Permanent("postgres_refused", f"SQLSTATE {exc.sqlstate}") from None
        except psycopg.Error as exc:
            self.close()
            self._tables.forget()
            raise Transient(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None


def _execute(conn: Connection[TupleRow], query: str, params: Sequence[Any] | None = None) -> psycopg.Cursor[TupleRow]:
    return conn.execute(cast(Any, query), params)


def _remove(conn: Connection[TupleRow], schema: str, tombstone: Sequence[Tombstone]) -> int:
    """Memories only once they are marked deleted (a row written since stays); sessions at once."""
    memories = [m for t in tombstone if (m := memory_of(t)) is not None]
    sessions = [s for t in tombstone if (s := session_of(t)) is not None]
    removed = 0
    if memories:
        query = (
            f"DELETE FROM {schema}.memories m USING unnest(%s::text[], %s::text[], %s::int[]) AS g(t, r, v) "  # noqa: S608
            "WHERE m.tenant = g.t AND m.record_id = g.r AND m.version = g.v AND m.deleted"
        )
        removed += _execute(conn, query, tuple(map(list, zip(*memories, strict=True)))).rowcount
    for name, rest in (("sessions", "x.session_id"), ("checkpoints", "x.session_id || '/' || x.message_id")):
        if sessions:
            query = (
                f"DELETE FROM {schema}.{name} x USING unnest(%s::text[], %s::text[], %s::text[]) AS g(t, u, s) "  # noqa: S608
                f"WHERE x.tenant = g.t AND x.user_id = g.u AND {rest} = g.s"
            )
            removed += _execute(conn, query, tuple(map(list, zip(*sessions, strict=True)))).rowcount
    return max(0, len(tombstone) - removed)


def _sweep(conn: Connection[TupleRow], schema: str, now: datetime, sessions_kept: timedelta) -> None:
    """Turns, decisions, windows of sessions and checkpoints whose time is over: an extractive summary holds sentences
    as they were said (A1). Memories are retired by their writer, in the log. At most `SWEPT` rows of a table: more
    would pass the statement's time, be taken for an outage and be tried for ever."""
    over = {
        "turns": ("expires_at", now), "decisions": ("accepted_at", now - DECISIONS_KEPT),
        "sessions": ("updated_at", now - sessions_kept), "checkpoints": ("created_at", now - sessions_kept),
    }  # fmt: skip
    for name, (column, limit) in over.items():
        table = f"{schema}.{name}"
        found = f"SELECT ctid FROM {table} WHERE {column} <= %s LIMIT {SWEPT}"  # noqa: S608 - constant names
        _execute(conn, f"DELETE FROM {table} WHERE ctid = ANY(ARRAY({found}))", (limit,))  # noqa: S608 - the same


def built(parts: SinkParts) -> Sink:
    """Its structured tables are those of every tenant's profile."""
    profiles = parts.profiles()
    tables = Specs(lambda tenant: profiles.of(tenant).tables, lambda: (HOME, *profiles.tenants))
    kept = timedelta(days=profiles.default.retention.turns_days)
    seals = by_profile(profiles.of)
    return PostgresSink(parts.postgres, (parts.generation,), tables=tables, sessions_kept=kept, seals=seals)
