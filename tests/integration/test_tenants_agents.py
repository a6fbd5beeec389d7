"""C7: the agents' doors. Every MCP tool and every operation of the LangGraph store, as two tenants of equal ids."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from mcp import Client

from memstream.client import HttpOptions
from memstream.client.aio import AsyncMemstream
from memstream.client.errors import MemstreamError
from memstream.langgraph import MemstreamStore
from query.agents.service import Service
from query.agents.tools import server
from query.writing import save_info
from tests.integration.query_env import Env
from tests.integration.test_tenants import HOSTILE, IDS, TEXT, WORD, A, B, env

__all__ = ["env"]
pytestmark = pytest.mark.integration
TOOLS_THAT_SHOW = {
    "search_memories", "get_memories", "get_memory", "memory_prompt", "get_user_context", "load_context",
    "save_info", "summarize",
}  # fmt: skip
ROUNDS = 12


def arguments(schema: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """What a tool takes: known ids mostly, hostile strings now and then, everything that is required."""
    out: dict[str, Any] = {}
    for name, entry in schema["properties"].items():
        kinds = {entry.get("type"), *(t.get("type") for t in entry.get("anyOf", ()))}
        if name in schema.get("required", ()) or (name in IDS and rng.random() < 0.8):
            if "string" in kinds:
                out[name] = rng.choice(HOSTILE) if rng.random() < 0.2 else rng.choice(IDS.get(name, [TEXT]))
            elif kinds & {"integer", "number"}:
                out[name] = 20
    return out


async def test_c7_no_tool_of_an_agent_shows_another_tenants_words(env: Env, monkeypatch: pytest.MonkeyPatch) -> None:
    # A message of an agent is new: under the id of one that was decided, it hears what became of that.
    monkeypatch.setattr(save_info, "uuid4", lambda: IDS["interaction_id"][0])
    rng, shown = random.Random(7), set()
    for tenant, other in ((A, B), (B, A)):

        async def caller(_: Any, tenant: str = tenant) -> tuple[str, str | None]:
            return f"Bearer {tenant}", None

        async with Client(server(Service(env.client), caller)) as agent:
            tools = (await agent.list_tools()).tools
            # What is told to be deleted is shown no more: such tools come last.
            tools.sort(key=lambda t: bool(t.annotations and t.annotations.destructive_hint))
            assert len(tools) >= 8
            for tool in tools:
                for _ in range(ROUNDS if tool.name in TOOLS_THAT_SHOW else 2):
                    answer = str(await agent.call_tool(tool.name, arguments(tool.input_schema, rng)))
                    assert WORD[other] not in answer, f"{tool.name} shows {other} to {tenant}"
                    if WORD[tenant] in answer:
                        shown.add(tool.name)
    # It would prove nothing if a tenant did not see its own.
    assert shown >= TOOLS_THAT_SHOW, shown


class OneCaller:
    """As much of a client as the store's asynchronous half uses."""

    def __init__(self, client: AsyncMemstream) -> None:
        self.acall = client.call


def operations(rng: random.Random) -> list[Op]:
    def some(*known: str) -> str:
        return rng.choice(HOSTILE) if rng.random() < 0.2 else rng.choice(known)

    namespace = ("memories", some("u", "v"))
    return [
        GetOp(namespace, some("k")),
        SearchOp(("memories",), query=some("canary", "item", "渡轮")),
        SearchOp(namespace, filter={some("w"): some(*WORD.values())}),
        SearchOp(()),
        ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("memories",)),), limit=100),
        PutOp(namespace, some("k2"), {"w": some("x")}),
    ]


async def test_c7_no_operation_of_the_langgraph_store_shows_another_tenants_words(env: Env) -> None:
    rng, shown = random.Random(7), set()
    transport = httpx.ASGITransport(app=env.app, raise_app_exceptions=False)
    for tenant, other in ((A, B), (B, A)):
        quick = HttpOptions(wait_ms=1, retry_seconds=0)
        async with AsyncMemstream("http://127.0.0.1", tenant, options=quick, transport=transport) as client:
            store = MemstreamStore(OneCaller(client))  # type: ignore[arg-type]
            for _ in range(ROUNDS):
                for op in operations(rng):
                    answer = await text_of(store, op)
                    assert WORD[other] not in answer, f"{type(op).__name__} shows {other} to {tenant}"
                    if WORD[tenant] in answer:
                        shown.add(type(op).__name__)
    assert shown >= {"GetOp", "SearchOp"}, shown


async def text_of(store: MemstreamStore, op: Op) -> str:
    """What a caller sees: the answer, or the refusal."""
    try:
        return str(await store.abatch([op]))
    except (MemstreamError, ValueError) as exc:
        return str(exc)
