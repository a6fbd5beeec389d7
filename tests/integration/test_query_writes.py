"""Writes over a real broker: partition, order, offsets, and what happens while it is away (K4, N3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from confluent_kafka import Message, TopicPartition

from memstream.stack import Addresses
from query.producer import KafkaLog
from schemas.log import owner, topics
from schemas.log.codec import Codec, header
from schemas.log.progress import FreshnessToken, Written
from tests.dates import fixed
from tests.integration.conftest import BackgroundStack
from tests.integration.query_env import TENANT, Env, prepare, query_service
from tests.patience import eventually
from tests.query_log_contract import LogContract
from tests.records import read_to_end

pytestmark = pytest.mark.integration
STATED_AT = fixed(2026, 11, 20, 8)


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses) as env:
        yield env


async def read(addresses: Addresses, written: Written, count: int = 1) -> list[Message]:
    """The records up to the written one, so many."""
    place = TopicPartition(written.topic, written.partition, written.offset + 1 - count)
    found = await asyncio.to_thread(read_to_end, addresses.kafka, [place], {written.partition: written.offset + 1})
    assert len(found) == count
    return found


def turn(user: str, n: int, **over: Any) -> dict[str, Any]:
    return {"user_id": user, "session_id": "s", "role": "user", "content": f"turn {n} 你好",
            "occurred_at": (STATED_AT + timedelta(minutes=n)).isoformat(), **over}  # fmt: skip


async def test_a_turn_is_in_its_owners_partition_at_the_offset_of_the_token(env: Env, addresses: Addresses) -> None:
    user = f"w-{uuid4().hex}"
    answer = await env.client.post("/v1/turns", json={"turns": [turn(user, i, project_id="p") for i in range(3)]})
    assert answer.status_code == 202, answer.text
    body = answer.json()
    assert body["accepted"] == 3
    assert len(set(body["turn_ids"])) == 3
    (written,) = FreshnessToken.parse(body["freshness_token"]).writes
    assert written.partition == owner.partition(owner.user(TENANT, user), topics.EMBEDDED_PARTITIONS)
    assert written.project_partitions == (owner.partition(owner.project(TENANT, "p"), topics.EMBEDDED_PARTITIONS),)
    messages = await read(addresses, written, 3)
    events = [Codec().decode(written.topic, m.value()) for m in messages]
    assert [e.turn_id for e in events] == body["turn_ids"]  # type: ignore[union-attr]
    assert [e.sealed.content for e in events] == [f"turn {i} 你好" for i in range(3)]  # type: ignore[union-attr]
    assert all(e.accepted_at is not None for e in events)  # type: ignore[union-attr]
    sent: Any = messages[0].headers()
    assert header(sent, "owner") == owner.user(TENANT, user).key.encode()
    again = await env.client.post("/v1/turns", json={"turns": [turn(user, i, project_id="p") for i in range(3)]})
    assert again.json()["turn_ids"] == body["turn_ids"]


async def test_d1_an_interaction_is_two_turns_and_feedback(env: Env, addresses: Addresses) -> None:
    body = {
        "user_id": f"d1-{uuid4().hex}", "session_id": "s", "interaction_id": "i-1", "timestamp": STATED_AT.isoformat(),
        "user_query": "苍穹项目用什么缓存?", "ai_response": "Redis", "llm_context": "recalled: secret plan",
        "user_feedback": {"rating": "helpful", "correction": None},
    }  # fmt: skip
    answer = await env.client.post("/v1/interactions", json=body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["turn_ids"] == ["i-1:user", "i-1:assistant"]
    writes = {w.topic: w for w in FreshnessToken.parse(answer.json()["freshness_token"]).writes}
    assert set(writes) == {topics.TURNS.name, topics.LEDGER.name}
    ledger = writes[topics.LEDGER.name]
    [message] = await read(addresses, ledger)
    feedback: Any = Codec().decode(ledger.topic, message.value())
    assert (feedback.rating, feedback.interaction_id) == ("good", "i-1")


@pytest.mark.parametrize(
    ("method", "path", "body", "topic"),
    [
        ("POST", "/v1/feedback", {"user_id": "u", "memory_ids": ["m"], "rating": "bad"}, topics.LEDGER),
        ("POST", "/v1/memories", {"user_id": "u", "kind": "fact", "text": "t", "field": "age"}, topics.LEDGER),
        ("PATCH", "/v1/memories/m1", {"user_id": "u", "text": "better"}, topics.LEDGER),
        ("DELETE", "/v1/memories/m1?user_id=u", None, topics.LEDGER),
        ("POST", "/v1/sessions", {"user_id": "u", "session_id": "s"}, topics.TURNS),
        ("PATCH", "/v1/sessions/s", {"user_id": "u", "global_state": {"a": 1}}, topics.TURNS),
        ("PUT", "/v1/sessions/s/anchors", {"user_id": "u", "anchors": {"language": "german"}}, topics.TURNS),
        ("POST", "/v1/sessions/s/checkpoint", {"user_id": "u", "summary": "so far", "recent_turns": 2}, topics.TURNS),
        ("POST", "/v1/sessions/s/close", {"user_id": "u"}, topics.TURNS),
        ("DELETE", "/v1/sessions/s?user_id=u", None, topics.TURNS),
        ("PUT", "/v1/projects/p/hot-memory/decisions/cache", {"value": "Redis", "priority": 3}, topics.PROJECT_EVENTS),
        ("POST", "/v1/projects/p/reports", None, topics.PROJECT_EVENTS),
        ("POST", "/v1/documents", {"document_id": "d", "version": "1", "title": "", "markdown": "#"}, topics.DOCUMENTS),
        ("DELETE", "/v1/documents/d", None, topics.DOCUMENTS),
        ("PUT", "/v1/store/items", {"namespace": ["memories", "u"], "key": "k", "value": {"a": 1}}, topics.LEDGER),
        ("DELETE", "/v1/store/items", {"namespace": ["memories", "u"], "key": "k"}, topics.LEDGER),
        ("PUT", "/v1/store/memories/u/k", {"value": {"a": 1}}, topics.LEDGER),
        ("DELETE", "/v1/store/memories/u/k", None, topics.LEDGER),
    ],
)
async def test_every_write_is_acknowledged_by_its_topic(
    env: Env, addresses: Addresses, method: str, path: str, body: Any, topic: topics.Topic
) -> None:
    answer = await env.client.request(method, path, json=body)
    assert answer.status_code == 202, answer.text
    (written,) = FreshnessToken.parse(answer.json()["freshness_token"]).writes
    assert written.topic == topic.name
    [message] = await read(addresses, written)
    event: Any = Codec().decode(topic.name, message.value())
    assert owner.partition(event.owner, topics.EMBEDDED_PARTITIONS) == written.partition


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_n3_the_token_of_a_command_about_a_memory_names_the_projects_that_may_show_it(
    env: Env, addresses: Addresses, method: str
) -> None:
    """Those with entries of the user's in their hot memory, and the memory's own; nobody else's."""
    user, shown = f"w-{uuid4().hex}", [f"p-{uuid4().hex}" for _ in range(3)]
    memory = env.rows.memory(user, "fact", "It is 75.", project_id=shown[0])
    for place, who in ((shown[1], user), (shown[2], user), ("others", "somebody else")):
        env.rows.memory(place, "hot", "75", owner_kind=owner.OwnerKind.PROJECT, category="decision", key="age",
                        value="75", project_id=place, user_id=who)  # fmt: skip
    body = {"user_id": user, "text": "It is 70."} if method == "PATCH" else None
    path = f"/v1/memories/{memory.record_id}" + ("" if body else f"?user_id={user}")
    answer = await env.client.request(method, path, json=body)
    assert answer.status_code == 202, answer.text
    (written,) = FreshnessToken.parse(answer.json()["freshness_token"]).writes
    count = topics.EMBEDDED_PARTITIONS
    assert set(written.project_partitions) == {owner.partition(owner.project(TENANT, p), count) for p in shown}
    [message] = await read(addresses, written)
    event: Any = Codec().decode(written.topic, message.value())
    assert event.project_ids == tuple(sorted(shown))


async def test_a_paused_broker_is_503_and_repeating_is_safe(running_stack: BackgroundStack) -> None:
    """K4: nothing is accepted that the brokers have not acknowledged."""
    addresses = running_stack.addresses
    async with query_service(addresses, delivery_seconds=1.5) as env:
        user = f"p-{uuid4().hex}"
        body = {"turns": [turn(user, i) for i in range(2)]}

        async def sent() -> httpx.Response:
            return await env.client.post("/v1/turns", json=body)

        first = await eventually("a write to be taken", sent, lambda a: a.status_code == 202)
        running_stack.pause("kafka")
        try:
            away = await env.client.post("/v1/turns", json={"turns": [turn(user, 9)]})
        finally:
            running_stack.resume("kafka")
        assert away.status_code == 503
        assert away.json()["type"] == "urn:memstream:error:broker-unavailable"
        assert away.json()["delivered"] == []
        assert away.headers["Retry-After"]
        again = await eventually("a write to be taken again", sent, lambda a: a.status_code == 202)
        assert again.json()["turn_ids"] == first.json()["turn_ids"]


class TestKafkaLog(LogContract):
    """The same contract as the log in memory."""

    @pytest.fixture
    def log(self, addresses: Addresses) -> Iterator[KafkaLog]:
        prepare(addresses)
        log = KafkaLog(addresses.kafka, max_queued=100)
        yield log
        log.close()
