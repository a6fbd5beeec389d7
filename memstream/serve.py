"""`memstream serve`: the query service over open clients."""

from __future__ import annotations

import uvicorn
from psycopg_pool import AsyncConnectionPool
from redis.asyncio import BlockingConnectionPool, Redis

from inference.terms import terms
from memstream.models import counter, default_embedder
from memstream.settings import Settings
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.producer import KafkaLog
from schemas import migrations
from schemas.profile import load_profile


async def serve(settings: Settings) -> None:
    """Runs until SIGTERM. Raises ConfigError for an address beyond loopback without keys."""
    dsn = settings.postgres.get_secret_value()
    migrations.upgrade(dsn)
    config = QueryConfig(
        host=settings.host, port=settings.port, kafka=settings.kafka, partitions=settings.partitions,
        profile=settings.profile,
    )  # fmt: skip
    log = KafkaLog(settings.kafka)
    redis = Redis(
        connection_pool=BlockingConnectionPool.from_url(settings.redis.get_secret_value(), max_connections=50)
    )
    async with AsyncConnectionPool(dsn, min_size=2, max_size=20, open=False) as pool:
        deps = Deps(
            pool=pool, redis=redis, log=log, embedder=default_embedder(), counter=counter,
            profile=load_profile(settings.profile, settings.profiles_dir), milvus=settings.milvus,
        )  # fmt: skip
        terms("加载词典 load the dictionaries")
        deps.embedder.embed(["the first query does not wait for the tables"])
        app = create_app(config, deps)
        server = uvicorn.Server(
            uvicorn.Config(app, host=settings.host, port=settings.port, log_config=None, access_log=False)
        )
        await server.serve()
    await redis.aclose()
    log.close()
