"""What is only observed for its low reading: the same, said in another turn at any time while it waits, lifts it.

Near-duplicates are looked for among what was said within 7 days (D3); what waits to be said again waits longer.
"""

from __future__ import annotations

from collections.abc import Collection

from processors.memory.changes.nearest import NearestStanding
from schemas.events.memory import LOW_READING, MemoryUpdate

SAID_AGAIN = "said_again"
"""Rule of what had a low reading until another turn said it, too."""


def is_doubted(u: MemoryUpdate) -> bool:
    """Is it only observed, for its low reading?"""
    return u.state == "observed" and u.reason.rule == LOW_READING


class Doubted:
    """Those of one user, whatever the order in which they came: 1.2 kB each."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[str, str | None]] = {}
        self._near: NearestStanding | None = None

    def put(self, u: MemoryUpdate, dims: int) -> None:
        """`dims`: of the user's embeddings."""
        self._near = self._near or NearestStanding(dims)
        self._places[u.record_id] = u.kind, u.project_id
        self._near.put(u.record_id, u.sealed.embedding)

    def remove(self, record_id: str) -> None:
        if self._places.pop(record_id, None) is not None and self._near is not None:
            self._near.remove(record_id)

    def near(self, embedding: bytes, kind: str, project: str | None, most: int, besides: Collection[str]) -> list[str]:
        """The nearest `most` of a kind and project, but for `besides`, the nearest first."""
        if self._near is None:
            return []

        def takes(record_id: str) -> bool:
            return record_id not in besides and self._places[record_id] == (kind, project)

        return self._near.to(embedding, takes, most)
