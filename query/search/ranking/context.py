"""From what was said to the vector to search with.

A question stands by itself. A chat turn is looked at twice, also without its function words, and completed by what was
said just before it in its session:

    vector = blended(embedder.embed(query_texts(text)))
    query = in_context(RankQuery(text, terms(text), vector), vectors_of_the_session_so_far)
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from inference.condense import condense
from query.search.ranking.fusion import is_question
from query.search.ranking.types import RankQuery

FADE = 0.6
DEPTH = 4


def query_texts(text: str) -> list[str]:
    """Return what to embed for a query: its text, and for chat also its content words (`inference.condense`)."""
    return [text] if is_question(text) else [text, condense(text)]


def blended(vectors: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float32]:
    """Return the unit mean of unit vectors, those of `query_texts`."""
    mean = np.sum([v.astype(np.float32) for v in vectors], axis=0, dtype=np.float32)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-6), dtype=np.float32)


def in_context(query: RankQuery, previous: Sequence[npt.NDArray[np.floating]]) -> RankQuery:
    """Return `query` with a vector that leans towards the turns before it, oldest first, fading by 0.6 a turn.

    `previous` are the unit vectors of the session's turns before the query's own; the last four count. Only chat is
    completed: a question (`fusion.is_question`) stands by itself, and what came before would lead it astray.
    Measured in bench/ranking_lab.py.
    """
    if query.vector is None or not previous or is_question(query.text):
        return query
    blend = query.vector.astype(np.float32)
    for steps, vector in enumerate(reversed(previous[-DEPTH:]), start=1):
        blend = blend + FADE**steps * vector.astype(np.float32)
    norm = float(np.linalg.norm(blend))
    return replace(query, vector=blend / norm) if norm > 0 else query
