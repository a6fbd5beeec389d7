"""Candidates of scopes too large to be held: found by words in Postgres where Milvus cannot be asked."""

from __future__ import annotations

from query.errors import ProblemError
from query.search import limits
from query.search.index_search import Probe
from query.search.request import Found
from query.views import candidates
from query.views.db import Database, Row
from schemas.security.scope import OwnerScope, TenantScope

PER_RETRIEVER = 50
"""D13: candidates of each retriever."""


class WordCandidates:
    """Overlap of terms in Postgres: the fallback without Milvus."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, probe: Probe, scope: OwnerScope | TenantScope, found: Found) -> list[Row]:
        terms = list(dict.fromkeys(probe.rank.terms))
        limit = max(PER_RETRIEVER, probe.question.depth)
        question = probe.question
        kinds = limits.possible(sorted(question.kinds), question.filters)
        values = limits.postgres(question)
        try:
            return await candidates.by_words(self._db, scope, terms, kinds, values, probe.now, limit)
        except ProblemError as exc:
            found.lost(exc)
            return []
