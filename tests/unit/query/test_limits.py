"""C7: one tenant's load is not another's outage: 429 with the time to wait, a tenant at a time."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import Limits, QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.scope import Permission, TenantScope
from tests.unit.query.conftest import turn

BODY = {"user_id": "ann", "kind": "fact", "text": "x"}


class ByName:
    """The credential is the tenant's name; `nobody` is refused."""

    async def scope(self, authorization: str | None) -> TenantScope:
        name = (authorization or "").removeprefix("Bearer ")
        if name == "nobody":
            raise ProblemError("unauthorised", "no")
        return TenantScope(name, name, frozenset(Permission))


def service(deps: Deps, **limits: Any) -> httpx.AsyncClient:
    deps.keys = ByName()
    app = create_app(QueryConfig(limits=Limits(**limits)), deps)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app, raise_app_exceptions=False), base_url="http://127.0.0.1")


def of(tenant: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tenant}"}


async def test_c7_a_tenant_over_its_rate_waits_and_another_does_not(deps: Deps) -> None:
    async with service(deps, writes_per_second=0.3) as client:
        statuses = [(await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code for _ in range(5)]
        assert statuses == [202, 202, 202, 429, 429]
        answer = await client.post("/v1/memories", json=BODY, headers=of("a"))
        assert answer.json()["type"] == "urn:memstream:error:too-many"
        assert 1 <= int(answer.headers["retry-after"]) <= 10
        assert (await client.post("/v1/memories", json=BODY, headers=of("b"))).status_code == 202
        told = (await client.get("/metrics", headers=of("b"))).text
        assert 'memstream_limited_requests_total{kind="writes"} 3.0' in told


async def test_c7_turns_are_counted_by_the_turn(deps: Deps) -> None:
    async with service(deps, turns_per_second=1) as client:
        many = {"turns": [turn(turn_id=str(n)) for n in range(6)]}
        assert (await client.post("/v1/turns", json=many, headers=of("a"))).status_code == 202
        assert (await client.post("/v1/turns", json=many, headers=of("a"))).status_code == 429
        assert (await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code == 202


async def test_c7_who_guesses_is_slowed_and_a_valid_key_never_is(deps: Deps) -> None:
    async with service(deps, failures_per_second=0.2) as client:
        statuses = [(await client.get("/metrics", headers=of("nobody"))).status_code for _ in range(4)]
        assert statuses == [401, 401, 429, 429]
        assert (await client.get("/metrics", headers=of("a"))).status_code == 200


@pytest.mark.parametrize("kind", ["reads_per_second", "writes_per_second", "turns_per_second"])
async def test_c7_zero_is_no_limit(deps: Deps, kind: str) -> None:
    async with service(deps, **{kind: 0}) as client:
        for _ in range(20):
            assert (await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code == 202
