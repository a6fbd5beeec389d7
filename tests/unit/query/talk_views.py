"""What the views hold of a talk through the whole topology, and the prompts that are asked of them: turns in, answers
out, without servers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from inference.tokens import token_counter
from processors.ports import Models
from query.config import QueryConfig
from query.deps import Deps
from query.errors import store_down
from query.prompt import endpoint
from query.prompt.endpoint import ContextIn, ContextRequest
from query.prompt.intents import by_example, folded, route
from query.prompt.layout import Prompt, compose
from query.reading.common import Context
from query.search.embedders import Serving
from query.search.executor import ComputeLane, Questions
from query.search.fair_lane import FairLane
from query.search.ranking.index import ScopeIndex
from query.search.request import Question
from query.search.retriever import Copy, Retriever
from query.search.scopes import Held, indexed
from query.views.db import Database, LiveViews, Row
from query.views.pending_deletions import Withheld
from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile
from schemas.security.scope import OwnerScope, TenantScope
from tests.unit.processors.talk import Talk

LIVE = LiveViews({"postgres": 1, "milvus": 1, "redis": 1})


class TalkViews:
    """Rows as Postgres would hold them."""

    reading = staticmethod(Database.reading)

    def __init__(self, talk: Talk, away: OwnerKind | None = None) -> None:
        """`away`: what is of owners of this kind is not answered."""
        self.away = away
        turns = [t for t in talk.driver.read(topics.HISTORY) if isinstance(t, ScreenedTurn)]
        self.turns: list[Row] = [{**t.model_dump(exclude={"sealed"}), **t.sealed.model_dump()} for t in turns]
        last = {u.row_key: u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
        self.memories: list[Row] = [
            {**u.model_dump(exclude={"sealed"}), **u.sealed.model_dump(), "deleted": u.op != "upsert"}
            for u in sorted(last.values(), key=lambda u: u.known_at, reverse=True)
        ]
        self.sessions = {s.session_id: s for s in talk.driver.read(topics.SESSION_STATE) if isinstance(s, SessionState)}

    def active(self, *kinds: str, owner: str | None = None) -> list[Row]:
        """Newest first; `owner` None: everybody's."""
        return [
            r
            for r in self.memories
            if r["state"] == "active" and not r["deleted"] and (not kinds or r["kind"] in kinds)
            and (owner is None or r["owner_id"] == owner)
        ]  # fmt: skip

    def of_scope(self, scope: OwnerScope | TenantScope) -> list[Row]:
        """Turns and memories as a search looks at them; a project has its members' turns."""
        if isinstance(scope, TenantScope):
            return self.active("chunk")
        if scope.owner.kind is self.away:
            raise store_down("postgres")
        column = "project_id" if scope.owner.kind is OwnerKind.PROJECT else "user_id"
        own = [r for r in self.active(owner=scope.owner.id) if r["owner_kind"] == scope.owner.kind]
        return [*(t for t in self.turns if t[column] == scope.owner.id), *own]

    async def live(self) -> LiveViews:
        return LIVE

    async def of_tenant(self, _: TenantScope, __: Any, **values: Any) -> list[Row]:
        """Items that are kept for a project and named."""
        items = self.active("item")
        return [r for r in items if r["project_id"] == values["project_id"] and _is_named(r["key"], values)]

    async def of_owner(self, scope: OwnerScope, _: Any, **values: Any) -> list[Row]:
        """Items of a user's own that are named."""
        items = self.active("item", owner=scope.owner.id)
        return [r for r in items if r["project_id"] is None and _is_named(r["key"], values)]


def _is_named(key: str, values: dict[str, Any]) -> bool:
    key = folded(key)
    return key in values["folded"] or bool(values["record"] and values["record"] in key)


class TalkRetriever(Retriever):
    """The service's own search over scopes that a talk fills."""

    def __init__(self, deps: Deps, lane: ComputeLane, views: TalkViews) -> None:
        db: Any = views
        none: Any = None
        super().__init__(QueryConfig(), deps, db, none, lane, Questions(lane), Withheld(), FairLane("screen"))
        self._views, self._models = views, deps.embedder

    async def _copy(self, question: Question, serving: Serving, scope: OwnerScope | TenantScope) -> Copy | None:
        held = Held(ScopeIndex(self._models.dimensions), self._models.model_id, self._models.dimensions)
        rows = [dict(r) for r in self._views.of_scope(scope)]
        held.rows = indexed(held.index, rows, held.model_id, held.dimensions)
        return held, None

    async def said_before(self, *_: Any) -> tuple[Any, ...]:
        return ()


@dataclass(frozen=True)
class Answered:
    """`cited`: (kind, id) of what was retrieved, in its order."""

    request: ContextRequest
    prompt: Prompt
    cited: list[tuple[str, str]]

    @property
    def text(self) -> str:
        return self.prompt.text


async def ask(
    talk: Talk, deps: Deps, models: Models, profile: Profile, body: ContextIn, away: OwnerKind | None = None
) -> Answered:
    """The prompt of a request behind all that was said, as POST /v1/context makes it."""
    views, lane = TalkViews(talk, away), ComputeLane()
    deps = replace(deps, profile=profile, embedder=models.embedder, clock=lambda: talk.driver.now)
    retriever = TalkRetriever(deps, lane, views)
    ctx = Context.__new__(Context)
    ctx.deps, ctx.config, ctx.db = deps, QueryConfig(), views  # type: ignore[assignment]
    tenant = TenantScope("acme", "test", frozenset())
    routed = route(profile, body.query, body.intent, talk.driver.now, body.project_id)
    examples = [(intent, text) for intent in profile.intents for text in intent.examples]
    if examples and body.intent is None and not routed.intents:
        routed = by_example(routed, examples, await retriever.likeness(body.query, [text for _, text in examples]))
    project = None if body.project_id is None else tenant.project(body.project_id)
    request = ContextRequest(body, tenant, tenant.user(body.user_id), project, routed, because=list(routed.because))
    known = views.active("fact", "preference", "intent", "pattern", owner=body.user_id)
    entries = views.active("hot", owner=body.project_id) if body.project_id else []
    state = views.sessions.get(body.session_id or "")
    session = None if state is None else {"mode": state.mode, "body": state.sealed.model_dump(mode="json")}

    async def working() -> Row | None:
        return session

    hits = await endpoint._hits(ctx, retriever, request, working())
    groups = hot_memory(HotRow.of_row(r) for r in entries)
    budget = body.budget_tokens or next((i.budget_tokens for i in routed.intents[:1] if i.budget_tokens), None)
    count = token_counter().count
    pieces = endpoint._pieces(request, session, groups, known, hits, ctx)
    prompt = compose(pieces, body.query, budget or profile.budget_tokens, count)
    lane.close()
    found = [c for s in prompt.sections if s["name"] == "retrieved_memories" for c in s["citations"]]
    return Answered(request, prompt, [(c["kind"], c["id"]) for c in found])
