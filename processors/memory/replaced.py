"""Versions that a record replaced, as rows of the gate's state: they hold again where what replaced them never held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

import orjson

from processors.memory.rules import MAX_BEFORE
from processors.memory.values import iso
from processors.step import OwnerState
from schemas.base import Json
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec

APPLIED_KEPT = timedelta(days=30)
"""How long the gate remembers that it applied a command or feedback: past every redelivery and client retry."""
CHANGED = "changed"
"""Rule of what a free statement changes, without a field that says so."""
_ROW = "p/"
_PLAIN = Codec()


def row_of(update: MemoryUpdate) -> Any:
    return orjson.loads(_PLAIN.value(update))


def opened(row: dict[str, Any]) -> MemoryUpdate:
    return cast(MemoryUpdate, _PLAIN.event(topics.UPDATES.name, row))


class Replaced:
    """Of one user; each row ends APPLIED_KEPT after it was noted."""

    def __init__(self, state: OwnerState) -> None:
        self._state = state

    def note(self, record_id: str, old: Sequence[MemoryUpdate], now: datetime) -> None:
        """What a record replaced, as it was, beside what it had replaced before; alone where it is a new version of a
        value of its own. The newest MAX_BEFORE are kept."""
        mine = {u.record_id: u for u in old}
        before = [] if record_id in mine else self.by(record_id, now)
        kept = [*(u for u in before if u.record_id not in mine), *mine.values()][-MAX_BEFORE:]
        until = now + APPLIED_KEPT
        rows: Json = {"until": iso(until), "old": [row_of(u) for u in kept]}
        self._state.put(_ROW + record_id, rows, until)

    def forget(self, record_id: str) -> None:
        """What a record replaced holds again, or never will by it."""
        self._state.delete(_ROW + record_id)

    def by(self, record_id: str, now: datetime) -> list[MemoryUpdate]:
        row = self._state.get(_ROW + record_id)
        if not isinstance(row, dict) or str(row["until"]) <= iso(now):
            return []
        return [opened(u) for u in row["old"]]

    def leave(self, session_id: str) -> None:
        """What was said in a session is erased: what other sessions said stays, should it hold again."""
        for key, raw in list(self._state.items(_ROW)):
            row = cast(dict[str, Any], raw)
            old = [u for u in row["old"] if u.get("session_id") != session_id]
            if not old:
                self._state.delete(key)
            elif len(old) < len(row["old"]):
                self._state.put(key, {**row, "old": old}, datetime.fromisoformat(row["until"]))

    def reword(self, new: MemoryUpdate) -> None:
        """A version that was replaced is written anew: should it hold again, it does so in these words."""
        for key, raw in list(self._state.items(_ROW)):
            row = cast(dict[str, Any], raw)
            held = [opened(u) for u in row["old"]]
            if all(u.row_key != new.row_key for u in held):
                continue
            said = {"sealed": new.sealed, "model_id": new.model_id}
            old = [row_of(u.model_copy(update=said) if u.row_key == new.row_key else u) for u in held]
            self._state.put(key, {**row, "old": old}, datetime.fromisoformat(row["until"]))
