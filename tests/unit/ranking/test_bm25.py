"""BM25 over lists that grow and shrink (D13)."""

import math
import random

import numpy as np
import pytest

from query.search.ranking.bm25 import Bm25, CorpusPrior

DOCS = [["blue", "kite", "beach"], ["kite"], ["red", "bike", "bike", "shop"], ["喜欢", "风筝"]]


def reference(docs: list[list[str]], query: list[str], k1: float = 1.2, b: float = 0.75) -> list[float]:
    """Lucene's formula, written out."""
    mean = sum(map(len, docs)) / len(docs)
    out = []
    for doc in docs:
        score = 0.0
        for term in query:
            n = sum(term in d for d in docs)
            idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
            tf = doc.count(term)
            score += idf * tf / (tf + k1 * (1 - b + b * len(doc) / mean))
        out.append(score)
    return out


def filled(docs: list[list[str]]) -> Bm25:
    index = Bm25()
    for doc in docs:
        index.append(doc)
    return index


@pytest.mark.parametrize("query", [["kite"], ["kite", "bike", "kite"], ["风筝"], ["absent"], []])
def test_d13_scores_are_lucenes(query: list[str]) -> None:
    np.testing.assert_allclose(filled(DOCS).scores(query), reference(DOCS, query), rtol=1e-5)


def test_d13_removing_and_appending_equals_building_anew() -> None:
    rng = random.Random(7)
    words = [f"w{i}" for i in range(30)]
    docs = [[rng.choice(words) for _ in range(rng.randint(1, 12))] for _ in range(60)]
    index = filled(docs)
    removed = set(rng.sample(range(60), 25))
    for row in removed:
        index.remove(row, docs[row])
    index.append(docs[3])
    kept = [d for i, d in enumerate(docs) if i not in removed] + [docs[3]]
    rows = [i for i in range(60) if i not in removed] + [60]
    query = ["w1", "w2", "w17"]
    scores = index.scores(query)
    np.testing.assert_allclose(scores[rows], reference(kept, query), rtol=1e-4)
    assert not scores[list(removed)].any()


def test_a_prior_makes_a_common_word_weak_in_a_tiny_scope() -> None:
    prior = CorpusPrior({"happy": 0.4}, unseen=0.001, strength=50)
    plain, informed = Bm25(), Bm25(prior=prior)
    for index in (plain, informed):
        index.append(["happy", "kite"])
        index.append(["bike"])
    assert plain.idf("happy") == plain.idf("kite")
    assert informed.idf("happy") < 0.3 * informed.idf("kite")


def test_a_prior_fades_as_the_scope_grows() -> None:
    prior = CorpusPrior({"happy": 0.4}, strength=50)
    index = Bm25(prior=prior)
    for i in range(2_000):
        index.append([f"w{i}"])
    index.append(["happy"])
    assert index.idf("happy") > 4.0


def test_an_empty_index_scores_nothing() -> None:
    assert filled([]).scores(["kite"]).shape == (0,)
    assert filled([[]]).scores(["kite"]).tolist() == [0.0]
