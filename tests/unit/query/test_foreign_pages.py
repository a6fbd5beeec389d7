"""C7: what a page of another site makes its visitor's browser send is refused: bodies that need no preflight, names
that were made to point at this machine (DNS rebinding), requests whose answer nobody reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import turn
from tests.unit.query.memory_log import MemoryLog

BODY = json.dumps({"turns": [turn()]}).encode()
WRITES = [("POST", "/v1/turns"), ("PUT", "/v1/store/items"), ("PATCH", "/v1/memories/m"), ("DELETE", "/v1/memories/m")]
OPEN_TO_ALL = ("/livez", "/ops")


@pytest.mark.parametrize(
    "kind",
    [
        None, "", "text/plain", "text/plain; application/json", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x", "application/jsonx", "x/json", "application/json, text/plain",
    ],
)  # fmt: skip
async def test_c7_a_body_that_does_not_say_json_is_refused(
    client: httpx.AsyncClient, log: MemoryLog, kind: str | None
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    for method, path in WRITES:
        answer = await client.request(method, path, content=BODY, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (415, "urn:memstream:error:not-json"), method
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["accept"] == "application/json"
    assert not log.records


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"]
)
async def test_c7_a_body_that_says_json_is_taken(client: httpx.AsyncClient, log: MemoryLog, kind: str) -> None:
    answer = await client.post("/v1/turns", content=BODY, headers={"content-type": kind})
    assert answer.status_code == 202, answer.text
    assert log.records


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8900", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.7:8900",
        "localhost@evil.example", "[::2]:8900", "0.0.0.0", "127.0.0.1:8900/x", "",  # noqa: S104 - refused
    ],
)  # fmt: skip
async def test_c7_without_keys_a_name_of_elsewhere_is_refused(
    client: httpx.AsyncClient, log: MemoryLog, host: str
) -> None:
    for answer in (
        await client.post("/v1/turns", json={"turns": [turn()]}, headers={"host": host}),
        await client.get("/metrics", headers={"host": host}),
        await client.get("/v1/users/u1/memories", headers={"host": host}),
        await client.get("/ops/panels", headers={"host": host}),
        await client.post("/mcp", json={}, headers={"host": host}),
    ):
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:memstream:error:not-local"), answer.url
        assert answer.headers["content-type"] == "application/problem+json"
    assert not log.records
    for path in OPEN_TO_ALL:
        assert (await client.get(path, headers={"host": host})).status_code == 200


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8900", "127.0.0.1:80", "127.8.9.1", "[::1]", "[::1]:8900"])
async def test_c7_without_keys_the_names_of_this_machine_are_taken(client: httpx.AsyncClient, host: str) -> None:
    answer = await client.post(
        "/v1/turns", json={"turns": [turn()]}, headers={"host": host, "origin": f"http://{host}"}
    )
    assert answer.status_code == 202, answer.text


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost.evil.example:8900", "null", ""])
async def test_c7_without_keys_a_page_of_elsewhere_sends_nothing(
    client: httpx.AsyncClient, log: MemoryLog, origin: str
) -> None:
    """Also without a body, which needs no type."""
    answer = await client.post("/v1/users/u1/summarize", headers={"origin": origin})
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:memstream:error:not-local")
    assert not log.records


class _OneKey:
    async def scope(self, authorization: str | None) -> TenantScope:
        if authorization != "Bearer k":
            raise ProblemError("unauthorised", "send a key")
        return TenantScope("acme", "key:k", frozenset(Permission))


@pytest.fixture
async def keyed(deps: Deps) -> AsyncIterator[httpx.AsyncClient]:
    deps.keys = _OneKey()
    transport = httpx.ASGITransport(app=create_app(QueryConfig(), deps), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="https://memory.example") as client:
        yield client


async def test_c7_with_keys_any_name_will_do(keyed: httpx.AsyncClient) -> None:
    """A browser sends no key of its own accord."""
    headers = {"authorization": "Bearer k", "origin": "https://app.example"}
    assert (await keyed.post("/v1/turns", json={"turns": [turn()]}, headers=headers)).status_code == 202
    assert (await keyed.post("/v1/turns", json={"turns": [turn()]})).status_code == 401
