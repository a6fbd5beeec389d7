"""D13: what a question limits goes to Milvus with it, not over the few that come back."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from query.retrieval import milvus
from query.retrieval.request import Filters, Question
from schemas.scope import TenantScope

TENANT = TenantScope("acme", "key:k", frozenset())
ANN = TENANT.user("ann")
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)


def asked(kind: str, **over: Any) -> str:
    probe: Any = SimpleNamespace(question=Question("q", frozenset({kind}), 1, TENANT, ANN, **over))
    return milvus.condition(probe, ANN, [kind])


def test_d13_metadata_is_filtered_first() -> None:
    where = asked("turn", filters=Filters(role="user", occurred_from=OCTOBER, occurred_to=OCTOBER.replace(month=11)))
    assert 'role in ["user"] and occurred_at >= 1790812800000 and occurred_at <= 1793491200000' in where
    several = asked("episode", filters=Filters(episode_type=("task", "decision"), category="c", scope="s"))
    assert 'scope in ["s"] and category in ["c"] and episode_type in ["task", "decision"]' in several
    assert "occurred_at" not in asked("fact", as_of=OCTOBER), "a fact may be told later"
    assert "occurred_at <= 1790812800000" in asked("turn", as_of=OCTOBER)


def test_d13_a_users_and_projects_search_is_of_both() -> None:
    project = TENANT.project("p")
    assert 'project_id in ["p"]' in asked("turn", project=project)
    assert 'project_id in ["", "p"]' in asked("fact", project=project)


def test_d13_a_value_that_is_no_literal_is_left_to_the_rows() -> None:
    assert "role" not in asked("turn", filters=Filters(role="a\nb"))
