"""POST /v1/context: what a model should know for one request, within a token budget (A8, A9, D10, D15)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Body, Request
from pydantic import Field

from inference.language import language_of
from query.auth.boundary import Reader
from query.body import Route
from query.errors import ProblemError, done_without
from query.freshness import Freshness
from query.prompt import habits, pieces
from query.prompt.hot_line import plain
from query.prompt.intents import Routed, by_example, folded, is_of, names, reason_fields, route
from query.prompt.layout import SEEDS_ORDER, Piece, compose
from query.reading import hot, session_store
from query.reading.common import PROJECT_KINDS, USER_KINDS, Context, Ctx
from query.reading.reading_verdicts import usual_of
from query.reading.search import retriever_of
from query.reading.users import current_rows, ordered
from query.search.ranking.types import Floats
from query.search.request import KINDS, Found, Question
from query.search.retriever import Retriever
from query.views import memories, structured
from query.views.db import Row, within
from schemas.base import Content, Frozen, Id
from schemas.profile.model import Intent, PromptSection
from schemas.security.scope import OwnerScope, TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
RETRIEVED = 20
"""Hits of the hybrid search that compete for the budget."""
STATES = 10
"""Items that a query may name for an intent that asks for the state of a record."""
_SEPARATE = frozenset({"report", "chunk"})


class Entities(Frozen):
    """What the caller has found in the message: the record that it is about, and what to look for."""

    record_id: Id | None = None
    query: Content | None = None


class ContextIn(Frozen):
    """`entities.query` is searched for in place of `query`; the state is that of `entities.record_id`. `budget_tokens`
    bounds the whole prompt. System instructions and request are always in it: where they alone are more, nothing else
    is, and `tokens` says how many they are."""

    query: Content
    user_id: Id
    session_id: Id | None = None
    project_id: Id | None = None
    interaction_id: Id | None = None
    intent: Id | None = None
    budget_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    min_relevance: float = Field(default=0.0, ge=0, le=1)
    """What is searched for and has a lower `relevance` is left out. 0: nothing is, since chat has few of the words of
    what it is about."""
    entities: Entities = Entities()

    @property
    def looked_for(self) -> str:
        return self.entities.query or self.query


@dataclass(slots=True)
class ContextRequest:
    """One request on its way."""

    body: ContextIn
    tenant: TenantScope
    user: OwnerScope
    project: OwnerScope | None
    routed: Routed
    degraded: list[dict[str, str]] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    """The parts of the prompt are read as the views stood then or later."""
    because: list[dict[str, Any]] = field(default_factory=list)
    """Which words of the query chose intents, project and filters (D10), and which state was named."""
    printed: Sequence[PromptSection] = SEEDS_ORDER
    """Sections of the prompt, as the profile orders them."""
    of_project: set[str] = field(default_factory=set)
    """Ids of state that is kept for the project, whoever's it is."""
    patience: float = float("inf")
    """The profile's latency budget in seconds: for each part that the prompt can do without (D11)."""

    def prints(self, section: PromptSection) -> bool:
        return section in self.printed

    def without(self, entries: Sequence[dict[str, str]]) -> None:
        self.degraded.extend(e for e in entries if e not in self.degraded)

    def lost(self, problem: ProblemError) -> None:
        """A store that does not answer costs its part of the prompt, not the prompt (D11)."""
        if problem.word != "store-unavailable":
            raise problem
        self.without([done_without(problem)])


@router.post("/v1/context")
async def context(
    request: Request, body: Annotated[ContextIn, Body()], scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """The prompt, its sections with citations, and what did not fit."""
    request_context = await _context_request(body, scope, ctx, retriever_of(request))
    await fresh.wait("turns", "memories", "sessions", "projects", "knowledge")
    request_context.since = time.monotonic()
    working = asyncio.ensure_future(_session(ctx, request_context))
    session, groups, known, hits = await asyncio.gather(
        working,
        _hot(ctx, request_context),
        _known(ctx, request_context),
        _hits(ctx, retriever_of(request), request_context, working),
    )
    profile = ctx.deps.profile_of(scope.tenant)
    given = _pieces(request_context, session, groups, known, hits, ctx)
    budget = body.budget_tokens or next(
        (i.budget_tokens for i in request_context.routed.intents[:1] if i.budget_tokens), None
    )
    counter = ctx.deps.counter(profile.encoding)
    prompt = compose(given, body.query, budget or profile.budget_tokens, counter.count, request_context.printed)
    if request_context.degraded:
        fresh.degraded(request_context.degraded)
    context_id = str(uuid4())
    shared = _cited(prompt.sections, PROJECT_KINDS) if request_context.project is not None else []
    shared += [i for i in _cited(prompt.sections, ("item",)) if i in request_context.of_project]
    ctx.saw(request_context.user, [i for i in _cited(prompt.sections) if i not in shared], context_id)
    if request_context.project is not None and shared:
        ctx.saw(request_context.project, shared, context_id)
    ctx.gave(request_context.user, _cited(prompt.sections, USER_KINDS), context_id, body.interaction_id)
    return {
        "context_id": context_id,
        "prompt": prompt.text,
        "tokens": prompt.tokens,
        "intents": [i.name for i in request_context.routed.intents],
        "because": request_context.because,
        "routing": reason_fields(body.query, request_context.routed),
        "sections": prompt.sections,
        "dropped": prompt.dropped,
        "left_out": prompt.left_out,
        "degraded": request_context.degraded,
    }


def _cited(sections: Sequence[dict[str, Any]], kinds: Sequence[str] | None = None) -> list[str]:
    """The memories that stand in the prompt, of these kinds or all; turns are no memories."""
    cited = [c for section in sections for c in section["citations"] if c["kind"] != "turn"]
    return [c["id"] for c in cited if kinds is None or c["kind"] in kinds]


_LONG_TERM_KINDS = ("fact", "preference", "intent", "pattern")


async def _context_request(body: ContextIn, scope: TenantScope, ctx: Context, retriever: Retriever) -> ContextRequest:
    profile = ctx.deps.profile_of(scope.tenant)
    patience = profile.ranking.latency_budget_ms / 1000
    now = ctx.deps.clock().astimezone(ZoneInfo(profile.time_zone))  # "today" is a day of the people who say it
    routed = route(profile, body.query, body.intent, now, body.project_id)
    examples = [(intent, text) for intent in profile.intents for text in intent.examples]
    if examples and body.intent is None and not routed.intents:
        with within(patience):
            likeness = await retriever.likeness(body.query, [text for _, text in examples])
        routed = by_example(routed, examples, likeness)
    project = None if body.project_id is None else scope.project(body.project_id)
    if project is None and routed.project_id is not None and scope.in_project(routed.project_id):
        project = scope.project(routed.project_id)
    user, because = scope.user(body.user_id), list(routed.because)
    printed = profile.context.sections
    return ContextRequest(body, scope, user, project, routed, because=because, printed=printed, patience=patience)


async def _session(ctx: Context, request_context: ContextRequest) -> Row | None:
    if request_context.body.session_id is None:
        return None
    try:
        with within(request_context.patience):
            found = await session_store.load(ctx, request_context.user, request_context.body.session_id)
    except ProblemError as exc:
        request_context.lost(exc)
        return None
    if found is None:
        return None
    request_context.without(found.degraded)
    mode, body = found.mode_and_body
    if not request_context.prints("conversation_history"):  # hits hold what was said: but for the request itself
        own = [m for m in body.get("window", ())[-1:] if m["content"] == request_context.body.query]
        body = {**body, "summary": "", "window": own}
    return {"mode": mode, "body": body}


async def _hot(ctx: Context, request_context: ContextRequest) -> hot.Groups:
    if request_context.project is None:
        return {}
    try:
        with within(request_context.patience):
            groups, degraded = await hot.load(ctx, request_context.project)
    except ProblemError as exc:
        request_context.lost(exc)
        return {}
    request_context.without(degraded)
    return groups


async def _known(ctx: Context, request_context: ContextRequest) -> list[Row]:
    try:
        with within(request_context.patience):
            known = await current_rows(ctx, request_context.user, _LONG_TERM_KINDS)
            first = request_context.routed.intents[0] if request_context.routed.intents else None
            if first is not None and first.table is not None:
                known += await structured.rows(ctx.db, request_context.user, first.table, ctx.deps.clock(), 1, 0)
            return known
    except ProblemError as exc:
        request_context.lost(exc)
        return []


async def _earlier_vectors(retriever: Retriever, request_context: ContextRequest) -> tuple[Floats, ...]:
    if request_context.body.session_id is None:
        return ()
    try:
        with within(request_context.patience):
            return await retriever.said_before(
                request_context.user, request_context.body.session_id, request_context.body.query
            )
    except ProblemError as exc:
        request_context.lost(exc)
        return ()


async def _hits(
    ctx: Context, retriever: Retriever, request_context: ContextRequest, working: Awaitable[Row | None]
) -> list[tuple[Row, float]]:
    """What the intent asks for, in the order in which it is filled: reports, memories and turns, knowledge (A8).
    `working`: the session, whose window is shown anyway; the best turns are the best of the others."""
    if not request_context.prints("retrieved_memories"):
        return []
    before = await _earlier_vectors(retriever, request_context)
    intent = request_context.routed.intents[0] if request_context.routed.intents else None

    async def search(
        kinds: Set[str], limit: int, mode: Any = None, user: OwnerScope | None = request_context.user
    ) -> list[tuple[Row, float]]:
        if not kinds or limit < 1:
            return []
        # The similarity of reports is stated for the query as it stands.
        question = Question(
            request_context.body.looked_for,
            frozenset(kinds),
            limit,
            request_context.tenant,
            user,
            request_context.project,
            mode=mode or ctx.config.ranking,
            said_before=before if mode is None else (),
            since=request_context.since,
            min_relevance=0.0 if mode else request_context.body.min_relevance,
        )
        filters, limited = request_context.routed.limits(kinds)
        questions = [question]
        if filters is not None and limited and mode is None:
            questions.insert(0, replace(question, kinds=limited, filters=filters))
        answers: list[Found] = await asyncio.gather(*(retriever.search(q) for q in questions))
        for found in answers:
            request_context.without(found.degraded)
        return _first_of(answers, limit)

    if intent is None:
        return await search(set(KINDS), RETRIEVED)
    reports: list[tuple[Row, float]] = []
    if intent.reports and request_context.project is not None:
        best = await search({"report"}, intent.reports, "dense")
        reports = [hit for hit in best if hit[1] >= intent.report_similarity]
    kinds = set(intent.kinds or KINDS) & set(KINDS)
    if intent.history_turns:
        kinds.discard("turn")
    # "Do not suffice": fewer than asked for are similar enough.
    turns = intent.history_turns if len(reports) < max(1, intent.reports) else 0
    state, rest, earlier, knowledge = await asyncio.gather(
        _state(ctx, request_context, intent),
        search(kinds - _SEPARATE, RETRIEVED),
        # A project's history is its members': whoever asks, all of their turns in it are read (A1, A8).
        search(
            {"turn"},
            turns + RETRIEVED if turns else 0,
            user=request_context.user if request_context.project is None else None,
        ),
        search({"chunk"}, intent.knowledge),
    )
    window = _spoken(await working)
    history = [h for h in earlier if _is_news(h[0], window, request_context)][:turns]
    named = {row["record_id"] for row in state}
    found = [h for h in sorted([*rest, *history], key=lambda h: -h[1]) if h[0].get("record_id") not in named]
    hits = [*((row, 1.0) for row in state), *reports, *found, *knowledge]
    if hits or request_context.body.intent is not None:
        return hits
    # The router guessed, and nothing of these kinds is there: as for a query that no intent claims.
    request_context.because.append({"fallback": intent.name, "words": []})
    return await search(set(KINDS), RETRIEVED)


def _spoken(session: Row | None) -> set[str | None]:
    """The turns that the prompt shows as the conversation so far."""
    return {m.get("turn_id") for m in session["body"].get("window", [])} if session else set()


def _is_news(turn: Row, spoken: Set[str | None], request_context: ContextRequest) -> bool:
    """Neither in the window nor the request itself."""
    return turn["turn_id"] not in spoken and turn["content"] != request_context.body.query


def _request_itself(
    request_context: ContextRequest, window: Sequence[dict[str, Any]], hits: Sequence[tuple[Row, float]]
) -> set[str | None]:
    """The turns as which the request has been stored before it was asked about."""
    found = {row["turn_id"] for row, _ in hits if "turn_id" in row and row["content"] == request_context.body.query}
    return found | {m.get("turn_id") for m in window[-1:] if m["content"] == request_context.body.query}


def _is_only_of(memory: Row, turns: Set[str | None]) -> bool:
    """Whether a memory was taken from these turns and no other."""
    return bool(memory["sources"]) and all(s["turn_id"] in turns for s in memory["sources"])


def _first_of(answers: Sequence[Found], limit: int) -> list[tuple[Row, float]]:
    """What has the filters of the query stands before what has not, each in its order: where nothing has them, the
    answer is that without them."""
    best = max((score for found in answers for _, score, _ in found.hits), default=0.0)
    out: dict[str, tuple[Row, float]] = {}
    for n, found in enumerate(answers, start=1):
        for row, score, _ in found.hits:
            key = f"t:{row['turn_id']}" if "turn_id" in row else f"m:{row['record_id']}"
            out.setdefault(key, (row, score + best if n < len(answers) else score))
    return list(out.values())[:limit]


async def _state(ctx: Context, request_context: ContextRequest, intent: Intent) -> list[Row]:
    """What the project, or the user, keeps for the record that the caller or the query names, where the intent asks
    for it (A8: QC_TASK)."""
    if not intent.state:
        return []
    record, query = request_context.body.entities.record_id, request_context.body.query
    text, of_record = ("", folded(record)) if record is not None else (folded(query), "")
    try:
        with within(request_context.patience):
            rows = await memories.items_named_in(
                ctx.db, request_context.user, request_context.project, text, of_record, ctx.deps.clock(), STATES
            )
    except ProblemError as exc:
        request_context.lost(exc)
        return []
    named = [row for row in rows if (names(query, row["key"]) if record is None else is_of(record, row["key"]))]
    request_context.because += [{"state": row["key"], "words": [row["key"]]} for row in named]
    request_context.of_project.update(
        row["record_id"] for row in named if row["owner_id"] != request_context.user.owner.id
    )
    return named


def _language(query: str, groups: hot.Groups, known: Sequence[Row]) -> str:
    """Of the headings and labels: as what is kept is worded, and the query only where nothing is. By the query alone
    who changes language between two turns would change all of the prompt behind the first heading (D15)."""
    texts = [r["text"] for r in known if r["kind"] != "pattern"]
    kept = [*(plain(e["value"]) for group in groups.values() for e in group), *texts]
    return language_of(" ".join(sorted(kept)) if any(kept) else query)


def _pieces(
    request_context: ContextRequest,
    session: Row | None,
    groups: hot.Groups,
    known: Sequence[Row],
    hits: Sequence[tuple[Row, float]],
    ctx: Context,
) -> list[Piece]:
    """In filling order (D15). What stands in one section is not repeated in another."""
    language = _language(request_context.body.query, groups, known)
    scope_name = request_context.project.owner.id if request_context.project else None
    catalogue = ctx.deps.profile_of(request_context.tenant.tenant)
    first = request_context.routed.intents[0] if request_context.routed.intents else None
    written = [r for r in known if r["kind"] == "table"]
    stated = [r for r in known if r["kind"] != "table"]
    table, stated_fields = pieces.table(catalogue, first, written, language) if first else ([], set())
    facts, in_profile = pieces.profile(catalogue, stated, stated_fields, usual_of(catalogue, stated, written))
    wanted, in_preferences = pieces.preferences(ordered([r for r in known if r["kind"] == "preference"], scope_name))
    body = session["body"] if session else {}
    window = body.get("window", [])
    patterns = [r for r in known if r["kind"] == "pattern"]
    request = habits.Request(
        request_context.body.query, ctx.deps.clock(), language, request_context.routed.intents, window
    )
    usual, in_habits = habits.habits(patterns, catalogue.habits, request) if patterns else ([], set())
    spoken = _spoken(session)
    own = _request_itself(request_context, window, hits)
    if window and window[-1]["content"] == request_context.body.query:
        window = window[:-1]  # the request itself, sent as a turn before it was asked about
    shown = in_profile | in_preferences | in_habits
    rest = [
        (habits.plainly(row, catalogue.habits, language), score)
        for row, score in hits
        if (
            _is_news(row, spoken, request_context)
            if "turn_id" in row
            else row["record_id"] not in shown and not _is_only_of(row, own)
        )
    ]
    summary = body.get("summary", "") if session and session["mode"] == "SUMMARY_N" else ""
    return [
        *pieces.anchors(body.get("anchors", {})),
        *pieces.hot(groups, language),
        *table,
        *facts,
        *wanted,
        *usual,
        *pieces.working(summary, window),
        # A decision is also told with its source (D17).
        *pieces.retrieved(
            rest,
            window,
            [e for name, group in groups.items() if name != "decisions" for e in group],
            request_context.user.owner.id,
        ),
    ]
