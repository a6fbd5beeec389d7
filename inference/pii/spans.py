"""Spans asked by place."""

from bisect import bisect_right
from collections.abc import Iterable

from inference.protocols import EntitySpan


class Spans:
    """Spans that do not overlap, to be asked what stands at a place in logarithmic time."""

    def __init__(self, spans: Iterable[EntitySpan]) -> None:
        self._spans = sorted(spans, key=lambda span: span.start)
        self._ends = [span.end for span in self._spans]

    def over(self, start: int, end: int) -> EntitySpan | None:
        """Return the first span that shares a character with `start:end`."""
        first = bisect_right(self._ends, start)
        return self._spans[first] if first < len(self._spans) and self._spans[first].start < end else None
