"""When a version that ended was known, as rows of the gate's state. An erasure takes by time, and stores have ended
versions: one that is dated behind the cut-off and ended before the erasure comes has to be named (C9)."""

from __future__ import annotations

from datetime import datetime

from processors.memory.replaced_versions import APPLIED_KEPT
from processors.memory.rows import ENDED_AT
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate


def note(state: OwnerState, closed: MemoryUpdate) -> None:
    """A version ends. Of a record the version that was known last counts; kept longer than an erasure is on its way."""
    known = max(closed.known_at, known_at(state, closed.record_id) or closed.known_at)
    state.table(ENDED_AT).put(closed.record_id, known, known + APPLIED_KEPT)


def known_at(state: OwnerState, record_id: str) -> datetime | None:
    """Of the versions of a record that have ended lately; None where none has."""
    return state.table(ENDED_AT).get(record_id)
