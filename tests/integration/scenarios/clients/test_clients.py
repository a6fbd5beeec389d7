"""The client, subscribers and the agents' door over everything that `memstream up` starts (K5, N3)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client, StdioServerParameters

from memstream.client import AsyncProducer, Memory, Memstream, NotFoundError, Producer, Turn
from memstream.client.changes import MemoryChange
from memstream.client.subscriber import Subscriber
from tests.integration.scenarios.clients.conftest import PATIENT, Live
from tests.patience import PATIENCE, eventually

pytestmark = pytest.mark.integration


@pytest.fixture
def user() -> str:
    return f"user-{uuid4().hex[:10]}"


def turn_of(user: str, text: str, **more: Any) -> Turn:
    given = {"user_id": user, "session_id": "s", "role": "user", "content": text, "occurred_at": datetime.now(UTC)}
    return Turn.model_validate({**given, **more})


def test_k5_what_is_sent_is_read_by_the_same_client(memory: Memstream, user: str) -> None:
    turn = memory.send(turn_of(user, "I'm 41 and I live in Oslo."))
    memory.send(turn_of(user, "我对花生过敏。"))
    memory.flush(PATIENCE)
    assert memory.turn(turn, user_id=user).content.startswith("I'm 41")
    assert memory.search("Where does he live?", user_id=user).results
    prompt = memory.context("Can I eat this?", user_id=user, session_id="s", budget_tokens=500)
    assert prompt.tokens <= 500
    fields = {m.field: m for m in memory.all_memories(user)}
    assert fields["age"].value == 41
    assert memory.memory(fields["age"].id, user_id=user).history
    memory.forget(fields["age"].id, user_id=user)
    assert "age" not in {m.field for m in memory.all_memories(user)}
    with pytest.raises(NotFoundError):
        memory.turn("none", user_id=user)


async def test_k5_the_same_over_kafka_is_the_same(live: Live, memory: Memstream, user: str) -> None:
    async with AsyncProducer.over_kafka(live.addresses.kafka, source="chat") as producer:
        turn = await producer.send(turn_of(user, "I'm 29 and I live in Bergen."))
        liked = Memory(user_id=user, kind="preference", text="Likes short answers", field="style", value="short")
        await producer.send(liked)
        token = await producer.flush(PATIENCE)
    memory.wait_for(token, [user])
    assert memory.turn(turn, user_id=user).role == "user"
    assert {m.field for m in memory.all_memories(user)} >= {"age", "style"}


def test_k5_a_subscriber_sees_each_change_and_goes_on_where_it_was(live: Live, memory: Memstream, user: str) -> None:
    group = f"test-{uuid4().hex[:8]}"

    def watch(until: str) -> list[MemoryChange]:
        """Until the change of that record; a thread stops a run that never sees it."""
        seen: list[MemoryChange] = []
        with Subscriber(live.addresses.kafka, group=group, users={user}, start="earliest") as changes:
            late = threading.Timer(PATIENCE, changes.stop)
            late.start()
            for change in changes:
                seen.append(change)
                if change.text.startswith(until):
                    break
            late.cancel()
            changes.commit()
        return seen

    with Producer.over_http(live.url, options=PATIENT) as producer:
        producer.send(Memory(user_id=user, kind="fact", text="one: Ana has a cat"))
        producer.send(Memory(user_id=user, kind="fact", text="two: 安娜喜欢茶"))
    first = watch("one")
    assert [c.change for c in first][-1] == "new"
    # The loop was left inside the first change's handling: it comes again, then the next.
    again = watch("two")
    assert [c.text.split(":")[0] for c in again if c.update.kind == "fact"] == ["one", "two"]



def server_of(live: Live, way: str, user: str) -> Any:
    if way == "http":
        return f"{live.url}/mcp"
    arguments = ["-m", "memstream", "mcp", "--url", live.url, "--user", user]
    return StdioServerParameters(command=sys.executable, args=arguments)


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_an_agent_remembers_finds_corrects_and_forgets(live: Live, user: str, way: str) -> None:
    who = {} if way == "stdio" else {"user_id": user}
    async with Client(server_of(live, way, user), read_timeout_seconds=PATIENCE) as agent:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            done = await agent.call_tool(tool, {**who, **arguments})
            assert not done.is_error, done.content
            return dict(done.structured_content or {})

        tea = {"kind": "preference", "field": "drink", "value": "green tea"}
        kept = await call("add_memory", text="Ana prefers green tea", **tea)
        await call("add_memory", text="安娜住在上海", kind="fact")

        async def read(good: Callable[[dict[str, Any]], bool], tool: str, **arguments: Any) -> dict[str, Any]:
            """A tool waits for what was written, but not for ever."""
            return await eventually(f"{tool} as expected", lambda: call(tool, **arguments), good)

        drink = {"query": "What does Ana drink?", "limit": 5}
        await read(lambda a: "tea" in str(a["results"][:1]), "search_memories", **drink)
        await call("update_memory", memory_id=kept["memory_id"], text="Ana prefers coffee")
        await read(lambda a: a["text"] == "Ana prefers coffee", "get_memory", memory_id=kept["memory_id"])
        offer = {"query": "What should I offer Ana?", "budget_tokens": 400}
        await read(lambda a: "coffee" in a["prompt"], "memory_prompt", **offer)
        await call("delete_memory", memory_id=kept["memory_id"])
        await read(lambda a: [m["text"] for m in a["memories"]] == ["安娜住在上海"], "get_memories")
        assert await call("delete_all_memories") == {"forgotten": 1}
        await read(lambda a: a["memories"] == [], "get_memories")
