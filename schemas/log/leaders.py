"""Under which leader (epoch) records came into the log. A log that loses records gets another leader, so an offset and
the epoch of the record before it say for good whether a log still holds what was read of it."""

from __future__ import annotations

from typing import TypeAlias

Place: TypeAlias = tuple[str, int]
"""Topic and partition."""
_SPANS = 64
"""Changes of leader that are remembered of a partition: more than there are between a fetch and its use."""


class LeaderSpans:
    """Of each partition, the offsets from which on its records were written under another leader. One thread may note
    while another asks."""

    def __init__(self) -> None:
        self._of: dict[Place, tuple[tuple[int, int], ...]] = {}

    def note(self, place: Place, offset: int, epoch: int) -> None:
        """A batch of records begins at this offset. A negative epoch is none."""
        before = tuple(span for span in self._of.get(place, ()) if span[0] < offset)
        if before and before[-1][1] == epoch:
            self._of[place] = before
        else:
            self._of[place] = (*before, (offset, epoch))[-_SPANS:]

    def of(self, place: Place, offset: int) -> int | None:
        """The epoch of the record at this offset; None where it is not known."""
        found = next((epoch for first, epoch in reversed(self._of.get(place, ())) if first <= offset), -1)
        return found if found >= 0 else None
