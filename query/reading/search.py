"""POST /v1/search (D13, A2, A7)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Request

from query.auth.boundary import Reader, demand_everyone
from query.body import Route
from query.errors import invalid
from query.freshness import Freshness
from query.pipeline.monitor import AWAY
from query.pipeline.state import Pipeline
from query.reading.common import PROJECT_KINDS, USER_KINDS, Ctx
from query.search import documents
from query.search.ranked_cursor import Walk
from query.search.ranked_cursor import question as bound_to
from query.search.ranking.types import Mode
from query.search.request import KINDS, Found, Question, SearchIn
from query.search.retriever import Retriever
from schemas.security.scope import TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
RANKING = "Memstream-Ranking"
"""Request header: how this search is fused (D13); where it is missing, as the service is configured."""


def retriever_of(request: Request) -> Retriever:
    found: Retriever = request.app.state.retriever
    return found


def views_of(question: Question) -> set[str]:
    """The views that a search reads."""
    views = {"turns"} if "turn" in question.kinds else set()
    if question.kinds - {"turn", "chunk", "report", "hot"}:
        views.add("memories")
    if question.project is not None and question.kinds.intersection(PROJECT_KINDS):
        views.add("projects")
    if "chunk" in question.kinds:
        views.add("knowledge")
    return views


@router.post("/v1/search")
async def search(
    request: Request,
    body: Annotated[SearchIn, Body()],
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    ranking: Annotated[Mode | None, Header(alias=RANKING)] = None,
) -> dict[str, Any]:
    """Words and meaning, fused; every hit is in Postgres as it is returned. `cursor` of the answer brings the next
    best of the same question, null where there are none: each hit once, whatever comes meanwhile. `rrf` is reciprocal
    rank fusion with k = 60, `bm25` and `dense` are one retriever alone, `sum` adds their standard scores. `score`
    orders the hits of one answer; `relevance` is comparable between questions, and `min_relevance` bounds it."""
    if body.interaction_id is not None and body.user_id is None:
        raise invalid("user_id", "required where interaction_id says whose answer the search is for")
    mode: Mode = ranking or request.app.state.config.ranking
    question = walked(replace(question_of(body, scope), mode=mode), body.cursor)
    retriever = retriever_of(request)
    views = sorted(views_of(question))
    await fresh.wait(*views)
    if retriever.leans_on_milvus(question):
        await fresh.wait(*views, store="milvus")
    started = time.perf_counter()
    found = await retriever.search(question)
    if found.degraded:
        fresh.degraded(found.degraded)
    request.app.state.metrics.unconfirmed.inc(found.unconfirmed)
    _say_what_is_down(request, found)
    ctx.found(question.user or question.project or scope, [row for row, _, _ in found.hits])
    if body.interaction_id is not None and question.user is not None:
        mine = [row["record_id"] for row, _, _ in found.hits if row.get("kind") in USER_KINDS]
        ctx.gave(question.user, mine, None, body.interaction_id)
    results = [documents.hit(row, score, scores or {}, explain=body.explain) for row, score, scores in found.hits]
    took = (time.perf_counter() - started) * 1000
    more = _next(question, found)
    answer = {"results": results, "cursor": more, "degraded": found.degraded, "took_ms": round(took, 3)}
    return answer | {"hypothesis": found.hypothesis} if body.explain and found.hypothesis else answer


def walked(question: Question, cursor: str | None) -> Question:
    """The question as one of pages. Raises ProblemError for a cursor of another question, caller or ranking."""
    scope = question.tenant
    walk = Walk.resume(
        cursor,
        bound_to(
            scope.tenant, _named(scope.users), _named(scope.projects), question.text, sorted(question.kinds),
            question.user and question.user.owner.id, question.project and question.project.owner.id,
            question.session_id, question.filters.model_dump(mode="json"), question.as_of, question.mode,
            question.min_relevance,
        ),
    )  # fmt: skip
    return replace(question, walk=walk, limit=min(question.limit, walk.room))


def _next(question: Question, found: Found) -> str | None:
    if question.walk is None or not found.more:
        return None
    return question.walk.cursor(documents.name_of(row) for row, _, _ in found.hits)


def _named(bound: frozenset[str] | None) -> list[str] | None:
    return None if bound is None else sorted(bound)


def _say_what_is_down(request: Request, found: Found) -> None:
    """Milvus is named while it is down, also where this answer did not need it (D11)."""
    seen: Pipeline | None = request.app.state.monitor.current
    if seen is not None and seen.stores.get("milvus") == AWAY:
        found.without("milvus", AWAY)


def question_of(body: SearchIn, scope: TenantScope) -> Question:
    """Raises OutOfScopeError, or ProblemError where a whole tenant is asked for without the right to it."""
    kinds = frozenset(body.kinds or KINDS)
    if body.user_id is None and body.project_id is None and kinds != {"chunk"}:
        if scope.bound:
            raise invalid("user_id", "a key that is bound to users or projects must name one")
        demand_everyone(scope)
    return Question(
        text=body.query,
        kinds=kinds,
        limit=body.limit,
        tenant=scope,
        user=None if body.user_id is None else scope.user(body.user_id),
        project=None if body.project_id is None else scope.project(body.project_id),
        session_id=body.session_id,
        filters=body.filters,
        as_of=body.as_of,
        min_relevance=body.min_relevance,
    )
