"""Equality of values: what counts as the same fact said again (B3: false and 0 are values)."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any

import orjson

from schemas.base import Json


def normal(value: Any) -> Json:
    """A value with width, case, white space and number type taken out."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
        try:
            return float(text)
        except ValueError:
            return text
    if isinstance(value, dict):
        return {str(k): normal(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [normal(v) for v in value]
    return str(value)


def canonical(value: Any) -> str:
    """Text that is equal exactly when the values are the same."""
    return orjson.dumps(normal(value), option=orjson.OPT_SORT_KEYS).decode()


def same(a: Any, b: Any) -> bool:
    return canonical(a) == canonical(b)


def iso(when: datetime) -> str:
    """Sortable text of a UTC time."""
    return when.isoformat(timespec="microseconds")
