"""Lucene's BM25 over term lists that grow and shrink (D13).

score(q, d) = sum over t in q of idf(t) * tf / (tf + k1 * (1 - b + b * len(d) / mean length)), and
idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)): Robertson and Zaragoza 2009, in the form of Lucene 8 and later.
"""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from query.search.ranking.types import Floats


@dataclass(frozen=True, slots=True)
class CorpusPrior:
    """Document frequencies of a larger corpus, blended into a scope too small to have its own.

    A scope of N documents has the weight N / (N + `strength`) in n(t) / N, the prior the rest; so with ten memories
    "happy" is already known to be common. `frequency` is n(t) / N of the corpus, `unseen` that of other terms.
    """

    frequency: Mapping[str, float]
    unseen: float = 0.0005
    strength: float = 50.0


class Bm25:
    """Postings of one scope. Rows are numbered from 0 as appended and keep their number when others go.

    Not safe for threads. Appending costs O(terms); scoring O(sum of the postings of the query's terms).
    """

    def __init__(self, k1: float = 1.2, b: float = 0.75, prior: CorpusPrior | None = None) -> None:
        self.k1, self.b, self.prior = k1, b, prior
        self._postings: dict[str, array[int]] = {}
        """Of each term: row, count, row, count, ... in the order of appending. One array a term: a scope's first
        question waits for all of them to be made."""
        self._lengths = array("f")
        self._alive = 0
        self._total_length = 0.0

    def __len__(self) -> int:
        """Return the number of rows ever appended, removed ones included."""
        return len(self._lengths)

    @property
    def lengths(self) -> Floats:
        """Number of terms of each row, 0 for removed ones; a copy."""
        return np.array(self._lengths, dtype=np.float32)

    @property
    def mean_length(self) -> float:
        return self._total_length / self._alive if self._alive else 1.0

    def append(self, terms: Sequence[str]) -> int:
        """Add one document and return its row."""
        row = len(self._lengths)
        for term, count in Counter(terms).items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = array("i")
            posting.extend((row, count))
        self._lengths.append(len(terms))
        self._total_length += len(terms)
        self._alive += 1
        return row

    def remove(self, row: int, terms: Sequence[str]) -> None:
        """Take `row` out of the statistics and the postings; `terms` are those that it was appended with."""
        for term in set(terms):
            posting = self._postings[term]
            at = 2 * posting[::2].index(row)
            del posting[at : at + 2]
            if not posting:
                del self._postings[term]
        self._total_length -= len(terms)
        self._lengths[row] = 0.0
        self._alive -= 1

    def idf(self, term: str) -> float:
        """Return the inverse document frequency, above 0 also for a term that nothing has."""
        n, total = len(self._postings.get(term, ())) / 2, float(self._alive)
        if self.prior is not None:
            n += self.prior.strength * self.prior.frequency.get(term, self.prior.unseen)
            total += self.prior.strength
        return float(np.log1p((total - n + 0.5) / (n + 0.5)))

    def term_frequencies(self, terms: Sequence[str]) -> Floats:
        """Return counts as an array (len(terms), rows)."""
        out = np.zeros((len(terms), len(self)), dtype=np.float32)
        for at, term in enumerate(terms):
            posting = self._postings.get(term)
            if posting is not None:
                rows, counts = np.array(posting).reshape(-1, 2).T
                out[at, rows] = counts
        return out

    def scores(self, terms: Sequence[str]) -> Floats:
        """Return BM25 of every row; a term asked twice counts twice."""
        query_counts = Counter(terms)
        weights = np.array([self.idf(t) * n for t, n in query_counts.items()], dtype=np.float32)
        return saturated(
            self.term_frequencies(list(query_counts)), self.lengths, self.mean_length, weights, self.k1, self.b
        )


def saturated(
    frequencies: Floats, lengths: Floats, mean_length: float, weights: npt.NDArray[np.floating], k1: float, b: float
) -> Floats:
    """Return weights (terms,) times saturated frequencies (terms, rows), as (rows,)."""
    norm = k1 * (1.0 - b + b * lengths / max(mean_length, 1e-6))
    norm = np.maximum(norm, 1e-6).astype(np.float32)
    result: Floats = (weights.astype(np.float32) @ (frequencies / (frequencies + norm))).astype(np.float32)
    return result
