"""C7, of what writes: every endpoint that is no GET, called by one tenant with the ids of another, in the path and in
the body. It answers as for ids that do not exist; what it writes names its own tenant alone, and is the same as for
such ids; it asks no store for more than its own tenant's rows."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from query.producer import Outgoing
from query.views.db import ANYBODY
from schemas.events.envelope import Envelope
from schemas.log.codec import Codec, Event
from schemas.profile.model import load_profile
from schemas.security.scope import Permission, TenantScope
from tests.openapi_calls import Call, call, operations
from tests.unit.query.memory_log import MemoryLog
from tests.with_ids import ALSO, choice, named

A, B = "leak-a", "leak-b"
TRIES = 8
FIXED: dict[str, Any] = {
    "query": "ferry", "name": "diagnosis_records", "table": "diagnosis_records", "toml": 'name = "own"\nversion = 1',
    "prefix": [], "suffix": [],
}  # fmt: skip
NEW = {"freshness_token", "accepted_at", "took_ms", "degraded"}
"""Made anew for every call, or said of the stores."""
_MADE = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{64}")
"""Ids: random, or a hash of what is named."""


class ByName:
    """The credential is the tenant's name."""

    async def scope(self, authorization: str | None) -> TenantScope:
        name = (authorization or "").removeprefix("Bearer ")
        if name not in (A, B):
            raise ProblemError("unauthorised", "send a key")
        return TenantScope(name, f"key:{name}", frozenset(Permission))


class Views:
    """Postgres as one tenant of it sees it: nothing; and what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any, Any]] = []

    async def fetch(self, text: str, values: dict[str, Any], acting: str | None) -> list[dict[str, Any]]:
        self.asked.append((text, values.get("tenant"), acting))
        return [Zeros()] if "turns_mark" in text or ("count(*)" in text and "GROUP BY" not in text) else []


class Zeros(dict[str, Any]):
    """The row of a count."""

    def __missing__(self, name: str) -> int:
        return 0


@pytest.fixture
def views() -> Views:
    return Views()


@pytest.fixture
def app(deps: Deps, views: Views, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    deps.keys, deps.profile = ByName(), load_profile("health")  # it has tables
    made = create_app(QueryConfig(wait_ms=0), deps)  # what is written here arrives nowhere
    monkeypatch.setattr(made.state.db, "_fetch", views.fetch)
    return made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {B}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
        yield client


async def test_c7_what_is_written_and_answered_does_not_depend_on_another_tenants_ids(
    app: FastAPI, client: httpx.AsyncClient, log: MemoryLog, views: Views
) -> None:
    writing = [o for o in operations(app.openapi()) if o.method != "GET"]
    assert len(writing) > 35
    written: dict[str, int] = {}
    for operation in writing:
        for seed in range(TRIES):
            results = []
            for value in ("only", "nowhere"):
                made = call(operation, lambda name, v=value: named(name, v, FIXED), choice(seed))  # type: ignore[misc]
                where = f"{operation} {seed} {value}"
                answer, records = await once(client, log, made)
                events = [(r.topic, e) for r in records if not isinstance(e := own(r, where), ALSO)]
                assert answer.status_code != 500, (where, views.asked[-1:])
                results.append((answer.status_code, shape(answer, value), [plain(t, e, value) for t, e in events]))
                if value in f"{made.path} {made.query} {made.body}":
                    written[str(operation)] = written.get(str(operation), 0) + len(events)
            assert results[0] == results[1], f"{operation} {seed}"
    beyond = [(text, tenant, acting) for text, tenant, acting in views.asked if tenant != B and acting != ANYBODY]
    assert beyond == [], "a store was asked beyond the tenant"
    assert len([1 for _, tenant, _ in views.asked if tenant == B]) > 20, "nor was it asked nothing"
    # It would prove nothing if nothing had been taken.
    assert {o for o, n in written.items() if n} >= {
        "POST /v1/turns", "POST /v1/interactions", "POST /v1/feedback", "POST /v1/sessions",
        "PATCH /v1/sessions/{session_id}", "PUT /v1/sessions/{session_id}/anchors", "DELETE /v1/sessions/{session_id}",
        "POST /v1/sessions/{session_id}/checkpoint", "POST /v1/sessions/{session_id}/close", "PUT /v1/store/items",
        "DELETE /v1/store/items", "PUT /v1/store/{namespace}/{user_id}/{key}", "POST /v1/memories",
        "DELETE /v1/store/{namespace}/{user_id}/{key}", "PATCH /v1/memories/{memory_id}",
        "DELETE /v1/memories/{memory_id}", "DELETE /v1/users/{user_id}",
        "DELETE /v1/users/{user_id}/sessions/{session_id}", "POST /v1/users/{user_id}/summarize", "POST /v1/documents",
        "DELETE /v1/documents/{document_id}", "PUT /v1/projects/{project_id}/hot-memory/{type}/{key}",
        "DELETE /v1/projects/{project_id}/hot-memory/{type}/{key}", "POST /v1/projects/{project_id}/reports",
        "POST /v1/users/{user_id}/save-info", "POST /v1/sessions/{session_id}/turns",
    }, written  # fmt: skip


async def once(client: httpx.AsyncClient, log: MemoryLog, made: Call) -> tuple[httpx.Response, Sequence[Outgoing]]:
    log.records.clear()
    answer = await client.request(made.method, made.path, params=made.query, json=made.body)
    return answer, list(log.records)


def own(r: Outgoing, where: str) -> Event:
    """What was written names its own tenant and no other."""
    event = Codec().decode(r.topic, r.value)
    assert isinstance(event, Envelope), where
    assert event.tenant == B, where
    raw = b"".join([r.key or b"", r.value or b"", *(v for _, v in r.headers)])
    assert A.encode() not in raw, where
    return event


def plain(topic: str, event: Event, value: str) -> Any:
    result = event.model_dump(mode="json", exclude={"sealed": {"embedding"}})
    return topic, _MADE.sub("MADE", str({k: v for k, v in result.items() if k not in NEW})).replace(value, "ID")


def shape(answer: httpx.Response, value: str) -> Any:
    body = answer.json()
    if isinstance(body, dict):
        body = {k: v for k, v in body.items() if k not in NEW}
    return _MADE.sub("MADE", str(body)).replace(value, "ID")
