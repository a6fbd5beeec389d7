"""Arrays over the rows of a scope that a search reads; built once after a change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

from query.search.ranking.bm25 import Bm25
from query.search.ranking.dates import Interval, Intervals, gathered, intervals_of
from query.search.ranking.dialogue import DIALOGUE_KIND, NO_SESSION, Layout
from query.search.ranking.types import Document, Floats, Mask


@dataclass(frozen=True)
class Facts:
    """What is read off a document's text, once."""

    document: Document
    asking: bool

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """Only for a query that names a date: reading time expressions takes as long as all other indexing."""
        return intervals_of(self.document)


@dataclass(frozen=True)
class View:
    """What is derived from all rows together. Rows of removed documents are there, and False in `alive`."""

    alive: Mask
    has_vector: Mask
    kinds: npt.NDArray[np.object_]
    speakers: npt.NDArray[np.object_]
    speaker_names: frozenset[str]
    sessions: npt.NDArray[np.int64]
    session_codes: dict[str, int]
    layout: Layout
    lengths: Floats
    mean_length: float
    window_lengths: Floats
    importance: Floats
    asking: Floats
    facts: tuple[Facts | None, ...]
    newest: datetime | None

    @cached_property
    def intervals(self) -> Intervals:
        return gathered([f.intervals if f is not None else () for f in self.facts])

    @property
    def has_dialogue(self) -> bool:
        """Whether any session has more than one document."""
        return self.layout.has_neighbours


def build_view(
    documents: Sequence[Document | None], facts: Sequence[Facts], bm25: Bm25, window: Sequence[float]
) -> View:
    """Derive the view; O(n log n) for the sort by session and position."""
    codes: dict[str, int] = {}
    sessions = np.full(len(documents), NO_SESSION, dtype=np.int64)
    positions = np.zeros(len(documents), dtype=np.int64)
    for row, document in enumerate(documents):
        if document is not None and document.session_id is not None and document.kind == DIALOGUE_KIND:
            sessions[row] = codes.setdefault(document.session_id, len(codes))
            positions[row] = document.position
    asking = np.array([f.asking for f in facts], dtype=np.float32)
    layout = Layout(sessions, positions, asking)
    lengths = bm25.lengths
    speakers = [d.speaker if d is not None and d.kind == DIALOGUE_KIND else None for d in documents]
    return View(
        alive=np.array([d is not None for d in documents], dtype=np.bool_),
        has_vector=np.array([d is not None and d.vector is not None for d in documents], dtype=np.bool_),
        kinds=np.array([d.kind if d else "" for d in documents], dtype=np.object_),
        speakers=np.array(speakers, dtype=np.object_),
        speaker_names=frozenset(s for s in speakers if s),
        sessions=sessions,
        session_codes=codes,
        layout=layout,
        lengths=lengths,
        mean_length=bm25.mean_length,
        window_lengths=layout.spread(lengths, window),
        importance=np.array([d.importance if d else 0.5 for d in documents], dtype=np.float32),
        asking=asking,
        facts=tuple(f if d is not None else None for d, f in zip(documents, facts, strict=True)),
        newest=max((d.occurred_at for d in documents if d is not None and d.occurred_at is not None), default=None),
    )
