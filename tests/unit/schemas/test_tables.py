"""Structured tables as the profile declares them (C2, C3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.profile.model import ProfileError, TableSpec, load_profile, parse_profile
from schemas.profile.tables import (
    MOST_CHARS,
    ColumnError,
    at_id,
    at_key,
    checked,
    created_at,
    goodness,
    place_of,
    shown,
)

HEALTH = load_profile("health")
PROFILE, DIAGNOSES = HEALTH.tables
NOW = datetime(2026, 11, 2, tzinfo=UTC)


@pytest.mark.parametrize(("namespace", "key", "want"), [
    (("health_profile", "u"), "profile", ("health_profiles", "profile")),
    (("health_profile", "u"), "basic_info", ("health_profiles", "profile")),
    (("diagnosis_history", "u"), "diagnosis_a_7", ("diagnosis_records", "a_7")),
    (("diagnosis_history", "u"), "note", None),
    (("diagnosis_history",), "diagnosis_7", None),
    (("memories", "u"), "preferences", None),
])  # fmt: skip
def test_c3_which_store_items_are_rows(namespace: tuple[str, ...], key: str, want: tuple[str, str] | None) -> None:
    place = place_of(HEALTH, namespace, key)
    assert (place and (place.spec.name, place.row_id)) == want


def test_c3_a_row_by_id_and_by_key_is_the_same() -> None:
    assert at_id(DIAGNOSES, "7") == at_key(DIAGNOSES, "diagnosis_7")
    assert at_id(PROFILE, "anything").key == "profile"


@pytest.mark.parametrize(("column", "value"), [
    ("age", 4.5), ("age", "4"), ("age", True), ("age", 2**60), ("gender", 1), ("gender", "x" * (MOST_CHARS + 1)),
    ("no_such", 1), ("user_id", "bob"), ("created_at", "2026-01-01"), ("height", "tall"),
])  # fmt: skip
def test_c2_a_column_takes_its_type_and_an_error_names_it(column: str, value: Any) -> None:
    with pytest.raises(ColumnError) as refused:
        checked(PROFILE, {column: value})
    assert refused.value.column == column
    assert "xxx" not in str(refused.value)


def test_c2_values_by_other_names_null_and_times() -> None:
    assert checked(DIAGNOSES, {"feedback": "有用", "adopted": None}) == {"feedback": "helpful", "adopted": None}
    assert checked(PROFILE, {"age": 45.0}) == {"age": 45}
    with pytest.raises(ColumnError, match="expected one of helpful"):
        checked(DIAGNOSES, {"feedback": "superb"})
    assert created_at(DIAGNOSES, {"timestamp": "2025-01-15T10:30:00"}) == datetime(2025, 1, 15, 10, 30, tzinfo=UTC)
    with pytest.raises(ColumnError, match="timestamp"):
        created_at(DIAGNOSES, {"timestamp": "yesterday"})


def test_c3_the_store_shows_what_the_profile_names() -> None:
    row = {"symptoms": ["a"], "diagnosis": "b", "suggestions": "c"}
    assert shown(DIAGNOSES, row, NOW, NOW) == {"symptoms": ["a"], "diagnosis": "b", "timestamp": NOW.isoformat()}


@pytest.mark.parametrize(("row", "went"), [
    ({}, 0), ({"feedback": "helpful"}, 1), ({"feedback": "not_helpful"}, -1), ({"adopted": True}, 1),
    ({"feedback": "helpful", "adopted": False}, 0), ({"outcome": "Recovered", "feedback": "not_helpful"}, 1),
    ({"outcome": "误诊", "adopted": True}, -1), ({"outcome": "unclear"}, 0),
])  # fmt: skip
def test_c6_how_a_case_went(row: dict[str, Any], went: int) -> None:
    assert goodness(DIAGNOSES, row) == went


TOML = """
name = "x"
version = 1
namespaces = ["n"]
[[tables]]
name = "t"
namespace = "n"
key = "row_{id}"
unique = false
"""


@pytest.mark.parametrize(("change", "error"), [
    ('[[tables.columns]]\nname = "Bad Name"\ntype = "string"', "tables.t.columns.Bad Name.name"),
    ('[[tables.columns]]\nname = "a"\ntype = "text"', "tables.t.columns.a.type"),
    ('columns = []\nindexes = { i = ["zz"] }', "no column 'zz'"),
    ('columns = []\nsearch_columns = ["zz"]', "no column 'zz'"),
    ('[[tables.columns]]\nname = "a"\ntype = "json"\nfields = ["zz"]', "no field 'zz' in the catalogue"),
])  # fmt: skip
def test_c2_a_bad_table_names_file_key_and_what_is_allowed(change: str, error: str) -> None:
    with pytest.raises(ProfileError, match=r"bad\.toml") as refused:
        parse_profile(TOML + change, "bad.toml")
    assert error in str(refused.value)


@pytest.mark.parametrize(("a", "b", "error"), [
    ('name = "t"', 'name = "turns"', "taken by a view"), ('key = "row_{id}"', 'key = "row"', "must hold {id}"),
    ('\nnamespace = "n"', '\nnamespace = "m"', "must be one of n"),
])  # fmt: skip
def test_c2_names_of_the_engine_keys_and_namespaces_are_checked(a: str, b: str, error: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_profile(TOML.replace(a, b, 1) + "columns = []", "bad.toml")
    assert error in str(refused.value)


def test_c2_the_seeds_columns_are_declared() -> None:
    def names(spec: TableSpec) -> set[str]:
        return {c.name for c in spec.columns}

    assert {"age", "gender", "height", "weight", "blood_type", "allergies", "medical_history"} <= names(PROFILE)
    assert {"family_history", "medications", "baseline_bp_systolic", "baseline_bp_diastolic"} <= names(PROFILE)
    assert {"health_goals", "drug_allergies", "heart_rate_min", "heart_rate_max"} <= names(PROFILE)
    assert {"session_id", "department", "symptoms", "diagnosis", "suggestions", "feedback", "feedback_comment",
            "adopted", "outcome"} <= names(DIAGNOSES)  # fmt: skip
    assert DIAGNOSES.indexes == {"idx_user_department": ("user_id", "department"), "idx_created_at": ("created_at",)}
