"""How sure the gate is of what is said again: by another turn, or by a newer extractor of the same one (D4)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from processors.memory.emit import because
from processors.memory.rules import readable
from processors.reader.rules.protocol import values_of
from schemas.events.memory import LOW_READING, Candidate, MemoryUpdate, Source


def firmer(c: Candidate, twin: MemoryUpdate) -> bool:
    """Said outright, what was only likely so far ("I live in York" after "I work in York") stands as said. What holds
    more than its field is not reworded."""
    implied = bool(twin.sealed.attributes.get("implied"))
    return implied and not c.attributes.get("implied") and c.source == "explicit" and len(values_of(c)) == 1


def surer(c: Candidate, twin: MemoryUpdate) -> bool:
    return c.source == "explicit" and (twin.source == "inferred" or c.confidence > twin.confidence)


def less_sure(c: Candidate, twin: MemoryUpdate) -> bool:
    return c.confidence < twin.confidence or (c.source == "inferred" and twin.source == "explicit")


def raised(twin: MemoryUpdate, confidence: Decimal, *, again: bool) -> dict[str, Any]:
    """Said outright: an inferred record is confirmed where it was said `again` by another turn, one that was doubted is
    believed again."""
    highest = max(twin.confidence, confidence)
    said: Source = "confirmed" if again else "explicit"
    source = said if twin.source == "inferred" else twin.source
    return {"source": source, "confidence": highest, "state": "active" if readable(highest) else "observed"}


def lowered(c: Candidate) -> dict[str, Any]:
    """Nothing else said it: it is as sure as the newer reading, and observed where that is not sure enough."""
    sure: dict[str, Any] = {"source": c.source, "confidence": c.confidence}
    if readable(c.confidence):
        return sure
    rule = "less_sure" if c.low_reading is None else LOW_READING
    return {**sure, "state": "observed", "reason": because("observed", "confidence", rule, c.low_reading)}
