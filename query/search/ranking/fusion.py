"""Bringing lexical and dense evidence together (D13).

Raw scores are never added: ranks (RRF) or standard scores over the same candidates are.
"""

import re
from collections.abc import Sequence

import numpy as np

from query.search.ranking.types import Floats, Mask

RRF_K = 60
_EPSILON = 1e-6

_ASKS_EN = re.compile(
    r"^\W*(?:(?:so|and|but|hey|hi|ok|okay|please|well)\b\W*){0,3}"
    r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|will|"
    r"would|should|shall|may|might)\b",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(
    r"[吗呢么][?？。!！\s]*$|什么|怎么|怎样|如何|为什么|为何|哪(?!怕)|谁|几[个次年月天岁点](?![前后以之来])|多少|多久|多长|多大|何时|是否|是不是|有没有"
)
_SENTENCE = re.compile(r"[.!?。！？;；\n]+")


def ranks(scores: Floats) -> Floats:
    """Return ranks from 1, best first; equal scores keep the order of their rows."""
    order = np.argsort(-scores, kind="stable")
    out = np.empty(len(scores), dtype=np.float32)
    out[order] = np.arange(1, len(scores) + 1, dtype=np.float32)
    return out


def rrf(scores: Sequence[Floats], k: int = RRF_K, depth: int = 50) -> Floats:
    """Return sum of 1 / (k + rank) over the retrievers, rank from 1 (Cormack et al. 2009; D13).

    Only the first `depth` of each retriever count, and nothing that a retriever scored 0 or less.
    """
    total = np.zeros(len(scores[0]) if scores else 0, dtype=np.float32)
    for one in scores:
        rank = ranks(one)
        total += np.where((rank <= depth) & (one > 0), 1.0 / (k + rank), 0.0).astype(np.float32)
    return total


def standardised(scores: Floats, within: Mask | None = None) -> Floats:
    """Return (score - mean) / deviation with both taken over `within`; zeros where nothing varies."""
    sample = scores if within is None else scores[within]
    if len(sample) == 0:
        return np.zeros_like(scores)
    deviation = float(sample.std())
    if deviation < _EPSILON:
        return np.zeros_like(scores)
    result: Floats = ((scores - float(sample.mean())) / deviation).astype(np.float32)
    return result


def standardised_sum(scores: Sequence[Floats], within: Mask) -> Floats:
    """Return the sum of the retrievers' standard scores over the same candidates; zeros for no retriever."""
    total = np.zeros(len(within), dtype=np.float32)
    for one in scores:
        total += standardised(one, within)
    return total


def is_question(text: str) -> bool:
    """Say whether `text` is one plain question, in English or Chinese, and not chat that may hold one.

    Chat speaks in several sentences or states something; a question to a memory is one sentence that asks.
    """
    sentences = [s for s in _SENTENCE.split(text) if s.strip()]
    if len(sentences) != 1:
        return False
    return bool(_ASKS_EN.search(sentences[0]) or _ASKS_ZH.search(text))


def coverage(frequencies: Floats, weights: Floats, within: Mask) -> float:
    """Return the largest share of the query's idf mass that one candidate has, in [0, 1].

    A predictor of lexical performance that needs no relevance judgement: where no document has most of what the
    query says, the query's words are not the documents' words. `frequencies` is (terms, rows).
    """
    mass = float(weights.sum())
    if mass <= 0 or not within.any():
        return 0.0
    return float((weights @ (frequencies > 0))[within].max()) / mass


def covered(frequencies: Floats, weights: Floats) -> Floats:
    """Return the share of the query's idf mass that each candidate has, in [0, 1]; a frequency below 1 is lent.

    Measured with the query's own words, so it means the same for another query and another scope.
    """
    mass = float(weights.sum())
    if mass <= 0:
        return np.zeros(frequencies.shape[1], dtype=np.float32)
    return np.asarray(weights @ np.minimum(frequencies, 1.0) / mass, dtype=np.float32)


def relevance(covered: Floats, cosine: Floats) -> Floats:
    """Return 1 - (1 - share of the words) * (1 - cosine), each from 0 on: either may show that a document answers.

    Not relative to the other candidates, as the fused score is: of a question that nothing answers all are low.
    """
    return np.asarray(1.0 - (1.0 - covered) * (1.0 - np.clip(cosine, 0.0, 1.0)), dtype=np.float32)


def unit_interval(standard: Floats, candidates: int) -> Floats:
    """Map standard scores to (0, 1), monotone: 0.5 is what the best of so many random documents would get.

    The expected maximum of n standard normal values is about sqrt(2 ln n).
    """
    expected = float(np.sqrt(2.0 * np.log(max(candidates, 2))))
    result: Floats = (1.0 / (1.0 + np.exp(-(standard - expected).astype(np.float64)))).astype(np.float32)
    return result
