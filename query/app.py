"""The query service: the door for writes, and reads of the materialised state (K4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from query import errors
from query.config import QueryConfig
from query.deps import Deps
from query.door import authenticator
from query.freshness import postgres_watch
from query.repo.db import Database
from query.writing import memories as write_memories
from query.writing import projects as write_projects
from query.writing import sessions as write_sessions
from query.writing import turns as write_turns


def create_app(config: QueryConfig, deps: Deps) -> FastAPI:
    """The service over open clients. Raises ConfigError for an address beyond loopback without keys."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield

    app = FastAPI(
        title="memstream",
        summary="Agent memory as a log: turns in, screened, de-duplicated, cited memories out.",
        version="1",
        lifespan=lifespan,
        docs_url="/docs",
        redoc_url=None,
    )
    db = Database(deps.pool, config.generation_seconds, config.store_timeout)
    app.state.config = config
    app.state.deps = deps
    app.state.authenticator = authenticator(config, deps.keys)
    app.state.db = db
    app.state.watches = {"postgres": postgres_watch(db)}
    errors.install(app)
    for router in (write_turns.router, write_memories.router, write_sessions.router, write_projects.router):
        app.include_router(router)
    return app
