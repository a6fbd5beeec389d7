"""A record of each kind: what it has for certain, of the fields that all kinds have on the wire.

`wire.parse` reads a record as the type of its kind, and a type dumps to the fields of `MemoryUpdate`. A consumer
matches on the type; a builder names the type, so what a kind must have cannot be left out.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.base import CleanText, Id
from schemas.events.memory.common import CandidateKind
from schemas.events.memory.update import MemoryUpdate

HotType: TypeAlias = Literal["meta", "status", "decision", "preference"]


class StatementMemory(MemoryUpdate):
    """A statement about a user: said in a turn, remembered by a caller, or learned from feedback."""

    op: Literal["upsert"] = "upsert"
    kind: CandidateKind


class HotMemory(MemoryUpdate):
    """An entry of a project's hot memory, or what talk says instead of one."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["hot"] = "hot"
    project_id: Id
    category: HotType
    """The type of the entry."""
    key: CleanText


class WeeklyReport(MemoryUpdate):
    """A project's report on one week."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["report"] = "report"
    project_id: Id
    key: CleanText
    """The Monday of its week, as an ISO date."""


class DocumentChunk(MemoryUpdate):
    """A part of one version of a document."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["chunk"] = "chunk"
    key: CleanText
    """The version of the document."""


class StoreItem(MemoryUpdate):
    """An item that a caller put into the store, or the store's view of a table's row."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["item"] = "item"
    user_id: Id


class TableRow(MemoryUpdate):
    """A row of one of the profile's tables."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["table"] = "table"
    user_id: Id
    category: CleanText
    """The table."""
    key: CleanText


class HabitPattern(MemoryUpdate):
    """A habit that was found in what a user does."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["pattern"] = "pattern"
    user_id: Id
    category: CleanText
    """What the habit is about."""
    key: CleanText


class ProfileNarrative(MemoryUpdate):
    """A user's profile in words."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["profile"] = "profile"
    user_id: Id
    key: CleanText


class KeptFeedback(MemoryUpdate):
    """Feedback as it was given."""

    op: Literal["upsert"] = "upsert"
    kind: Literal["feedback"] = "feedback"
    user_id: Id
    category: CleanText
    """What it is about."""
    key: CleanText
    """Its `feedback_id`."""


class Deletion(MemoryUpdate):
    """The marker of a deletion, of any kind: numbers and reason, and what the last version of the record said of its
    place, as far as the writer still knew it."""

    op: Literal["delete"] = "delete"
