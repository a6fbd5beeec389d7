"""The profile and the preferences of a user as they are told (B6, C3, D9)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from query.reading.profile_rows import over
from query.reading.profile_view import build, values_by_field
from query.reading.users import ordered
from schemas.profile.model import FieldSpec, Profile, load_profile


def test_b6_score_is_by_weight_and_false_is_a_value() -> None:
    profile = Profile(
        name="p", version=1, groups=("basic", "work"),
        fields=(
            FieldSpec(name="age", path="basic.age", weight=2),
            FieldSpec(name="hasEmployer", path="work.hasEmployer", type="boolean"),
            FieldSpec(name="targets", path="work.targets[]", many=True),
            FieldSpec(name="nationality", path="basic.nationality"),
            FieldSpec(name="hidden"),
        ),
    )  # fmt: skip

    def row(field: str | None, value: Any, fields: tuple[str, ...] = ()) -> dict[str, Any]:
        return {"field": field, "fields": fields, "value": value, "text": "t"}

    rows = [row("hasEmployer", False), row("targets", "A"), row("targets", "B"), row("nationality", "未知"),
            row("age+hidden", {"age": 30, "hidden": 1}, ("age", "hidden"))]  # fmt: skip
    result = build(profile, values_by_field(rows))
    assert result["profile"] == {"basic": {"age": 30}, "work": {"hasEmployer": False, "targets": ["A", "B"]}}
    assert result["completeness"] == {
        "score": 80, "filled_fields": ["age", "hasEmployer", "targets"], "missing_fields": ["nationality"],
    }  # fmt: skip


@pytest.mark.parametrize(("value", "known"), [("无", True), ("none", True), ("未知", False), ("", False), (0, True)])
def test_b6_none_is_an_answer_and_unknown_is_not(value: Any, known: bool) -> None:
    profile = load_profile("health")
    result = build(profile, {"allergies": [value]})
    assert ("allergies" not in result["completeness"]["missing_fields"]) is known


def test_b6_c3_the_row_of_a_table_wins_over_the_facts() -> None:
    profile = load_profile("health")
    values = dict[str, Any](age=[45], allergies=["花粉"], drug_allergies=["青霉素"], height=[170], weight=[60])
    row = {"category": "health_profiles", "attributes": {"written": {"weight": {"at": "2026-11-21T00:00:00+00:00"}}},
           "value": {"age": 50, "allergies": ["花生", "花粉", "青霉素"], "drug_allergies": ["青霉素"],
                     "blood_type": "A"}}  # fmt: skip
    assert over(profile, values, [row]) == {
        "age": [50], "allergies": ["花生", "花粉"], "drug_allergies": ["青霉素"], "height": [170], "weight": [],
        "blood_type": ["A"],
    }  # fmt: skip
    assert over(profile, values, []) == values


def test_d9_the_order_of_preferences_is_by_scope_source_and_time() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)

    def row(n: int, scope: str, source: str) -> dict[str, Any]:
        empty = dict.fromkeys(
            ("text", "fields", "category", "episode_type", "negated", "approximate", "user_id", "project_id",
             "session_id", "language", "revision", "occurred_at", "valid_from", "valid_to", "last_accessed_at",
             "reason", "conflicts_with", "attributes", "key")
        )  # fmt: skip
        return {**empty, "record_id": str(n), "kind": "preference", "state": "active", "field": "tone", "value": n,
                "scope": scope, "importance": 1, "confidence": 1, "source": source, "version": 1, "sources": [],
                "known_at": now + timedelta(minutes=n)}  # fmt: skip

    given = [("global", "inferred"), ("global", "explicit"), ("global", "explicit"), ("p", "inferred")]
    rows = [row(n, scope, source) for n, (scope, source) in enumerate(given, 1)]
    assert [r["value"] for r in ordered(rows, "p")] == [4, 3, 2, 1]
    assert [r["value"] for r in ordered(rows, "q")] == [3, 2, 1]
