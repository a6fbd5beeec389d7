"""One question over one scope's index: what runs in the lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from query.search import documents
from query.search.documents import RELEVANCE
from query.search.embedders import Serving
from query.search.hits import Hit
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Document, Mask, RankQuery
from query.search.request import Question
from query.views.db import Row
from query.views.pending_deletions import Withheld


@dataclass(frozen=True, slots=True)
class Probe:
    """A question with what the models made of it."""

    question: Question
    rank: RankQuery
    now: datetime
    serving: Serving
    budget: float = float("inf")
    """Seconds that the profile grants a store that has answered before (D11)."""


@dataclass(frozen=True, slots=True)
class Look:
    """`rows`: by document id what an answer shows. `withheld`: for rows that Postgres did not confirm. Mask and search
    are one call of the lane, so that nothing changes between them; what changed between two calls is seen by the
    second."""

    index: ScopeIndex
    rows: Mapping[str, Row]
    probe: Probe
    withheld: Withheld | None = None

    def texts(self) -> list[str]:
        """What a cross-encoder is to score."""
        return self.index.best(self.probe.rank, where=self._where())

    def hits(self, given: Mapping[str, float] | None = None) -> list[Hit]:
        """`given`: the cross-encoder's scores of `texts`."""
        found = self.index.search(
            self.probe.rank, self.probe.question.depth, where=self._where(), explain=True, given=given
        )
        return [(self.rows[r.id], r.score, {**(r.scores or {}), RELEVANCE: r.relevance}) for r in found]

    def _where(self) -> Mask:
        question, now, tenant = self.probe.question, self.probe.now, self.probe.question.tenant.tenant
        rows, withheld = self.rows, self.withheld

        def keep(document: Document) -> bool:
            row = rows.get(document.id)
            # What was true at an earlier time may have expired since.
            return row is not None and question.wants(row) and (
                documents.living(row, now) or (question.as_of is not None and not documents.is_turn(row))
            ) and not (withheld and withheld.row(tenant, row))  # fmt: skip

        return self.index.mask(question.kinds, keep)
