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
from query.agents.service import CALLERS, USERS, Service
from query.agents.tools import server
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.events.memory import MemoryCommand
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.progress import FreshnessToken, Written
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import NOW
from tests.unit.query.memory_log import MemoryLog

TOOLS = {
    "add_memory", "search_memories", "get_memories", "get_memory", "update_memory", "delete_memory",
    "delete_all_memories", "memory_prompt", "save_info", "save_user_memory", "get_user_context", "load_context",
    "summarize",
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
        statement = await agent.call_tool("add_memory", {"text": "I moved to Oslo.", "session_id": "s1"})
    assert not done.is_error, text(done)
    assert done.structured_content["memory_id"]
    assert statement.structured_content["turn_id"]
    sent = [r for r in log.records if r.topic in (topics.LEDGER.name, topics.TURNS.name)]
    assert [r.topic for r in sent] == [topics.LEDGER.name, topics.TURNS.name]
    assert all(dict(r.headers)["owner"] == b"acme/user/ana" for r in sent)


async def test_b3_the_memory_managers_tools_have_the_seeds_names_and_parameters(app: FastAPI) -> None:
    async with agent_of(app) as agent:
        tools = {t.name: t.input_schema for t in (await agent.list_tools()).tools}
    request = {name: (set(s["properties"]) - {"user_id"}, set(s.get("required", ()))) for name, s in tools.items()}
    assert request["save_info"] == (
        {"userMessage", "assistantMessage", "existingInfo", "session_id", "project_id"}, {"userMessage"}
    )  # fmt: skip
    assert request["save_user_memory"] == ({"memoryType", "content", "category"}, {"memoryType", "content"})
    assert tools["save_user_memory"]["properties"]["memoryType"]["enum"] == ["FACT", "PREFERENCE", "INTENT"]
    assert request["get_user_context"] == ({"query", "limit"}, {"query"})
    assert request["load_context"] == ({"query", "limit"}, {"query"})
    assert request["summarize"] == ({"session_id"}, set())


async def test_b3_an_agent_saves_what_a_message_says_and_what_it_states_itself(app: FastAPI, log: MemoryLog) -> None:
    fields = {"userMessage": "我今年32岁", "assistantMessage": "好的", "existingInfo": {"education": "硕士"}}
    async with agent_of(app) as agent:
        read = await agent.call_tool("save_info", fields)
        plan = {"memoryType": "INTENT", "content": "想申请", "category": "C1"}
        kept = await agent.call_tool("save_user_memory", plan)
    assert not read.is_error, text(read)
    result = read.structured_content
    assert (result["action"], result["pending"], len(result["turn_ids"])) == ("save_info", True, 2), "no store is here"
    assert kept.structured_content["success"] is True
    assert kept.structured_content["memory_id"]
    events = [Codec().decode(r.topic, r.value) for r in log.records]
    message, reply, command = [e for e in events if isinstance(e, TurnEvent | MemoryCommand)]
    assert isinstance(message, TurnEvent)
    assert isinstance(reply, TurnEvent)
    assert isinstance(command, MemoryCommand)
    assert {(e.tenant, e.user_id) for e in (message, reply, command)} == {("acme", "ana")}
    assert (message.occurred_at, message.sealed.existing_info) == (NOW, {"education": "硕士"})
    assert reply.role == "assistant"
    assert (command.kind, command.sealed.text, command.category) == ("intent", "想申请", "C1")


async def test_d5_an_agent_does_not_hear_that_what_policy_takes_out_was_saved(app: FastAPI, log: MemoryLog) -> None:
    async with agent_of(app) as agent:
        plan = {"memoryType": "FACT", "content": "Writes as ana@example.org", "category": "C1"}
        kept = await agent.call_tool("save_user_memory", plan)
    assert kept.structured_content["detail"] == {"status": "accepted", "memoryType": "FACT", "category": "C1"}
    assert "example.org" not in text(kept)
    [command] = [e for r in log.records if isinstance(e := Codec().decode(r.topic, r.value), MemoryCommand)]
    assert "example.org" not in str(command.sealed.text)


async def test_b5_b6_context_and_summary_come_in_the_seeds_shapes() -> None:
    requests: list[tuple[str, str]] = []
    loaded = {"memories": [{"type": "FACT"}], "user_profile_summary": "32岁。", "total_memories": 1, "more": 1}
    profile = {"profile": {"basic": {"age": 32}}, "completeness": {"score": 5}, "narrative_summary": "32岁。"}

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append((request.method, request.url.raw_path.decode()))
        found = loaded if request.url.path.endswith("load-context") else profile
        return httpx.Response(200, json=found)

    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://x") as http,
        Client(server(Service(http), of_key, lambda: NOW)) as agent,
    ):
        found = await agent.call_tool("get_user_context", {"query": "x"})
        begun = await agent.call_tool("load_context", {"query": "x", "user_id": "a/b"})
        summed_up = await agent.call_tool("summarize", {})
    results = [answered.structured_content for answered in (found, begun, summed_up)]
    context = {"memories": [{"type": "FACT"}], "total_memories": 1}
    assert results == [
        context,
        {"action": "load_context", **context, "user_profile_summary": "32岁。"},
        {"action": "summarize", "user_profile": profile["profile"], "completeness": {"score": 5},
         "narrative_summary": "32岁。"},
    ]  # fmt: skip
    assert requests == [
        ("POST", "/v1/users/ana/load-context"), ("POST", "/v1/users/a%2Fb/load-context"),
        ("POST", "/v1/users/ana/summarize"), ("GET", "/v1/users/ana/profile"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "statement"),
    [
        ("save_info", {}, "userMessage"),
        ("save_info", {"userMessage": " "}, "userMessage"),
        ("save_info", {"userMessage": "x", "existingInfo": "x"}, "existingInfo"),
        ("save_info", {"userMessage": "x", "user_id": "bob"}, "does not reach"),
        ("save_user_memory", {"memoryType": "POEM", "content": "x"}, "memoryType"),
        ("save_user_memory", {"memoryType": "FACT", "content": " "}, "content"),
        ("get_user_context", {"query": "x", "limit": 0}, "limit"),
        ("load_context", {"query": "x", "user_id": "bob"}, "does not reach"),
        ("summarize", {"user_id": "bob"}, "does not reach"),
        ("add_memory", {"text": " "}, "text"),
        ("add_memory", {"text": "x", "user_id": "bob"}, "does not reach"),
        ("search_memories", {"query": "x", "limit": 500}, "limit"),
        ("search_memories", {"query": "x", "kinds": ["poem"]}, "kinds"),
        ("get_memory", {"memory_id": "m1"}, "postgres"),
        ("delete_memory", {}, "memory_id"),
    ],
)
async def test_what_is_wrong_is_said_to_the_agent(app: FastAPI, tool: str, arguments: Any, statement: str) -> None:
    async with agent_of(app) as agent:
        done = await agent.call_tool(tool, arguments)
    assert done.is_error
    assert statement in text(done)


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
    requests: list[str | None] = []
    token = str(FreshnessToken.of([Written(topic=topics.LEDGER.name, partition=1, offset=7)]))

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request.headers.get("Memstream-Wait-For"))
        return httpx.Response(202, json={"freshness_token": token} if request.method == "PATCH" else {})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://x") as http:
        service = Service(http)
        await service.call("PATCH", "/v1/memories/m", key="Bearer a", user="ana")
        for key, user in (("Bearer a", ""), ("Bearer a", "ana"), ("Bearer a", "bob"), ("Bearer b", "")):
            await service.call("GET", "/v1/memories/m", key=key, user=user)
    assert requests == [None, token, token, None, None]


async def test_a_caller_that_writes_about_many_users_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its names filled what all callers shared; their reads then waited for the newest write of anybody."""
    requests: list[str | None] = []
    offsets = iter(range(1_000))

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request.headers.get("Memstream-Wait-For"))
        written = Written(topic=topics.LEDGER.name, partition=1, offset=next(offsets))
        return httpx.Response(202, json={"freshness_token": str(FreshnessToken.of([written]))})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://x") as http:
        service = Service(http)
        for n in range(USERS + 2):
            await service.call("PATCH", "/v1/memories/m", key="Bearer many", user=f"u{n}")
        for n in range(CALLERS - 1):
            service._of(f"caller {n}")
        assert len(service._tokens) == CALLERS
        requests.clear()
        await service.call("GET", "/v1/memories/m", key="Bearer other", user="ana")
        await service.call("GET", "/v1/memories/m", key="Bearer other", user="bob")
        assert requests == [None, None], "an answer to `ana` is none about `bob`"
        assert len(service._tokens) == CALLERS
