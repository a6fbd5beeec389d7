"""What is known about a user, for the start of a conversation (B5)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from pydantic import Field

from query.auth.boundary import Reader
from query.body import Route
from query.freshness import Freshness
from query.reading.common import Ctx, PathId, source_turn_ids
from query.reading.search import retriever_of
from query.reading.users import current_rows, profile_answer
from query.search.request import Question
from query.views.db import Row
from schemas.base import CleanText, Frozen

router = APIRouter(route_class=Route, tags=["reading"])
_KINDS = ("fact", "preference", "intent")


class LoadIn(Frozen):
    query: CleanText = Field(default="", max_length=100_000)
    limit: int = Field(default=50, ge=1, le=200)


@router.post("/v1/users/{user_id}/load-context")
async def load_context(
    request: Request, user_id: PathId, body: Annotated[LoadIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Memories by a mix of relevance and importance (weight: the profile's `ranking.relevance_weight`), a summary of
    the profile, and how many there are in all."""
    owner = scope.user(user_id)
    await fresh.wait("memories")
    rows = await current_rows(ctx, owner, (*_KINDS, "profile"))
    stated = [r for r in rows if r["kind"] != "profile"]
    relevance: dict[str, float] = {}
    if body.query.strip() and stated:
        # Cosine: among the few statements of one user, scores that are relative to each other say too much.
        question = Question(
            text=body.query, kinds=frozenset(_KINDS), limit=len(stated), tenant=scope, user=owner, mode="dense"
        )
        found = await retriever_of(request).search(question)
        relevance = {row["record_id"]: score for row, score, _ in found.hits}
    weight = ctx.deps.profile_of(scope.tenant).ranking.relevance_weight if relevance else 0.0

    def mixed(row: Row) -> float:
        return weight * relevance.get(row["record_id"], 0.0) + (1 - weight) * float(row["importance"])

    best = sorted(stated, key=lambda r: (-mixed(r), -r["known_at"].timestamp(), r["record_id"]))
    ctx.saw(owner, [r["record_id"] for r in rows])
    return {
        "memories": [_shown(r) for r in best[: body.limit]],
        "user_profile_summary": profile_answer(ctx, scope.tenant, rows)["narrative_summary"] or None,
        "total_memories": len(stated),
    }


def _shown(row: Row) -> dict[str, Any]:
    """The seed's shape: importance times 100 (D7)."""
    return {
        "id": row["record_id"],
        "type": row["kind"].upper(),
        "content": row["text"],
        "importance": round(float(row["importance"]) * 100),
        "category": row["category"],
        "createdAt": row["known_at"],
        "source_turn_ids": source_turn_ids(row),
    }
