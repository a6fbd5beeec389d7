"""What a user's structured rows say of the catalogue's fields: the row wins over the facts (C3, B6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from query.views.db import Row
from schemas.profile.model import Profile, TableSpec


def tables_of(profile: Profile) -> list[TableSpec]:
    """Tables of one row a user whose columns catalogue fields fill."""
    return [t for t in profile.tables if t.unique and any(c.fields for c in t.columns)]


def over(profile: Profile, values: Mapping[str, Sequence[Any]], rows: Iterable[Row]) -> dict[str, list[Any]]:
    """`values` by field with those of the rows in their place: what a caller wrote, or emptied, without its having been
    said. A column of several fields is that of its first; what the others hold is theirs."""
    out = {name: list(found) for name, found in values.items()}
    specs = {t.name: t for t in tables_of(profile)}
    for row in rows:
        held = row["value"] if isinstance(row["value"], Mapping) else {}
        written = (row["attributes"] or {}).get("written") or {}
        for column in specs[row["category"]].columns if row["category"] in specs else ():
            if not column.fields or (held.get(column.name) is None and column.name not in written):
                continue
            value = held.get(column.name)
            others = [v for name in column.fields[1:] for v in _flat(values.get(name, ()))]
            out[column.fields[0]] = [v for v in _flat([value]) if v is not None and v not in others]
    return out


def _flat(values: Iterable[Any]) -> list[Any]:
    return [x for v in values for x in (v if isinstance(v, list) else [v])]
