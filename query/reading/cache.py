"""Snapshots in Redis: read within a bound, never written; what is missing is asked for (E6, A5)."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from redis.exceptions import RedisError

from query.circuit import OPEN
from query.errors import store_down
from query.reading.common import Context
from schemas.storage.layouts import RedisLayout

SECONDS = 0.25
"""Longest wait for Redis before Postgres answers instead."""


def layout(ctx: Context) -> RedisLayout:
    """The keys that are read now (N1). As last read, without a wait: every read of Postgres beside it renews that,
    and Redis answers also while Postgres is away."""
    return RedisLayout(ctx.db.last_generation("redis"))


async def read(ctx: Context, *keys: str) -> list[bytes | None]:
    """Raises ProblemError when Redis does not answer in time, and at once while its circuit is open."""
    circuit = ctx.circuits.redis
    if not circuit.lets_through():
        raise store_down("redis", OPEN)
    try:
        async with asyncio.timeout(SECONDS):
            client: Any = ctx.deps.redis  # typed as text or bytes; this client is never told to decode
            found: list[bytes | None] = await client.mget(keys)
    except (RedisError, OSError, TimeoutError):
        circuit.failed()
        raise store_down("redis") from None
    circuit.succeeded()
    return found


async def wish(ctx: Context, wanted: bytes) -> None:
    """Ask the sink to fill in what was found in Postgres only. A wish that is lost is made by the next reader."""
    if ctx.circuits.redis.is_open:
        return
    wishes = layout(ctx).wanted
    pipe: Any = ctx.deps.redis.pipeline(transaction=False)
    try:
        async with asyncio.timeout(SECONDS):
            await pipe.lpush(wishes, wanted).ltrim(wishes, 0, RedisLayout.WANTED_MAX).execute()
    except (RedisError, OSError, TimeoutError):
        return


def parsed(raw: bytes | None) -> Any:
    """JSON of a snapshot, None for none or a damaged one."""
    if raw is None:
        return None
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
