"""Evidence of dates: what a query names ("in May 2023", "上周") against when a memory was made and what it tells of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from processors.language import times, timespan
from query.search.ranking.types import Document, Floats

_DAY = 86_400.0
_FADE_DAYS = 7.0  # people tell of things some days after they happen, and plan them some days before
_BROADEST_DAYS = 31.0
_NEAR_ENOUGH = 0.5

Interval = tuple[float, float]  # POSIX seconds, [start, end)


@dataclass(frozen=True, slots=True)
class Intervals:
    """All intervals of a scope: `rows[i]` has [starts[i], ends[i])."""

    rows: npt.NDArray[np.int64]
    starts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]


def intervals_of(document: Document) -> tuple[Interval, ...]:
    """Return the day on which the document was made, and the spans that its text names, seen from that day."""
    made = document.occurred_at
    if made is None:
        return ()
    day = timespan.day(made)
    spans = times.find(document.text, made)
    return ((day.start.timestamp(), day.end.timestamp()), *((s.start.timestamp(), s.end.timestamp()) for s in spans))


def gathered(intervals: Sequence[tuple[Interval, ...]]) -> Intervals:
    """Flatten the intervals of the rows of a scope into arrays."""
    flat = [(row, start, end) for row, some in enumerate(intervals) for start, end in some]
    table = np.array(flat, dtype=np.float64).reshape(-1, 3)
    return Intervals(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def closeness(
    text: str, now: datetime | None, newest: datetime | None, held: Callable[[], Intervals], rows: int, *, retell: bool
) -> Floats | None:
    """Return 1 for each row that falls in a span named by `text`, less the further away; None where none is named.

    Expressions are resolved from `now`. Where nothing of the scope is near, or `now` is unknown, they are resolved
    from `newest`, the newest document's time: old conversations are asked about in their own time ("in July"). With
    `retell` also what counts from the speaker's day ("last week") may mean that time; chat means its own.
    """
    for anchor in (now, newest):
        if anchor is None:
            continue
        spans = times.find(text, anchor)
        if anchor is not now and not retell:
            spans = [s for s in spans if not s.relative]
        if not spans:
            continue
        near = _nearness([(s.start.timestamp(), s.end.timestamp()) for s in spans], held(), rows)
        if near.max(initial=0.0) > _NEAR_ENOUGH:
            return near
    return None


def _nearness(intervals: Sequence[Interval], held: Intervals, rows: int) -> Floats:
    out = np.zeros(rows, dtype=np.float32)
    for start, end in intervals:
        gap = np.maximum(0.0, np.maximum(held.starts - end, start - held.ends)) / _DAY
        # A memory of "last year" says nothing about a day in it.
        telling = held.ends - held.starts <= max(end - start, _BROADEST_DAYS * _DAY) * 1.02
        np.maximum.at(out, held.rows, np.where(telling, np.exp(-gap / _FADE_DAYS), 0.0).astype(np.float32))
    return out
