"""Where a record was read in each of its turns, as the gate's rows keep it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from schemas.base import Json, JsonValue
from schemas.events.memory import MAX_SPANS, Span

ReadAt = Mapping[str, tuple[Span, ...]]
"""Turn id -> its spans, at most MAX_SPANS."""


def opened(stored: JsonValue) -> dict[str, tuple[Span, ...]]:
    """Of a row; nothing where a gate of before has written it."""
    return {turn: tuple(Span(start=s, end=e) for s, e in spans) for turn, spans in (stored or {}).items()}


def row_of(places: ReadAt) -> dict[str, Json]:
    return {turn: [[s.start, s.end] for s in spans] for turn, spans in places.items()}


def joined(one: ReadAt, other: ReadAt) -> dict[str, tuple[Span, ...]]:
    return {
        turn: tuple(dict.fromkeys((*one.get(turn, ()), *other.get(turn, ()))))[:MAX_SPANS]
        for turn in dict.fromkeys((*one, *other))
    }


def among(places: ReadAt, turns: Collection[str]) -> dict[str, tuple[Span, ...]]:
    return {turn: spans for turn, spans in places.items() if turn in turns}


def overlap(one: ReadAt, other: ReadAt) -> bool:
    return any(a.overlaps(b) for turn in one.keys() & other.keys() for a in one[turn] for b in other[turn])
