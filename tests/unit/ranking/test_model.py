"""The vector evidence of the ranking: what all documents share says nothing, and what stands out leads (D13)."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from query.search.ranking import model
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Document, RankQuery
from query.search.ranking.weights import Weights

PLAIN = replace(Weights(), centring=0.0, feedback=0.0)
Vector = npt.NDArray[np.float32]


def unit(*values: float) -> Vector:
    v = np.array(values, dtype=np.float32)
    return v / np.linalg.norm(v)


def memory(name: str, vector: Vector) -> Document:
    return Document(id=name, kind="episode", terms=[], vector=vector, text=name)


def ranked(vectors: dict[str, Vector], query: Vector, weights: Weights) -> list[str]:
    index = ScopeIndex(len(query), weights=weights)
    index.add([memory(name, vector) for name, vector in vectors.items()])
    return [hit.id for hit in index.search(RankQuery("?", [], query), len(vectors))]


# The first axis is what the user always talks of. "hub" lies near everything; "own" shares something with the query.
CROWD = {f"other {n}": unit(2.0, *(float(n == k) for k in range(8)), 0.0) for n in range(8)}
SCOPE = {"hub": unit(2.0, *[0.1] * 8, 0.0), "own": unit(1.0, *[0.0] * 8, 1.0)} | CROWD
QUERY = unit(3.0, *[0.0] * 8, 1.0)


def test_a_document_near_everything_stands_behind_one_near_the_query() -> None:
    assert ranked(SCOPE, QUERY, PLAIN)[0] == "hub"
    assert ranked(SCOPE, QUERY, replace(PLAIN, centring=0.5, centring_few=0.0))[0] == "own"


def test_what_few_documents_share_may_be_the_answer() -> None:
    scope = {"near": unit(3.0, 1.0, 0.0), "far": unit(2.0, 2.0, 0.0), "else": unit(0.0, 0.0, 1.0)}
    assert ranked(scope, unit(3.0, 0.6, 1.0), Weights())[0] == "near"
    few = replace(Weights(), centring=0.5, feedback=0.0)
    plain = ranked(scope, unit(3.0, 0.6, 1.0), PLAIN)
    assert ranked(scope, unit(3.0, 0.6, 1.0), few) == plain


def closeness(total: list[float], weights: Weights) -> Vector:
    """Feedback over two groups, a and b, three each, and four strays."""
    rows = [unit(1, 0, 0.1 * n, 0, 0, 0, 0) for n in range(3)] + [unit(0, 1, 0.1 * n, 0, 0, 0, 0) for n in range(3)]
    rows += [unit(*(float(k == 3 + n) for k in range(7))) for n in range(4)]
    index = ScopeIndex(7, weights=weights)
    index.add([memory(str(n), row) for n, row in enumerate(rows)])
    view, vectors = index._current(), np.array(rows, dtype=np.float32)
    mean = model.mean_vector(vectors, view, view.alive)
    return np.asarray(model.feedback(np.array(total, dtype=np.float32), mean, vectors, view, view.alive, weights))


def test_the_document_that_stands_out_leads_the_feedback() -> None:
    # a's first stands out; two of b and two strays are the rest of the best five.
    total = [3.0, 0, 0, 1.0, 1.0, 0, 0.9, 0.9, 0, 0]
    found = closeness(total, replace(Weights(), feedback_rounds=1))
    assert found[1:3].min() > found[5]
    alike = closeness(total, replace(Weights(), feedback_rounds=1, feedback_odds=0.0))
    assert alike[5] > alike[1:3].max()


def test_the_second_round_starts_from_what_the_first_found() -> None:
    total = [2.0, 1.9, 0, 2.05, 0, 0, 1.8, 1.8, 0, 0]
    first = closeness(total, replace(Weights(), feedback_rounds=1, feedback=2.0))
    second = closeness(total, replace(Weights(), feedback_rounds=2, feedback=2.0))
    assert second[2] - second[5] > first[2] - first[5] > 0


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_documents_give_no_feedback(count: int) -> None:
    vectors = {str(n): unit(1.0, float(n), 0.0) for n in range(count)}
    assert len(ranked(vectors, unit(1.0, 0.0, 0.0), Weights())) == count
