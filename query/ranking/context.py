"""A chat turn seldom says all: what was said just before it in its session completes it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from query.ranking.fusion import is_question
from query.ranking.types import RankQuery

FADE = 0.6
DEPTH = 4


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
