"""Trace context as it travels (W3C), and spans as plain values: who works makes them, who wires exports them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from schemas.log.codec import Headers, header

TRACEPARENT = "traceparent"
_FORM = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})\Z")
Random = Callable[[int], bytes]
"""So many random bytes."""
Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class TraceContext:
    """One span's place: ids as numbers, never zero."""

    trace_id: int
    span_id: int
    sampled: bool = True

    def child(self, random: Random) -> TraceContext:
        return TraceContext(self.trace_id, _number(random, 8), self.sampled)

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{int(self.sampled):02x}"


def begin(random: Random, sampled: bool = True) -> TraceContext:
    """A trace of its own."""
    return TraceContext(_number(random, 16), _number(random, 8), sampled)


def parse(text: str | None) -> TraceContext | None:
    """None for what is no trace context: callers' headers are not trusted."""
    found = _FORM.match((text or "").strip().lower())
    if found is None:
        return None
    trace_id, span_id = int(found[1], 16), int(found[2], 16)
    return TraceContext(trace_id, span_id, bool(int(found[3], 16) & 1)) if trace_id and span_id else None


def context_of(headers: Headers) -> TraceContext | None:
    """Of a record; None where it has none, or it is not sampled."""
    raw = header(headers, TRACEPARENT)
    found = parse(raw.decode("ascii", "replace")) if raw is not None else None
    return found if found is not None and found.sampled else None


@dataclass(frozen=True, slots=True)
class Span:
    """A finished piece of work. Times in nanoseconds since 1970; attributes hold no content and nobody's id."""

    name: str
    kind: Literal["server", "client", "producer", "consumer"]
    context: TraceContext
    parent: TraceContext | None
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value] = field(default_factory=dict)
    error: str | None = None


class Spans(Protocol):
    """Where finished spans go. Never blocks, never raises."""

    def export(self, spans: Sequence[Span]) -> None: ...


def _number(random: Random, size: int) -> int:
    while not (n := int.from_bytes(random(size), "big")):
        pass
    return n
