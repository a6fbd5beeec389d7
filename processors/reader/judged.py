"""Readings by the judge: what may be missed of a turn's statements is observed where it is likely no good memory."""

from __future__ import annotations

import numpy as np

from processors.reader.judge.head import judge_for
from processors.reader.judge.measures import Floats, measures
from schemas.events.memory import Candidate
from schemas.events.turns import ScreenedTurn


def judged(candidates: tuple[Candidate, ...], turn: ScreenedTurn, model_id: str) -> tuple[Candidate, ...]:
    """The candidates of a turn; those with a reading have the judge's where it is lower. Both must have embeddings of
    the model that the judge knows."""
    judge = judge_for(model_id) if turn.language == "en" and turn.model_id == model_id else None
    if judge is None or not turn.sealed.embedding:
        return candidates
    whole = _vector(turn.sealed.embedding)
    found = []
    for c in candidates:
        if c.reading is not None and c.embedding:
            good = judge.good(_vector(c.embedding), whole, measures(c.text, turn.sealed.content, c.kind))
            c = c.model_copy(update={"reading": min(c.reading, round(good, 4))})
        found.append(c)
    return tuple(found)


def _vector(embedding: bytes) -> Floats:
    return np.frombuffer(embedding, "<f2").astype(np.float32)
