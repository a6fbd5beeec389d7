"""The service without servers: the log in memory, stores that are not reached."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from psycopg_pool import AsyncConnectionPool
from redis.asyncio import Redis

from inference.protocols import Embedder
from inference.tokens import token_counter
from memstream.workers.models import default_embedder
from processors.ports import Models, ProfileBook
from processors.screen.callers import CallersScreen
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from schemas.profile.model import Profile
from tests.unit.query.keys import Rows
from tests.unit.query.memory_log import MemoryLog

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return default_embedder()


@pytest.fixture
async def deps(log: MemoryLog, embedder: Embedder, models: Models) -> Deps:
    profile = Profile(name="test", version=1)
    return Deps(
        pool=AsyncConnectionPool("postgresql://127.0.0.1:1/none", open=False),
        redis=Redis(host="127.0.0.1", port=1),
        log=log,
        embedder=embedder,
        counter=token_counter,
        profile=profile,
        screen=CallersScreen(models, ProfileBook(profile)),
        clock=lambda: NOW,
    )


@pytest.fixture
async def client(deps: Deps) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(QueryConfig(), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def turn(**over: Any) -> dict[str, Any]:
    base = {"user_id": "u1", "session_id": "s1", "role": "user", "content": "I live in 杭州",
            "occurred_at": "2026-11-21T08:00:00Z"}  # fmt: skip
    return {**base, **over}


@pytest.fixture
def rows() -> Rows:
    return Rows()
