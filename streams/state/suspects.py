"""Suspects in Postgres (`stream.suspects`), beside the positions of the steps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import psycopg

from schemas.storage import postgres_connections
from streams.state.postgres import connection_of
from streams.suspects import Suspect

log = logging.getLogger(__name__)
_ANSWER_SECONDS = 10.0
_NOTE = """
INSERT INTO stream.suspects (step, topic, partition, record_offset)
SELECT * FROM unnest(%s::text[], %s::text[], %s::int[], %s::bigint[])
ON CONFLICT (step, partition, record_offset) DO UPDATE SET times = stream.suspects.times + 1, noted_at = now()
"""
_OF = "SELECT record_offset, times FROM stream.suspects WHERE step = %s AND partition = %s"
_PASSED = "DELETE FROM stream.suspects WHERE step = %s AND partition = %s AND record_offset < %s"


class PostgresSuspects:
    """`Suspects`: noted over a connection of its own, as the loop that serves the pool may be what hangs."""

    def __init__(self, dsn: str, pool: postgres_connections.Pool) -> None:
        self._dsn, self._pool = dsn, pool

    def note(self, suspects: Sequence[Suspect]) -> None:
        columns: list[list[Any]] = [list(c) for c in zip(*sorted(set(suspects)), strict=True)]
        try:
            with postgres_connections.connect(
                self._dsn, autocommit=True, answer_seconds=_ANSWER_SECONDS, application_name="memstream-watchdog"
            ) as conn:
                conn.execute(_NOTE, columns)
        except psycopg.Error as exc:  # the next life meets them again, and is ended as this one
            log.error("suspects were not stored", extra={"error": type(exc).__name__})

    async def of(self, step: str, partition: int) -> dict[int, int]:
        async with connection_of(self._pool) as conn:
            cur = await conn.execute(_OF, (step, partition))
            return {int(offset): int(times) for offset, times in await cur.fetchall()}

    async def passed(self, step: str, partition: int, next_offset: int) -> None:
        async with connection_of(self._pool) as conn:
            await conn.execute(_PASSED, (step, partition, next_offset))
