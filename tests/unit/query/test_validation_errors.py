"""A refused body names what is wrong with it, and nothing that is not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from query.errors import from_validation
from query.models import TurnsIn

GOOD: dict[str, Any] = {
    "user_id": "u", "session_id": "s", "role": "user", "content": "a", "occurred_at": "2026-11-21T09:00:00Z",
}  # fmt: skip


@pytest.mark.parametrize(
    ("turns", "fields"),
    [
        ([{**GOOD, "role": "root"}], ["turns.0.role"]),
        ([{**GOOD, "role": "root"}, {**GOOD, "colour": 1}], ["turns.0.role", "turns.1.colour"]),
        ([GOOD, {**GOOD, "content": ""}], ["turns.1.content"]),
        ([], ["turns"]),
    ],
)
def test_only_what_is_wrong_is_named(turns: list[dict[str, Any]], fields: list[str]) -> None:
    with pytest.raises(ValidationError) as refused:
        TurnsIn.model_validate({"turns": turns})
    problem = from_validation(refused.value)
    assert [e["field"] for e in problem.extra["errors"]] == fields
