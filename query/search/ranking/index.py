"""One scope's candidates, ready to be ranked: what the query service caches (D13, D14, D7)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from query.search.ranking import dialogue, fusion, model
from query.search.ranking.bm25 import Bm25, CorpusPrior
from query.search.ranking.decay import age_days, decay_factors
from query.search.ranking.types import Document, Floats, Mask, Ranked, RankQuery
from query.search.ranking.view import Facts, View, build_view
from query.search.ranking.weights import Weights

RERANK_DEPTH = 50  # D14
_COMPACT_AT = 0.25  # share of removed rows


@dataclass(frozen=True, slots=True)
class _Scores:
    bm25: Floats
    dense: Floats
    fused: Floats  # in [0, 1]
    matched: Mask
    relevance: Floats  # in [0, 1], not relative to the other rows
    parts: Mapping[str, Floats]  # of the fused score, weighed, in standard deviations


class ScopeIndex:
    """Documents of one owner (a user, or a project) with everything that ranking needs, updated in place.

    Appending costs O(terms of the document); the first search after a change also sorts the rows by session. Not
    safe for threads. Memory: 4 bytes a dimension and about 12 a term for each document, beside the documents.
    """

    def __init__(self, dimensions: int, prior: CorpusPrior | None = None, weights: Weights | None = None) -> None:
        self._dimensions, self._prior = dimensions, prior
        self._weights = weights or Weights()
        self._reset(16)

    def _reset(self, capacity: int) -> None:
        self._bm25 = Bm25(prior=self._prior)
        self._documents: list[Document | None] = []
        self._row_of: dict[str, int] = {}
        self._vectors = np.zeros((capacity, self._dimensions), dtype=np.float32)
        self._facts: list[Facts] = []
        self._view: View | None = None

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._row_of

    def add(self, documents: Iterable[Document]) -> None:
        """Append documents; one whose id is there already replaces it. Raises ValueError for a wrong dimension."""
        for document in documents:
            if document.vector is not None and document.vector.shape != (self._dimensions,):
                raise ValueError(f"a vector of {self._dimensions} dimensions is needed, got {document.vector.shape}")
            self._drop(document.id)
            row = self._bm25.append(document.terms)
            if row == len(self._vectors):
                self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            if document.vector is not None:
                self._vectors[row] = document.vector
            self._facts.append(Facts(document, dialogue.is_asking(document.text)))
            self._documents.append(document)
            self._row_of[document.id] = row
        self._changed()

    def remove(self, document_ids: Iterable[str]) -> None:
        """Take documents out; ids that are not there are passed over."""
        for document_id in document_ids:
            self._drop(document_id)
        self._changed()

    def _changed(self) -> None:
        self._view = None
        if len(self._documents) - len(self._row_of) > max(16.0, _COMPACT_AT * len(self._documents)):
            kept = [d for d in self._documents if d is not None]
            self._reset(max(16, len(kept)))
            self.add(kept)

    def _drop(self, document_id: str) -> None:
        row = self._row_of.pop(document_id, None)
        if row is None:
            return
        document = self._documents[row]
        assert document is not None  # noqa: S101 - rows in _row_of are alive
        self._bm25.remove(row, document.terms)
        self._vectors[row] = 0.0
        self._documents[row] = None

    def mask(self, kinds: Collection[str] | None = None, keep: Callable[[Document], bool] | None = None) -> Mask:
        """Return the rows of `kinds` (all where None) that `keep` says yes to, for `where` of the next search."""
        view = self._current()
        chosen = view.alive.copy()
        if kinds is not None:
            chosen &= np.isin(view.kinds, list(kinds))
        if keep is not None:
            for row in np.flatnonzero(chosen):
                document = self._documents[row]
                chosen[row] = document is not None and keep(document)
        return chosen

    def search(
        self,
        query: RankQuery,
        limit: int = 10,
        *,
        where: Mask | None = None,
        explain: bool = False,
        given: Mapping[str, float] | None = None,
    ) -> list[Ranked]:
        """Rank the documents of `where` (all where None), best first, at most `limit`.

        `given`: what a cross-encoder makes of the texts of `best`; those of the best 50 that have such a score stand
        before the rest (D14). Decay comes last (D7). Equal scores keep the order of appending. Nothing that no
        retriever matches at all is returned, nor what is less relevant than the query asks for.
        """
        view = self._current()
        within = view.alive if where is None else where & view.alive
        if not within.any() or limit < 1:
            return []
        scores = self._score(query, view, within)
        rows = self._order(scores, within)
        final, reranked = self._rerank(rows, scores.fused, given or {})
        decay = self._decay(query, rows)
        final = final * decay
        best = np.argsort(-final, kind="stable")[:limit]
        return [self._ranked(int(rows[i]), float(final[i]), float(decay[i]), scores, reranked, explain) for i in best]

    def best(self, query: RankQuery, *, where: Mask | None = None) -> list[str]:
        """Texts of the 50 that the fusion has first, for a cross-encoder to score (D14)."""
        view = self._current()
        within = view.alive if where is None else where & view.alive
        if not within.any():
            return []
        rows = self._order(self._score(query, view, within), within)
        return [self._text(int(row)) for row in rows[:RERANK_DEPTH]]

    def _order(self, scores: _Scores, within: Mask) -> npt.NDArray[np.intp]:
        """Rows that a retriever matches, best first."""
        rows = np.flatnonzero(within & scores.matched)
        return rows[np.argsort(-scores.fused[rows], kind="stable")]

    def _current(self) -> View:
        if self._view is None:
            self._view = build_view(self._documents, self._facts, self._bm25, self._weights.term_window)
        return self._view

    def _score(self, query: RankQuery, view: View, within: Mask) -> _Scores:
        count = len(self._documents)
        named = dialogue.speakers_named(query.text, view.speaker_names)
        lexical = model.lexical(query, named, view, self._bm25, within, self._weights)
        cosine = np.zeros(count, dtype=np.float32)
        if query.vector is not None:
            cosine = self._vectors[:count] @ query.vector.astype(np.float32)
        parts: dict[str, Floats] = {}
        if query.mode == "adaptive":
            vectors = self._vectors[:count]
            parts = model.combine(query, named, lexical, vectors, view, within, self._weights)
        fused = self._fused(query, lexical, cosine, parts, within)
        matched = fused > 0 if query.vector is not None else lexical.window > 0
        relevance = fusion.relevance(lexical.covered, cosine)
        matched &= relevance >= query.min_relevance
        return _Scores(lexical.own, cosine, fused, matched, relevance, parts)

    def _fused(
        self,
        query: RankQuery,
        lexical: model.Lexical,
        cosine: Floats,
        parts: Mapping[str, Floats],
        within: Mask,
    ) -> Floats:
        """Return the score of every row in [0, 1] by the query's mode."""
        if query.mode == "bm25":
            return np.asarray(lexical.own / (1.0 + lexical.own), dtype=np.float32)
        if query.mode == "dense":
            return np.asarray(np.clip(cosine, 0.0, 1.0), dtype=np.float32)
        retrievers = [lexical.own] if query.vector is None else [lexical.own, cosine]
        if query.mode == "rrf":
            masked = [np.where(within, s, -1.0).astype(np.float32) for s in retrievers]
            first_everywhere = len(masked) / (fusion.RRF_K + 1)
            return np.asarray(fusion.rrf(masked) / first_everywhere, dtype=np.float32)
        total = fusion.standardised_sum(retrievers, within) if query.mode == "sum" else model.summed(parts)
        return fusion.unit_interval(fusion.standardised(total, within), int(within.sum()))

    def _rerank(
        self, rows: npt.NDArray[np.intp], fused: Floats, given: Mapping[str, float]
    ) -> tuple[npt.NDArray[np.float64], Mapping[int, float]]:
        final = fused[rows].astype(np.float64)
        if not given:
            return final, {}
        # By text: one that was changed since `best` has no score.
        texts = ((i, self._text(int(row))) for i, row in enumerate(rows[:RERANK_DEPTH]))
        scored = {i: given[text] for i, text in texts if text in given}
        if not scored:
            return final, {}
        values = np.array(list(scored.values()), dtype=np.float64)
        if min(given.values()) < 0.0 or max(given.values()) > 1.0:
            values = 1.0 / (1.0 + np.exp(-values))  # logits
        final *= values.min()  # what was not reranked stays behind what was
        final[list(scored)] = values
        return final, {int(rows[i]): float(value) for i, value in zip(scored, values, strict=True)}

    def _text(self, row: int) -> str:
        document = self._documents[row]
        return document.text if document is not None else ""

    def _decay(self, query: RankQuery, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        if query.now is None or not query.decay_per_day:
            return np.ones(len(rows))
        ages, rates = np.zeros(len(rows)), np.zeros(len(rows))
        for i, row in enumerate(rows):
            document = self._documents[row]
            rate = query.decay_per_day.get(document.kind, 0.0) if document else 0.0
            if document is None or not rate:  # most kinds do not fade, and their age is not asked for
                continue
            since = document.last_accessed_at or document.occurred_at
            if since:
                ages[i], rates[i] = age_days(since, query.now), rate
        return decay_factors(ages, rates)

    def _ranked(
        self, row: int, score: float, decay: float, scores: _Scores, reranked: Mapping[int, float], explain: bool
    ) -> Ranked:
        document = self._documents[row]
        assert document is not None  # noqa: S101 - only rows alive are ranked
        relevance = float(scores.relevance[row])
        if not explain:
            return Ranked(document.id, score, relevance)
        parts = {
            "bm25": float(scores.bm25[row]),
            "dense": float(scores.dense[row]),
            "fused": float(scores.fused[row]),
            "decay": decay,
            **{name: float(part[row]) for name, part in scores.parts.items()},
        }
        if row in reranked:
            parts["rerank"] = reranked[row]
        return Ranked(document.id, score, relevance, parts)
