"""Suspects in Postgres (`stream.suspects`), beside the positions of the steps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import psycopg

from schemas.storage import postgres_connections
from streams.state.postgres import connection_of
from streams.suspects import KEPT_DAYS, Noted, Suspect

log = logging.getLogger(__name__)
_ANSWER_SECONDS = 10.0
_NOTE = """
INSERT INTO stream.suspects AS s (step, topic, partition, record_offset, timestamp_ms)
SELECT * FROM unnest(%s::text[], %s::text[], %s::int[], %s::bigint[], %s::bigint[])
ON CONFLICT (step, topic, partition, record_offset) DO UPDATE SET
    times = CASE WHEN s.timestamp_ms = EXCLUDED.timestamp_ms THEN s.times + %s ELSE 1 END,
    timestamp_ms = EXCLUDED.timestamp_ms, noted_at = now()
"""
_DROP = """
DELETE FROM stream.suspects WHERE noted_at < now() - make_interval(days => %s)
    OR (step = %s AND partition = %s AND (topic <> %s OR record_offset < %s))
"""
_OF = """
SELECT record_offset, timestamp_ms, times, extract(epoch FROM now() - noted_at)::float8 FROM stream.suspects
WHERE step = %s AND topic = %s AND partition = %s
"""
_PASSED = "DELETE FROM stream.suspects WHERE step = %s AND topic = %s AND partition = %s AND record_offset < %s"


class PostgresSuspects:
    """`Suspects`: noted over a connection of its own, as the loop that serves the pool may be what hangs."""

    def __init__(self, dsn: str, pool: postgres_connections.Pool) -> None:
        self._dsn, self._pool = dsn, pool

    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        if not suspects:
            return True
        columns: list[list[Any]] = [list(c) for c in zip(*sorted(set(suspects)), strict=True)]
        try:
            with postgres_connections.connect(
                self._dsn, autocommit=True, answer_seconds=_ANSWER_SECONDS, application_name="memstream-watchdog"
            ) as conn:
                conn.execute(_NOTE, [*columns, int(alone)])
        except psycopg.Error as exc:
            log.error("suspects were not stored", extra={"error": type(exc).__name__})
            return False
        return True

    async def of(self, step: str, topic: str, partition: int, next_offset: int) -> dict[int, Noted]:
        async with connection_of(self._pool) as conn:
            await conn.execute(_DROP, (int(KEPT_DAYS), step, partition, topic, next_offset))
            cur = await conn.execute(_OF, (step, topic, partition))
            return {int(offset): Noted(int(at), int(times), ago) for offset, at, times, ago in await cur.fetchall()}

    async def passed(self, step: str, topic: str, partition: int, next_offset: int) -> None:
        async with connection_of(self._pool) as conn:
            await conn.execute(_PASSED, (step, topic, partition, next_offset))
