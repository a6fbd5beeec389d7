"""Memories that a later statement changed (D3): both are active, and the later one goes first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from query.search import documents
from query.search.hits import Hit
from query.views.db import Row
from schemas.events.memory import CHANGED_AT, CHANGED_ON


def changed_on(attributes: Any) -> date | None:
    """The day on which what changed a memory was said; None where nothing did."""
    stored = attributes.get(CHANGED_ON) if isinstance(attributes, dict) else None
    return datetime.fromisoformat(stored).date() if isinstance(stored, str) else None


def later_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, but for what changed one that is before it: that takes its place and its score, and the
    other follows. Each moves once at most."""
    out = list(hits)
    moved: set[int] = set()
    at = 0
    while at < len(out):
        row, score, _ = out[at]
        behind = (n for n in range(at + 1, len(out)) if id(out[n][0]) not in moved and _changes(out[n][0], row))
        if (found := next(behind, None)) is None:
            at += 1
        else:
            later, _, scores = out.pop(found)
            moved.add(id(later))
            out.insert(at, (later, score, scores))
    return out


def _changes(later: Row, row: Row) -> bool:
    if documents.is_turn(row) or documents.is_turn(later) or changed_on(row.get("attributes")) is None:
        return False
    at = row["attributes"].get(CHANGED_AT)
    if isinstance(at, list) and len(at) == len(row["conflicts_with"]):
        return any(n == later["record_id"] and when for n, when in zip(row["conflicts_with"], at, strict=True))
    # Written when one date was kept for all marks.
    return later["record_id"] in row["conflicts_with"] and bool(later["occurred_at"] > row["occurred_at"])
