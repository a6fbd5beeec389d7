"""Versions that a record replaced, as rows of the gate's state: they hold again where what replaced them never held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from processors.memory.rows import REPLACED, ReplacedVersions
from processors.memory.rules import MAX_BEFORE
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate

APPLIED_KEPT = timedelta(days=30)
"""How long the gate remembers that it applied a command or feedback: past every redelivery and client retry."""
CHANGED = "changed"
"""Rule of what a free statement changes, without a field that says so."""


class Replaced:
    """Of one user; each row ends APPLIED_KEPT after it was noted."""

    def __init__(self, state: OwnerState) -> None:
        self._rows = state.table(REPLACED)

    def note(self, record_id: str, old: Sequence[MemoryUpdate], now: datetime) -> None:
        """What a record replaced, as it was, beside what it had replaced before; alone where it is a new version of a
        value of its own. The newest MAX_BEFORE are kept."""
        mine = {u.record_id: u for u in old}
        before = [] if record_id in mine else self.by(record_id, now)
        kept = [*(u for u in before if u.record_id not in mine), *mine.values()][-MAX_BEFORE:]
        self._put(record_id, ReplacedVersions.of(kept, now + APPLIED_KEPT))

    def forget(self, record_id: str) -> None:
        """What a record replaced holds again, or never will by it."""
        self._rows.delete(record_id)

    def by(self, record_id: str, now: datetime) -> list[MemoryUpdate]:
        row = self._rows.get(record_id)
        return [] if row is None or row.until <= now else row.updates

    def leave(self, session_id: str) -> None:
        """What was said in a session is erased: what other sessions said stays, should it hold again."""
        for name, row in self._rows.items():
            left = row.without_session(session_id)
            if not left.stored:
                self._rows.delete(name)
            elif len(left.stored) < len(row.stored):
                self._put(name, left)

    def reword(self, new: MemoryUpdate) -> None:
        """A version that was replaced is written anew: should it hold again, it does so in these words."""
        for name, row in self._rows.items():
            held = row.updates
            if all(u.row_key != new.row_key for u in held):
                continue
            words = {"sealed": new.sealed, "model_id": new.model_id}
            reworded = [u.model_copy(update=words) if u.row_key == new.row_key else u for u in held]
            self._put(name, ReplacedVersions.of(reworded, row.until))

    def _put(self, record_id: str, row: ReplacedVersions) -> None:
        self._rows.put(record_id, row, row.until)
