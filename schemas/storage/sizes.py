"""How large a caller's own value may be: every text in it is looked through for what policy masks, and a step takes
its records one after the other, so one of a megabyte would hold up everybody behind it."""

from __future__ import annotations

import orjson

from schemas.events.documents import ProjectCommand
from schemas.events.memory import Feedback, MemoryCommand
from schemas.events.turns import MAX_METADATA_BYTES

MAX_VALUE_BYTES = MAX_METADATA_BYTES
TOO_LARGE = f"must not pass {MAX_VALUE_BYTES} bytes of JSON"


def outgrown_value(event: object) -> str | None:
    """The part of a caller's write that is too large: its name; None of what fits, and of other events."""
    match event:
        case MemoryCommand() | ProjectCommand():
            name, value = "value", event.sealed.value
        case Feedback():
            name, value = "traits", event.sealed.traits
        case _:
            return None
    return name if value and len(orjson.dumps(value)) > MAX_VALUE_BYTES else None
