"""What goes into and comes out of the ranking: plain values, no client and no clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]
Mode: TypeAlias = Literal["adaptive", "sum", "rrf", "bm25", "dense"]


@dataclass(frozen=True, slots=True)
class Document:
    """One candidate of a scope (a user's, or a project's, turns and memories).

    `terms` come from `inference.terms.terms`; `vector` is a unit vector of the scope's model, any float type, or
    None where none was stored. `session_id` and `position` (order in the session) are of turns; a document
    without a session has no neighbours. `occurred_at` and `last_accessed_at` carry a time zone. `importance` is
    in [0, 1] (D7).
    """

    id: str
    kind: str
    terms: Sequence[str]
    vector: npt.NDArray[np.floating] | None
    text: str
    session_id: str | None = None
    position: int = 0
    occurred_at: datetime | None = None
    last_accessed_at: datetime | None = None
    speaker: str | None = None
    role: str | None = None
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class RankQuery:
    """One question to a scope.

    `vector` is the unit embedding of `text` (or of a hypothetical answer, D12); without it the ranking is lexical.
    `now` anchors "last month" and the decay; without it neither is applied. `decay_per_day` is k of D7 for each
    kind; kinds that are not named do not decay. `mode`: "adaptive" is memstream's own; "rrf" is D13 to the
    letter; "dense" is A2 (the score is the cosine similarity, clipped at 0). `min_relevance`: documents below it are no
    hits.
    """

    text: str
    terms: Sequence[str]
    vector: npt.NDArray[np.floating] | None = None
    now: datetime | None = None
    decay_per_day: Mapping[str, float] = field(default_factory=dict)
    mode: Mode = "adaptive"
    min_relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """One hit: `score` in [0, 1], relative to the other candidates; `relevance` in [0, 1], comparable between queries
    with one embedder; `scores` is filled on request.

    bm25: raw BM25 of the document alone; dense: cosine; fused: in [0, 1], before rerank; rerank: in [0, 1], only
    where a model scored it; decay: the factor applied last. By default also the parts of fused, in standard deviations:
    words, session, prior, meaning, feedback.
    """

    id: str
    score: float
    relevance: float
    scores: Mapping[str, float] | None = None
