"""Opens the clients of a query service and closes them again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool
from pydantic_core import from_json
from redis.asyncio import BlockingConnectionPool, Redis

from inference.protocols import Embedder, TokenCounter
from query.auth.boundary import Authenticator
from query.config import QueryConfig
from query.deps import Deps, Screen
from query.key_threads import KEY_SECONDS, KeyThreads
from query.producer import KafkaLog
from query.views.shares import PLACES, RESERVED
from schemas.log.codec import Codec
from schemas.profile.model import Profile
from schemas.storage import postgres_connections
from schemas.storage.connections import MilvusAddress

_POSTGRES_CONNECTIONS = PLACES + RESERVED
_REDIS_CONNECTIONS = 16


async def _configure(connection: AsyncConnection[Any]) -> None:
    """A scope is thousands of JSON values; pydantic's parser takes a quarter of the time of the standard library's."""
    set_json_loads(from_json, connection)


@asynccontextmanager
async def open_deps(
    config: QueryConfig,
    *,
    postgres: str,
    redis: str,
    milvus: MilvusAddress,
    profile: Profile,
    embedder: Embedder,
    counter: Callable[[str], TokenCounter],
    screen: Screen,
    codec: Codec | None = None,
    keys: Authenticator | None = None,
) -> AsyncIterator[Deps]:
    """Clients for the given addresses (DSN, URL, URI; brokers are in the config). No store has to be up."""
    pool: AsyncConnectionPool[Any] = postgres_connections.pool(
        postgres,
        min_size=1,
        max_size=_POSTGRES_CONNECTIONS,
        options={"connect_timeout": 3, "options": "-c jit=off", "application_name": "query"},
        reconnect_timeout=5.0,
        configure=_configure,
    )
    await pool.open(wait=False)
    client = Redis(
        connection_pool=BlockingConnectionPool.from_url(
            redis, max_connections=_REDIS_CONNECTIONS, timeout=1, socket_timeout=2, socket_connect_timeout=1
        )
    )
    log = KafkaLog(config.kafka, max_queued=config.max_queued, timeout=config.delivery_seconds)
    try:
        yield Deps(
            pool=pool,
            redis=client,
            log=log,
            embedder=embedder,
            counter=counter,
            profile=profile,
            screen=screen,
            codec=codec or Codec(),
            milvus=milvus,
            keys=keys,
            key_threads=KeyThreads(max(config.store_timeout, KEY_SECONDS)),
        )
    finally:
        await asyncio.to_thread(log.close)
        await client.aclose(close_connection_pool=True)
        await pool.close()
