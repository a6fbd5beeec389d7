"""Structured tables of a profile (C2, C3): which store item is a row, what a partial update may hold, and what the
namespaced store shows of a row. Pure; used by the door, the gate and the readers alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from schemas.base import Json
from schemas.profile.model import Profile, TableColumn, TableSpec

MOST_CHARS = 20_000
"""Of a text column."""
ENGINE_COLUMNS = ("user_id", "created_at", "updated_at")
"""Kept by the engine; a write that names them is refused."""
_EXPECTED = {
    "integer": "a whole number", "number": "a number", "string": f"a text of at most {MOST_CHARS} characters",
    "boolean": "true or false", "json": "any JSON value", "timestamp": "an RFC 3339 time with its offset",
}  # fmt: skip


class ColumnError(ValueError):
    """A value that a column does not take. `column` and `expected` are safe to show: never the value."""

    def __init__(self, column: str, expected: str) -> None:
        super().__init__(f"{column}: {expected}")
        self.column, self.expected = column, expected


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a table. `key` is canonical (aliases resolved); `row_id` is `{id}` of the key, the key itself where a
    user has one row."""

    spec: TableSpec
    key: str
    row_id: str


def table_named(profile: Profile, name: str) -> TableSpec | None:
    return next((t for t in profile.tables if t.name == name), None)


def place_of(profile: Profile, namespace: Sequence[str], key: str) -> Place | None:
    """The row that a store item is, None when it is an ordinary item."""
    if len(namespace) != 2:
        return None
    for spec in profile.tables:
        if spec.namespace == namespace[0] and (found := at_key(spec, key)) is not None:
            return found
    return None


def at_key(spec: TableSpec, key: str) -> Place | None:
    if spec.unique:
        return Place(spec, spec.key, spec.key) if key in (spec.key, *spec.key_aliases) else None
    match = _key_pattern(spec.key).fullmatch(key)
    return Place(spec, key, match["id"]) if match else None


def at_id(spec: TableSpec, row_id: str) -> Place:
    """The row of an id (which a table of one row a user does not look at)."""
    return Place(spec, spec.key, spec.key) if spec.unique else Place(spec, spec.key.replace("{id}", row_id), row_id)


@lru_cache(maxsize=256)
def _key_pattern(key: str) -> re.Pattern[str]:
    before, _, after = key.partition("{id}")
    return re.compile(f"{re.escape(before)}(?P<id>.+){re.escape(after)}", re.DOTALL)


def checked(spec: TableSpec, changes: Mapping[str, Any]) -> dict[str, Json]:
    """A partial update in the columns' types; null empties a column. Names of the store are taken for columns.
    Raises ColumnError."""
    named = {shown: column for column, shown in spec.store_names.items()}
    columns = {c.name: c for c in spec.columns}
    out: dict[str, Json] = {}
    for name, value in changes.items():
        column = named.get(name, name)
        if column in columns:
            out[column] = None if value is None else _typed(columns[column], value)
        elif column != "created_at" or name == column:  # the engine's own columns are not written
            raise ColumnError(name[:80], f"expected one of {', '.join(columns)}")
    return out


def created_at(spec: TableSpec, changes: Mapping[str, Any]) -> datetime | None:
    """The time that a row names under the store's word for `created_at` (a diagnosis's `timestamp`). Raises
    ColumnError."""
    name = spec.store_names.get("created_at")
    raw = None if name is None else changes.get(name)
    return None if raw is None else _time(str(name), raw)


def _typed(column: TableColumn, value: Any) -> Json:
    good: Json = None
    match column.type:
        case "integer":
            good = int(value) if _is_number(value) and float(value).is_integer() and abs(value) < 2**53 else None
        case "number":
            good = value if _is_number(value) else None
        case "string":
            good = value if isinstance(value, str) and len(value) <= MOST_CHARS else None
        case "boolean":
            good = value if isinstance(value, bool) else None
        case "json":
            good = value
        case "timestamp":
            good = _time(column.name, value).isoformat()
    if good is None:
        raise ColumnError(column.name, f"expected {_EXPECTED[column.type]}")
    return _allowed(column, good)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _time(column: str, value: Any) -> datetime:
    """A time without an offset is UTC: the seed writes them so."""
    try:
        when = datetime.fromisoformat(value)
        return when if when.tzinfo is not None else datetime.fromisoformat(f"{value}+00:00")
    except (TypeError, ValueError):
        raise ColumnError(column, f"expected {_EXPECTED['timestamp']}") from None


def _allowed(column: TableColumn, value: Json) -> Json:
    if not column.values:
        return value
    for allowed, others in column.values.items():
        if value == allowed or value in others:
            return allowed
    raise ColumnError(column.name, f"expected one of {', '.join(column.values)}")


def shown(spec: TableSpec, row: Mapping[str, Any], created: datetime, updated: datetime) -> dict[str, Any]:
    """What the namespaced store shows of a row (C3): all columns, or those that the profile names."""
    whole = {**row, "created_at": created.isoformat(), "updated_at": updated.isoformat()}
    names = spec.store_columns or tuple(c.name for c in spec.columns)
    return {spec.store_names.get(n, n): whole[n] for n in names if whole.get(n) is not None}


def search_text(spec: TableSpec, row: Mapping[str, Any]) -> str:
    """The text by which similar rows are found (C6)."""
    parts = [_plain(row[n]) for n in spec.search_columns if row.get(n) is not None]
    return "; ".join(p for p in parts if p)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_plain(v) for v in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_plain(v)}" for k, v in value.items())
    return "" if value is None else str(value)


def goodness(spec: TableSpec, row: Mapping[str, Any]) -> int:
    """1: good outcome, feedback, or adopted; -1: bad; 0: nothing said, or both (C6). The outcome decides alone."""
    c = spec.cases
    outcome = str(row.get(c.outcome) or "").strip().lower() if c.outcome else ""
    if outcome in {o.lower() for o in c.good_outcomes}:
        return 1
    if outcome in {o.lower() for o in c.bad_outcomes}:
        return -1
    rating = row.get(c.rating) if c.rating else None
    adopted = row.get(c.adopted) if c.adopted else None
    verdict = (rating is not None and rating == c.ratings.get("good")) - (
        rating is not None and rating == c.ratings.get("bad")
    )
    return max(-1, min(1, verdict + (adopted is True) - (adopted is False)))
