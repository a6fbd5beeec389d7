"""The log in memory keeps the contract of the one over Kafka; writes that it does not take are told apart."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from query.deps import Deps
from schemas.log import topics
from schemas.profile.model import Profile
from tests.query_log_contract import LogContract
from tests.unit.query.conftest import turn
from tests.unit.query.memory_log import MemoryLog


class TestMemoryLog(LogContract):
    @pytest.fixture
    def log(self) -> MemoryLog:
        return MemoryLog()


async def test_a_partial_failure_names_what_was_delivered(client: httpx.AsyncClient, log: MemoryLog) -> None:
    """Two turns go to one topic, the feedback to another, which does not answer."""
    log.failing.add(topics.LEDGER.name)
    body = {
        "user_id": "u", "session_id": "s", "interaction_id": "i", "timestamp": "2026-11-20T08:00:00Z",
        "user_query": "q", "ai_response": "a", "user_feedback": {"rating": "good"},
    }  # fmt: skip
    answer = await client.post("/v1/interactions", json=body)
    assert answer.status_code == 503
    assert answer.json()["delivered"] == ["i:user", "i:assistant"]


REPEATED: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "save-info": ("/v1/users/u/save-info", topics.TURNS.name, {"userMessage": "hi"}, "interaction_id"),
    "session turn": ("/v1/sessions/s/turns", topics.TURNS.name, {"user_id": "u", "user_query": "q"}, "interaction_id"),
    "memory": ("/v1/memories", topics.LEDGER.name, {"user_id": "u", "kind": "fact", "text": "x"}, "Idempotency-Key"),
    "row": ("/v1/users/u/tables/visits", topics.LEDGER.name, {"note": "x"}, "Idempotency-Key"),
    "turns": ("/v1/turns", topics.TURNS.name, {"turns": [turn()]}, ""),
    "checkpoint": ("/v1/sessions/s/checkpoint", topics.TURNS.name, {"user_id": "u"}, "look before"),
    "report": ("/v1/projects/p/reports", topics.PROJECT_EVENTS.name, {}, "look before"),
}


@pytest.mark.parametrize("name", REPEATED)
async def test_a_failed_write_says_what_is_true_of_repeating_it(
    client: httpx.AsyncClient, deps: Deps, log: MemoryLog, name: str
) -> None:
    """It said that repeating is safe, where each call was given an id of its own and is another one."""
    path, topic, body, by = REPEATED[name]
    deps.profile = Profile.model_validate({
        "name": "t", "version": 1, "namespaces": ["visits"],
        "tables": [{
            "name": "visits", "namespace": "visits", "key": "v_{id}", "unique": False,
            "columns": [{"name": "note", "type": "string"}],
        }],
    })  # fmt: skip
    log.failing.add(topic)
    failed = await client.post(path, json=body, headers={"Memstream-Wait-Ms": "0"})
    answer_body = failed.json()
    assert (failed.status_code, answer_body["delivered"]) == (503, [])
    assert (by or "the same call is safe") in answer_body["detail"]
    assert ("is safe" in answer_body["detail"]) == (not by)
    if by not in answer_body:
        return
    log.failing.clear()
    headers = {"Memstream-Wait-Ms": "0", **({by: answer_body[by]} if by == "Idempotency-Key" else {})}
    body = body if headers.get(by) else {**body, by: answer_body[by]}
    again = [(await client.post(path, json=body, headers=headers)).json() for _ in range(2)]
    values = [json.loads(r.value or b"") for r in log.records]
    kept = {v.get("command_id") or v["turn_id"] for v in values}
    assert len(kept) == 1
    assert again[0].get("id") == again[1].get("id")
    assert again[0].get("memory_id") == again[1].get("memory_id")


async def test_backpressure_is_503_with_retry_after(client: httpx.AsyncClient, log: MemoryLog) -> None:
    log.capacity = 0
    answer = await client.post("/v1/turns", json={"turns": [turn()]})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:memstream:error:busy")
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["delivered"] == []
