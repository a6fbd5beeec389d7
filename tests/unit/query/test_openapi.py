"""The description of the API: what every answer that is an error is, who may ask, and the headers that are read."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from query import reference_page
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps


@pytest.fixture
def described(deps: Deps) -> dict[str, Any]:
    return create_app(QueryConfig(), deps).openapi()


def test_every_error_is_a_problem(described: dict[str, Any]) -> None:
    for path, methods in described["paths"].items():
        for spec in methods.values():
            wrong = {s: a for s, a in spec["responses"].items() if s >= "400"}
            assert {"422", "500", "503"} <= set(wrong), path
            for status, answer in wrong.items():
                assert answer["description"], (path, status)
                (media,) = answer["content"]
                assert media == "application/problem+json"
                assert answer["content"][media]["schema"]["$ref"] == "#/components/schemas/Problem"
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert "urn:memstream:error:too-many" in described["components"]["schemas"]["Problem"]["properties"]["type"]["enum"]


def test_a_key_can_be_sent_from_the_page(described: dict[str, Any]) -> None:
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    search, alive = described["paths"]["/v1/search"]["post"], described["paths"]["/livez"]["get"]
    assert search["security"] == [{"key": []}, {}]
    assert {"400", "401", "403", "413", "415", "429"} <= set(search["responses"])
    assert "security" not in alive
    assert "401" not in alive["responses"]
    assert "404" in described["paths"]["/v1/users/{user_id}/memories"]["get"]["responses"]


def test_headers_that_are_read_are_named(described: dict[str, Any]) -> None:
    def headers(path: str, method: str) -> set[str]:
        return {p["name"] for p in described["paths"][path][method].get("parameters", []) if p["in"] == "header"}

    assert {"Memstream-Wait-For", "Memstream-Wait-Ms"} <= headers("/v1/search", "post")
    assert {"Memstream-Wait-For", "Memstream-Wait-Ms"} <= headers("/v1/users/{user_id}/memories", "get")
    assert headers("/v1/updates", "get") == {"Last-Event-ID"}
    assert headers("/livez", "get") == set()


async def test_d6_m2_the_page_of_the_api_asks_nobody_and_runs_nothing(client: httpx.AsyncClient) -> None:
    """A script of another's site, unpinned, on the origin whose tab holds an operator's key; white without internet."""
    answer = await client.get("/docs")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "<script" not in answer.text
    links = set(re.findall(r'(?:src|href|action)="([^"]*)"', answer.text))
    assert [link for link in links if not link.startswith("#")] == ["/openapi.json"]
    for shown in ("/v1/search", "POST /v1/turns", "Memstream-Wait-For"):
        assert shown in answer.text


def test_d6_every_link_of_the_page_leads_to_a_schema(described: dict[str, Any]) -> None:
    text = reference_page.page(described)
    links = set(re.findall(r'href="#([^"]*)"', text))
    assert len(links) > 20
    assert links <= set(re.findall(r'id="([^"]*)"', text))


def test_d6_what_is_described_is_text() -> None:
    described = {
        "info": {"title": "<b>", "version": "1"},
        "paths": {"/<i>": {"get": {"summary": "<script>x</script>", "responses": {"200": {"description": "<u>"}}}}},
    }
    text = reference_page.page(described)
    assert "&lt;script&gt;x" in text
    assert not re.search(r"<(?:b|i|u|script)>", text)
