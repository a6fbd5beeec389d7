"""The ranking model: standard scores of each kind of evidence, weighed and summed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from inference.terms import terms as index_terms
from query.ranking import dialogue, fusion
from query.ranking.bm25 import Bm25, saturated
from query.ranking.types import Floats, Mask, RankQuery
from query.ranking.view import View
from query.ranking.weights import Weights

ASKING, QUANTITY, TIME = range(3)  # columns of the per-document flags


@dataclass(frozen=True, slots=True)
class Lexical:
    """Word evidence of one query over all rows."""

    own: Floats
    window: Floats
    session: Floats
    coverage: float


def lexical(query: RankQuery, named: dialogue.Speakers, view: View, bm25: Bm25, within: Mask, w: Weights) -> Lexical:
    """BM25 of each row, of each row in its neighbourhood, and of each row's session.

    In the neighbourhood term frequencies are summed before they saturate, so a word that two turns share counts
    little more than once, while words that they split between them count in full.
    """
    # A speaker's name stands in turns that address the speaker, and says nothing about what the speaker said.
    names = {t for word in named.words for t in index_terms(word)}
    asked = Counter([t for t in query.terms if t not in names] or query.terms)
    terms = list(asked)
    weights = np.array([bm25.idf(t) * n for t, n in asked.items()], dtype=np.float32)
    frequencies = bm25.term_frequencies(terms)
    own = saturated(frequencies, view.lengths, view.mean_length, weights, bm25.k1, bm25.b)
    cover = fusion.coverage(frequencies, weights, within)
    if not view.has_dialogue:
        return Lexical(own, own, np.zeros_like(own), cover)
    near = view.layout.spread(frequencies, w.term_window)
    mean = float(view.window_lengths[view.alive].mean())
    window = saturated(near, view.window_lengths, mean, weights, bm25.k1, bm25.b)
    return Lexical(own, window, _session_evidence(frequencies, terms, asked, view, bm25), cover)


def _session_evidence(frequencies: Floats, terms: list[str], asked: Counter[str], view: View, bm25: Bm25) -> Floats:
    """Standard score of the BM25 of each row's session as one document; 0 for rows without a session."""
    count = len(view.session_codes)
    summed, lengths = dialogue.session_statistics(frequencies, view.lengths, view.sessions, count)
    present = (summed > 0).sum(axis=1)
    weights = np.log1p((count - present + 0.5) / (present + 0.5)) * np.array([asked[t] for t in terms])
    scores = fusion.standardised(saturated(summed, lengths, float(lengths.mean()), weights, bm25.k1, bm25.b))
    inside = view.sessions != dialogue.NO_SESSION
    result: Floats = np.where(inside, scores[view.sessions], 0.0).astype(np.float32)
    return result


def dense(vector: Floats, vectors: Floats, view: View, within: Mask, w: Weights) -> Floats:
    """Standard score of the cosine, each row lent some of its neighbours'; 0 where there is no vector."""
    similarity = fusion.standardised(vectors @ vector, within & view.has_vector)
    similarity = np.where(view.has_vector, similarity, 0.0).astype(np.float32)
    return view.layout.spread(similarity, w.dense_window) if view.has_dialogue else similarity


def prior(query: RankQuery, named: dialogue.Speakers, view: View, flags: Floats, within: Mask, w: Weights) -> Floats:
    """Evidence beside the match of content: who spoke, the kind of answer, how much a turn says, importance."""
    out = w.importance * (view.importance - 0.5)
    turns = within & (view.sessions != dialogue.NO_SESSION)
    if not turns.any():
        return out
    if named.named:
        spoke = np.isin(view.speakers, list(named.named)).astype(np.float32)
        out = out + w.speaker * np.where(turns, fusion.standardised(spoke, turns), 0.0)
    if fusion.is_question(query.text):
        length = fusion.standardised(np.log1p(view.lengths), turns)
        out = out + np.where(turns, w.length * length - w.asking * flags[:, ASKING], 0.0)
        for asks, column in ((dialogue.asks_time, TIME), (dialogue.asks_quantity, QUANTITY)):
            if asks(query.text):
                out = out + w.answer_type * np.where(turns, fusion.standardised(flags[:, column], turns), 0.0)
    return np.asarray(out, dtype=np.float32)


def combine(
    query: RankQuery,
    named: dialogue.Speakers,
    words: Lexical,
    vectors: Floats,
    view: View,
    flags: Floats,
    within: Mask,
    w: Weights,
) -> Floats:
    """Return the weighed sum of all evidence, in standard deviations."""
    total = prior(query, named, view, flags, within, w)
    lex = fusion.standardised(words.window, within)
    total = total + w.lexical * lex + w.session * words.session
    if query.vector is not None:
        total = total + w.dense * dense(query.vector.astype(np.float32), vectors, view, within, w)
    return np.asarray(total, dtype=np.float32)
