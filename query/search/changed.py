"""Memories that a later statement changed (D3): both stand, and the later one goes first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from query.search import documents
from query.search.hits import Hit
from query.views.db import Row
from schemas.events.memory import CHANGED_ON


def changed_on(attributes: Any) -> date | None:
    """The day on which what changed a memory was said; None where nothing did."""
    told = attributes.get(CHANGED_ON) if isinstance(attributes, dict) else None
    return datetime.fromisoformat(told).date() if isinstance(told, str) else None


def later_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, but for what changed one that stands before it: that takes its place and its score, and
    the other follows."""
    out = list(hits)
    at = 0
    while at < len(out):
        row, score, _ = out[at]
        behind = next((n for n in range(at + 1, len(out)) if _changes(out[n][0], row)), None)
        if behind is None:
            at += 1
        else:  # what comes here is later than what was here, so this ends
            later, _, scores = out.pop(behind)
            out.insert(at, (later, score, scores))
    return out


def _changes(later: Row, row: Row) -> bool:
    if documents.is_turn(row) or documents.is_turn(later) or changed_on(row.get("attributes")) is None:
        return False
    return later["record_id"] in row["conflicts_with"] and bool(later["occurred_at"] > row["occurred_at"])
