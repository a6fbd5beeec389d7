"""The state store in Postgres: rows, outbox and offset of a batch in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg.errors import ReadOnlySqlTransaction
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool, PoolClosed

from processors.step import Reads
from schemas.storage import postgres_connections
from streams.state.protocol import (
    FORMER_LEADERS,
    KEPT_SECONDS,
    Delivered,
    Kept,
    OutboxRow,
    PartitionCommit,
    Position,
    Rows,
    StaleOwner,
    StoreAway,
    carries_erasure,
    pack_outbox,
    unpack_outbox,
)

_START = """
INSERT INTO stream.positions (next_offset, progress, seen, outbox, no_erasure_at, leader_epoch, leader_offset,
    updated_at, step, partition)
VALUES (%s, %s, %s, %s, %s, %s, %s, now(), %s, %s) ON CONFLICT DO NOTHING
"""
_COMMIT = """
WITH new AS (
    SELECT * FROM unnest(%(steps)s::text[], %(partitions)s::int[], %(expected)s::bigint[], %(offsets)s::bigint[],
                         %(progress)s::jsonb[], %(seen)s::jsonb[], %(outboxes)b::bytea[], %(no_erasures)s::bigint[],
                         %(leaders)s::int[], %(delivered)s::jsonb[], %(erases)s::bool[])
        AS n(step, partition, expected, next_offset, progress, seen, outbox, no_erasure_at, leader_epoch, delivered,
            erases)
), mine AS (
    SELECT p.step, p.partition FROM stream.positions p JOIN new n USING (step, partition)
    WHERE p.next_offset = n.expected FOR UPDATE OF p
), whole AS (
    SELECT count(*) = cardinality(%(steps)s::text[]) AS sound FROM mine
), moved AS (
    UPDATE stream.positions p SET next_offset = n.next_offset, progress = n.progress, seen = n.seen,
        outbox = n.outbox, no_erasure_at = n.no_erasure_at, leader_epoch = n.leader_epoch,
        leader_offset = n.next_offset, updated_at = now()
    FROM new n, whole WHERE sound AND p.step = n.step AND p.partition = n.partition
), former AS (
    INSERT INTO stream.former_leaders AS f (step, partition, epoch, next_offset)
    SELECT p.step, p.partition, p.leader_epoch, p.leader_offset
    FROM stream.positions p JOIN new n USING (step, partition), whole
    WHERE sound AND p.leader_epoch IS NOT NULL AND p.leader_offset IS NOT NULL
        AND p.leader_epoch IS DISTINCT FROM n.leader_epoch
    ON CONFLICT (step, partition, epoch) DO UPDATE
        SET next_offset = greatest(f.next_offset, EXCLUDED.next_offset)
), fewer AS (
    DELETE FROM stream.former_leaders f USING stream.positions p JOIN new n USING (step, partition), whole
    WHERE sound AND p.leader_epoch IS DISTINCT FROM n.leader_epoch
        AND f.step = n.step AND f.partition = n.partition AND f.next_offset < (
            SELECT o.next_offset FROM stream.former_leaders o WHERE o.step = n.step AND o.partition = n.partition
            ORDER BY o.next_offset DESC OFFSET %(former)s LIMIT 1)
), kept AS (
    INSERT INTO stream.outboxes (step, partition, next_offset, outbox, delivered)
    SELECT p.step, p.partition, p.next_offset, p.outbox, n.delivered
    FROM stream.positions p JOIN new n USING (step, partition), whole
    WHERE sound AND NOT erases AND n.delivered <> '[]' AND p.no_erasure_at = p.next_offset
        AND octet_length(p.outbox) > %(empty)s
    ON CONFLICT DO NOTHING
), trimmed AS (
    DELETE FROM stream.outboxes o USING new n, whole
    WHERE sound AND o.step = n.step AND o.partition = n.partition
        AND (erases AND NOT o.erasure OR o.kept_at < now() - make_interval(secs => %(seconds)s))
), put AS (
    INSERT INTO stream.state (step, partition, owner, key, value, expires_at)
    SELECT w.* FROM unnest(%(put_steps)s::text[], %(put_partitions)s::int[], %(put_owners)s::text[],
                           %(put_keys)s::text[], %(put_values)b::bytea[], %(put_expiry)s::timestamptz[])
        AS w(step, partition, owner, key, value, expires_at), whole
    WHERE sound
    ON CONFLICT (step, partition, owner, key) DO UPDATE SET value = EXCLUDED.value, expires_at = EXCLUDED.expires_at
), dropped AS (
    DELETE FROM stream.state s
    USING unnest(%(drop_steps)s::text[], %(drop_partitions)s::int[], %(drop_owners)s::text[], %(drop_keys)s::text[])
        AS d(step, partition, owner, key), whole
    WHERE sound AND s.step = d.step AND s.partition = d.partition AND s.owner = d.owner AND s.key = d.key
)
SELECT step, partition FROM mine
"""
"""The whole batch in one statement: where a stored offset is not the expected one, no part of it does anything."""
_SETTLE = """
WITH done AS (
    SELECT * FROM unnest(%(partitions)s::int[], %(offsets)s::bigint[], %(delivered)s::jsonb[], %(erasures)b::bytea[])
        AS d(partition, next_offset, delivered, erasures)
), kept AS (
    INSERT INTO stream.outboxes (step, partition, next_offset, outbox, delivered, erasure)
    SELECT p.step, p.partition, p.next_offset, coalesce(nullif(d.erasures, ''), p.outbox), d.delivered,
        d.erasures <> ''
    FROM stream.positions p JOIN done d USING (partition, next_offset)
    WHERE p.step = %(step)s AND d.delivered <> '[]' AND octet_length(p.outbox) > %(empty)s
        AND (p.no_erasure_at = p.next_offset OR d.erasures <> '')
    ON CONFLICT DO NOTHING
)
UPDATE stream.positions p SET outbox = '', no_erasure_at = p.next_offset FROM done d
WHERE p.step = %(step)s AND p.partition = d.partition AND p.next_offset = d.next_offset
"""
_KEPT = """
SELECT next_offset, delivered FROM stream.outboxes WHERE step = %s AND partition = %s ORDER BY next_offset
"""
_KEPT_ROWS = "SELECT outbox FROM stream.outboxes WHERE step = %s AND partition = %s AND next_offset = %s"
_KEEP_AGAIN = """
UPDATE stream.outboxes SET delivered = %s, kept_at = now() WHERE step = %s AND partition = %s AND next_offset = %s
"""
_EMPTY = len(pack_outbox([]))
_SWEEP = """
DELETE FROM stream.state s WHERE step = %s AND partition = %s AND expires_at <= %s
AND NOT EXISTS (SELECT FROM unnest(%s::text[], %s::text[]) AS w(owner, key) WHERE w.owner = s.owner AND w.key = s.key)
"""
"""Behind the writes, as whoever was first at the position decides whether anything is done; those stay out of it."""
_LOAD_OWNERS = """
SELECT s.partition, s.owner, s.key, s.value, s.expires_at FROM stream.state s
JOIN unnest(%s::int[], %s::text[]) AS w(partition, owner) USING (partition, owner) WHERE s.step = %s
"""
_LOAD_KEYS = """
SELECT s.partition, s.owner, s.key, s.value, s.expires_at FROM stream.state s
JOIN unnest(%s::int[], %s::text[], %s::text[]) AS w(partition, owner, key) USING (partition, owner, key)
WHERE s.step = %s
"""


@asynccontextmanager
async def connection_of(
    pool: AsyncConnectionPool[AsyncConnection[TupleRow]],
) -> AsyncIterator[AsyncConnection[TupleRow]]:
    """A connection of the pool. What Postgres says of being away, shutting down, full or read-only (a standby
    after a failover) is StoreAway. A pool that we closed ourselves does not come back."""
    try:
        async with pool.connection() as conn:
            yield conn
    except PoolClosed:
        raise
    except (OperationalError, InterfaceError, ReadOnlySqlTransaction) as exc:
        raise StoreAway(f"{type(exc).__name__} {getattr(exc, 'sqlstate', None) or ''}".strip()) from None


class PostgresStateStore:
    """Over a pool of connections in autocommit mode; the tables come from schemas/sql."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[TupleRow]]) -> None:
        self._pool = pool

    def _connection(self) -> AbstractAsyncContextManager[AsyncConnection[TupleRow]]:
        return connection_of(self._pool)

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        async with self._connection() as conn:
            cur = await conn.execute(
                "SELECT next_offset, progress, seen, outbox, CASE WHEN leader_offset = next_offset THEN leader_epoch "
                "END FROM stream.positions WHERE step = %s AND partition = %s",
                (step, partition),
            )
            row = await cur.fetchone()
        if row is None:
            return Position(), []
        seen = {k: (int(v[0]), int(v[1])) for k, v in row[2].items()}
        return Position(row[0], row[1], seen, row[4]), unpack_outbox(row[3])

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        out = {p: Rows({r.owner: {} for r in reads}) for p, reads in wanted.items()}
        every = [(p, r) for p, reads in wanted.items() for r in reads]
        whole = sorted({(p, r.owner) for p, r in every if r.keys is None})
        points = sorted({(p, r.owner, k) for p, r in every if r.keys is not None for k in r.keys})
        if whole or points:
            async with self._connection() as conn:
                if whole:
                    await _collect(await conn.execute(_LOAD_OWNERS, (*_columns(whole), step)), out)
                if points:
                    await _collect(await conn.execute(_LOAD_KEYS, (*_columns(points), step)), out)
        return out

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        first = [c for c in commits if c.expected is None]
        later = [c for c in commits if c.expected is not None]
        swept = [c for c in commits if c.sweep is not None]
        async with self._connection() as conn:
            if not first and not swept:
                await _store(conn, later)
                return
            async with conn.transaction():
                for c in first:
                    await _begin(conn, c)
                await _store(conn, later, [w for c in first for w in _writes(c)])
                for c in swept:
                    own = [w[:2] for w in c.writes if w.expires_at is not None]
                    with postgres_connections.patient(conn):  # a month's rows may go at once
                        await conn.execute(_SWEEP, (c.step, c.partition, c.sweep, *_split(own, 2)))

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        given = {
            "partitions": list(offsets), "offsets": list(offsets.values()), "step": step, "empty": _EMPTY,
            "delivered": [_packed(delivered.get(p, {})) for p in offsets],
            "erasures": [pack_outbox(erasures[p]) if p in erasures else b"" for p in offsets],
        }  # fmt: skip
        async with self._connection() as conn:
            await conn.execute(_SETTLE, given)

    async def kept(self, step: str, partition: int) -> list[Kept]:
        async with self._connection() as conn:
            cur = await conn.execute(_KEPT, (step, partition))
            return [Kept(offset, _unpacked(delivered)) for offset, delivered in await cur.fetchall()]

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        async with self._connection() as conn:
            row = await (await conn.execute(_KEPT_ROWS, (step, partition, next_offset))).fetchone()
        return [] if row is None else unpack_outbox(row[0])

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        async with self._connection() as conn:
            await conn.execute(_KEEP_AGAIN, (_packed(delivered), step, partition, next_offset))


def _packed(delivered: Delivered) -> Jsonb:
    return Jsonb([[*place, *lies] for place, lies in delivered.items()])


def _unpacked(rows: Sequence[tuple[str, int, int, int]]) -> Delivered:
    return {(topic, partition): (epoch, end) for topic, partition, epoch, end in rows}


async def _collect(cur: Any, out: dict[int, Rows]) -> None:
    async for partition, owner, key, value, expires_at in cur:
        out[partition][owner][key] = bytes(value)
        if expires_at is not None:
            out[partition].expiry[owner, key] = expires_at


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


async def _begin(conn: AsyncConnection[TupleRow], c: PartitionCommit) -> None:
    """A partition's first commit can only insert. Raises StaleOwner when another worker was there."""
    p = c.position
    values = (
        p.next_offset, Jsonb(dict(p.progress)), Jsonb(dict(p.seen)), pack_outbox(c.outbox), _no_erasure_at(c), p.epoch,
        p.next_offset,
    )  # fmt: skip
    cur = await conn.execute(_START, (*values, c.step, c.partition))
    if cur.rowcount != 1:
        raise StaleOwner([c.partition])


def _no_erasure_at(c: PartitionCommit) -> int | None:
    """By it the eraser passes an outbox over without reading it. A worker of an earlier version moves the offset alone:
    its outbox is read."""
    return None if any(map(carries_erasure, c.outbox)) else c.position.next_offset


def _writes(c: PartitionCommit) -> list[tuple[Any, ...]]:
    return [(c.step, c.partition, *w) for w in c.writes]


async def _store(
    conn: AsyncConnection[TupleRow], commits: Sequence[PartitionCommit], others: Sequence[tuple[Any, ...]] = ()
) -> None:
    """Move the offsets on if they stand where this worker last saw them, and write the state rows; `others` are rows
    of partitions that begin. Raises StaleOwner when another worker was there: nothing is done then."""
    writes = [*others, *(w for c in commits for w in _writes(c))]
    steps, partitions, expected, positions = _split([(c.step, c.partition, c.expected, c.position) for c in commits], 4)
    puts = _split([w for w in writes if w[4] is not None], 6)
    drops = _split([w[:4] for w in writes if w[4] is None], 4)
    cur = await conn.execute(
        _COMMIT,
        {
            "steps": steps, "partitions": partitions, "expected": expected,
            "offsets": [p.next_offset for p in positions],
            "progress": [Jsonb(dict(p.progress)) for p in positions],
            "seen": [Jsonb(dict(p.seen)) for p in positions],
            "outboxes": [pack_outbox(c.outbox) for c in commits],
            "no_erasures": [_no_erasure_at(c) for c in commits],
            "leaders": [p.epoch for p in positions],
            "delivered": [_packed(c.delivered) for c in commits],
            "erases": [c.erases for c in commits],
            "former": FORMER_LEADERS - 1, "empty": _EMPTY, "seconds": KEPT_SECONDS,
            "put_steps": puts[0], "put_partitions": puts[1], "put_owners": puts[2], "put_keys": puts[3],
            "put_values": puts[4], "put_expiry": puts[5],
            "drop_steps": drops[0], "drop_partitions": drops[1], "drop_owners": drops[2], "drop_keys": drops[3],
        },
    )  # fmt: skip
    mine = {(step, partition) for step, partition in await cur.fetchall()}
    if len(mine) != len(commits):
        raise StaleOwner([c.partition for c in commits if (c.step, c.partition) not in mine])


def _split(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return _columns(rows) if rows else [[] for _ in range(width)]
