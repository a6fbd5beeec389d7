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
from query.openapi import meanings


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


def _properties(described: dict[str, Any]) -> dict[tuple[str, str], str]:
    schemas = described["components"]["schemas"]
    return {(n, p): v.get("description", "") for n, s in schemas.items() for p, v in s.get("properties", {}).items()}


def test_d6_every_property_says_what_it_means(described: dict[str, Any]) -> None:
    """763 of 767 did not."""
    found = _properties(described)
    assert len(found) > 700
    assert [f"{schema}.{name}" for (schema, name), meaning in found.items() if not meaning.strip()] == []


def test_d6_what_has_a_default_is_not_required_by_generated_types(described: dict[str, Any]) -> None:
    """The quickstart's own calls did not type-check: openapi-typescript requires what has a default."""
    schemas = described["components"]["schemas"]
    assert [n for n, s in schemas.items() for p in s.get("properties", {}).values() if "default" in p] == []
    search = schemas["SearchIn"]
    assert search["required"] == ["query"]
    assert search["properties"]["limit"]["description"] == "How many a page has at most. Default: 10."
    assert schemas["TurnIn"]["properties"]["recalled"]["description"] == "What the answer was told of memory."


def test_d6_no_meaning_is_written_of_a_property_that_there_is_not(described: dict[str, Any]) -> None:
    used = _properties(described)
    for schema, written in meanings().items():
        for name, meaning in written.items():
            assert meaning.endswith("."), name
            assert any(n == name and m.startswith(meaning) and schema in ("any", s) for (s, n), m in used.items()), name


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
