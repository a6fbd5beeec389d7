"""The texts of stored records: where they stand, and the same record with them replaced (rescreen). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from processors.pii.redacted_values import NOTHING, RedactedValues
from processors.pii.redaction import replaced, strings
from schemas.base import JsonObject, JsonValue
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn

Stored = ScreenedTurn | SessionState | Checkpoint | MemoryUpdate | Decision
Path = tuple[str, ...]
_SESSION: tuple[Path, ...] = (
    ("window", "*", "content"), ("window", "*", "speaker"), ("summary",), ("summaries",), ("anchors",),
    ("last_bot_message",), ("global_state",), ("user_snapshot",),
)  # fmt: skip
TEXTS: Mapping[type[Any], tuple[Path, ...]] = {
    ScreenedTurn: (("content",), ("speaker",), ("metadata",), ("existing_info",), ("previous", "*", "1")),
    SessionState: _SESSION,
    Checkpoint: (("summary",),),
    MemoryUpdate: (("text",), ("value",), ("attributes",)),
    Decision: (("text",), ("value",)),
}
"""Where the sealed part of each event holds what people said; all else is ids, times and numbers."""
MADE = {"terms", "embedding", "entities"}
"""What is computed from the texts."""


def sealed_of(event: Stored) -> JsonObject:
    """The sealed part as JSON, without what is computed."""
    found: JsonObject = event.sealed.model_dump(mode="json", exclude=MADE)
    return found


def texts_of(event: Stored) -> list[str]:
    """Every text that policy looks at."""
    out: list[str] = []
    sealed = sealed_of(event)
    for path in _paths(event):
        for found in _at(sealed, path):
            out.extend(strings(found))
    return out


def record_of(event: Stored, redacted: Mapping[str, str], redacted_values: RedactedValues = NOTHING) -> JsonObject:
    """The event as JSON with its texts replaced, for `Amendment.sealed.record`. `redacted_values`: what policy took out
    of it."""
    sealed: JsonValue = sealed_of(event)
    for path in _paths(event):
        sealed = _mapped(sealed, path, lambda value: replaced(value, redacted, redacted_values))
    clear: JsonObject = event.model_dump(mode="json", exclude={"sealed"})
    return {**clear, "sealed": sealed}


def _paths(event: Stored) -> tuple[Path, ...]:
    return next(paths for kind, paths in TEXTS.items() if isinstance(event, kind))


def _at(value: JsonValue, path: Path) -> Iterator[JsonValue]:
    if not path:
        yield value
        return
    head, rest = path[0], path[1:]
    if head == "*":
        for item in value or ():
            yield from _at(item, rest)
    elif isinstance(value, Mapping):
        yield from _at(value.get(head), rest)
    elif isinstance(value, list | tuple) and int(head) < len(value):
        yield from _at(value[int(head)], rest)


def _mapped(value: JsonValue, path: Path, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    if not path:
        return change(value)
    head, rest = path[0], path[1:]
    if head == "*":
        return [_mapped(item, rest, change) for item in value or ()]
    if isinstance(value, Mapping):
        return {k: _mapped(v, rest, change) if k == head else v for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(v, rest, change) if str(i) == head else v for i, v in enumerate(value)]
    return value
