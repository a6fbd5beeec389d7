"""How sure the gate is of what is said again: by another turn, or by a newer extractor of the same one (D4)."""

from __future__ import annotations

from collections.abc import Mapping

from processors.memory.emit import Changes, because
from processors.memory.low_readings import SAID_AGAIN, is_doubted
from processors.memory.rules import EXPLICIT, readable
from schemas.base import JsonValue
from schemas.events.memory import LOW_READING, Candidate, MemoryBody, MemoryUpdate, Source

_IMPLIED = "implied"
_MOVED = "moved"


def implies(spoken: Candidate | MemoryBody) -> bool:
    """Is its value only likely, from what was said of something else ("I work in York", of the home)?"""
    return bool(spoken.attributes.get(_IMPLIED))


def has_moved(c: Candidate) -> bool:
    """Does it say that somebody has moved? Then what was likely of the place before ("I work in York") ends with it."""
    return bool(c.attributes.get(_MOVED))


def without_mark(attributes: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in attributes.items() if name != _IMPLIED}


def without_field(c: Candidate) -> Candidate:
    """The statement alone, with no value of a field."""
    attributes = without_mark(c.attributes)
    return c.model_copy(update={"field": None, "fields": (), "value": None, "hot": None, "attributes": attributes})


def surer(c: Candidate, twin: MemoryUpdate) -> bool:
    return c.source == "explicit" and (twin.source == "inferred" or c.confidence > twin.confidence)


def less_sure(c: Candidate, twin: MemoryUpdate) -> bool:
    return c.confidence < twin.confidence or (c.source == "inferred" and twin.source == "explicit")


def is_confirmed(c: Candidate, twin: MemoryUpdate) -> bool:
    """Read low in two turns: what is said twice is meant."""
    return is_doubted(twin) and c.low_reading is not None


def raised(twin: MemoryUpdate, c: Candidate, *, again: bool) -> Changes:
    """Said outright, or twice: an inferred record is confirmed where it was said `again` by another turn, one that was
    doubted is believed again."""
    highest = max(twin.confidence, EXPLICIT if is_confirmed(c, twin) else c.confidence)
    source: Source = "confirmed" if again else "explicit"
    sure: Changes = {"source": source if twin.source == "inferred" else twin.source, "confidence": highest}
    if not readable(highest):
        return {**sure, "state": "observed"}
    waited = is_doubted(twin)
    reason = because("kept", "dedupe", SAID_AGAIN if again else "restated") if waited else twin.reason
    return {**sure, "state": "active", "reason": reason}


def lowered(c: Candidate) -> Changes:
    """Nothing else said it: it is as sure as the newer reading, and observed where that is not sure enough."""
    sure: Changes = {"source": c.source, "confidence": c.confidence}
    if readable(c.confidence):
        return sure
    rule = "less_sure" if c.low_reading is None else LOW_READING
    return {**sure, "state": "observed", "reason": because("observed", "confidence", rule, c.low_reading)}


def no_surer(new: MemoryUpdate, old: MemoryUpdate) -> Changes:
    """Other words of a record make it no surer: what waits to be said again waits on."""
    sure: Changes = {"confidence": min(new.confidence, old.confidence)}
    if readable(sure["confidence"]):
        return {**sure, "state": "active"}
    return {**sure, "state": "observed", "reason": old.reason if is_doubted(old) else new.reason}
