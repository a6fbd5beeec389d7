"""A project's hot memory as callers read it (A3, A5): made here once, so that Redis and Postgres serve the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.base import JsonValue
from schemas.security.sealed_rows import in_order

GROUPS = {"meta": "meta", "status": "status", "decision": "decisions", "preference": "preferences"}
"""Type of a row (its category) -> name of its group, in the order in which they are printed."""


@dataclass(frozen=True, slots=True)
class HotRow:
    """A row of kind `hot`, whatever its state. `updated_at`: when it became known."""

    record_id: str
    revision: int
    active: bool
    type: str
    key: str
    value: JsonValue
    priority: int
    updated_at: datetime
    sealed: Mapping[str, Any] | None = None
    """Where the value stands sealed (C7), with whose key: `value` is empty then."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> HotRow:
        """From columns of the table `memories`."""
        return cls(
            row["record_id"], row["revision"], row["state"] == "active" and not row["deleted"], row["category"] or "",
            row["key"] or "", row["value"], row["priority"], row["known_at"], _sealed(row),
        )  # fmt: skip


def _sealed(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not row.get("sealed"):
        return None
    return {"sealed": in_order(row["sealed"]), "sealed_for": row["sealed_for"]}


def hot_memory(rows: Iterable[HotRow]) -> dict[str, list[dict[str, Any]]]:
    """Active rows by group; within a group the highest priority first, then the newest, then by key."""
    out: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS.values()}
    for row in sorted(rows, key=lambda r: (-r.priority, -r.updated_at.timestamp(), r.key)):
        if row.active and row.type in GROUPS:
            out[GROUPS[row.type]].append(
                {
                    "id": row.record_id,
                    "key": row.key,
                    "value": row.value,
                    "priority": row.priority,
                    "updated_at": row.updated_at.isoformat().replace("+00:00", "Z"),
                    "revision": row.revision,
                    **(row.sealed or {}),
                }
            )
    return out
