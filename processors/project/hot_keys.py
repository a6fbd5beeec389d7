"""How many keys a project's hot memory may have (A3), and which one leaves where there is no room. Pure.

State: one row a project, `INDEX`, with priority, time and revision of each active key. A new key beyond `MOST` takes
the place of the one of lowest priority, of those the longest unchanged; where all stand above it, it is refused.
"""

from __future__ import annotations

from processors.memory.values import iso
from processors.project.rows import HOT_INDEX, HotIndex, HotIndexEntry
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate

MOST = 500
INDEX = HOT_INDEX.key


class HotKeys:
    """Of one project. Keys are names of state rows: `hot/TYPE/KEY`."""

    def __init__(self, rows: OwnerState) -> None:
        self._row = rows.single(HOT_INDEX)
        self._held = self._row.get() or HotIndex({})

    def in_the_way(self, row: str, priority: int) -> str | None:
        """The row that has to leave before a new one comes in; the row itself where it has to stay out."""
        if row in self._held or len(self._held) < MOST:
            return None
        least = min(self._held, key=lambda r: (self._held[r].priority, self._held[r].occurred_at, r))
        return least if self._held[least].priority <= priority else row

    def all(self) -> list[str]:
        return sorted(self._held)

    def revision(self, row: str) -> int:
        return self._held[row].revision

    def set_current(self, row: str, u: MemoryUpdate) -> None:
        self._put(self._held.having(row, HotIndexEntry(u.priority, iso(u.occurred_at), u.revision)))

    def leaves(self, row: str) -> None:
        if row in self._held:
            self._put(self._held.without(row))

    def _put(self, held: HotIndex) -> None:
        self._held = held
        self._row.put(held)
