"""Which entries of projects' hot memory a record of a user has written."""

from __future__ import annotations

from processors.memory.rows import HOT_OF_RECORD, InHot
from processors.step import OwnerState

_MOST = 20


class HotEntries:
    """Of one user: the newest `_MOST` entries of each record."""

    def __init__(self, state: OwnerState) -> None:
        self._rows = state.table(HOT_OF_RECORD)

    def of(self, record_id: str) -> tuple[InHot, ...]:
        """The entries that a record has written, the newest last."""
        return self._rows.get(record_id) or ()

    def note(self, record_id: str, entry: InHot) -> None:
        held = self.of(record_id)
        if entry not in held:
            self._rows.put(record_id, (*held, entry)[-_MOST:])

    def forget(self, record_id: str) -> None:
        self._rows.delete(record_id)
