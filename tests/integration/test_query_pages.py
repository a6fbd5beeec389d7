"""Lists page with `cursor` and `limit` (CONTRACT), over real servers: nothing twice, nothing passed over, while
memories come and go between two pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from typing import Any

import pytest

from memstream.stack import Addresses
from schemas.profile.model import load_profile
from sinks.milvus.sink import MilvusSink
from sinks.protocol import Item, Message, SinkBatch
from tests.integration.query_env import START, Env, query_service

pytestmark = pytest.mark.integration


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses, load_profile("health")) as env:
        yield env


async def walked(
    env: Env, path: str, body: dict[str, Any], shows: str, between: Callable[[int], None] = lambda n: None
) -> list[list[Any]]:
    """All pages; `between` runs after each, told how many there were."""
    pages: list[list[Any]] = []
    cursor = None
    while True:
        answer = await env.client.post(path, json=body if cursor is None else {**body, "cursor": cursor})
        assert answer.status_code == 200, answer.text
        pages.append(answer.json()[shows])
        cursor = answer.json()["cursor"]
        if cursor is None:
            return pages
        assert len(pages) < 50
        between(len(pages))


async def refused(send: Awaitable[Any]) -> str:
    answer = await send
    assert answer.status_code == 422, answer.text
    return str(answer.json()["errors"][0]["field"])


async def test_a_search_is_walked_while_memories_come_and_go(env: Env) -> None:
    rows = env.rows
    stood = [rows.turn("pg1", "s", f"The dog {name} has a vet appointment") for name in "ABCDEFGH"]
    stood += [rows.turn("pg1", "s", f"狗{name}要去看兽医") for name in "甲乙丙丁"]
    goes = rows.memory("pg1", "fact", "The dog was at the vet in May", field="vet")
    body = {"query": "dog vet appointment", "user_id": "pg1", "limit": 5}

    def between(pages: int) -> None:
        rows.turn("pg1", "s2", f"dog vet appointment number {pages}")  # better than all that is there
        if pages == 1:
            rows.memory("pg1", "fact", "", record_id=goes.record_id, revision=2, op="delete", state="deleted")

    pages = await walked(env, "/v1/search", body, "results", between)
    ids = [r["id"] for page in pages for r in page]
    assert len(ids) == len(set(ids))
    assert {t.turn_id for t in stood} <= set(ids)
    assert len(pages) >= 3
    assert all(len(page) == 5 for page in pages[:-1])
    # With nothing coming between, the walk is the order of one long answer.
    whole = (await env.client.post("/v1/search", json={**body, "limit": 100})).json()
    assert whole["cursor"] is None
    again = await walked(env, "/v1/search", body, "results")
    assert [r["id"] for page in again for r in page] == [r["id"] for r in whole["results"]]


async def test_a_cursor_of_another_question_is_refused(env: Env) -> None:
    for n in range(4):
        env.rows.turn("pg2", "s", f"dog number {n}")
        env.rows.turn("pg3", "s", f"dog number {n}")
    body = {"query": "dog", "user_id": "pg2", "limit": 2}
    cursor = (await env.client.post("/v1/search", json=body)).json()["cursor"]
    send = env.client.post
    same = await send("/v1/search", json={**body, "limit": 1, "explain": True, "cursor": cursor})
    assert same.status_code == 200
    for change in (
        {"query": "cat"}, {"user_id": "pg3"}, {"kinds": ["turn"]}, {"session_id": "s"}, {"filters": {"role": "user"}},
        {"as_of": START.isoformat()}, {"project_id": "p"},
    ):  # fmt: skip
        assert await refused(send("/v1/search", json={**body, **change, "cursor": cursor})) == "cursor", change
    other = send("/v1/search", json={**body, "cursor": cursor}, headers={"Memstream-Ranking": "rrf"})
    assert await refused(other) == "cursor"


async def test_a_whole_tenant_is_walked_beyond_the_candidates_of_one_search(env: Env, addresses: Addresses) -> None:
    with closing(MilvusSink(addresses.milvus)) as sink:
        texts = [env.rows.turn(f"pg4-{n % 7}", "s", f"quokka sighting number {n}") for n in range(130)]
        sink.write(SinkBatch([Item(t, Message("t", 0, 0, None, None, [], 0)) for t in texts], {}))
    pages = await walked(env, "/v1/search", {"query": "quokka sighting", "kinds": ["turn"], "limit": 40}, "results")
    found = [r["id"] for page in pages for r in page]
    assert len(found) == len(set(found))
    assert {t.turn_id for t in texts} <= set(found)


def _put(env: Env, user: str, key: str, text: str, **value: Any) -> str:
    given = {"namespace": ("memories", user), "key": key, "value": {"text": text, **value}}
    return env.rows.memory(user, "item", text, record_id=f"{user}-{key}", **given).record_id


@pytest.mark.parametrize("query", [None, "green tea 绿茶"])
async def test_c1_store_items_are_walked(env: Env, query: str | None) -> None:
    user = "pg5" if query is None else "pg6"
    keys = [f"k{n:02}" for n in range(11)]
    for n, key in enumerate(keys):
        _put(env, user, key, f"绿茶 green tea {n}", even=n % 2 == 0)
    prefix = {"namespace_prefix": ["memories", user], **({} if query is None else {"query": query})}

    def between(pages: int) -> None:
        _put(env, user, f"new{pages}", "green tea 绿茶")

    pages = await walked(env, "/v1/store/search", {**prefix, "limit": 4}, "items", between)
    seen = [i["key"] for page in pages for i in page]
    assert len(seen) == len(set(seen))
    assert set(keys) <= set(seen)
    if query is None:
        assert seen == keys[::-1], "newest first; what came meanwhile lies before the walk"
    even = await walked(env, "/v1/store/search", {**prefix, "filter": {"even": True}, "limit": 2}, "items")
    assert sorted(i["key"] for page in even for i in page) == keys[::2]
    first = (await env.client.post("/v1/store/search", json={**prefix, "limit": 4})).json()
    post = env.client.post
    for change, field in (
        ({"namespace_prefix": ["memories", "pg5x"]}, "cursor"), ({"filter": {"even": True}}, "cursor"),
        ({"query": "coffee"}, "cursor"), ({"offset": 2}, "offset"),
    ):  # fmt: skip
        body = {**prefix, "limit": 4, "cursor": first["cursor"], **change}
        assert await refused(post("/v1/store/search", json=body)) == field, change
    operation = {"op": "search", **prefix, "limit": 4, "cursor": first["cursor"]}
    batch = (await post("/v1/store/batch", json={"operations": [operation]})).json()["results"][0]
    assert not {i["key"] for i in batch["items"]} & {i["key"] for i in first["items"]}


async def test_c1_namespaces_are_walked(env: Env) -> None:
    users = [f"pg7-{n}" for n in range(5)]
    for user in users:
        _put(env, user, "k", "tea")
    body = {"prefix": ["memories"], "limit": 2}
    pages = await walked(env, "/v1/store/namespaces", body, "namespaces")
    seen = [n[1] for page in pages for n in page]
    assert [u for u in seen if u.startswith("pg7-")] == users
    assert seen == sorted(set(seen))
    cursor = (await env.client.post("/v1/store/namespaces", json=body)).json()["cursor"]
    other = env.client.post("/v1/store/namespaces", json={"prefix": ["patterns"], "cursor": cursor})
    assert await refused(other) == "cursor"


async def test_c2_rows_of_a_table_are_walked(env: Env) -> None:
    """Also where rows are of the same moment."""
    for n in range(7):
        env.rows.memory(
            "pg8", "table", "", category="diagnosis_records", key=f"diagnosis_{n}", record_id=f"pg8-{n}",
            value={"diagnosis": f"d{n}"}, occurred_at=START,
        )  # fmt: skip
    seen: list[str] = []
    cursor: dict[str, str] = {}
    path = "/v1/users/pg8/tables/diagnosis_records"
    while True:
        page = (await env.client.get(path, params={"limit": 3, **cursor})).json()
        seen += [r["diagnosis"] for r in page["rows"]]
        if page["cursor"] is None:
            break
        cursor = {"cursor": page["cursor"]}
    assert sorted(seen) == [f"d{n}" for n in range(7)]
    assert await refused(env.client.get(path, params={"cursor": "AAAA"})) == "cursor"


async def test_refused_memories_are_walked(env: Env) -> None:
    """A list of decisions, not of records."""
    turn = env.rows.turn("pg9", "s", "my key is ...")
    for n in range(5):
        env.rows.decision(turn, n, "fact", "", "refused")
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        given = {"state": "refused", "limit": "2", **cursor}
        page = (await env.client.get("/v1/users/pg9/memories", params=given)).json()
        seen += [m["id"] for m in page["memories"]]
        if page["cursor"] is None:
            break
        cursor = {"cursor": page["cursor"]}
    assert len(seen) == len(set(seen)) == 5
