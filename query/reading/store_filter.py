"""Filters over store values, with LangGraph's meaning: equal, nested, or compared under `$` names (C1)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from query.errors import invalid
from schemas.base import JsonObject

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def check(wanted: JsonObject | None, field: str = "filter") -> None:
    """Raises ProblemError for an operator that there is not."""
    for key, condition in (wanted or {}).items():
        if not isinstance(condition, dict):
            continue
        for name in condition:
            if name.startswith("$") and name not in _OPERATORS:
                raise invalid(f"{field}.{key[:80]}", f"expected one of {', '.join(sorted(_OPERATORS))}")


def matches(value: Any, wanted: JsonObject | None) -> bool:
    """Whether a value meets every condition; what cannot be compared does not."""
    if not wanted:
        return True
    return isinstance(value, dict) and all(_meets(value.get(key), condition) for key, condition in wanted.items())


def _meets(value: Any, condition: Any) -> bool:
    if isinstance(condition, dict):
        if any(k.startswith("$") for k in condition):
            try:
                return all(k in _OPERATORS and bool(_OPERATORS[k](value, c)) for k, c in condition.items())
            except TypeError:
                return False
        return isinstance(value, dict) and all(_meets(value.get(k), c) for k, c in condition.items())
    if isinstance(condition, list):
        alike = isinstance(value, list) and len(value) == len(condition)
        return alike and all(_meets(v, c) for v, c in zip(value, condition, strict=True))
    return bool(value == condition)
