"""What names neither user nor project reads what all of the tenant said: it needs a scope of its own (D7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from query.reading.updates import UpdateStreams
from query.search.request import Found, Question
from query.search.retriever import Retriever
from schemas.security.scope import Permission, TenantScope

READ = frozenset({Permission.READ})
SCOPES = {
    "reads": TenantScope("t", "key:r", READ),
    "everyone": TenantScope("t", "key:e", READ | {Permission.EVERYONE}),
    "admin": TenantScope("t", "key:a", frozenset({Permission.READ, Permission.ADMIN})),
    "bound": TenantScope("t", "key:b", READ | {Permission.EVERYONE}, users=frozenset({"ann"}), projects=frozenset()),
}


class ByName:
    async def scope(self, authorization: str | None) -> TenantScope:
        return SCOPES[(authorization or "").removeprefix("Bearer ")]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    found: list[Question] = []

    async def search(_: Retriever, question: Question) -> Found:
        found.append(question)
        return Found(hits=[])

    async def busy(*_: Any) -> Any:
        raise ProblemError("busy", "as far as the stream is opened")

    monkeypatch.setattr(Retriever, "search", search)
    monkeypatch.setattr(UpdateStreams, "open", busy)
    return found


async def _asked(deps: Deps, who: str, method: str, path: str, **more: Any) -> httpx.Response:
    app = create_app(QueryConfig(), replace(deps, keys=ByName()))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.request(method, path, headers={"authorization": f"Bearer {who}"}, **more)


@pytest.mark.parametrize(("who", "body", "status"), [
    ("reads", {}, 403), ("reads", {"user_id": "ann"}, 200), ("reads", {"project_id": "p"}, 200),
    ("reads", {"kinds": ["chunk"]}, 200), ("reads", {"kinds": ["chunk", "turn"]}, 403), ("everyone", {}, 200),
    ("admin", {}, 200), ("bound", {}, 422), ("bound", {"user_id": "ann"}, 200), ("bound", {"user_id": "bob"}, 403),
])  # fmt: skip
async def test_d7_a_search_of_everybody_needs_its_own_scope(
    deps: Deps, searched: list[Question], who: str, body: dict[str, Any], status: int
) -> None:
    """A service that forgot the user of a request was given what every user of the tenant said."""
    answer = await _asked(deps, who, "POST", "/v1/search", json={"query": "where", **body})
    assert answer.status_code == status, answer.text
    assert len(searched) == (status == 200)
    if status == 403 and who == "reads":
        assert "`everyone`" in answer.json()["detail"]


async def test_d5_a_search_says_how_relevant_a_hit_must_be(deps: Deps, searched: list[Question]) -> None:
    for body in ({}, {"min_relevance": 0.35}):
        answer = await _asked(deps, "reads", "POST", "/v1/search", json={"query": "q", "user_id": "ann", **body})
        assert answer.status_code == 200, answer.text
    assert [q.min_relevance for q in searched] == [0.0, 0.35]
    wrong = await _asked(deps, "reads", "POST", "/v1/search", json={"query": "q", "user_id": "a", "min_relevance": 1.5})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "min_relevance")


@pytest.mark.parametrize(("who", "question", "status"), [
    ("reads", {}, 403), ("reads", {"user_id": "ann"}, 503), ("reads", {"project_id": "p"}, 503), ("everyone", {}, 503),
    ("admin", {}, 503), ("bound", {}, 503),
])  # fmt: skip
async def test_d7_a_stream_of_everybodys_updates_needs_it_too(
    deps: Deps, searched: list[Question], who: str, question: dict[str, str], status: int
) -> None:
    assert (await _asked(deps, who, "GET", "/v1/updates", params=question)).status_code == status


@pytest.mark.parametrize("who", ["reads", "everyone"])
async def test_d7_the_scope_alone_reads_nothing(deps: Deps, searched: list[Question], who: str) -> None:
    only = replace(SCOPES["everyone"], permissions=SCOPES["everyone"].permissions - READ)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCOPES, who, only)
        answer = await _asked(deps, who, "POST", "/v1/search", json={"query": "where"})
    assert answer.status_code == 403
