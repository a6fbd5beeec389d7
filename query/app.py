"""The query service: the door for writes, and reads of the materialised state (K4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from query import errors
from query.config import QueryConfig
from query.deps import Deps
from query.door import authenticator
from query.freshness import milvus_watch, postgres_watch
from query.metrics import Measured, Metrics
from query.milvus import Milvus
from query.pipeline.monitor import Monitor
from query.reading import context as read_context
from query.reading import dead_letters, operations, updates
from query.reading import load_context as read_load_context
from query.reading import memories as read_memories
from query.reading import patterns as read_patterns
from query.reading import projects as read_projects
from query.reading import search as read_search
from query.reading import sessions as read_sessions
from query.reading import store as read_store
from query.reading import turns as read_turns
from query.reading import users as read_users
from query.repo.db import Database
from query.retrieval.lane import ComputeLane
from query.retrieval.milvus import MilvusCandidates
from query.retrieval.retriever import Retriever
from query.writing import memories as write_memories
from query.writing import projects as write_projects
from query.writing import sessions as write_sessions
from query.writing import turns as write_turns

_PARTS = (
    write_turns, write_memories, write_sessions, write_projects,
    read_turns, read_memories, read_sessions, read_users, read_patterns, read_search,
    read_load_context, read_projects, read_store, read_context,
    operations, dead_letters, updates,
)  # fmt: skip


def create_app(config: QueryConfig, deps: Deps) -> FastAPI:
    """The service over open clients. Raises ConfigError for an address beyond loopback without keys."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        monitor.start()
        yield
        streams.close()
        await monitor.stop()
        lane.close()
        await asyncio.to_thread(milvus.close)

    app = FastAPI(
        title="memstream",
        summary="Agent memory as a log: turns in, screened, de-duplicated, cited memories out.",
        version="1",
        lifespan=lifespan,
        docs_url="/docs",
        redoc_url=None,
    )
    lane = ComputeLane()
    db = Database(deps.pool, config.generation_seconds, config.store_timeout)
    milvus = Milvus(deps.milvus, config.store_timeout)
    monitor = Monitor(config, deps, db, milvus.ping)
    streams = updates.UpdateStreams(config)
    metrics = Metrics()
    app.state.config = config
    app.state.milvus = milvus
    app.state.monitor = monitor
    app.state.updates = streams
    app.state.metrics = metrics
    app.state.deps = deps
    app.state.authenticator = authenticator(config, deps.keys)
    app.state.db = db
    large = MilvusCandidates(db, milvus, deps.embedder.dimensions, config.store_timeout)
    retriever = Retriever(config, deps, db, large, lane)
    app.state.retriever = retriever
    app.state.watches = {
        "postgres": postgres_watch(db),
        "milvus": milvus_watch(db, milvus, deps.embedder.dimensions),
    }
    metrics.watch_pipeline(lambda: monitor.current)
    metrics.watch_scopes(lambda: retriever.cache.size)
    app.add_middleware(Measured, metrics=metrics)
    errors.install(app)
    for part in _PARTS:
        app.include_router(part.router)
    return app
