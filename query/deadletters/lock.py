"""One replay or drop at a time, over all services of a database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from query.errors import ProblemError, store_down

_KEY = 0x6D656D_646C71  # "mem", "dlq"


@asynccontextmanager
async def exclusive(pool: AsyncConnectionPool[Any], seconds: float) -> AsyncIterator[None]:
    """Raises ProblemError `busy` where somebody else is at it, `store-unavailable` without Postgres."""
    try:
        async with asyncio.timeout(seconds):
            connection = await pool.getconn(timeout=seconds)
    except (psycopg.Error, PoolTimeout, TimeoutError):
        raise store_down("postgres") from None
    try:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (_KEY,))
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise ProblemError("busy", "dead letters are being replayed or dropped", headers={"Retry-After": "2"})
        try:
            yield
        finally:
            await connection.execute("SELECT pg_advisory_unlock(%s)", (_KEY,))
    except psycopg.OperationalError:  # the lock went with its session
        raise store_down("postgres") from None
    finally:
        await pool.putconn(connection)
