"""Everything that `memstream up` starts, used from outside: turns in at the door, memory out of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import redis
from confluent_kafka import Producer

from memstream import topics as provisioning
from memstream.cli.sample import sample_turns
from memstream.settings import Settings
from memstream.workers.preflight import PreflightError, check_topics
from schemas.log.owner import partition, user
from schemas.storage.layouts import RedisLayout
from tests.dates import fixed
from tests.integration.conftest import BackgroundStack
from tests.integration.scenario import World, whole
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.integration
PARTITIONS = 8


class Service:
    """A caller of the running service."""

    def __init__(self, url: str, stack: BackgroundStack) -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)
        self.stack = stack
        self.token = ""

    def close(self) -> None:
        self.http.close()

    def post(self, path: str, body: Any) -> dict[str, Any]:
        return self._answer("POST", path, body)

    def get(self, path: str) -> dict[str, Any]:
        return self._answer("GET", path, None)

    def delete(self, path: str) -> dict[str, Any]:
        return self._answer("DELETE", path, None)

    def _answer(self, method: str, path: str, body: Any) -> dict[str, Any]:
        """Reads wait for the newest write."""
        value = whole(self.http, method, path, body, self.token, {}, self.stack.logs)
        self.token = value.get("freshness_token", self.token)
        return value

    def say(self, user_id: str, content: str, turn_id: str, **more: Any) -> dict[str, Any]:
        turn = {
            "user_id": user_id, "session_id": "s", "turn_id": turn_id, "role": "user", "content": content,
            "occurred_at": datetime.now(UTC).isoformat(), **more,
        }  # fmt: skip
        return self.post("/v1/turns", {"turns": [turn]})

    def dead_letter(self, reason: str) -> dict[str, Any]:
        """The newest dead letter of that reason; they come through the log, so it may take a moment."""

        def of_reason() -> list[dict[str, Any]]:
            letters = self.get("/v1/dead-letters?limit=200")["dead_letters"]
            return [dict(d) for d in letters if d["reason"] == reason]

        return until(f"a dead letter with reason {reason}", of_reason, logs=self.stack.logs)[-1]


@pytest.fixture(scope="module")
def service(running: World) -> Iterator[Service]:
    running.run_on("general")
    with closing(Service(str(running.http.base_url), running.stack)) as caller:
        yield caller


def raw(service: Service, topic: str, value: bytes, to: int) -> None:
    producer = Producer({"bootstrap.servers": service.stack.addresses.kafka})
    producer.produce(topic, value, partition=to)
    assert producer.flush(PATIENCE) == 0


def own_turns() -> list[dict[str, Any]]:
    """The sample under names of its own: `make demo` of the page tests sends it, too, and what is sent again says
    nothing new to its project, whose progress a read would wait for in vain."""
    return [{**t, "user_id": f"{t['user_id']}-e2e", "turn_id": f"e2e-{t['turn_id']}"} for t in sample_turns()]


@pytest.fixture(scope="module")
def sample(service: Service) -> list[dict[str, Any]]:
    """The sample's turns, sent."""
    turns = own_turns()
    service.post("/v1/turns", {"turns": turns})
    return turns


def test_a_conversation_in_two_languages_becomes_memory_with_reasons_and_sources(
    service: Service, sample: list[dict[str, Any]]
) -> None:
    changed = [("maya-e2e", "age", 35, "field_changed"), ("li_wei-e2e", "age", 33, "corrected")]
    for person, field, value, rule in changed:
        memories = service.get(f"/v1/users/{person}/memories?limit=200")["memories"]
        ages = [m for m in memories if m["field"] == field and m["state"] == "active"]
        assert [m["value"] for m in ages] == [value]
        assert ages[0]["source_turn_ids"]
        assert ages[0]["reason"]["rule"] == rule
        old = service.get(f"/v1/users/{person}/memories?state=superseded&limit=200")["memories"]
        assert any(m["field"] == field and m["valid_to"] is not None for m in old)
        fields = {t["turn_id"]: t["content"] for t in sample}
        for m in memories:
            assert all(s in fields for s in m["source_turn_ids"])


@pytest.mark.usefixtures("sample")
def test_nothing_masked_is_behind_the_screen(service: Service) -> None:
    history = service.get("/v1/turns/e2e-sample-li_wei-019?user_id=li_wei-e2e")
    assert "13812345678" not in str(history)
    assert "11010519491231002X" not in str(history)
    assert "<PHONE_NUMBER>" in history["content"]
    outcome = service.get("/v1/turns/e2e-sample-maya-013/outcome?user_id=maya-e2e")
    assert outcome["saved_count"] == 0


@pytest.mark.usefixtures("sample")
def test_search_and_prompt_find_the_decision_with_its_source(service: Service) -> None:
    query = "我们关于苍穹项目的决策是什么？"
    found = service.post("/v1/search", {"query": query, "user_id": "li_wei-e2e", "limit": 5})
    assert any("Redis" in r["text"] for r in found["results"]), found
    request = {"user_id": "li_wei-e2e", "session_id": "li-cq", "project_id": "cangqiong", "budget_tokens": 600}
    body = {"query": query, **request}
    context = service.post("/v1/context", body)
    assert context["tokens"] <= 600
    assert "Redis" in context["prompt"]
    assert "[Source: Episodic, doc_id: " in context["prompt"]
    hot = service.get("/v1/projects/cangqiong/hot-memory")
    assert "Redis" in str(hot)


@pytest.mark.usefixtures("sample")
def test_a_session_stands_in_redis_under_the_seeds_keys(service: Service) -> None:
    service.get("/v1/sessions/li-cq?user_id=li_wei-e2e")
    owner = user("default", "li_wei-e2e")
    with redis.Redis.from_url(service.stack.addresses.redis, decode_responses=True) as client:
        # The read is answered by Postgres or by Redis, whichever is as far as it asks.
        history = RedisLayout().history(owner, "li-cq")
        assert until("the session in Redis", lambda: client.llen(history), lambda held: held == 5) == 5
        assert client.ttl(RedisLayout().session(owner, "li-cq")) > 0


def test_a_correction_and_a_deletion_last(service: Service) -> None:
    service.say("ola", "I'm 41 and I live in Oslo.", "ola-1")
    memories = {m["field"]: m for m in service.get("/v1/users/ola/memories")["memories"]}
    age = memories["age"]["id"]
    service.delete(f"/v1/memories/{age}?user_id=ola")
    assert all(m["id"] != age for m in service.get("/v1/users/ola/memories")["memories"])
    again = fixed(2026, 1, 1).isoformat()
    service.say("ola", "I'm 41, as I said.", "ola-2", occurred_at=again)
    assert all(m["field"] != "age" for m in service.get("/v1/users/ola/memories")["memories"])


def test_a_document_is_found_by_its_section(service: Service) -> None:
    code = "```\n# not a heading\n```"
    text = f"# Cache\n\n## Choice\n\nRedis holds sessions.\n\n{code}\n\n## 容量\n\n每个会话二十条消息。\n"
    service.post("/v1/documents", {"document_id": "doc-1", "version": "1", "title": "Cache", "markdown": text})
    found = service.post("/v1/search", {"query": "每个会话多少条消息？", "kinds": ["chunk"], "limit": 3})
    assert "二十条" in found["results"][0]["text"]
    service.delete("/v1/documents/doc-1")
    found = service.post("/v1/search", {"query": "每个会话多少条消息？", "kinds": ["chunk"], "limit": 50})
    assert "doc-1" not in str(found["results"])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"{not json", "malformed_json"),
        (b"\xff\xfe\x00", "malformed_json"),
        (b'{"type": "turn", "tenant": "default", "user_id": 7}', "invalid"),
        (b'{"type": "turn", "schema_version": 99}', "schema_version"),
    ],
)
def test_a_bad_record_is_a_dead_letter_and_the_stream_goes_on(service: Service, value: bytes, reason: str) -> None:
    """Issue "Bad input": on the topic itself, past the door."""
    to = partition(user("default", "after"), PARTITIONS)
    raw(service, "conversation.turns.v1", value, to)
    letter = service.dead_letter(reason)
    assert letter["step"] == "screen"
    service.say("after", f"I have a dog called {reason.title()}.", f"after-{reason}-{len(value)}")
    assert service.get(f"/v1/turns/after-{reason}-{len(value)}?user_id=after")["content"]


def test_the_same_turn_id_with_other_content_is_a_dead_letter(service: Service) -> None:
    service.say("twice", "I live in Rome.", "twice-1")
    service.say("twice", "I live in Rome.", "twice-1")
    service.say("twice", "I live in Milan.", "twice-1")
    assert service.dead_letter("turn_conflict")["step"] == "screen"
    assert service.get("/v1/turns/twice-1?user_id=twice")["content"] == "I live in Rome."


def test_a_turn_on_the_wrong_partition_is_a_dead_letter(service: Service) -> None:
    wrong = (partition(user("default", "lost"), PARTITIONS) + 1) % PARTITIONS
    value = {
        "type": "turn", "tenant": "default", "user_id": "lost", "session_id": "s", "role": "user",
        "occurred_at": fixed(2026, 11, 21, 10).isoformat(), "sealed": {"content": "hello"},
    }  # fmt: skip
    raw(service, "conversation.turns.v1", json.dumps(value).encode(), wrong)
    assert service.dead_letter("wrong_partition")["step"] == "screen"


def test_topics_apply_reports_and_mends_drift_and_refuses_another_count(service: Service) -> None:
    """Issue "Schemas": provisioning with partitions, retention and compaction, and drift."""
    from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

    bootstrap = service.stack.addresses.kafka
    assert {s.action for s in provisioning.apply(bootstrap, PARTITIONS, 1)} == {"ok"}
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    drift = {"retention.ms": "1000", "retention.bytes": "5000000"}
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, "memory.jobs.v1", configs=drift)])
    admin.close()
    dry = {s.name: s for s in provisioning.apply(bootstrap, PARTITIONS, 1, dry_run=True)}
    assert dry["memory.jobs.v1"].action == "drift"
    assert all(name in dry["memory.jobs.v1"].detail for name in drift)
    mended = {s.name: s.action for s in provisioning.apply(bootstrap, PARTITIONS, 1)}
    assert mended["memory.jobs.v1"] == "changed"
    assert {s.action for s in provisioning.apply(bootstrap, PARTITIONS, 1)} == {"ok"}
    with pytest.raises(provisioning.PartitionCountError, match="fixed"):
        provisioning.apply(bootstrap, PARTITIONS + 1, 1)


def test_a_missing_topic_another_count_and_a_wrong_address_name_the_remedy(service: Service) -> None:
    """Issue "Bad input": before a process joins the log."""
    there = Settings(kafka=service.stack.addresses.kafka, partitions=PARTITIONS)
    check_topics(there)
    with pytest.raises(PreflightError, match="memstream topics apply"):
        check_topics(there, {"conversation.nowhere.v1"})
    with pytest.raises(PreflightError, match="MEMSTREAM_PARTITIONS"):
        check_topics(there.model_copy(update={"partitions": PARTITIONS + 1}))
    with pytest.raises(PreflightError, match="MEMSTREAM_KAFKA"):
        check_topics(there.model_copy(update={"kafka": "127.0.0.1:9"}), patience=0.1)


def test_the_service_is_ready_and_says_how_fresh_it_is(service: Service) -> None:
    until("readiness", lambda: service.http.get("/readyz"), lambda a: a.status_code == 200, logs=service.stack.logs)
    stages = {"screen", "extract", "gate", "session", "sink-postgres"}
    until(
        "the stages of the pipeline", lambda: service.http.get("/v1/pipeline"),
        lambda a: a.status_code == 200 and {s["name"] for s in a.json()["stages"]} >= stages,
    )  # fmt: skip
    assert "memstream_" in service.http.get("/metrics").text


def test_a_frozen_stage_turns_readiness_red_and_comes_back(service: Service) -> None:
    """Not only a closed port: a stage that stands still (no lag is allowed to grow unseen)."""
    service.stack.pause("worker-memory")
    try:
        service.http.post(
            "/v1/turns",
            json={"turns": [{"user_id": "wait", "session_id": "s", "role": "user", "content": "I like tea.",
                             "occurred_at": datetime.now(UTC).isoformat()}]},
        )  # fmt: skip
        until(
            "readiness to name the stage that stands still", lambda: service.http.get("/readyz"),
            lambda a: a.status_code != 200 and ("extract" in a.text or "gate" in a.text), calm=PATIENCE, pause=1,
        )  # fmt: skip
    finally:
        service.stack.resume("worker-memory")
    until(
        "readiness to come back", lambda: service.http.get("/readyz"), lambda a: a.status_code == 200, calm=PATIENCE,
        pause=1, logs=service.stack.logs,
    )  # fmt: skip
