"""Bad input gets a clear error that names the field and never echoes content (CONTRACT "Writing")."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import turn
from tests.unit.query.memory_log import MemoryLog

SECRET = "sk-very-secret-content"
JSON = {"content-type": "application/json"}


def turns(*given: dict[str, Any]) -> bytes:
    return json.dumps({"turns": list(given)}).encode()


MUCH = "x" * 66_000
BAD_FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("wrong type", {"content": 5}, "turns.1.content"),
    ("empty content", {"content": ""}, "turns.1.content"),
    ("blank content", {"content": " \n\t "}, "turns.1.content"),
    ("a megabyte", {"content": "x" * 1_000_000}, "turns.1.content"),
    ("metadata of a megabyte", {"metadata": {"note": "x" * 1_000_000}}, "turns.1.metadata"),
    ("metadata beyond 64 kB of UTF-8", {"metadata": {"note": "我" * 22_000}}, "turns.1.metadata"),
    ("unknown role", {"role": "wizard"}, "turns.1.role"),
    ("far future", {"occurred_at": "2031-01-01T00:00:00Z"}, "turns.1.occurred_at"),
    ("epoch", {"occurred_at": "1970-01-01T00:00:00Z"}, "turns.1.occurred_at"),
    ("no zone", {"occurred_at": "2026-11-21T08:00:00"}, "turns.1.occurred_at"),
    ("a number for a time", {"occurred_at": 1_700_000_000}, "turns.1.occurred_at"),
    ("not a time", {"occurred_at": SECRET}, "turns.1.occurred_at"),
    ("NUL", {"content": "a\x00b"}, "turns.1.content"),
    ("lone surrogate", {"content": "a\ud800b"}, "turns.1.content"),
    ("surrogate in metadata", {"metadata": {"action": "\udfff"}}, "turns.1.metadata"),
    ("NUL in a metadata key", {"metadata": {"a\x00": 1}}, "turns.1.metadata"),
    ("NUL in an id", {"user_id": "u\x00"}, "turns.1.user_id"),
    ("empty id", {"session_id": ""}, "turns.1.session_id"),
    ("long id", {"turn_id": "t" * 300}, "turns.1.turn_id"),
    ("unknown field", {"colour": SECRET}, "turns.1.colour"),
    ("null content", {"content": None}, "turns.1.content"),
]


@pytest.mark.parametrize(("name", "change", "field"), BAD_FIELDS, ids=[b[0] for b in BAD_FIELDS])
async def test_a_bad_field_is_named_and_nothing_is_written(
    client: httpx.AsyncClient, log: MemoryLog, name: str, change: dict[str, Any], field: str
) -> None:
    answer = await client.post("/v1/turns", content=turns(turn(), turn(**change), turn()), headers=JSON)
    assert answer.status_code == 422, answer.text[:300]
    problem = answer.json()
    assert problem["type"] == "urn:memstream:error:validation"
    assert problem["errors"][0]["field"].startswith(field)
    assert problem["errors"][0]["expected"]
    assert SECRET not in answer.text
    assert len(answer.content) < 2_000
    assert not log.records


@pytest.mark.parametrize("part", ["global_state", "user_snapshot", "anchors"])
async def test_what_one_call_brings_for_a_session_is_bounded(
    client: httpx.AsyncClient, log: MemoryLog, part: str
) -> None:
    async def send(size: int) -> httpx.Response:
        body = json.dumps({"user_id": "u1", part: {"note": "x" * size}}).encode()
        method, path = ("PUT", "/v1/sessions/s1/anchors") if part == "anchors" else ("PATCH", "/v1/sessions/s1")
        return await client.request(method, path, content=body, headers=JSON)

    refused = await send(1_000_000)
    assert refused.status_code == 422, refused.text[:300]
    assert refused.json()["errors"][0]["field"].startswith(part)
    assert len(refused.content) < 2_000
    assert not log.records
    assert (await send(65_000)).status_code == 202


BODIES: list[tuple[str, bytes, int, str]] = [
    ("not JSON", b'{"turns": [', 400, "malformed-body"),
    ("broken UTF-8", b'{"turns": [{"content": "\xff\xfe"}]}', 400, "malformed-body"),
    ("UTF-16", '{"turns": []}'.encode("utf-16"), 400, "malformed-body"),
    ("NaN", b'{"turns": NaN}', 400, "malformed-body"),
    ("endless integer", b'{"turns": ' + b"9" * 10_000 + b"}", 400, "malformed-body"),
    ("too deep", b'{"turns": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400, "malformed-body"),
    ("deep", b'{"turns": ' + b"[" * 500 + b"]" * 500 + b"}", 400, "malformed-body"),
    ("a list", b"[]", 422, "validation"),
    ("a string", b'"turns"', 422, "validation"),
    ("null", b"null", 422, "validation"),
    ("nothing", b"", 422, "validation"),
    ("no turns", b'{"turns": []}', 422, "validation"),
    ("too large", b'{"turns": "' + b"x" * (9 * 1024 * 1024) + b'"}', 413, "body-too-large"),
]


@pytest.mark.parametrize(("name", "body", "status", "word"), BODIES, ids=[b[0] for b in BODIES])
async def test_a_bad_body_is_a_problem(
    client: httpx.AsyncClient, log: MemoryLog, name: str, body: bytes, status: int, word: str
) -> None:
    answer = await client.post("/v1/turns", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["type"]) == (status, f"urn:memstream:error:{word}"), answer.text[:300]
    assert answer.headers["content-type"] == "application/problem+json"
    assert not log.records


@pytest.mark.parametrize(("key", "status"), [(None, 401), ("known", 408)])
async def test_h3_nothing_of_a_body_is_read_before_its_sender_is_known(
    deps: Deps, log: MemoryLog, key: str | None, status: int
) -> None:
    """Eight megabytes of anybody's were read and parsed, for seconds, and then refused. A known sender's have to come
    in time."""
    read: list[int] = []

    async def never_ends() -> AsyncIterator[bytes]:
        read.append(1)
        yield b"["
        await asyncio.Event().wait()

    class Authenticator:
        async def scope(self, authorization: str | None) -> TenantScope:
            if authorization is None:
                raise ProblemError("unauthorised", "send a key")
            return TenantScope("acme", "k", frozenset(Permission))

    app = create_app(QueryConfig(body_seconds=0.01), replace(deps, keys=Authenticator()))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    headers = JSON if key is None else {**JSON, "Authorization": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.post("/v1/turns", content=never_ends(), headers=headers)
    assert answer.status_code == status
    assert len(read) == (status == 408)


async def test_more_than_a_thousand_turns_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/turns", content=turns(*[turn()] * 1_001), headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "turns"


async def test_a_record_that_no_topic_takes_is_named(client: httpx.AsyncClient) -> None:
    heavy = [{"id": f"m{i}", "text": "忆" * 20_000} for i in range(40)]
    answer = await client.post("/v1/turns", content=turns(turn(), turn(recalled=heavy)), headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "turns.1"


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/v1/interactions", {"user_id": "u"}, "session_id"),
        ("POST", "/v1/feedback", {"user_id": "u", "rating": "great", "interaction_id": "i"}, "rating"),
        ("POST", "/v1/feedback", {"user_id": "u", "rating": "good"}, "interaction_id"),
        ("POST", "/v1/feedback", {"user_id": "u", "interaction_id": "i"}, "rating"),
        ("POST", "/v1/memories", {"user_id": "u", "kind": "wish", "text": "x"}, "kind"),
        ("POST", "/v1/memories", {"user_id": "u", "kind": "preference", "text": "x", "scope": "project"}, "scope"),
        ("GET", "/v1/users/u/preferences?scope=project", None, "scope"),
        ("PATCH", "/v1/memories/m1", {"user_id": "u"}, "body"),
        ("DELETE", "/v1/memories/m1", None, "user_id"),
        ("PUT", "/v1/projects/p/hot-memory/weather/k", {"value": 1}, "type"),
        ("PUT", "/v1/projects/p/hot-memory/status/k", {"value": 1, "priority": 11}, "priority"),
        ("PUT", "/v1/store/items", {"namespace": [], "key": "k", "value": {}}, "namespace"),
        ("PUT", "/v1/sessions/s/anchors", {"user_id": "u", "anchors": {"a": "\x00"}}, "anchors"),
        ("PUT", "/v1/store/items", {"namespace": ["notes", "u"], "key": "k", "value": {"w": MUCH}}, "value"),
        ("PUT", "/v1/store/notes/u/k", {"value": {"w": MUCH}}, "value"),
        ("PUT", "/v1/projects/p/hot-memory/status/k", {"value": MUCH}, "value"),
        ("POST", "/v1/memories", {"user_id": "u", "kind": "fact", "text": "x", "value": [MUCH]}, "value"),
        ("PATCH", "/v1/memories/m1", {"user_id": "u", "value": MUCH}, "value"),
        ("POST", "/v1/feedback", {"user_id": "u", "record_id": "r", "adopted": True, "traits": {"t": MUCH}}, "traits"),
        ("POST", "/v1/documents", {"document_id": "d", "version": "1", "title": "t"}, "markdown"),
    ],
)
async def test_every_write_names_the_field(
    client: httpx.AsyncClient, log: MemoryLog, method: str, path: str, body: Any, field: str
) -> None:
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"].split(".")[0] == field
    assert not log.records


async def test_an_unknown_path_and_method_are_problems(client: httpx.AsyncClient) -> None:
    missing = await client.get("/v1/nothing")
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:memstream:error:not-found")
    wrong = await client.put("/v1/turns", json={})
    assert wrong.status_code == 405
    assert wrong.headers["content-type"] == "application/problem+json"


async def test_a_bug_is_a_problem_and_its_text_is_not_logged(
    client: httpx.AsyncClient, log: MemoryLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(records: Any) -> list[int | None]:
        raise RuntimeError(f"cannot send {SECRET}")

    monkeypatch.setattr(log, "send", broken)
    answer = await client.post("/v1/turns", content=turns(turn()), headers=JSON)
    assert (answer.status_code, answer.json()["type"]) == (500, "urn:memstream:error:internal")
    assert SECRET not in answer.text
    assert SECRET not in caplog.text
    assert "request failed" in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("GET", "/v1/users/%FF/memories", "path"),
        ("DELETE", "/v1/users/a%c3", "path"),
        ("DELETE", "/v1/users/a%2F%ff", "path"),
        ("GET", "/v1/turns/t1?user_id=%fe", "user_id"),
        ("DELETE", "/v1/memories/m1?x=%E5%BC%A0&user_id=a%ed%a0%80", "user_id"),
    ],
)
async def test_a_path_or_parameter_that_is_not_utf8_is_nobodys(
    client: httpx.AsyncClient, log: MemoryLog, method: str, path: str, field: str
) -> None:
    """It would be read as U+FFFD, one id for all of them."""
    answer = await client.request(method, path)
    assert answer.status_code == 422, answer.text[:300]
    assert answer.json()["errors"] == [{"field": field, "expected": "must be UTF-8, percent-encoded"}]
    assert not log.records
