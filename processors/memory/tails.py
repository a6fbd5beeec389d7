"""Records of a user that are not active any more: a row of the gate's state each, so that the same record can come
back."""

from __future__ import annotations

from collections import Counter

from processors.memory.replaced_versions import CHANGED
from processors.memory.rows import ENDED_COUNTS, TAILS, EndedCounts, Ending, LastVersion, Tail
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate


class Tails:
    """Of one user. `counts`: the index's, by how records ended."""

    def __init__(self, state: OwnerState, counts: Counter[str]) -> None:
        self._rows = state.table(TAILS)
        self._ended = state.single(ENDED_COUNTS)
        self._counts = counts

    @staticmethod
    def counted(state: OwnerState) -> Counter[str]:
        """How many there are by how they ended."""
        return Counter(tail.ending for _, tail in state.table(TAILS).items())

    def get(self, record_id: str) -> Tail | None:
        return self._rows.get(record_id)

    @property
    def floor(self) -> int:
        """A record whose tail is forgotten, or that never was, begins above it."""
        return self._counted_ends().floor

    def put(self, closed: MemoryUpdate, last: LastVersion | None) -> None:
        """A record is not active any more."""
        ends = self._counted_ends()
        by_change = closed.op == "upsert" and closed.reason.rule == CHANGED
        numbers = closed.version, closed.revision, closed.kind
        self._replace(closed.record_id, Tail(*numbers, last, ends.ended, closed.op == "delete", by_change))
        self._ended.put(EndedCounts(ends.ended + 1, ends.floor))

    def move_on(self, record_id: str, revision: int) -> None:
        """An earlier version of a record that is not active is written anew: only the record's counter moves on."""
        if (tail := self.get(record_id)) is not None:
            self._replace(record_id, tail.moved_on(revision))

    def ending(self, record_id: str) -> Ending | None:
        """None where nothing is known of it."""
        tail = self.get(record_id)
        return None if tail is None else tail.ending

    def ended_by_change(self, record_id: str) -> bool:
        tail = self.get(record_id)
        return tail is not None and tail.by_change

    def forget(self, record_id: str) -> None:
        ends, tail = self._counted_ends(), self.get(record_id)
        self._replace(record_id, None)
        self._ended.put(EndedCounts(ends.ended, ends.floor if tail is None else max(ends.floor, tail.revision)))

    def beyond(self, ending: Ending, most: int) -> list[str]:
        """Where more than `most` records ended that way: those that ended longest ago, and a hundredth of the bound
        more, so that they are not looked for at each one."""
        if self._counts[ending] <= most:
            return []
        found = sorted((tail.number, name) for name, tail in self._rows.items() if tail.ending == ending)
        return [name for _, name in found[: len(found) - most + most // 100]]

    def _counted_ends(self) -> EndedCounts:
        return self._ended.get() or EndedCounts()

    def _replace(self, record_id: str, tail: Tail | None) -> None:
        """Keep or forget a tail, and count it."""
        if (old := self.get(record_id)) is not None:
            self._counts[old.ending] -= 1
        if tail is None:
            self._rows.delete(record_id)
            return
        self._counts[tail.ending] += 1
        self._rows.put(record_id, tail)
