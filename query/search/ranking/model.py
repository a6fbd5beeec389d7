"""The ranking model: standard scores of each kind of evidence, weighed and summed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inference.terms import terms as index_terms
from query.search.ranking import dates, dialogue, fusion
from query.search.ranking.bm25 import Bm25, saturated
from query.search.ranking.types import Floats, Mask, RankQuery
from query.search.ranking.view import View
from query.search.ranking.weights import Weights


@dataclass(frozen=True, slots=True)
class Lexical:
    """Word evidence of one query over all rows."""

    own: Floats
    window: Floats
    session: Floats
    coverage: float
    covered: Floats
    """The share of the query's idf mass that each row has, with what its neighbours lend it; in [0, 1]."""


def lexical(query: RankQuery, named: dialogue.Speakers, view: View, bm25: Bm25, within: Mask, w: Weights) -> Lexical:
    """BM25 of each row, of each row in its neighbourhood, and of each row's session.

    In the neighbourhood term frequencies are summed before they saturate, so a word that two turns share counts
    little more than once, while words that they split between them count in full.
    """
    # A speaker's name stands in turns that address the speaker, and says nothing about what the speaker said.
    names = {t for word in named.words for t in index_terms(word)}
    query_counts = Counter(query.terms)
    terms = list(query_counts)
    weights = np.array([bm25.idf(t) * n for t, n in query_counts.items()], dtype=np.float32)
    frequencies = bm25.term_frequencies(terms)
    mass = weights
    if not names.issuperset(terms):
        is_name = np.array([t in names for t in terms])
        mass = np.where(is_name, 0.0, weights).astype(np.float32)
        frequencies[np.ix_(is_name, view.speakers != None)] = 0.0  # noqa: E711 - elementwise
    own = saturated(frequencies, view.lengths, view.mean_length, weights, bm25.k1, bm25.b)
    cover = fusion.coverage(frequencies, weights, within)
    if not view.has_dialogue:
        return Lexical(own, own, np.zeros_like(own), cover, fusion.covered(frequencies, mass))
    near = view.layout.spread(frequencies, w.term_window)
    mean = float(view.window_lengths[view.alive].mean())
    window = saturated(near, view.window_lengths, mean, weights, bm25.k1, bm25.b)
    session = _session_evidence(frequencies, terms, query_counts, view, bm25)
    return Lexical(own, window, session, cover, fusion.covered(near, mass))


def _session_evidence(
    frequencies: Floats, terms: list[str], query_counts: Counter[str], view: View, bm25: Bm25
) -> Floats:
    """Standard score of the BM25 of each row's session as one document; 0 for rows without a session."""
    count = len(view.session_codes)
    summed, lengths = dialogue.session_statistics(frequencies, view.lengths, view.sessions, count)
    present = (summed > 0).sum(axis=1)
    weights = np.log1p((count - present + 0.5) / (present + 0.5)) * np.array([query_counts[t] for t in terms])
    scores = fusion.standardised(saturated(summed, lengths, float(lengths.mean()), weights, bm25.k1, bm25.b))
    inside = view.sessions != dialogue.NO_SESSION
    result: Floats = np.where(inside, scores[view.sessions], 0.0).astype(np.float32)
    return result


def mean_vector(vectors: Floats, view: View, within: Mask) -> Floats:
    """Return the mean of the candidates' vectors, which all documents share; zeros where there are none."""
    usable = within & view.has_vector
    return np.asarray((usable.astype(np.float32) @ vectors) / max(int(usable.sum()), 1), dtype=np.float32)


def dense(vector: Floats, mean: Floats, vectors: Floats, view: View, within: Mask, w: Weights) -> Floats:
    """Standard score of the closeness, each row lent some of its neighbours'; 0 where there is no vector.

    The query gives up half of `mean`: a document near everything that the user said is near every chat turn as well
    (hubness), and that says nothing about this one. Of few documents the mean is hardly a background.
    """
    usable = within & view.has_vector
    count = int(usable.sum())
    share = w.centring * count / max(count + w.centring_few, 1.0)
    similarity = fusion.standardised(vectors @ (vector - share * mean), usable)
    similarity = np.where(view.has_vector, similarity, 0.0).astype(np.float32)
    return view.layout.spread(similarity, w.dense_window) if view.has_dialogue else similarity


def prior(query: RankQuery, named: dialogue.Speakers, view: View, within: Mask, w: Weights) -> Floats:
    """Evidence beside the match of content: dates, who spoke, how much a turn says, importance."""
    out = w.importance * (view.importance - 0.5)
    asks = fusion.is_question(query.text)
    near = dates.closeness(query.text, query.now, view.newest, lambda: view.intervals, len(view.alive), retell=asks)
    if near is not None:
        out = out + w.date * fusion.standardised(near, within)
    turns = within & (view.sessions != dialogue.NO_SESSION)
    if not turns.any():
        return np.asarray(out, dtype=np.float32)
    if named.named:
        spoke = np.isin(view.speakers, list(named.named)).astype(np.float32)
        out = out + w.speaker * np.where(turns, fusion.standardised(spoke, turns), 0.0)
    if asks and view.has_dialogue:
        # In a dialogue a turn that says little, or asks itself, seldom answers; one that stands alone is a note.
        length = fusion.standardised(np.log1p(view.lengths), turns)
        out = out + np.where(turns, w.length * length - w.asking * view.asking, 0.0)
    return np.asarray(out, dtype=np.float32)


def feedback(total: Floats, mean: Floats, vectors: Floats, view: View, within: Mask, w: Weights) -> Floats:
    """Standard score of the cosine to the centroid of the best documents so far (Rocchio 1971, blind feedback).

    What the user's own documents say around the answer stands in for the words that the query lacks. Vectors are
    centred first. The best count by their odds, so that one that stands out leads; the second round looks at what
    became best by the first.
    """
    usable = within & view.has_vector
    rows = np.flatnonzero(usable)
    if len(rows) <= w.feedback_depth:
        return np.zeros_like(total)
    # The norms of the centred vectors, without a centred copy: |v - m|^2 = 1 - 2 v.m + m.m for unit vectors.
    norms = np.sqrt(np.maximum(1.0 - 2.0 * (vectors @ mean) + float(mean @ mean), 1e-6))
    closeness = np.zeros_like(total)
    for _ in range(w.feedback_rounds):
        score = total + w.feedback * closeness
        best = rows[np.argsort(-score[rows], kind="stable")[: w.feedback_depth]]
        odds = np.exp(w.feedback_odds * (score[best] - score[best[0]]))
        toward = (odds / odds.sum()) @ ((vectors[best] - mean) / norms[best, None])
        found = fusion.standardised((vectors @ toward - float(mean @ toward)) / norms, usable)
        closeness = np.where(usable, found, 0.0).astype(np.float32)
    return closeness


def combine(
    query: RankQuery,
    named: dialogue.Speakers,
    words: Lexical,
    vectors: Floats,
    view: View,
    within: Mask,
    w: Weights,
) -> dict[str, Floats]:
    """Return all evidence, weighed, in standard deviations; what counts is the sum."""
    parts = {"prior": prior(query, named, view, within, w)}
    lex = fusion.standardised(words.window, within)
    # Words, of a row or of its session, count as far as the best document has the query's words at all: chat often has
    # none of its memory's.
    usual = words.coverage / w.usual_coverage
    parts["words"] = usual * w.lexical * lex
    parts["session"] = usual * w.session * words.session
    if query.vector is not None:
        mean = mean_vector(vectors, view, within)
        parts["meaning"] = w.dense * dense(query.vector.astype(np.float32), mean, vectors, view, within, w)
        if w.feedback:
            parts["feedback"] = w.feedback * feedback(summed(parts), mean, vectors, view, within, w)
    return parts


def summed(parts: Mapping[str, Floats]) -> Floats:
    return np.asarray(sum(parts.values()), dtype=np.float32)
