"""C7: one tenant's load is not another's outage: 429 with the time to wait, a tenant at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from limits.aio import strategies
from limits.aio.storage import memory

from query import limits
from query.app import create_app
from query.config import Limits, QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from query.writing.publish import Entry, Publisher
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import turn
from tests.unit.query.memory_log import MemoryLog

BODY = {"user_id": "ann", "kind": "fact", "text": "x"}


class StandingClock:
    """In place of `time`: a rate is counted in windows that begin at the same instant for everybody, so that requests
    on both sides of one would not be the same as requests within it."""

    @staticmethod
    def time() -> float:
        return 1_800_000_001.0


@pytest.fixture(autouse=True)
def _time_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (memory, strategies, limits):
        monkeypatch.setattr(module, "time", StandingClock)


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
        body = (await client.get("/metrics", headers=of("b"))).text
        assert 'memstream_limited_requests_total{kind="writes"} 3.0' in body


async def test_c7_turns_are_counted_by_the_turn(deps: Deps) -> None:
    async with service(deps, turns_per_second=1) as client:
        many = {"turns": [turn(turn_id=str(n)) for n in range(6)]}
        assert (await client.post("/v1/turns", json=many, headers=of("a"))).status_code == 202
        assert (await client.post("/v1/turns", json=many, headers=of("a"))).status_code == 429
        assert (await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code == 202


async def test_h6_writes_are_counted_by_the_byte_whatever_they_are(deps: Deps, log: MemoryLog) -> None:
    """Few large records hold the steps up as many small ones do, and each was one write."""
    large = {"turns": [turn(turn_id=str(n), content="x" * 50_000) for n in range(3)]}
    async with service(deps, bytes_per_second=20_000) as client:
        assert (await client.post("/v1/turns", json=large, headers=of("a"))).status_code == 202
        assert len(log.records) == 3
        again = await client.post("/v1/turns", json=large, headers=of("a"))
        assert (again.status_code, again.json()["limit"]) == (429, 200_000)
        assert len(log.records) == 3, "nothing of it"
        assert (await client.post("/v1/turns", json=large, headers=of("b"))).status_code == 202
        assert (await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code == 202, "what is left"
        body = (await client.get("/metrics", headers=of("b"))).text
        assert 'memstream_limited_requests_total{kind="bytes"} 1.0' in body


async def test_h6_nothing_is_screened_for_who_has_no_bytes_left(
    deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    screened: list[int] = []

    async def noted(self: Publisher, entries: Sequence[Entry]) -> Sequence[Entry]:
        screened.append(len(entries))
        return entries

    monkeypatch.setattr(Publisher, "_screened", noted)
    async with service(deps, bytes_per_second=1) as client:
        statuses = [(await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code for _ in range(2)]
        assert (statuses, screened) == ([202, 429], [1])


async def test_operations_of_a_store_batch_are_counted_one_by_one(deps: Deps) -> None:
    put = [{"op": "put", "namespace": ["memories", "u"], "key": str(n), "value": {"a": n}} for n in range(6)]
    async with service(deps, writes_per_second=1, reads_per_second=0.1) as client:
        assert (await client.post("/v1/store/batch", json={"operations": put}, headers=of("a"))).status_code == 202
        assert (await client.post("/v1/store/batch", json={"operations": put}, headers=of("a"))).status_code == 429
        assert (await client.post("/v1/store/batch", json={"operations": put}, headers=of("b"))).status_code == 202


async def test_c7_who_guesses_is_slowed_and_a_valid_key_never_is(deps: Deps) -> None:
    async with service(deps, failures_per_second=0.2) as client:
        statuses = [(await client.get("/metrics", headers=of("nobody"))).status_code for _ in range(4)]
        assert statuses == [401, 401, 429, 429]
        assert (await client.get("/metrics", headers=of("a"))).status_code == 200


@pytest.mark.parametrize("kind", ["reads_per_second", "writes_per_second", "turns_per_second", "bytes_per_second"])
async def test_c7_zero_is_no_limit(deps: Deps, kind: str) -> None:
    async with service(deps, **{kind: 0}) as client:
        for _ in range(20):
            assert (await client.post("/v1/memories", json=BODY, headers=of("a"))).status_code == 202


class Bound(ByName):
    """Credentials that reach some users or projects of a tenant, by their name."""

    async def scope(self, authorization: str | None) -> TenantScope:
        found = await super().scope(authorization)
        users = frozenset({"ann"}) if found.tenant == "one-user" else None
        only = {"no-documents": frozenset({Permission.READ, Permission.WRITE}),
                "loader": frozenset({Permission.DOCUMENTS})}  # fmt: skip
        return replace(
            found, users=users, projects=frozenset({"p1"}) if found.tenant == "one-project" else None,
            permissions=only.get(found.tenant, found.permissions),
        )  # fmt: skip


@pytest.mark.parametrize(("name", "status"), [
    ("one-user", 403), ("one-project", 403), ("whole", 202), ("no-documents", 403), ("loader", 202),
])  # fmt: skip
async def test_h5_documents_need_a_scope_of_their_own_which_no_bound_credential_has(
    deps: Deps, name: str, status: int
) -> None:
    """A key of an end user replaced a handbook that is cited to everybody."""
    document = {"document_id": "d1", "version": "1", "title": "Handbook", "markdown": "# A"}
    deps.keys = Bound()
    app = create_app(QueryConfig(), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        put = await client.post("/v1/documents", json=document, headers=of(name))
        removed = await client.delete("/v1/documents/d1", headers=of(name))
        assert [put.status_code, removed.status_code] == [status, status]
        statement = await client.post("/v1/turns", json={"turns": [turn()]}, headers=of(name))
        writes = name not in ("one-user", "loader")  # the turn is of another user; documents are all a loader writes
        assert statement.status_code == (202 if writes else 403)
