"""Fusion of retrievers: RRF to the letter (D13), standard scores, and what kind of text a query is."""

import numpy as np
import pytest

from query.search.ranking import fusion


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_d13_rrf_ranks_from_one_with_k_sixty() -> None:
    got = fusion.rrf([floats(9, 5, 7), floats(0.1, 0.9, 0.5)])
    np.testing.assert_allclose(got, [1 / 61 + 1 / 63, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62], rtol=1e-6)


def test_d13_rrf_takes_fifty_of_each_retriever_and_none_that_did_not_match() -> None:
    got = fusion.rrf([np.arange(60, 0, -1).astype(np.float32)])
    assert np.count_nonzero(got) == 50
    assert fusion.rrf([floats(1, 0, -1)]).tolist() == [pytest.approx(1 / 61), 0.0, 0.0]


def test_standard_scores_are_taken_over_the_filtered_candidates() -> None:
    within = np.array([True, True, False])
    got = fusion.standardised(floats(1, 3, 1000), within)
    np.testing.assert_allclose(got[:2], [-1.0, 1.0])


@pytest.mark.parametrize("scores", [floats(), floats(2, 2, 2)])
def test_what_does_not_vary_says_nothing(scores: np.ndarray) -> None:
    assert not fusion.standardised(scores).any()


@pytest.mark.parametrize(
    "text",
    [
        "When did Ana buy the kite?",
        "what is her job",
        "So, who cooked?",
        "安娜什么时候搬家的？",
        "她喜欢风筝吗",
        "哪家店？",
    ],
)
def test_questions(text: str) -> None:
    assert fusion.is_question(text)


@pytest.mark.parametrize(
    "text",
    ["I bought a kite today.", "Really? I love kites! When do we go?", "我今天好开心！", "是啊。你觉得怎么样？", ""],
)
def test_chat(text: str) -> None:
    assert not fusion.is_question(text)


def test_coverage_is_the_best_documents_share_of_the_querys_weight() -> None:
    frequencies = np.array([[1, 0, 5], [0, 2, 1]], dtype=np.float32)
    weights = floats(3, 1)
    assert fusion.coverage(frequencies, weights, np.array([True, True, True])) == pytest.approx(1.0)
    assert fusion.coverage(frequencies, weights, np.array([True, True, False])) == pytest.approx(0.75)
    assert fusion.coverage(frequencies, weights, np.zeros(3, dtype=bool)) == 0.0


def test_unit_interval_keeps_order_and_knows_the_size_of_the_field() -> None:
    few, many = (fusion.unit_interval(floats(-1, 3, 4), n) for n in (10, 10_000))
    assert 0 < few[0] < few[1] < few[2] < 1
    assert (many < few).all()
    assert fusion.unit_interval(floats(np.sqrt(2 * np.log(10))), 10)[0] == pytest.approx(0.5)
