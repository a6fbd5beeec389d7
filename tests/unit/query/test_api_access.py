"""C7: the doors over HTTP: who comes in, and what a credential does not reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.auth.boundary import CredentialDoor, OpenDoor
from query.config import Limits, QueryConfig
from query.deadletters.access import Bounds
from query.deadletters.index import LetterIndex
from query.deps import Deps
from query.streams import Read, TopicAwayError
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from schemas.security.api_keys import key_id
from schemas.security.scope import OwnerScope, TenantScope
from tests.unit.query.conftest import turn
from tests.unit.query.keys import ALL, NOW, Rows, book
from tests.unit.query.memory_log import MemoryLog


@pytest.fixture
async def guarded(deps: Deps, rows: Rows) -> AsyncIterator[httpx.AsyncClient]:
    deps.keys = CredentialDoor(book(rows), None, OpenDoor("default").everybody)
    app = create_app(QueryConfig(limits=Limits(failures_per_second=0)), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_c7_the_door_closes_with_the_first_key(guarded: httpx.AsyncClient, rows: Rows) -> None:
    assert (await guarded.get("/metrics")).status_code == 200
    key = rows.mint("acme", ["operator"])
    header = {"Authorization": f"Bearer {key}"}
    assert (await guarded.get("/metrics", headers=header)).status_code == 200
    assert (await guarded.get("/metrics")).status_code == 401
    rows.rows[str(key_id(key))]["revoked_at"] = NOW
    keys = guarded._transport.app.state.authenticator._keys  # type: ignore[attr-defined]
    await keys.read()
    assert (await guarded.get("/metrics", headers=header)).status_code == 401
    assert (await guarded.get("/metrics")).status_code == 401, "revoking the last key does not open the door"


OPEN = {"/livez", "/readyz", "/ops"}


async def test_c7_every_endpoint_needs_a_credential(guarded: httpx.AsyncClient, rows: Rows) -> None:
    rows.mint("acme", ALL)
    app = guarded._transport.app  # type: ignore[attr-defined]
    await app.state.authenticator._keys.read()
    paths = app.openapi()["paths"]
    request = 0
    for path, methods in paths.items():
        for method in methods:
            if path in OPEN:
                continue
            for header in ({}, {"Authorization": "Bearer nobody"}, {"Authorization": "Basic x"}):
                answer = await guarded.request(method, path.replace("{", "").replace("}", ""), headers=header)
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert answer.json()["type"] == "urn:memstream:error:unauthorised"
                request += 1
    assert request > 100


class NoBrokers:
    """Says at once what a client of Kafka says after five seconds."""

    def bounds(self, topic: str) -> Bounds:
        raise TopicAwayError(topic)

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        raise TopicAwayError(topic)


async def test_c7_scopes_are_demanded(guarded: httpx.AsyncClient, rows: Rows) -> None:
    guarded._transport.app.state.letters = LetterIndex(NoBrokers())  # type: ignore[attr-defined]
    keys = {s: {"Authorization": f"Bearer {rows.mint('acme', [s])}"} for s in ALL}
    body = {"user_id": "ann", "kind": "fact", "text": "x"}
    calls: list[tuple[str, str, dict[str, Any] | None, str]] = [
        ("POST", "/v1/memories", body, "write"),
        ("POST", "/v1/context", {"user_id": "ann", "query": "x"}, "read"),
        ("GET", "/metrics", None, "operator"),
        ("GET", "/v1/dead-letters", None, "operator"),
    ]
    for method, path, sent, needed in calls:
        for held, header in keys.items():
            answer = await guarded.request(method, path, json=sent, headers=header)
            if held in (needed, "admin"):
                assert answer.status_code not in (401, 403), (path, held, answer.text)
            else:
                assert answer.status_code == 403, (path, held, answer.text)
                assert answer.json()["type"] == "urn:memstream:error:forbidden"


async def test_c7_a_bound_key_reaches_its_users_only(guarded: httpx.AsyncClient, rows: Rows) -> None:
    header = {"Authorization": f"Bearer {rows.mint('acme', ALL, users=['ann'], projects=['p1'])}"}
    body = {"kind": "fact", "text": "x"}
    assert (await guarded.post("/v1/memories", json={**body, "user_id": "ann"}, headers=header)).status_code == 202
    assert (await guarded.post("/v1/memories", json={**body, "user_id": "bob"}, headers=header)).status_code == 403
    fields = {**body, "user_id": "ann", "project_id": "p2"}
    assert (await guarded.post("/v1/memories", json=fields, headers=header)).status_code == 403


BINDINGS: dict[str, dict[str, Any]] = {"users": {"users": ["ann"]}, "projects": {"projects": ["p1"]}}


@pytest.mark.parametrize("binding", BINDINGS.values(), ids=list(BINDINGS))
async def test_c7_what_is_about_the_whole_tenant_is_not_for_a_bound_key(
    guarded: httpx.AsyncClient, rows: Rows, log: MemoryLog, binding: dict[str, Any]
) -> None:
    """It erased the tenant with all its users, and dropped their dead letters."""
    header = {"Authorization": f"Bearer {rows.mint('acme', ['admin'], **binding)}"}
    for method, path in (
        ("DELETE", "/v1/tenant"), ("GET", "/v1/dead-letters"), ("GET", "/v1/dead-letters/0:0"),
        ("GET", "/v1/retention"),
        ("GET", "/v1/pipeline"), ("GET", "/metrics"), ("PUT", "/v1/tenant/profile"),
        ("POST", "/v1/dead-letters/drop"), ("POST", "/v1/dead-letters/replay"),
    ):  # fmt: skip
        body = {} if path.endswith("profile") else {"all": True} if method == "POST" else None
        answer = await guarded.request(method, path, json=body, headers=header)
        assert answer.status_code == 403, (path, answer.text)
        assert "whole tenant" in answer.json()["detail"]
    assert log.records == []
    fields = {"user_id": "ann", "kind": "fact", "text": "x"}
    assert (await guarded.post("/v1/memories", json=fields, headers=header)).status_code == 202, "its own as before"


ALIASED: dict[str, tuple[dict[str, Any], str | None, tuple[str, ...] | None]] = {
    "all projects": ({}, None, None),
    "another project": ({"projects": ["p2"]}, None, ()),
    "the project": ({"projects": ["p2", "proj_123_cangqiong"]}, None, ("proj_123_cangqiong",)),
    "a user alone": ({"users": ["ann"]}, None, ()),
    "a turn with a project": ({"projects": ["p2"]}, "p2", None),
}


@pytest.mark.parametrize(("binding", "named", "reaches"), ALIASED.values(), ids=list(ALIASED))
async def test_c7_a_turn_says_which_projects_its_text_may_name(
    guarded: httpx.AsyncClient, rows: Rows, deps: Deps, log: MemoryLog, binding: dict[str, Any], named: str | None,
    reaches: tuple[str, ...] | None,
) -> None:  # fmt: skip
    deps.profile = load_profile("engineering")
    header = {"Authorization": f"Bearer {rows.mint('acme', ['write'], **binding)}"}
    statement = turn(user_id="ann", project_id=named)
    answer = await guarded.post("/v1/turns", json={"turns": [statement]}, headers=header)
    assert answer.status_code == 202, answer.text
    [record] = [r for r in log.records if r.topic == topics.TURNS.name]
    event = Codec().decode(record.topic, record.value)
    assert isinstance(event, TurnEvent)
    assert event.reaches == reaches


@pytest.mark.parametrize(("projects", "named"), [(None, False), (["proj_123_cangqiong"], True)])
async def test_c7_a_question_that_names_a_project_out_of_reach_is_answered_without_it(
    guarded: httpx.AsyncClient, rows: Rows, deps: Deps, projects: list[str] | None, named: bool
) -> None:
    deps.profile = load_profile("engineering")
    header = {"Authorization": f"Bearer {rows.mint('acme', ['read'], users=['ann'], projects=projects)}"}
    request = {"user_id": "ann", "query": "苍穹项目的决策是什么？"}
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        whole = TenantScope.project

        def project(self: TenantScope, project_id: str) -> OwnerScope:
            seen.append(project_id)
            return whole(self, project_id)

        patch.setattr(TenantScope, "project", project)
        answer = await guarded.post("/v1/context", json=request, headers=header)
    assert answer.status_code == 200, answer.text
    assert seen == (["proj_123_cangqiong"] if named else [])
