"""The log in memory keeps the contract of the one over Kafka; writes that it does not take are told apart."""

from __future__ import annotations

import httpx
import pytest

from schemas.log import topics
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


async def test_backpressure_is_503_with_retry_after(client: httpx.AsyncClient, log: MemoryLog) -> None:
    log.capacity = 0
    answer = await client.post("/v1/turns", json={"turns": [turn()]})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:memstream:error:busy")
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["delivered"] == []
