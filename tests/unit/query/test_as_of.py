"""N8: what a search as of a time looks at."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from query.search.request import Question
from schemas.security.scope import TenantScope


def at(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def row(kind: str, occurred: datetime, since: datetime | None = None, until: datetime | None = None) -> dict[str, Any]:
    if kind == "turn":
        return {"turn_id": "t", "occurred_at": occurred}
    return {"record_id": "r", "kind": kind, "occurred_at": occurred, "valid_from": since, "valid_to": until}


@pytest.mark.parametrize(
    ("given", "when", "found"),
    [
        (row("turn", at(2026)), at(2025), False),
        (row("turn", at(2024)), at(2025), True),
        (row("fact", at(2026), at(2019)), at(2020), True),
        (row("fact", at(2026), at(2019)), at(2018), False),
        (row("fact", at(2020), at(2020), at(2022)), at(2023), False),
        (row("fact", at(2026)), at(2025), False),
        (row("episode", at(2026, 11, 21), at(2026, 11, 9), at(2026, 11, 16)), at(2026, 11, 12), True),
        (row("episode", at(2026, 11, 21), at(2026, 11, 9), at(2026, 11, 16)), at(2026, 11, 22), True),
        (row("episode", at(2026, 11, 21), at(2026, 11, 9), at(2026, 11, 16)), at(2026, 11, 8), False),
    ],
)
def test_n8_what_was_said_or_true_by_then(given: dict[str, Any], when: datetime, found: bool) -> None:
    tenant = TenantScope("default", "test", frozenset())
    assert Question("q", frozenset({"turn", "fact", "episode"}), 1, tenant, as_of=when).wants(given) is found
