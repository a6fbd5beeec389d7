"""Rows of the views as documents of the ranking, and as hits of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from query.search.ranking.types import Document
from query.views.db import Row
from schemas.events.memory import CHANGED_ON
from schemas.log.owner import Owner, OwnerKind, user

RELEVANCE = "relevance"
"""The score of a hit that does not depend on the other candidates: shown with each hit, not only on request."""


def turn_key(row: Row) -> str:
    return f"{row['user_id']}/{row['turn_id']}"


def memory_key(row: Row) -> str:
    return f"{row['record_id']}/{row['version']}"


def turn_document(row: Row, model_id: str, dimensions: int) -> Document:
    return Document(
        id=f"t:{turn_key(row)}",
        kind="turn",
        terms=row["terms"],
        vector=vector(row, model_id, dimensions),
        text=row["content"],
        # Sessions of several users meet in a project; each is a dialogue of its own.
        session_id=f"{row['user_id']}/{row['session_id']}",
        position=row["position"],
        occurred_at=row["occurred_at"],
        speaker=row["speaker"],
        role=row["role"],
    )


def memory_document(row: Row, model_id: str, dimensions: int) -> Document:
    return Document(
        id=f"m:{memory_key(row)}",
        kind=row["kind"],
        terms=row["terms"],
        vector=vector(row, model_id, dimensions),
        text=text_of(row),
        occurred_at=row["occurred_at"],
        last_accessed_at=row["last_accessed_at"],
        importance=float(row["importance"]),
    )


def text_of(row: Row) -> str:
    """A memory's statement; a store item has none and shows its value."""
    if row["text"] or row["value"] is None:
        return str(row["text"])
    return row["value"] if isinstance(row["value"], str) else json.dumps(row["value"], ensure_ascii=False)


def vector(row: Row, model_id: str, dimensions: int) -> npt.NDArray[np.float16] | None:
    """The stored vector as it lies in the row, not copied; None where there is none, or one of another model."""
    raw: bytes = row["embedding"]
    if row["model_id"] != model_id or len(raw) != 2 * dimensions:
        return None
    return np.frombuffer(raw, dtype=np.float16)


def is_turn(row: Row) -> bool:
    return "turn_id" in row


def owner_of(row: Row, tenant: str) -> Owner:
    """Whose it is: a turn is its user's, also where it stands in a project."""
    if is_turn(row):
        return user(tenant, row["user_id"])
    return Owner(tenant, OwnerKind(row["owner_kind"]), row["owner_id"])


def name_of(row: Row) -> str:
    """What an answer shows a hit as: a record has one name in all its versions."""
    return f"t:{turn_key(row)}" if is_turn(row) else f"m:{row['record_id']}"


def meta(row: Row) -> Row:
    """What an answer shows of a document: the row, which loses what only ranking needs."""
    for name in ("terms", "embedding", "model_id", "fingerprint"):
        row.pop(name, None)
    return row


def living(row: Row, now: datetime) -> bool:
    return row["expires_at"] is None or bool(row["expires_at"] > now)


def section_of(row: Row) -> list[str]:
    """The headings above a chunk of knowledge, the widest first."""
    headings = row["attributes"].get("hierarchy_info") or {}
    return [str(h) for _, h in sorted(headings.items()) if h]


def _chunk(row: Row) -> dict[str, Any]:
    """Where a chunk stands: as its citation in a prompt says (D8)."""
    if row["kind"] != "chunk":
        return {}
    names = {"document_id": row["owner_id"], "document_version": row["key"], "title": row["attributes"].get("title")}
    return {**names, "section": section_of(row)}


def _marked(row: Row) -> dict[str, Any]:
    """Which memories it does not go with, and since when another one has changed it (D3)."""
    if not row.get("conflicts_with"):
        return {}
    return {"conflicts_with": row["conflicts_with"], "changed_on": row["attributes"].get(CHANGED_ON)}


def hit(row: Row, score: float, scores: Mapping[str, float], *, explain: bool = False) -> dict[str, Any]:
    """One result of POST /v1/search (CONTRACT)."""
    parts = {name: value for name, value in scores.items() if name != RELEVANCE}
    rank = {"score": round(score, 6), RELEVANCE: round(scores[RELEVANCE], 6)}
    if is_turn(row):
        out = {
            "id": row["turn_id"],
            "kind": "turn",
            "text": row["content"],
            **rank,
            "occurred_at": row["occurred_at"],
            "user_id": row["user_id"],
            "session_id": row["session_id"],
            "source_turn_ids": [row["turn_id"]],
            "details": {k: row[k] for k in ("role", "speaker", "intent", "project_id")},
        }
    else:
        out = {
            "id": row["record_id"],
            "kind": row["kind"],
            "text": text_of(row),
            **rank,
            "occurred_at": row["occurred_at"],
            "user_id": row["user_id"],
            "session_id": row["session_id"],
            "source_turn_ids": [s["turn_id"] for s in row["sources"]],
            "details": {k: row[k] for k in ("field", "category", "scope", "key", "value", "project_id")}
            | _chunk(row)
            | _marked(row),
        }
    return {**out, "scores": parts} if explain else out
