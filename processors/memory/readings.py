"""Who read a turn, and what came of it: a row of the gate's state for 30 days, as long as a turn is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from processors.memory.replaced import APPLIED_KEPT
from processors.memory.values import iso
from processors.step import OwnerState
from schemas.base import Json
from schemas.events.memory import MemoryUpdate, Span

RULES = "rules"
_ROW = "x/"


@dataclass(slots=True)
class TurnReading:
    """Of one turn. `versions`: extractor -> its newest version that read it. `spans`: the head span that each of its
    records was read from. `said_too`: extractor -> records of another one's that it says as well."""

    versions: dict[str, int] = field(default_factory=dict)
    spans: dict[str, Span | None] = field(default_factory=dict)
    said_too: dict[str, list[str]] = field(default_factory=dict)

    def others(self, extractor: str) -> bool:
        return any(name != extractor for name in self.versions)

    def says_too(self, record_id: str, extractor: str) -> bool:
        """Does another extractor say a record that `extractor` says no more?"""
        return any(record_id in ids for name, ids in self.said_too.items() if name != extractor)

    def to_row(self, until: datetime) -> Json:
        spans: dict[str, Json] = {r: None if s is None else [s.start, s.end] for r, s in self.spans.items()}
        row: dict[str, Json] = {"by": dict(self.versions), "until": iso(until)}
        if spans:
            row["spans"] = spans
        if self.said_too:
            row["too"] = {name: list(ids) for name, ids in self.said_too.items()}
        return row

    @staticmethod
    def of_row(row: Mapping[str, Any] | list[Any]) -> TurnReading:
        if isinstance(row, list):  # before a second reading could follow: [extractor, version, until]
            return TurnReading({str(row[0]): int(row[1])})
        spans = {r: None if s is None else Span(start=s[0], end=s[1]) for r, s in row.get("spans", {}).items()}
        return TurnReading(dict(row["by"]), spans, {name: list(ids) for name, ids in row.get("too", {}).items()})


class Readings:
    """Of one user's turns."""

    def __init__(self, state: OwnerState) -> None:
        self._state = state

    def of(self, turn_id: str, now: datetime) -> TurnReading | None:
        row = self._state.get(_ROW + turn_id)
        if not isinstance(row, list | dict):
            return None
        until = row[2] if isinstance(row, list) else row["until"]
        return TurnReading.of_row(row) if str(until) > iso(now) else None

    def note(self, turn_id: str, reading: TurnReading, now: datetime) -> None:
        until = now + APPLIED_KEPT
        self._state.put(_ROW + turn_id, reading.to_row(until), until)


def made_by(u: MemoryUpdate) -> str:
    """The extractor that read a record, without its version; `command` for a caller's own."""
    return (u.extractor or "").partition("@")[0]


def of_people(u: MemoryUpdate) -> bool:
    """The user wrote, corrected, confirmed or judged it."""
    return made_by(u) == "command" or u.source == "confirmed" or u.reason.gate in ("command", "feedback")
