"""Dead letters for operators: list, a masked look, replay, drop (delivery rule 2). The bytes stay in the log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from query import paging
from query.auth.boundary import Operator
from query.body import Route
from query.deadletters.access import TopicAccess
from query.deadletters.index import Filters, Letter, LetterIndex
from query.deadletters.lock import exclusive
from query.deadletters.preview import preview
from query.deadletters.replay import Replayer, Result, shown
from query.errors import ProblemError, invalid, not_found
from query.freshness import Freshness
from query.pipeline.offsets import Place
from query.producer import QueueFullError
from query.reading.common import Ctx
from query.streams import TopicAwayError
from schemas.base import CleanText, Frozen, Timestamp
from schemas.log import topics
from schemas.log.progress import FreshnessToken
from schemas.security.scope import Permission, TenantScope
from schemas.storage.layouts import STAGE_OF_VIEW

router = APIRouter(route_class=Route, tags=["operations"])
T = TypeVar("T")
MOST_AT_ONCE = 1_000
Word = Annotated[CleanText, Query(max_length=80)]
StateWord = Literal["open", "replayed", "dropped", "all"]


class Selection(Frozen):
    """Which letters: by id, or those that fit all filters that are given. `all` stands for no filter."""

    ids: tuple[CleanText, ...] = Field(default=(), max_length=MOST_AT_ONCE)
    step: CleanText | None = Field(default=None, max_length=80)
    reason: CleanText | None = Field(default=None, max_length=80)
    since: Timestamp | None = None
    until: Timestamp | None = None
    all: bool = False
    limit: int = Field(default=MOST_AT_ONCE, ge=1, le=MOST_AT_ONCE)


@router.get("/v1/dead-letters")
async def list_dead_letters(
    request: Request,
    scope: Operator,
    fresh: Freshness,
    step: Word | None = None,
    reason: Word | None = None,
    since: Annotated[Timestamp | None, Query()] = None,
    until: Annotated[Timestamp | None, Query()] = None,
    state: StateWord = "open",
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Newest first: step, reason, attempts, source. Those of the tenant, and those whose tenant is not known."""
    parts = paging.load(cursor, datetime, int, int)
    await fresh.wait(*STAGE_OF_VIEW)  # what became of the write is told by then
    index = await _fresh(request)
    found = _visible(scope, index.select(Filters(step, reason, since, until, None if state == "all" else state)))
    counts = [{"step": s, "reason": r, "count": n} for (s, r), n in index.counts(found).most_common()]
    if parts is not None:
        found = [x for x in found if (x.dead_at, x.partition, x.offset) < tuple(parts)]
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    return {
        "dead_letters": [shown(x, index) for x in page],
        "counts": counts,
        "cursor": paging.dump(last.dead_at, last.partition, last.offset) if last else None,
    }


@router.get("/v1/dead-letters/{letter_id}")
async def show_dead_letter(
    request: Request, scope: Operator, fresh: Freshness, letter_id: Annotated[str, Path(max_length=40)]
) -> dict[str, Any]:
    """One letter with a look at its form: values are masked."""
    await fresh.wait(*STAGE_OF_VIEW)
    index = await _fresh(request)
    (letter,) = _named(scope, index, (letter_id,))
    access: TopicAccess = request.app.state.topics
    where = {letter.partition: letter.offset}
    found = await _asked(access.read, topics.DEAD_LETTERS.name, where, {p: o + 1 for p, o in where.items()})
    if not found:
        raise not_found("dead letter")
    return {**shown(letter, index), "preview": preview(found[0].value)}


@router.post("/v1/dead-letters/replay", status_code=202)
async def replay(request: Request, scope: Operator, ctx: Ctx, body: Selection) -> dict[str, Any]:
    """Put them back, each for the reader that failed, in the order of their sources; each source once, however often
    it is asked for. What fails again comes back as a new letter with one attempt more."""
    return await _decide(request, scope, ctx, body, "replay")


@router.post("/v1/dead-letters/drop", status_code=202)
async def drop(request: Request, scope: Operator, ctx: Ctx, body: Selection) -> dict[str, Any]:
    """Decide that they are not wanted. The bytes leave the log with its retention."""
    return await _decide(request, scope, ctx, body, "drop")


async def _decide(
    request: Request, scope: TenantScope, ctx: Ctx, body: Selection, what: Literal["replay", "drop"]
) -> dict[str, Any]:
    async with exclusive(ctx.deps.pool, ctx.config.store_timeout):
        index = await _fresh(request)
        letters, left = _selected(scope, index, body)
        leaders = request.app.state.epochs.at_send()
        replayer = Replayer(index, request.app.state.topics, ctx.deps.log, ctx.deps.codec, ctx.config.partitions)
        try:
            results = await (replayer.replay(letters) if what == "replay" else replayer.drop(letters))
        except QueueFullError:
            raise ProblemError("busy", "try again in a second", headers={"Retry-After": "1"}) from None
        except TopicAwayError:
            raise _away() from None
    return _answer(results, left, leaders)


def _answer(results: Sequence[Result], left: int, leaders: Mapping[Place, int] = {}) -> dict[str, Any]:
    """`leaders`: those of the roots before anything was put back."""
    counts: dict[str, int] = {}
    for r in results:
        counts[r.outcome] = counts.get(r.outcome, 0) + 1
    token = FreshnessToken.of(
        w.model_copy(update={"epoch": leaders.get((w.topic, w.partition))})
        for w in (r.written for r in results)
        if w is not None and w.topic in topics.ROOTS
    )
    return {
        "outcomes": counts,
        "results": [
            {
                "id": r.letter.id,
                "outcome": r.outcome,
                "target": r.written.model_dump(include={"topic", "partition", "offset"}) if r.written else None,
            }
            for r in results
        ],
        "left": left,
        "freshness_token": str(token),
    }


def _selected(scope: TenantScope, index: LetterIndex, body: Selection) -> tuple[list[Letter], int]:
    """The letters, oldest first, and how many more there are."""
    filtered = any(v is not None for v in (body.step, body.reason, body.since, body.until))
    if sum((bool(body.ids), filtered, body.all)) != 1:
        raise invalid("body", "expected ids, or a filter (step, reason, since, until), or all: true")
    if body.ids:
        letters = _named(scope, index, body.ids)
    else:
        letters = _visible(scope, index.select(Filters(body.step, body.reason, body.since, body.until)))[::-1]
        letters = [x for x in letters if _may(scope, x)]
    return letters[: body.limit], max(0, len(letters) - body.limit)


def _named(scope: TenantScope, index: LetterIndex, ids: Sequence[str]) -> list[Letter]:
    out = []
    for letter_id in dict.fromkeys(ids):
        letter = index.get(letter_id)
        if letter is None or not _visible(scope, [letter]):
            raise not_found("dead letter")
        if not _may(scope, letter):
            raise ProblemError("forbidden", "whose dead letter this is cannot be told: it needs `admin`")
        out.append(letter)
    return out


def _visible(scope: TenantScope, letters: Sequence[Letter]) -> list[Letter]:
    return [x for x in letters if x.tenant in (None, scope.tenant)]


def _may(scope: TenantScope, letter: Letter) -> bool:
    """A letter of nobody knows whom may be another tenant's."""
    return letter.tenant == scope.tenant or scope.allows(Permission.ADMIN)


async def _fresh(request: Request) -> LetterIndex:
    index: LetterIndex = request.app.state.letters
    await _asked(index.refresh)
    return index


async def _asked(call: Any, *args: Any) -> Any:
    try:
        return await asyncio.to_thread(call, *args)
    except TopicAwayError:
        raise _away() from None


def _away() -> ProblemError:
    return ProblemError(
        "store-unavailable", "the brokers do not answer", headers={"Retry-After": "1"}, store="kafka"
    )
