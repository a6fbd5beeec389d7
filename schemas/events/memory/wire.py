"""Records of memory.updates as they are read: each as the type of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

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

BY_KIND: Mapping[object, type[MemoryUpdate]] = {
    "fact": StatementMemory, "preference": StatementMemory, "intent": StatementMemory, "episode": StatementMemory,
    "relation": StatementMemory, "hot": HotMemory, "report": WeeklyReport, "chunk": DocumentChunk, "item": StoreItem,
    "table": TableRow, "pattern": HabitPattern, "profile": ProfileNarrative, "feedback": KeptFeedback,
}  # fmt: skip
"""The type of a record that is not deleted. The kind "rejection" has none: no release has written it."""


def parse(data: Mapping[str, Any]) -> MemoryUpdate:
    """The record as the type of its kind; as a plain `MemoryUpdate` where it lacks what its kind has, which no writer
    of ours has sent. Raises ValidationError."""
    kind = data.get("kind")
    model = Deletion if data.get("op") == "delete" else BY_KIND.get(kind if isinstance(kind, str) else None)
    if model is not None:
        try:
            return model.model_validate(data)
        except ValidationError:
            pass  # it is refused in the words of the flat form, or read as such
    return MemoryUpdate.model_validate(data)


def _of_its_kind(data: Any, flat: ValidatorFunctionWrapHandler) -> MemoryUpdate:
    if isinstance(data, dict):
        return parse(data)
    read: MemoryUpdate = flat(data)
    return read


ReadUpdate: TypeAlias = Annotated[MemoryUpdate, WrapValidator(_of_its_kind)]
UpdatesEvent = Annotated[ReadUpdate | Erasure | Marker, Field(discriminator="type")]
