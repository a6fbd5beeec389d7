"""Who read a turn, and what came of it: a row of the gate's state for 30 days, as long as a turn is kept."""

from __future__ import annotations

from datetime import datetime

from processors.memory.replaced_versions import APPLIED_KEPT
from processors.memory.rows import READINGS, KeptReading, TurnReading
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate

RULES = "rules"
_APPROVED = frozenset({"adopted", "rating_good"})
"""Rules of feedback that says a memory is right."""


class Readings:
    """Of one user's turns."""

    def __init__(self, state: OwnerState) -> None:
        self._rows = state.table(READINGS)

    def of(self, turn_id: str, now: datetime) -> TurnReading | None:
        kept = self._rows.get(turn_id)
        return None if kept is None or kept.until <= now else kept.reading

    def note(self, turn_id: str, reading: TurnReading, now: datetime) -> None:
        until = now + APPLIED_KEPT
        self._rows.put(turn_id, KeptReading(reading, until), until)


def made_by(u: MemoryUpdate) -> str:
    """The extractor that read a record, without its version; `command` for a caller's own."""
    return (u.extractor or "").partition("@")[0]


def of_people(u: MemoryUpdate) -> bool:
    """The user wrote, corrected, confirmed or judged it."""
    return made_by(u) == "command" or u.source == "confirmed" or u.reason.gate in ("command", "feedback")


def confirmed_by_people(u: MemoryUpdate) -> bool:
    """The user wrote, corrected or confirmed it: another reading of its turn neither takes it back nor replaces it."""
    if made_by(u) == "command" or u.source == "confirmed" or u.reason.gate == "command":
        return True
    return u.reason.gate == "feedback" and u.reason.rule in _APPROVED
