"""Counts and hashes of the Postgres views, carrying over what the log has lost, and dropping a generation (N1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import psycopg
from psycopg import Connection

from schemas.log import topics
from schemas.migrations import create_generation, drop_generation, generations
from schemas.storage import postgres_connections
from schemas.storage.layouts import postgres_schema
from schemas.storage.postgres_connections import LONG_SECONDS
from sinks.contents import Bucket, Digest, Rebuildable, Token, part_of
from sinks.parts import SinkParts
from sinks.postgres.held import in_postgres
from sinks.postgres.tables import CHECKPOINTS, MEMORIES, SESSIONS, TABLES, TURNS, Table
from sinks.protocol import Mark, Transient

_ERASED = """SELECT FROM trust.erasures e WHERE e.tenant = t.tenant
AND coalesce(e.session_id, t.session_id) = t.session_id AND t.{column} <= e.accepted_at"""
_KEPT = {
    TURNS.name: ("accepted_at", topics.HISTORY),
    SESSIONS.name: ("updated_at", topics.SESSION_STATE),
    CHECKPOINTS.name: ("created_at", topics.SESSION_STATE),
}
"""Views whose topic keeps less than the view does: time column and topic."""
_BY_NAME = {t.name: t for t in TABLES}
_LEFT_BEHIND = ("terms", "embedding")
"""Columns of `memories` that a row does not take along into the archive."""
VECTORS = ("embedding", "model_id", "sealed")
"""Columns in which generations with different embedding models differ: a sealed row's vector is in its sealed part."""


@dataclass(frozen=True, slots=True)
class _View:
    """What is counted: a table of a generation, read from `source` with these columns."""

    name: str
    source: str
    key: tuple[str, ...]
    revision: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, table: Table) -> _View:
        columns = tuple(name for name, _ in table.columns)
        return cls(table.name, f"{{schema}}.{table.name} t", table.key, table.guard or "0", columns)

    @property
    def names(self) -> str:
        parts = ", ".join(f"t.{n}::text" for n in self.key if n != "tenant")
        return f"concat_ws(chr(31), {parts})"


ARCHIVE = _View(
    "archive",
    # Its rows are JSON, in which a time reads as the writer's zone has it.
    "{schema}.archive a, jsonb_populate_record(NULL::{schema}.memories, a.record) AS t",
    MEMORIES.key,
    "t.revision",
    tuple(name for name, _ in MEMORIES.columns if name not in _LEFT_BEHIND),
)
"""Postgres fills it itself when `memories` gets an archived record (C8)."""
_VIEWS = (*(_View.of(t) for t in TABLES), ARCHIVE)
_VIEW = {v.name: v for v in _VIEWS}


class PostgresContents:
    """Over one connection of its own."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._ignore: frozenset[str] = frozenset()
        self._conn: Connection[Any] | None = None

    def ignore(self, columns: Sequence[str]) -> None:
        """Columns in which two generations may differ from here on."""
        self._ignore = frozenset(columns)

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        out: dict[Bucket, Digest] = {}
        if not self._exists(generation):
            return out
        for view in _VIEWS:
            rows = self._run(
                f"SELECT t.tenant, left(md5({view.names}), 1), count(*), bit_xor({self._hash(view)})"  # noqa: S608
                f" FROM {_from(view, generation)} GROUP BY 1, 2"
            )
            out.update({Bucket(view.name, t, part): Digest(n, h) for t, part, n, h in rows})
        return out

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        if not self._exists(generation):
            return {}
        view = _VIEW[bucket.view]
        found = self._run(
            f"SELECT {view.names}, {view.revision}, {self._hash(view)}"  # noqa: S608 - names are constants
            f" FROM {_from(view, generation)} WHERE t.tenant = %s AND left(md5({view.names}), 1) = %s",
            (bucket.tenant, bucket.part),
        )
        return {key: Token(revision, value) for key, revision, value in found}

    def part(self, key: str) -> str:
        return part_of(key)

    def progress(self, generation: int) -> dict[Mark, int]:
        if not self._exists(generation):
            return {}
        rows = self._run(f"SELECT stage, partition, root, next_offset FROM {postgres_schema(generation)}.progress")  # noqa: S608
        return {Mark(s, p, r): n for s, p, r, n in rows}

    def drop(self, generation: int) -> None:
        self._call(lambda conn: drop_generation(conn, generation))

    def make(self, generation: int) -> None:
        """Before anything is carried into it."""
        self._call(lambda conn: create_generation(conn, generation))

    def carry(self, live: int, new: int) -> Mapping[str, int]:
        """Copy rows that the log has lost from the live generation: those older than their topic keeps. What the new
        one has stays as it is. What the new one has met an erasure of is not copied: the live one may be behind, and
        the new one meets it no more. Returns how many came a view."""
        done: dict[str, int] = {}
        if not self._exists(live):
            return done
        for name, (column, topic) in _KEPT.items():
            columns = ", ".join(c for c, _ in _BY_NAME[name].columns)
            age = timedelta(days=topic.retention_days or 0)
            query = (
                f"INSERT INTO {postgres_schema(new)}.{name} ({columns}) SELECT {columns}"  # noqa: S608
                f" FROM {postgres_schema(live)}.{name} t WHERE {column} < now() - %s"
                # One for each index: of the user, and of the whole tenant.
                f" AND NOT EXISTS ({_ERASED.format(column=column)} AND e.user_id = t.user_id)"
                f" AND NOT EXISTS ({_ERASED.format(column=column)} AND e.user_id IS NULL AND t.user_id IS NOT NULL)"
                " ON CONFLICT DO NOTHING"
            )
            count: int = self._call(lambda conn, q=query, a=age: conn.execute(cast(Any, q), (a,)).rowcount)
            if count:
                done[name] = count
        return done

    def close(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def _hash(self, view: _View) -> str:
        names = ", ".join(f"t.{n}" for n in view.columns if n not in self._ignore)
        return f"hashtextextended(ROW({names})::text, 0)"

    def _exists(self, generation: int) -> bool:
        return generation in self._call(generations)

    def _run(self, query: str, params: Sequence[Any] = ()) -> list[Any]:
        return cast("list[Any]", self._call(lambda conn: conn.execute(cast(Any, query), params).fetchall()))

    def _call(self, work: Any) -> Any:
        """Raises Transient in place of what psycopg says, whose messages may hold content."""
        try:
            if self._conn is None or self._conn.closed:
                self._conn = postgres_connections.connect(
                    self._dsn, autocommit=True, answer_seconds=LONG_SECONDS, application_name="memstream-rebuild",
                    options="-c TimeZone=UTC -c extra_float_digits=1 -c jit=off",
                )  # fmt: skip
            return work(self._conn)
        except psycopg.Error as exc:
            self.close()
            raise Transient(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None


def _from(view: _View, generation: int) -> str:
    return view.source.format(schema=postgres_schema(generation))


def rebuildable(parts: SinkParts) -> Rebuildable:
    return Rebuildable(PostgresContents(parts.postgres), in_postgres, by_ticks=True)
