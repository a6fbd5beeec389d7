"""The state store in Postgres: rows, outbox and offset of a batch in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from processors.step import Reads
from streams.state import (
    OutboxRow,
    PartitionCommit,
    Position,
    Rows,
    StaleOwner,
    StoreAway,
    pack_outbox,
    unpack_outbox,
)

_START = """
INSERT INTO stream.positions (next_offset, progress, seen, outbox, updated_at, step, partition)
VALUES (%s, %s, %s, %s, now(), %s, %s) ON CONFLICT DO NOTHING
"""
_ADVANCE = """
UPDATE stream.positions SET next_offset = %s, progress = %s, seen = %s, outbox = %s, updated_at = now()
WHERE step = %s AND partition = %s AND next_offset = %s
"""
_UPSERT = """
INSERT INTO stream.state (step, partition, owner, key, value, expires_at)
SELECT * FROM unnest(%s::text[], %s::int[], %s::text[], %s::text[], %s::bytea[], %s::timestamptz[])
ON CONFLICT (step, partition, owner, key) DO UPDATE SET value = EXCLUDED.value, expires_at = EXCLUDED.expires_at
"""
_DELETE = """
DELETE FROM stream.state s
USING unnest(%s::text[], %s::int[], %s::text[], %s::text[]) AS d(step, partition, owner, key)
WHERE s.step = d.step AND s.partition = d.partition AND s.owner = d.owner AND s.key = d.key
"""


class PostgresStateStore:
    """Over a pool of `stream` schema connections; the tables come from schemas/sql."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[TupleRow]]) -> None:
        self._pool = pool

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection[TupleRow]]:
        """A connection of the pool. What Postgres says of being away, shutting down or full is StoreAway."""
        try:
            async with self._pool.connection() as conn:
                yield conn
        except (OperationalError, InterfaceError) as exc:
            raise StoreAway(f"{type(exc).__name__} {getattr(exc, 'sqlstate', None) or ''}".strip()) from None

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        async with self._connection() as conn:
            cur = await conn.execute(
                "SELECT next_offset, progress, seen, outbox FROM stream.positions WHERE step = %s AND partition = %s",
                (step, partition),
            )
            row = await cur.fetchone()
        if row is None:
            return Position(), []
        seen = {k: (int(v[0]), int(v[1])) for k, v in row[2].items()}
        return Position(row[0], row[1], seen), unpack_outbox(row[3])

    async def load(self, step: str, partition: int, reads: Sequence[Reads]) -> Rows:
        out: Rows = {r.owner: {} for r in reads}
        whole = sorted({r.owner for r in reads if r.keys is None})
        points = sorted({(r.owner, k) for r in reads if r.keys is not None for k in r.keys})
        async with self._connection() as conn:
            if whole:
                cur = await conn.execute(
                    "SELECT owner, key, value FROM stream.state WHERE step = %s AND partition = %s AND owner = ANY(%s)",
                    (step, partition, whole),
                )
                await _collect(cur, out)
            if points:
                cur = await conn.execute(
                    "SELECT s.owner, s.key, s.value FROM stream.state s"
                    " JOIN unnest(%s::text[], %s::text[]) AS w(owner, key) ON s.owner = w.owner AND s.key = w.key"
                    " WHERE s.step = %s AND s.partition = %s",
                    ([o for o, _ in points], [k for _, k in points], step, partition),
                )
                await _collect(cur, out)
        return out

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        async with self._connection() as conn, conn.transaction():
            stale = [c.partition for c in commits if not await _advance(conn, c)]
            if stale:
                raise StaleOwner(stale)
            await _write(conn, commits)


async def _collect(cur: Any, out: Rows) -> None:
    async for owner, key, value in cur:
        out[owner][key] = bytes(value)


async def _advance(conn: AsyncConnection[TupleRow], c: PartitionCommit) -> bool:
    """Move the offset on if it stands where this worker last saw it: a first commit can only insert, a later one can
    only update. False when another worker was there."""
    p = c.position
    place = (p.next_offset, Jsonb(dict(p.progress)), Jsonb(dict(p.seen)), pack_outbox(c.outbox), c.step, c.partition)
    if c.expected is None:
        cur = await conn.execute(_START, place)
    else:
        cur = await conn.execute(_ADVANCE, (*place, c.expected))
    return cur.rowcount == 1


async def _write(conn: AsyncConnection[TupleRow], commits: Sequence[PartitionCommit]) -> None:
    puts = [(c.step, c.partition, *w) for c in commits for w in c.writes if w.value is not None]
    drops = [(c.step, c.partition, w.owner, w.key) for c in commits for w in c.writes if w.value is None]
    if puts:
        await conn.execute(_UPSERT, tuple(map(list, zip(*puts, strict=True))))
    if drops:
        await conn.execute(_DELETE, tuple(map(list, zip(*drops, strict=True))))
    for c in commits:
        if c.sweep is not None:
            await conn.execute(
                "DELETE FROM stream.state WHERE step = %s AND partition = %s AND expires_at <= %s",
                (c.step, c.partition, c.sweep),
            )
