"""Ids that hold a slash, in paths."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI

from query.body import Route
from query.config import QueryConfig
from query.encoded_slashes import KeepSlashes

router = APIRouter(route_class=Route)


@router.get("/v1/users/{user_id}")
@router.delete("/v1/users/{user_id}")
async def user(user_id: str) -> dict[str, Any]:
    return {"user": user_id}


@router.delete("/v1/users/{user_id}/sessions/{session_id}")
async def session(user_id: str, session_id: str) -> dict[str, Any]:
    return {"user": user_id, "session": session_id}


@pytest.fixture
def client() -> httpx.AsyncClient:
    app = FastAPI()
    app.state.config = QueryConfig()
    app.add_middleware(KeepSlashes)
    app.include_router(router)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")


@pytest.mark.parametrize(
    ("sent", "user_id"),
    [
        ("org%2Fana", "org/ana"),
        ("org%2fsessions%2Fx", "org/sessions/x"),
        ("a%2520b%2Fc", "a%20b/c"),
        ("%E5%BC%A0%2F%E4%B8%89", "张/三"),
        ("plain%20name", "plain name"),
        ("50%25", "50%"),
    ],
)
async def test_an_id_with_a_slash_is_one_id(client: httpx.AsyncClient, sent: str, user_id: str) -> None:
    for method in ("GET", "DELETE"):
        answer = await client.request(method, f"/v1/users/{sent}")
        assert answer.json() == {"user": user_id}


async def test_a_slash_that_parts_the_path_still_does(client: httpx.AsyncClient) -> None:
    answer = await client.delete("/v1/users/org%2Fana/sessions/s%2F1")
    assert answer.json() == {"user": "org/ana", "session": "s/1"}


async def test_a_path_with_nul_gains_no_slash(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/users/a%00b%2Fc")).status_code == 404
    assert (await client.get("/v1/users/a%00b")).json() == {"user": "a\x00b"}
