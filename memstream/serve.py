"""`memstream serve`: the query service over open clients."""

from __future__ import annotations

import uvicorn

from inference.memory import return_freed_memory
from inference.terms import terms
from memstream.models import counter, default_embedder
from memstream.settings import Settings
from query.app import create_app
from query.config import QueryConfig
from query.connect import open_deps
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
    embedder = default_embedder()
    terms("加载词典 load the dictionaries")
    embedder.embed(["the first query does not wait for the tables"])
    return_freed_memory()
    async with open_deps(
        config,
        postgres=dsn,
        redis=settings.redis.get_secret_value(),
        milvus=settings.milvus,
        profile=load_profile(settings.profile, settings.profiles_dir),
        embedder=embedder,
        counter=counter,
    ) as deps:
        app = create_app(config, deps)
        server = uvicorn.Server(
            uvicorn.Config(app, host=settings.host, port=settings.port, log_config=None, access_log=False)
        )
        await server.serve()
