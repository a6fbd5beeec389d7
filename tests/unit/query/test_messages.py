"""E1, E3: a conversation's messages in their order, page by page, of the open segment or all."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from query.views import sessions, turns
from query.views.db import Row
from schemas.security.scope import OwnerScope
from tests.unit.query.conftest import NOW

PATH = "/v1/sessions/s1/messages"
OPENED = 30
"""Where the open segment begins."""


def message(position: int) -> Row:
    role = "assistant" if position % 20 else "user"
    return {
        "turn_id": f"t{position}", "role": role, "speaker": None, "content": f"第 {position} 句", "occurred_at": NOW,
        "interaction_id": None, "tokens": 4, "position": position,
    }  # fmt: skip


class Talk:
    """A conversation of seven messages whose last three came behind a checkpoint."""

    def __init__(self) -> None:
        self.positions = list(range(0, 61, 10))
        self.row: Row | None = {"segment_start": OPENED + 10}

    async def page(
        self, db: Any, scope: OwnerScope, session_id: str, now: Any, start: int, limit: int
    ) -> list[Row]:
        assert (scope.owner.tenant, scope.owner.id, session_id, now) == ("default", "ann", "s1", NOW)
        return [message(p) for p in self.positions if p >= start][:limit]

    async def session(self, db: Any, scope: OwnerScope, session_id: str) -> Row | None:
        return self.row


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Talk:
    made = Talk()
    monkeypatch.setattr(turns, "page_of_session", made.page)
    monkeypatch.setattr(sessions, "get", made.session)
    return made


async def pages(client: httpx.AsyncClient, **query: Any) -> list[list[str]]:
    out, cursor = [], None
    while True:
        request = {"user_id": "ann", **query, **({} if cursor is None else {"cursor": cursor})}
        answer = await client.get(PATH, params=request)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        out.append([m["message_id"] for m in body["messages"]])
        cursor = body["cursor"]
        if cursor is None:
            return out


async def test_e1_every_message_comes_once_in_order(client: httpx.AsyncClient, talk: Talk) -> None:
    every = [f"t{p}" for p in talk.positions]
    for limit in (1, 2, 3, 7, 100):
        found = await pages(client, limit=limit)
        assert [m for page in found for m in page] == every
        assert all(len(page) == limit for page in found[:-1])
        assert found[-1], "no page that is empty behind the last"


async def test_e3_the_open_segment_begins_behind_the_checkpoint(client: httpx.AsyncClient, talk: Talk) -> None:
    assert await pages(client, segment="open", limit=2) == [["t40", "t50"], ["t60"]]
    talk.row = None
    assert await pages(client, segment="open") == [[f"t{p}" for p in talk.positions]], "no session yet: all is open"


async def test_e3_a_checkpoint_between_two_pages_loses_no_message(client: httpx.AsyncClient, talk: Talk) -> None:
    first = (await client.get(PATH, params={"user_id": "ann", "segment": "open", "limit": 1})).json()
    talk.row = {"segment_start": 60}
    request = {"user_id": "ann", "segment": "open", "cursor": first["cursor"]}
    assert [m["message_id"] for m in (await client.get(PATH, params=request)).json()["messages"]] == ["t50", "t60"]


async def test_e1_an_emptied_session_is_empty_and_an_unknown_one_is_not_found(
    client: httpx.AsyncClient, talk: Talk
) -> None:
    talk.positions = []
    answer = await client.get(PATH, params={"user_id": "ann"})
    assert (answer.status_code, answer.json()["messages"], answer.json()["cursor"]) == (200, [], None)
    talk.row = None
    answer = await client.get(PATH, params={"user_id": "ann"})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:memstream:error:not-found")


@pytest.mark.parametrize(("query", "field"), [
    ({}, "user_id"), ({"user_id": "ann", "segment": "closed"}, "segment"), ({"user_id": "ann", "limit": 0}, "limit"),
    ({"user_id": "ann", "limit": 201}, "limit"), ({"user_id": "ann", "cursor": "x"}, "cursor"),
])  # fmt: skip
async def test_what_is_wrong_is_named(
    client: httpx.AsyncClient, talk: Talk, query: dict[str, Any], field: str
) -> None:
    answer = await client.get(PATH, params=query)
    assert answer.status_code == 422
    assert [e["field"] for e in answer.json()["errors"]] == [field]


async def test_a_cursor_of_the_other_segment_is_refused(client: httpx.AsyncClient, talk: Talk) -> None:
    first = (await client.get(PATH, params={"user_id": "ann", "limit": 1})).json()
    answer = await client.get(PATH, params={"user_id": "ann", "segment": "open", "cursor": first["cursor"]})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "cursor"


async def test_without_postgres_it_says_so(client: httpx.AsyncClient) -> None:
    answer = await client.get(PATH, params={"user_id": "ann"})
    assert (answer.status_code, answer.json()["store"]) == (503, "postgres")
