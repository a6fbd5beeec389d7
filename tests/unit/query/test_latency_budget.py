"""A Postgres that stalls costs a context the profile's latency budget, not the store's time-out (D11)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.search.scopes import ScopeCache
from schemas.profile.model import Profile
from tests.unit.query.test_circuit import Stalling

PROFILE = {
    "name": "test", "version": 1, "ranking": {"latency_budget_ms": 100},
    "intents": [
        {"name": "TASK", "keywords": ["record"], "state": True, "kinds": ["fact"]},
        {"name": "PLACE", "examples": ["where is the bike"], "kinds": ["fact"]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("query", ["please check record 12", "tell me of the bike"])
async def test_d11_a_context_does_without_what_is_later_than_the_budget(
    deps: Deps, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScopeCache, "is_warm", lambda *_: True)  # what was never read may take longer, once
    pool: Any = Stalling()
    stalling = replace(deps, pool=pool, profile=Profile.model_validate(PROFILE))
    app = create_app(QueryConfig(store_timeout=3_600, generation_seconds=0.001), stalling)
    # The model is loaded, and Postgres has answered.
    await app.state.retriever.likeness(query, ["where is the bike"])
    pool.stall()
    body = {"query": query, "user_id": "u", "session_id": "s", "project_id": "p"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        async with asyncio.timeout(120):  # the store's time-out is an hour
            got = await client.post("/v1/context", json=body)
    pool.let_go.set()
    assert got.status_code == 200, got.text
    assert {"store": "postgres", "reason": "timeout"} in got.json()["degraded"]
