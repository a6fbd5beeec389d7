"""A turn, and what became of it (B3, N5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter

from query.auth.boundary import Reader
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import Ctx, PathId, UserId
from query.views import turns
from query.views.db import Row
from schemas.events.memory import MODEL_GAVE_UP, MODEL_READ

router = APIRouter(route_class=Route, tags=["reading"])
STORED = ("kept", "superseding", "masked", "observed")
"""Outcomes that stored a memory (B3); merged and skipped ones found it there. Of a statement whose point was masked
none is stored, so its decision names no record; one that was amended by a tightened policy stands."""


@router.get("/v1/turns/{turn_id}")
async def get_turn(turn_id: PathId, user_id: UserId, scope: Reader, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """A turn of the last days, as screened."""
    owner = scope.user(user_id)
    await fresh.wait("turns")
    row = await turns.by_id(ctx.db, owner, turn_id, ctx.deps.clock())
    if row is None:
        raise not_found("turn")
    ctx.saw(owner)
    return row


@router.get("/v1/turns/{turn_id}/outcome")
async def get_outcome(turn_id: PathId, user_id: UserId, scope: Reader, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """What was taken from a turn, stored, and skipped because it was known. Of what was forgotten since the reasons
    alone are given."""
    owner = scope.user(user_id)
    await fresh.wait("turns", "outcomes")
    found = await turns.decisions(ctx.db, owner, turn_id)
    if not found and await turns.by_id(ctx.db, owner, turn_id, ctx.deps.clock()) is None:
        raise not_found("turn")
    ctx.saw(owner, [d["record_id"] for d in found if d.get("record_id")])
    return {"turn_id": turn_id, "user_id": user_id, **outcome(found)}


def outcome(decisions: Sequence[Row]) -> dict[str, Any]:
    """The save_info answer of a turn from the decisions on its candidates (B3)."""
    extracted: dict[str, Any] = {}
    saved: list[dict[str, Any]] = []
    skipped: list[str] = []
    for d in decisions:
        if d["gone"]:
            continue
        names = list(d["fields"]) or ([d["field"]] if d["field"] else [])
        if d["outcome"] in STORED and (d["outcome"] != "masked" or d["record_id"]):
            extracted.update(_values(names, d["value"]))
            saved.append(
                {
                    "memoryType": d["kind"].upper(),
                    "content": d["text"],
                    "field": "+".join(names) or None,
                    "category": d["category"],
                    "memory_id": d["record_id"],
                    "outcome": d["outcome"],
                }
            )
        elif d["outcome"] in ("skipped", "merged"):
            skipped.extend(n for n in names if n not in skipped)
    return {
        "extracted_info": extracted,
        "saved_count": len(saved),
        "saved_memories": saved,
        "skipped_fields": skipped,
        "model": _model(decisions),
        "decisions": [_decision(d) for d in decisions],
    }


def _model(decisions: Sequence[Row]) -> str | None:
    """What came of asking a language model about the turn; None while it is asked, or where none is."""
    for rule in (d["rule"] for d in decisions if d["kind"] == "turn"):
        if rule == MODEL_READ:
            return "read"
        if rule.startswith(MODEL_GAVE_UP):
            return f"gave up: {rule.removeprefix(MODEL_GAVE_UP)}"
    return None


def _values(names: Sequence[str], value: Any) -> dict[str, Any]:
    """A statement that fills several fields has an object of them as its value."""
    if len(names) > 1 and isinstance(value, dict):
        return {n: value.get(n) for n in names}
    return dict.fromkeys(names, value)


def _decision(row: Row) -> dict[str, Any]:
    reason = {k: row[k] for k in ("outcome", "gate", "rule", "score")}
    rest = {k: row[k] for k in ("kind", "field", "fields", "record_id", "extractor", "accepted_at")}
    return {"ordinal": row["ordinal"], **rest, "reason": reason}
