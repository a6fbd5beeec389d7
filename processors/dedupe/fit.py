"""Making a calibration row for an embedding model (D3): a small logistic regression and a threshold.

Run it on labelled English pairs and, for the penalty, on Chinese ones (PAWS-X); paste the row into `calibration.py` and
check it on pairs that it has not seen.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from processors.dedupe.align import align
from processors.dedupe.calibration import MEASURES, Calibration
from processors.dedupe.compare import conflict_between
from processors.dedupe.evaluate import Embed, embed_texts, judge, recall_at_precision
from processors.dedupe.features import extract_features
from processors.dedupe.measure import measures

NEGATIVE_WEIGHT = 2.0
_RIDGE = 1.0
_STEPS = 50
_MAX_FALSE = 0.01
_MARGIN = 1.0  # in logits, for pairs not seen here
_RELATED = 0.3


def fit_calibration(
    model: str,
    pairs: Sequence[tuple[str, str]],
    labels: Sequence[bool],
    chinese_pairs: Sequence[tuple[str, str]],
    chinese_labels: Sequence[bool],
    embed: Embed,
) -> Calibration:
    """Weights from `pairs` without a conflict; the threshold for a precision of 0.95 over all of them; the smallest
    penalty in steps of 0.1 that keeps false merges of the Chinese pairs to 1 %, and a margin.

    ValueError when no threshold is that precise or no penalty up to 20 that strict.
    """
    truth = np.array(labels, dtype=bool)
    usable, values = _measured(pairs, embed)
    weights, bias = _logistic(values, truth[usable])
    free = Calibration(model, tuple(weights.round(3).tolist()), round(bias, 3), 0.5, 0.0, _RELATED)
    scores = np.array([v.merge_score for v in judge(pairs, embed, free)])
    recall, threshold = recall_at_precision(scores, truth)
    if not recall:
        raise ValueError("no threshold reaches a precision of 0.95 on these pairs")
    raw = np.array([v.merge_score for v in judge(chinese_pairs, embed, free)])
    false = np.clip(raw[~np.array(chinese_labels, dtype=bool)], 0.0, 1.0)
    for penalty in np.arange(0.0, 20.0, 0.1):
        odds = np.log(threshold / (1 - threshold)) + penalty
        # What is sure (1.0) merges whatever the penalty.
        if float(np.mean((false >= 1 / (1 + np.exp(-odds))) | (false == 1.0))) <= _MAX_FALSE:
            return Calibration(model, free.weights, free.bias, threshold, round(float(penalty) + _MARGIN, 1), _RELATED)
    raise ValueError("no penalty brings false merges of the Chinese pairs below 1 %")


def _measured(pairs: Sequence[tuple[str, str]], embed: Embed) -> tuple[list[int], NDArray[np.float64]]:
    """Which pairs have no conflict, and their measures, one row each."""
    vectors = embed_texts([text for pair in pairs for text in pair], embed)
    usable, rows = [], []
    for at, (one, two) in enumerate(pairs):
        a, b = extract_features(one), extract_features(two)
        found = align(a, b)
        if conflict_between(a, b, found) is None:
            usable.append(at)
            rows.append(measures(a, b, found, float(vectors[one] @ vectors[two])))
    return usable, np.array(rows, dtype=np.float64)


def _logistic(values: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Ridge logistic regression by Newton's method over standardised columns; weights and bias of the raw columns."""
    if values.shape[1] != len(MEASURES):
        raise ValueError(f"{values.shape[1]} measures, expected {len(MEASURES)}")
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread[spread == 0] = 1.0
    design = np.column_stack([(values - mean) / spread, np.ones(len(values))])
    weight = np.where(truth, 1.0, NEGATIVE_WEIGHT)
    ridge = np.full(design.shape[1], _RIDGE)
    ridge[-1] = 0.0
    beta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-design @ beta))
        slope = design.T @ (weight * (truth - p)) - ridge * beta
        curve = (design.T * (weight * p * (1 - p))) @ design + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        beta += step
        if float(np.abs(step).max()) < 1e-9:
            break
    weights = beta[:-1] / spread
    return weights, float(beta[-1] - weights @ mean)
