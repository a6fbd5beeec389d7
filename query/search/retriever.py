"""Search: the scopes of a question, ranked side by side and merged (D11, D13)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol
from zoneinfo import ZoneInfo

import numpy as np

from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError, done_without
from query.search import documents
from query.search.changed import later_first
from query.search.embedders import Serving, Servings
from query.search.executor import ComputeLane, Questions, Understood
from query.search.fair_lane import FairLane
from query.search.hits import Hit, distinct, merge
from query.search.hypothesis import Hypotheses, NoHypothesisError, is_complex
from query.search.index_search import Look, Probe
from query.search.ranking.context import DEPTH, in_context
from query.search.ranking.fusion import is_question
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Floats, RankQuery
from query.search.request import Found, Question
from query.search.reranking import CrossEncoding, NoScoresError
from query.search.scopes import Held, ScopeCache, ScopeKey, TooLargeError, indexed
from query.views import turns
from query.views.db import Database, Row, within
from query.views.documents import ScopeDocuments, chunks_as_of, memories_as_of
from query.views.pending_deletions import Withheld
from schemas.log.owner import tenant_owner
from schemas.security.scope import OwnerScope, TenantScope

Copy = tuple[Held, dict[str, str] | None]
"""A held scope, and where it is not what Postgres has now, what the answer had to do without."""
_SAME_MESSAGE = 0.95
"""Cosine above which a stored turn is the message itself, screened."""
SCREENED_WITHIN = 5.0
"""Seconds until a search goes on without a model that would hear of the question."""
STALE_SECONDS = 60.0
"""How old a confirmed copy may be that answers while Postgres does not."""


class Candidates(Protocol):
    """Finds candidates in scopes that are too large to be held in memory."""

    async def find(self, probe: Probe, scope: OwnerScope | TenantScope, found: Found) -> list[Row]:
        """Confirmed rows with terms and embedding, to be ranked; what could not be reached is noted in `found`."""
        ...


class Retriever:
    """Holds the scopes and their lane; one a process."""

    def __init__(
        self, config: QueryConfig, deps: Deps, db: Database, large: Candidates, lane: ComputeLane,
        questions: Questions, withheld: Withheld, screening: FairLane,
    ) -> None:  # fmt: skip
        self._withheld, self._screening = withheld, screening
        self._config, self._deps, self._db, self._large, self._lane = config, deps, db, large, lane
        self._questions = questions
        self._servings = Servings(db, deps.embedder, deps.embedder_named)
        self._reranking = None if deps.reranker is None else CrossEncoding(deps.reranker, config.reranker_seconds)
        self._hypotheses = None if deps.hyde is None else Hypotheses(deps.hyde, config.hyde_seconds)
        self.cache = ScopeCache(lane, config.scope_cache_documents, config.scope_bound)

    async def understood(self, text: str) -> tuple[Understood, str]:
        """Terms and vectors of a question, and whose vectors they are."""
        embedder = (await self._servings.now()).embedder
        return await self._questions.read(text, embedder), embedder.model_id

    async def likeness(self, text: str, others: Sequence[str]) -> list[float]:
        """The cosine of a question to each of the texts, which are the same for many questions."""
        embedder = (await self._servings.now()).embedder
        plain = (await self._questions.read(text, embedder)).plain
        return [float(v @ plain) for v in await self._questions.kept(tuple(others), embedder)]

    async def search(self, question: Question) -> Found:
        """The best hits of all scopes. A store that fails or is slower than the profile's budget is named in
        `degraded`; the answer is what the others have."""
        found = Found()
        with within(self._budget(question.tenant)):
            serving = await self._servings.now()
        scopes = self._scopes(question)
        with self._db.reading(serving.generations):
            # Postgres is asked while the question is embedded.
            copies = [asyncio.ensure_future(self._copy(question, serving, scope)) for scope in scopes]
            try:
                probe = self._probe(question, await self._understood(question, serving, found), serving)
                pairs = zip(scopes, copies, strict=True)
                ranked = await asyncio.gather(*(self._in_scope(probe, scope, copy, found) for scope, copy in pairs))
            finally:
                _dropped(copies)
        hits = later_first(distinct(merge(ranked)))
        if question.walk is not None:
            hits = [h for h in hits if not question.walk.has(documents.name_of(h[0]))]
            found.more = len(hits) > question.limit
        found.hits = hits[: question.limit]
        return found

    async def _understood(self, question: Question, serving: Serving, found: Found) -> Understood:
        """The question; a complex one has the vector of what might answer it, where a model is configured (D12)."""
        plain = await self._questions.read(question.text, serving.embedder)
        if serving.blind:
            found.without("model", "embedder")
        if self._hypotheses is None or question.mode == "bm25" or not is_complex(question.text, plain.terms):
            return plain
        tenant, text = question.tenant.tenant, question.text
        try:
            async with asyncio.timeout(SCREENED_WITHIN):
                screened = await self._screening.of(tenant, len(text), partial(self._deps.screen.text, tenant, text))
        except Exception:  # noqa: BLE001 - a search goes on without a hypothesis, whatever the recognisers lack
            screened, reason = None, "busy"
        else:
            reason = "refused"  # by policy: no model hears of it
        if screened is None:
            found.without("model", reason)
            return plain
        try:
            found.hypothesis = await self._hypotheses.passage(screened)
        except NoHypothesisError as exc:
            found.without("model", exc.reason)
            return plain
        imagined = await self._questions.read(found.hypothesis, serving.embedder)
        return replace(plain, vector=imagined.plain)

    async def said_before(self, user: OwnerScope, session_id: str, text: str) -> tuple[Floats, ...]:
        """What `Question.said_before` takes: nothing for a question, which stands by itself. A message that is
        already stored as the session's newest turn is not said before itself. Raises ProblemError."""
        if is_question(text):
            return ()
        rows = await turns.last_of_session(self._db, user, session_id, self._deps.clock(), DEPTH + 1)
        embedder = (await self._servings.now()).embedder
        stored = ((r, documents.vector(r, embedder.model_id, embedder.dimensions)) for r in rows)
        found = [(r, None if v is None else v.astype(np.float32)) for r, v in stored]
        plain = (await self._questions.read(text, embedder)).plain
        if found and _same(found[-1], text, plain):
            found.pop()
        return tuple(v for _, v in found[-DEPTH:] if v is not None)

    def leans_on_milvus(self, question: Question) -> bool:
        """Whether the answer comes from Milvus: a whole tenant, or a scope that was found too large to hold."""
        scopes = self._scopes(question)
        whole = any(isinstance(s, OwnerScope) and not s.owner.id for s in scopes)
        generation = self._db.last_generation("postgres")
        return whole or any(_key(generation, s) in self.cache.large for s in scopes)

    def _budget(self, tenant: TenantScope) -> float:
        """Seconds that the tenant's profile grants a store (D11)."""
        return self._deps.profile_of(tenant.tenant).ranking.latency_budget_ms / 1000

    def _probe(self, question: Question, understood: Understood, serving: Serving) -> Probe:
        now = self._deps.clock()
        profile = self._deps.profile_of(question.tenant.tenant)
        project = None if question.project is None else question.project.owner.id
        rank = RankQuery(
            text=question.text,
            terms=understood.terms,
            vector=None if serving.blind else understood.vector,
            # Days and weeks that a question names are those of its project's zone, or the profile's.
            now=(question.as_of or now).astimezone(ZoneInfo(profile.zone_of(project))),
            decay_per_day={"episode": profile.ranking.decay_per_day},
            mode=question.mode,
            min_relevance=question.min_relevance,
        )
        # A switch of models may lie between the two.
        before = [v for v in question.said_before if v.shape == understood.vector.shape]
        return Probe(question, in_context(rank, before), now, serving, self._budget(question.tenant))

    def _scopes(self, question: Question) -> list[OwnerScope | TenantScope]:
        kinds = question.kinds
        scopes: list[OwnerScope | TenantScope] = []
        if question.user is not None:
            scopes.append(question.user)
        if question.project is not None and (question.user is None or kinds & {"report", "hot"}):
            scopes.append(question.project)
        if question.user is None and question.project is None and kinds - {"chunk"}:
            scopes.append(OwnerScope(question.tenant, tenant_owner(question.tenant.tenant)))
        if "chunk" in kinds and question.session_id is None:
            scopes.append(question.tenant)
        return scopes

    async def _in_scope(
        self, probe: Probe, scope: OwnerScope | TenantScope, copy: Awaitable[Copy | None], found: Found
    ) -> list[Hit]:
        try:
            return await self._found(probe, scope, copy, found)
        except TimeoutError:
            found.without("postgres", "timeout")
        except ProblemError as exc:
            found.lost(exc)
        return []

    async def _found(
        self, probe: Probe, scope: OwnerScope | TenantScope, copy: Awaitable[Copy | None], found: Found
    ) -> list[Hit]:
        """Raises TimeoutError or ProblemError where Postgres does not answer."""
        try:
            known = await copy
            if known is None:
                async with asyncio.timeout(self._config.store_timeout):
                    rows = await self._as_of(probe, scope)
                return await self._rank_rows(probe, rows, found)
        except TooLargeError:
            rows = await self._large.find(probe, scope, found)
            return await self._rank_rows(probe, rows, found)
        held, stale = known
        if stale is not None:
            found.without(**stale)
        if not held.rows:  # as most tenants' knowledge: a turn in the lane is a wait and two changes of threads
            return []
        withheld = self._withheld if stale else None
        return await self._ranked(lambda: Look(held.index, held.rows, probe, withheld), probe, found)

    async def _copy(self, question: Question, serving: Serving, scope: OwnerScope | TenantScope) -> Copy | None:
        """The scope as it stands; a copy of the last minute, and why, where Postgres is away or slower than the
        profile's latency budget (D11). A scope that was never read may take longer, once. None for an earlier time,
        which is not held. Raises TooLargeError, TimeoutError, ProblemError."""
        if isinstance(scope, OwnerScope) and not scope.owner.id:
            raise TooLargeError
        if question.as_of is not None:
            return None
        key = _key(serving.generations["postgres"], scope)
        budget = self._budget(question.tenant)
        seconds = budget if self.cache.is_warm(key) else max(budget, self._config.store_timeout)
        try:
            async with asyncio.timeout(seconds):
                source = ScopeDocuments(self._db, scope)
                return await self.cache.get(key, source, serving.embedder, question.since), None
        except (ProblemError, TimeoutError) as exc:
            held = self.cache.last(key, STALE_SECONDS)
            if held is None:
                raise
            why = done_without(exc) if isinstance(exc, ProblemError) else {"store": "postgres", "reason": "timeout"}
            return held, why

    async def _as_of(self, probe: Probe, scope: OwnerScope | TenantScope) -> list[Row]:
        """Versions that were true then, and the turns that had been said by then (N8). Raises TooLargeError."""
        if isinstance(scope, TenantScope):
            most = self._config.scope_bound
            chunks = await chunks_as_of(self._db, scope, probe.question.as_of, most + 1)
            if len(chunks) > most:
                raise TooLargeError
            return chunks
        source = ScopeDocuments(self._db, scope)
        rows = await memories_as_of(self._db, scope, probe.question.as_of)
        if "turn" in probe.question.kinds:
            rows += await source.turn_rows(list(await source.turn_revisions()))
        return rows

    async def _rank_rows(self, probe: Probe, rows: Sequence[Row], found: Found) -> list[Hit]:
        """Rank rows that are not held: an index for this one question."""
        if not rows:
            return []
        embedder = probe.serving.embedder

        def looking() -> Look:
            index = ScopeIndex(embedder.dimensions)
            return Look(index, indexed(index, rows, embedder.model_id, embedder.dimensions), probe)

        return await self._ranked(looking, probe, found)

    async def _ranked(self, looking: Callable[[], Look], probe: Probe, found: Found) -> list[Hit]:
        """`looking` runs in the lane, which the cross-encoder does not hold: it takes as long as hundreds of
        searches."""
        if self._reranking is None:
            return await self._lane(lambda: looking().hits())
        look, texts = await self._lane(lambda: _read(looking()))
        try:
            given = await self._reranking.scores(probe.rank.text, texts)
        except NoScoresError:
            found.without("model", "reranker")
            given = None
        return await self._lane(lambda: look.hits(given))


def _read(look: Look) -> tuple[Look, list[str]]:
    return look, look.texts()


def _dropped(copies: Sequence[asyncio.Future[Copy | None]]) -> None:
    """Nobody asks for them any more, as they came or failed."""
    for copy in copies:
        if not copy.cancel() and not copy.cancelled():
            copy.exception()  # looked at, or asyncio would log it


def _same(turn: tuple[Row, Floats | None], text: str, plain: Floats) -> bool:
    row, vector = turn
    return bool(row["content"] == text or (vector is not None and float(vector @ plain) >= _SAME_MESSAGE))


def _key(generation: int, scope: OwnerScope | TenantScope) -> ScopeKey:
    owner = scope.owner if isinstance(scope, OwnerScope) else tenant_owner(scope.tenant)
    return generation, owner.tenant, owner.kind.value, owner.id
