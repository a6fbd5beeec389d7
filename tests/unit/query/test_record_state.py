"""The state of a record in a context (A8): the project's, whoever asks, then the asking user's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from query.prompt import endpoint
from query.prompt.endpoint import ContextIn, ContextRequest, Entities
from query.prompt.intents import folded, is_of, route
from query.views.db import OwnerStatement, Row
from schemas.profile.model import load_profile
from schemas.security.scope import Permission, TenantScope

STUDY = load_profile("clinical_trial")
TENANT = TenantScope("acme", "key:k1", frozenset({Permission.READ}))


def item(owner: str, key: str, step: str, project: str | None) -> Row:
    return {
        "record_id": f"{owner}/{key}", "owner_id": owner, "key": key, "value": {"step": step}, "project_id": project,
        "kind": "item",
    }  # fmt: skip


@dataclass
class Views:
    """Rows as Postgres would find them, the newest first."""

    rows: list[Row]
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def of_tenant(self, _: TenantScope, statement: Any, **values: Any) -> list[Row]:
        assert not isinstance(statement, OwnerStatement)
        self.asked.append(values)
        return [r for r in self.rows if r["project_id"] == values["project_id"] and _named(r["key"], values)]

    async def of_owner(self, scope: Any, _: Any, **values: Any) -> list[Row]:
        own = [r for r in self.rows if r["owner_id"] == scope.owner.id and _named(r["key"], values)]
        return [r for r in own if values["project_id"] is None or r["project_id"] is None]


def _named(key: str, values: dict[str, Any]) -> bool:
    key = folded(key)
    return key in values["folded"] or bool(values["record"] and values["record"] in key)


ROWS = [
    item("ann", "record-12", "second query sent", "study"), item("bob", "record-12", "first query sent", "study"),
    item("bob", "record-112", "closed", "study"), item("cat", "record-12", "mine alone", None),
    item("cat", "record-7", "my note", None), item("ann", "record-12", "of another study", "other"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "record_id", "project", "expected"),
    [
        ("请质控 Record 12 的数据", None, "study", ["second query sent", "mine alone"]),
        ("Run the QC again, please.", "12", "study", ["second query sent", "mine alone"]),
        ("Run the QC again, please.", "record_12", "study", ["second query sent", "mine alone"]),
        ("请质控 Record 12 的数据", "112", "study", ["closed"]),
        ("请质控 Record 12 的数据", None, None, ["mine alone"]),
        ("请质控 Record 12 的数据", None, "third", ["mine alone"]),
        ("Run the QC of record 7.", None, "study", ["my note"]),
    ],
)
async def test_a8_the_state_of_a_record_is_the_projects_whoever_asks(
    query: str, record_id: str | None, project: str | None, expected: list[str]
) -> None:
    body = ContextIn(query=query, user_id="cat", project_id=project, entities=Entities(record_id=record_id))
    routed = route(STUDY, query, "QC_TASK")
    request = ContextRequest(body, TENANT, TENANT.user("cat"), TENANT.project(project) if project else None, routed)
    deps = SimpleNamespace(clock=lambda: datetime(2026, 11, 2, tzinfo=UTC))
    ctx: Any = SimpleNamespace(db=Views(ROWS), deps=deps)
    rows = await endpoint._state(ctx, request, routed.intents[0])
    assert [r["value"]["step"] for r in rows] == expected
    assert request.of_project == {r["record_id"] for r in rows if r["owner_id"] != "cat"}


@pytest.mark.parametrize(
    ("record_id", "key", "same"),
    [("12", "record-12", True), ("12", "record-112", False), ("Record 12", "record_12", True), ("1", "12", False)],
)
def test_a8_a_key_is_that_of_a_record_by_its_whole_number(record_id: str, key: str, same: bool) -> None:
    assert is_of(record_id, key) is same


def test_a8_what_the_caller_looks_for_stands_for_the_message() -> None:
    body = ContextIn.model_validate({"query": "and there?", "user_id": "cat", "entities": {"query": "enrolment"}})
    assert body.looked_for == "enrolment"
    assert ContextIn(query="and there?", user_id="cat").looked_for == "and there?"
