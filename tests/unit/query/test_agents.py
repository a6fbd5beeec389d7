"""The agents' door without stores: tools by name, keys, bad input; tried with the official client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from mcp import Client

from query.agents.mount import Agents
from query.agents.service import Service
from query.agents.tools import server
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import NOW
from tests.unit.query.memory_log import MemoryLog

TOOLS = {
    "add_memory", "search_memories", "get_memories", "get_memory", "update_memory", "delete_memory",
    "delete_all_memories", "memory_prompt",
}  # fmt: skip
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTS = {"accept": "application/json, text/event-stream"}


class Keys:
    """One key, bound to one user."""

    async def scope(self, authorization: str | None) -> TenantScope:
        if authorization != "Bearer good":
            raise ProblemError("unauthorised", "a valid key is needed")
        return TenantScope("acme", "k1", frozenset({Permission.READ, Permission.WRITE}), users=frozenset({"ana"}))


@pytest.fixture
async def app(deps: Deps) -> FastAPI:
    return create_app(QueryConfig(), replace(deps, keys=Keys()))


async def of_key(ctx: Any) -> tuple[str, str | None]:
    return "Bearer good", "ana"


@asynccontextmanager
async def agent_of(app: FastAPI) -> AsyncIterator[Client]:
    """A fixture would leave the client in another task than it was entered in."""
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
    async with http, Client(server(Service(http), of_key, lambda: NOW)) as client:
        yield client


def text(result: Any) -> str:
    return " ".join(block.text for block in result.content)


async def test_the_tools_have_the_names_that_agents_know(app: FastAPI) -> None:
    async with agent_of(app) as agent:
        tools = {t.name: t for t in (await agent.list_tools()).tools}
    assert tools.keys() == TOOLS
    assert all(t.description for t in tools.values())
    reads, deletes = tools["search_memories"].annotations, tools["delete_all_memories"].annotations
    assert reads is not None
    assert reads.read_only_hint is True
    assert deletes is not None
    assert deletes.destructive_hint is True
    assert "ctx" not in tools["add_memory"].input_schema["properties"]


async def test_a_memory_goes_to_the_log_under_the_keys_tenant_and_user(app: FastAPI, log: MemoryLog) -> None:
    async with agent_of(app) as agent:
        done = await agent.call_tool("add_memory", {"text": "安娜喜欢茶 Ana likes tea", "kind": "preference"})
        said = await agent.call_tool("add_memory", {"text": "I moved to Oslo.", "session_id": "s1"})
    assert not done.is_error, text(done)
    assert done.structured_content["memory_id"]
    assert said.structured_content["turn_id"]
    sent = [r for r in log.records if r.topic in (topics.LEDGER.name, topics.TURNS.name)]
    assert [r.topic for r in sent] == [topics.LEDGER.name, topics.TURNS.name]
    assert all(dict(r.headers)["owner"] == b"acme/user/ana" for r in sent)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("add_memory", {"text": " "}, "text"),
        ("add_memory", {"text": "x", "user_id": "bob"}, "does not reach"),
        ("search_memories", {"query": "x", "limit": 500}, "limit"),
        ("search_memories", {"query": "x", "kinds": ["poem"]}, "kinds"),
        ("get_memory", {"memory_id": "m1"}, "postgres"),
        ("delete_memory", {}, "memory_id"),
    ],
)
async def test_what_is_wrong_is_said_to_the_agent(app: FastAPI, tool: str, arguments: Any, said: str) -> None:
    async with agent_of(app) as agent:
        done = await agent.call_tool(tool, arguments)
    assert done.is_error
    assert said in text(done)


async def test_without_a_valid_key_no_word_of_mcp_is_answered(app: FastAPI) -> None:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8900") as http:
        for headers in ({}, {"authorization": "Bearer bad"}):
            answer = await http.post("/mcp", json=INITIALIZE, headers={**ACCEPTS, **headers})
            assert answer.status_code == 401
            assert answer.json()["type"] == "urn:memstream:error:unauthorised"


async def test_a_page_of_another_origin_cannot_reach_an_agents_door(deps: Deps) -> None:
    app = FastAPI()
    app.state.authenticator = Keys()
    agents = Agents(app, QueryConfig())
    transport = httpx.ASGITransport(app=app)
    async with agents.running(), httpx.AsyncClient(transport=transport, base_url="http://evil.example") as http:
        answer = await http.post("/mcp", json=INITIALIZE, headers={**ACCEPTS, "authorization": "Bearer good"})
    assert answer.status_code == 421


async def test_a_call_that_names_no_user_waits_for_what_the_agent_has_written() -> None:
    """`get_memory` needs none; a key that is bound to nobody in particular then wrote for somebody it names."""
    asked: list[str | None] = []
    token = str(FreshnessToken.of([Written(topic=topics.LEDGER.name, partition=1, offset=7)]))

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("Memstream-Wait-For"))
        return httpx.Response(202, json={"freshness_token": token} if request.method == "PATCH" else {})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://x") as http:
        service = Service(http)
        await service.call("PATCH", "/v1/memories/m", key="Bearer a", user="ana")
        for key, user in (("Bearer a", ""), ("Bearer a", "ana"), ("Bearer a", "bob"), ("Bearer b", "")):
            await service.call("GET", "/v1/memories/m", key=key, user=user)
    assert asked == [None, token, token, None, None]
