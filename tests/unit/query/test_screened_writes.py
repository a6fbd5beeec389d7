"""D5: what a caller writes itself is masked before it stands in a kept topic, whichever door it came through."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from query.deps import Deps
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.query.memory_log import MemoryLog

MAIL, PHONE = "ana.petrova@example.org", "13812345678"
TEXT = f"Write to {MAIL}, 我的手机号是{PHONE}"
ITEM = {"namespace": ["notes", "ann"], "key": "k1", "value": {"text": TEXT, "phone": int(PHONE)}}
WRITES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "remember": ("POST", "/v1/memories", {"user_id": "ann", "kind": "fact", "text": TEXT, "value": {"mail": MAIL}}),
    "correct": ("PATCH", "/v1/memories/m1", {"user_id": "ann", "text": TEXT}),
    "item": ("PUT", "/v1/store/items", ITEM),
    "alias": ("PUT", "/v1/store/notes/ann/k1", {"value": ITEM["value"]}),
    "feedback": ("POST", "/v1/feedback",
                 {"user_id": "ann", "memory_ids": ["m1"], "rating": "bad", "comment": TEXT, "correction": TEXT}),
    "interaction": ("POST", "/v1/interactions",
                    {"interaction_id": "i1", "user_id": "ann", "session_id": "s1", "user_query": "hello",
                     "timestamp": "2026-11-21T08:00:00Z", "user_feedback": {"rating": "bad", "correction": TEXT}}),
    "row": ("POST", "/v1/users/ann/tables/diagnosis_records", {"diagnosis": TEXT}),
    "hot": ("PUT", "/v1/projects/p1/hot-memory/status/contact", {"value": TEXT}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
async def test_d5_a_callers_words_are_masked_before_they_are_kept(
    client: httpx.AsyncClient, deps: Deps, log: MemoryLog, name: str
) -> None:
    deps.profile = load_profile("health")  # it has tables
    method, path, body = WRITES[name]
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 202, answer.text
    kept = [r for r in log.records if r.topic in (topics.LEDGER.name, topics.PROJECT_EVENTS.name)]
    assert kept
    raw = b"".join(b"".join([r.key or b"", r.value or b"", *(v for _, v in r.headers)]) for r in kept)
    assert MAIL.encode() not in raw
    assert PHONE.encode() not in raw
    assert b"<EMAIL_ADDRESS>" in raw
    assert b"<PHONE_NUMBER>" in raw


async def test_what_outgrows_its_field_once_it_is_masked_is_refused_by_name(
    client: httpx.AsyncClient, log: MemoryLog
) -> None:
    mails = " ".join(f"a{n}@b.co" for n in range(80))
    body = {"user_id": "ann", "memory_ids": ["m1"], "rating": "bad", "outcome": mails}
    answer = await client.post("/v1/feedback", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "outcome"
    assert "@" not in answer.text
    assert not log.records
