"""D11, D14: a cross-encoder that fails costs its order, not the answer."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from query.ranking.index import ScopeIndex
from query.ranking.types import Document, RankQuery
from query.retrieval.request import Found, Question
from query.retrieval.retriever import _rank
from schemas.scope import TenantScope

NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Failing:
    def score(self, query: str, texts: list[str]) -> list[float]:
        raise RuntimeError("no memory left")


class Backwards:
    def score(self, query: str, texts: list[str]) -> list[float]:
        return [i / len(texts) for i in range(len(texts))]


@pytest.mark.parametrize(
    ("reranker", "first", "degraded"),
    [(None, "a", []), (Backwards(), "b", []), (Failing(), "a", [{"store": "model", "reason": "reranker"}])],
)
def test_d14_the_order_of_the_fusion_stands(reranker: Any, first: str, degraded: list[dict[str, str]]) -> None:
    index, rows = ScopeIndex(2), {}
    for name, words in (("a", ["red", "car"]), ("b", ["red", "wine"])):
        index.add([Document(name, "turn", words, None, " ".join(words), occurred_at=NOW)])
        rows[name] = {"turn_id": name, "user_id": "u", "expires_at": None, "occurred_at": NOW}
    question = Question("red car", frozenset({"turn"}), 2, TenantScope("default", "test", frozenset()))
    probe: Any = SimpleNamespace(question=question, rank=RankQuery("red car", ["red", "car"], mode="bm25"), now=NOW)
    found = Found()
    hits = _rank(index, rows, probe, found, reranker)
    assert (hits[0][0]["turn_id"], len(hits), found.degraded) == (first, 2, degraded)
