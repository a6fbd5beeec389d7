"""How Milvus keeps the records of the log."""

from __future__ import annotations

from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Event
from sinks.held import Held, held
from sinks.milvus.rows import is_held, key


def in_milvus(event: Event) -> Held | None:
    match event:
        case ScreenedTurn():
            return held("turns", event, key(event), until=event.expires_at, held=is_held(event))
        case MemoryUpdate():
            return held("memories", event, key(event), held=is_held(event), marked=event.op == "delete")
    return None
