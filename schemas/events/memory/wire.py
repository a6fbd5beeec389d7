"""Records of memory.updates as they are read: each as the type of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from schemas.events.envelope import Marker
from schemas.events.erasure import Erasure
from schemas.events.memory.kinds import (
    Deletion,
    DocumentChunk,
    HabitPattern,
    HotMemory,
    KeptFeedback,
    ProfileNarrative,
    StatementMemory,
    StoreItem,
    TableRow,
    WeeklyReport,
)
from schemas.events.memory.update import MemoryUpdate

BY_KIND: Mapping[str, type[MemoryUpdate]] = {
    "fact": StatementMemory, "preference": StatementMemory, "intent": StatementMemory, "episode": StatementMemory,
    "relation": StatementMemory, "hot": HotMemory, "report": WeeklyReport, "chunk": DocumentChunk, "item": StoreItem,
    "table": TableRow, "pattern": HabitPattern, "profile": ProfileNarrative, "feedback": KeptFeedback,
}  # fmt: skip
"""The type of a record that is not deleted. The kind "rejection" has none: no release has written it."""


def _reader(model: type[MemoryUpdate]) -> Callable[[Mapping[str, Any]], MemoryUpdate]:
    """`model_validate` without its layer of Python: a turn reads tens of records."""
    read: Callable[[Mapping[str, Any]], MemoryUpdate] = TypeAdapter(model).validator.validate_python
    return read


_READ = {kind: _reader(model) for kind, model in BY_KIND.items()}
_DELETION = _reader(Deletion)


def of_its_kind(data: Mapping[str, Any]) -> MemoryUpdate | None:
    """The record as the type of its kind; None where it is refused, or lacks what its kind has, which no writer of ours
    has sent: then the flat form says what it is."""
    kind = data.get("kind")
    read = _DELETION if data.get("op") == "delete" else _READ.get(kind) if isinstance(kind, str) else None
    if read is None:
        return None
    try:
        return read(data)
    except ValidationError:
        return None


def parse(data: Mapping[str, Any]) -> MemoryUpdate:
    """The record as the type of its kind, else as a plain `MemoryUpdate`. Raises ValidationError."""
    typed = of_its_kind(data)
    return MemoryUpdate.model_validate(data) if typed is None else typed


UpdatesEvent = Annotated[MemoryUpdate | Erasure | Marker, Field(discriminator="type")]
"""What is on the wire. A record is read by `of_its_kind`, which knows its type without a union."""
