"""Reads: a statement without its scope cannot be written; filters; hits of several scopes (C7)."""

from __future__ import annotations

import pytest

from query.search.hits import merge
from query.search.request import Filters
from query.views.db import OwnerStatement, StatementError, TenantStatement


def test_the_best_of_an_ignorant_scope_does_not_lead() -> None:
    best = ({"record_id": "a"}, 0.7, {"bm25": 3.0, "dense": 0.8})
    knows = [best, ({"record_id": "b"}, 0.3, {"bm25": 0, "dense": 0.2})]
    ignorant = [({"record_id": "c"}, 0.9, {"bm25": 0.0, "dense": 0.05})]
    assert [row["record_id"] for row, _, _ in merge([ignorant, knows])] == ["a", "b", "c"]
    assert merge([[], knows]) == knows


def test_a_read_without_a_scope_cannot_be_written() -> None:
    with pytest.raises(StatementError):
        TenantStatement("SELECT * FROM {v}.turns")
    with pytest.raises(StatementError):
        OwnerStatement("SELECT * FROM {v}.turns WHERE tenant = %(tenant)s")


def _statement(short: str) -> TenantStatement:
    return TenantStatement(short.replace("ALL", "SELECT * FROM {v}.turns").replace("MINE", "tenant = %(tenant)s"))


@pytest.mark.parametrize(
    "text",
    [
        "ALL WHERE TRUE OR MINE", "ALL WHERE MINE OR user_id = 'x'", "ALL WHERE NOT MINE",
        "ALL WHERE NOT (kind = 'a' AND MINE)", "ALL WHERE kind = 'a' AND (MINE OR TRUE)",
        "ALL WHERE (kind = 'a' AND MINE) OR TRUE", "ALL WHERE 'MINE' <> ''", "SELECT MINE FROM {v}.turns",
        "ALL t LEFT JOIN {v}.memories m ON m.MINE", "ALL WHERE MINE UNION ALL", "ALL UNION ALL WHERE MINE",
        "ALL WHERE x_MINE", "ALL ORDER BY MINE", "ALL WHERE MINE AND id IN (ALL)", "SELECT (ALL WHERE MINE), (ALL)",
    ],
)  # fmt: skip
def test_c7_a_read_with_a_way_around_its_tenant_cannot_be_written(text: str) -> None:
    with pytest.raises(StatementError):
        _statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "ALL WHERE MINE", "ALL t WHERE t.MINE AND (a = 1 OR NOT b) ORDER BY a LIMIT 1",
        "ALL WHERE (kind = 'or' AND (MINE))", "SELECT count(*) FROM (ALL WHERE MINE) x WHERE a OR b",
        "ALL WHERE MINE UNION ALL WHERE a AND MINE", "WITH x AS (ALL WHERE MINE) SELECT * FROM x",
        "SELECT (ALL WHERE MINE), (ALL WHERE MINE)",
    ],
)  # fmt: skip
def test_c7_a_read_of_a_tenant_can(text: str) -> None:
    assert "tenant = %(tenant)s" in _statement(text).text


def test_filters_look_into_a_turns_metadata() -> None:
    row = {"metadata": {"department": "心内科", "visit": 3, "urgent": True}}
    assert Filters(metadata={"department": "心内科", "visit": 3}).matches(row)
    assert Filters(metadata={"department": ("皮肤科", "心内科"), "urgent": True}).matches(row)
    assert not Filters(metadata={"department": "皮肤科"}).matches(row)
    assert not Filters(metadata={"doctor": "Li"}).matches(row)
    assert not Filters(metadata={"visit": 3}).matches({"text": "a memory has none"})
