"""Cursors: a walk shows each hit once and belongs to one question; what is no cursor is refused by its name."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import httpx
import orjson
import pytest

from query import paging
from query.errors import ProblemError
from query.paging import dump
from query.reading.search import walked
from query.search.ranked_cursor import LONGEST, MOST, Walk, question
from query.search.request import Question
from schemas.security.scope import Permission, TenantScope

ASKED = question("default", None, "dog")


def shown(cursor: str | None) -> Walk:
    assert cursor is not None
    return Walk.resume(cursor, ASKED)


def test_a_walk_knows_what_its_pages_have_shown_whatever_their_order() -> None:
    first = Walk.resume(None, ASKED)
    assert not first.has("t:u/1")
    second = shown(first.cursor(["t:u/1", "m:r"]))
    assert second.has("t:u/1")
    assert second.has("m:r")
    assert not second.has("t:u/2")
    third = shown(second.cursor(["t:u/2"]))
    assert all(third.has(h) for h in ("t:u/1", "m:r", "t:u/2"))
    assert third.room == MOST - 3


def test_a_cursor_tells_nothing_of_its_hits_and_ends_at_its_bound() -> None:
    cursor = Walk(ASKED).cursor(["t:somebody/turn-1"])
    assert cursor is not None
    assert b"somebody" not in base64.urlsafe_b64decode(cursor + "==")
    almost = Walk(ASKED).cursor([f"m:{i}" for i in range(MOST - 1)])
    assert almost is not None
    assert len(almost) <= LONGEST
    assert shown(almost).room == 1
    assert shown(almost).cursor(["one more"]) is None


@pytest.mark.parametrize(
    "other", [question("default", None, "cat"), question("other", None, "dog"), question("default", ["u"], "dog")]
)
def test_another_question_or_caller_cannot_go_on_with_it(other: bytes) -> None:
    cursor = Walk(ASKED).cursor(["m:r"])
    with pytest.raises(ProblemError) as refused:
        Walk.resume(cursor, other)
    assert refused.value.extra["errors"][0]["field"] == "cursor"


def test_d5_a_cursor_belongs_to_the_relevance_that_was_asked_for() -> None:
    scope = TenantScope("acme", "key", frozenset(Permission))
    request = Question(text="dog", kinds=frozenset({"turn"}), limit=2, tenant=scope, user=scope.user("u"))
    first = walked(request, None).walk
    assert first is not None
    cursor = first.cursor(["t:u/1"])
    assert walked(request, cursor).walk is not None
    with pytest.raises(ProblemError):
        walked(replace(request, min_relevance=0.4), cursor)


BROKEN = [
    "", "AAAA", "x", "===", "苍穹", "a\n", " ", base64.urlsafe_b64encode(ASKED).decode(),
    base64.urlsafe_b64encode(ASKED + b"12345").decode(), "A" * LONGEST,
    base64.urlsafe_b64encode(ASKED + b"\0" * 6 * MOST).decode().rstrip("="),
]  # fmt: skip


@pytest.mark.parametrize("cursor", BROKEN)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(ProblemError) as refused:
        Walk.resume(cursor, ASKED)
    assert refused.value.word == "validation"


def encoded(*parts: Any) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode()


AT = "2026-11-21T08:00:00+00:00"
HOSTILE = [
    "AAAA", encoded(), encoded("2026-11-21T08:00:00", "r", 0), encoded(AT, "r\0", 0), encoded(AT, "r", True),
    encoded(AT, 1.5, 0), encoded(AT, "r", 0.5), encoded(AT, "r", 0, 0), encoded("yesterday", "r", 0),
    encoded(AT, None, 0),
]  # fmt: skip
PAGED = [
    "/v1/users/u/memories", "/v1/users/u/feedback", "/v1/projects/p/reports", "/v1/sessions/s/checkpoints?user_id=u",
    "/v1/dead-letters",
]  # fmt: skip


@pytest.mark.parametrize("path", PAGED)
@pytest.mark.parametrize("cursor", HOSTILE)
async def test_every_list_names_a_bad_cursor(client: httpx.AsyncClient, path: str, cursor: str) -> None:
    """Before a store is asked: none is up here."""
    answer = await client.get(path, params={**dict(httpx.URL(path).params), "cursor": cursor})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "cursor"


BODIES: list[tuple[str, dict[str, Any]]] = [
    ("/v1/search", {"query": "dog", "user_id": "u"}),
    ("/v1/store/search", {"namespace_prefix": ["memories", "u"]}),
    ("/v1/store/search", {"namespace_prefix": ["memories", "u"], "query": "dog"}),
    ("/v1/store/namespaces", {}),
]


@pytest.mark.parametrize(("path", "body"), BODIES)
@pytest.mark.parametrize("cursor", [*HOSTILE, Walk(ASKED).cursor(["m:r"]), dump(ASKED.hex(), AT, "r")])
async def test_every_search_names_a_bad_or_foreign_cursor(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], cursor: str
) -> None:
    answer = await client.post(path, json={**body, "cursor": cursor})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "cursor"
    inner = {"operations": [{"op": path.rsplit("/", 1)[1], **body, "cursor": cursor}]}
    if path != "/v1/search":
        nested = (await client.post("/v1/store/batch", json=inner)).json()
        assert nested["errors"][0]["field"] == "operations.0.cursor"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_a_number_that_no_column_holds_is_no_cursor(number: int) -> None:
    """Postgres refused the cast: 500."""
    made = base64.urlsafe_b64encode(json.dumps([number]).encode()).decode()
    with pytest.raises(ProblemError, match="expected the cursor that a page returned"):
        paging.load(made, int)
    assert paging.load(paging.dump(2**63 - 1), int) == [2**63 - 1]
