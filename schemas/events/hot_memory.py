"""A project's hot memory as callers read it (A3, A5): made here once, so that Redis and Postgres serve the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from schemas.base import JsonValue
from schemas.security.sealed_rows import in_order

GROUPS = {"meta": "meta", "status": "status", "decision": "decisions", "preference": "preferences"}
"""Type of a row (its category) -> name of its group, in the order in which they are printed."""

HAND, REMEMBERED, CORRECTED, RESCREENED = "hot_memory", "remembered", "corrected", "rescreened"
"""Rules of what no turn says: a caller set it, had it remembered for the project, corrected what a turn had said;
policy took something out of what a turn had said."""
Origin = Literal["set", "said", "computed"]


@dataclass(frozen=True, slots=True)
class HotRow:
    """A row of kind `hot`, whatever its state. `updated_at`: when it became known."""

    record_id: str
    revision: int
    state: str
    """`observed`: what talk says instead of an entry that was set by hand. Deleted where the row is."""
    type: str
    key: str
    value: JsonValue
    priority: int
    updated_at: datetime
    user_id: str | None = None
    origin: Origin = "said"
    """Set by hand, said in talk, or computed of other figures."""
    instead_of: str | None = None
    """Of what is observed: the record id of the entry."""
    source_turn_ids: tuple[str, ...] = ()
    sealed: Mapping[str, Any] | None = None
    """Where the value stands sealed (C7), with whose key: `value` is empty then."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> HotRow:
        """From columns of the table `memories`."""
        return cls(
            row["record_id"], row["revision"], "deleted" if row["deleted"] else row["state"], row["category"] or "",
            row["key"] or "", row["value"], row["priority"], row["known_at"], row["user_id"], _origin(row["reason"]),
            next(iter(row["conflicts_with"]), None), tuple(s["turn_id"] for s in row["sources"]), _sealed(row),
        )  # fmt: skip


def _origin(reason: Mapping[str, Any]) -> Origin:
    rule = reason["rule"]
    if rule == "daily_status":
        return "computed"
    return "set" if reason["gate"] == "command" and rule in (HAND, REMEMBERED) else "said"


def _sealed(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not row.get("sealed"):
        return None
    return {"sealed": in_order(row["sealed"]), "sealed_for": row["sealed_for"]}


def hot_memory(rows: Iterable[HotRow]) -> dict[str, list[dict[str, Any]]]:
    """Active rows by group; within a group the highest priority first, then the newest, then by key. An entry that was
    set by hand has what talk says instead as its `proposal`."""
    held = sorted(rows, key=lambda r: (-r.priority, -r.updated_at.timestamp(), r.key))
    proposed = {r.instead_of: r for r in held if r.state == "observed"}
    out: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS.values()}
    for row in held:
        if row.state != "active" or row.type not in GROUPS:
            continue
        entry = {"key": row.key, "priority": row.priority, "origin": row.origin, **_author(row)}
        if (other := proposed.get(row.record_id)) is not None:
            entry["proposal"] = _author(other)
        out[GROUPS[row.type]].append(entry)
    return out


def _author(row: HotRow) -> dict[str, Any]:
    """`user_id`: who said or set it; None where nobody is named."""
    return {
        "id": row.record_id,
        "value": row.value,
        "user_id": row.user_id,
        "source_turn_ids": list(row.source_turn_ids),
        "updated_at": row.updated_at.isoformat().replace("+00:00", "Z"),
        "revision": row.revision,
        **(row.sealed or {}),
    }
