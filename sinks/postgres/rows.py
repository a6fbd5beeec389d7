"""Events to rows: JSON objects by column name, bytes as base64, times as RFC 3339."""

from __future__ import annotations

import base64
from typing import Any

from schemas.base import Frozen
from schemas.events.envelope import Envelope
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Event, parsed
from schemas.security.sealed_rows import SealedPart, Seals
from sinks.postgres.tables import CHECKPOINTS, DECISIONS, MEMORIES, SESSIONS, TURNS, Table
from sinks.protocol import Item, Tombstone, kept_sealed

Row = dict[str, Any]


def _own(table: Table, model: type[Frozen]) -> tuple[str, ...]:
    """Columns that are fields of the event as they are; the column `sealed` is not the event's opened part."""
    return tuple(n for n, _ in table.columns if n in model.model_fields and n != "sealed")


_TURN = _own(TURNS, ScreenedTurn)
_MEMORY = _own(MEMORIES, MemoryUpdate)
_DECISION = _own(DECISIONS, Decision)
_SESSION = _own(SESSIONS, SessionState)
_CHECKPOINT = _own(CHECKPOINTS, Checkpoint)
_EMPTY: dict[Table, Row] = {
    TURNS: {"speaker": None, "content": "", "metadata": {}, "terms": (), "embedding": "", "originals": None},
    MEMORIES: {"text": "", "value": None, "attributes": {}, "terms": (), "embedding": ""},
    DECISIONS: {"text": "", "value": None},
    SESSIONS: {"body": {}},
    CHECKPOINTS: {"summary": ""},
}
"""What the columns of text hold where the row is sealed (C7)."""


def row_of(item: Item, seals: Seals) -> tuple[Table, Row] | None:
    """The same of a record as it came. A key of hot memory may be what was said: it stands where the log has it."""
    if isinstance(item.event, Tombstone):
        return None
    sealed = kept_sealed(item, seals)
    found = row(item.event, sealed)
    if found is None or "sealed" not in found[1] or found[1].get("kind") != "hot":
        return found
    return found if "key" in parsed(item.message.value) else (found[0], {**found[1], "key": None})


def row(event: Event, sealed: SealedPart | None = None) -> tuple[Table, Row] | None:
    """The table and row of an event; None for what has none (commands, ticks, markers). `sealed`: its text as the log
    holds it, where the store is to read none of it."""
    found = _clear(event)
    if found is None or sealed is None or found[1].get("deleted"):
        return found
    table, values = found
    return table, {**values, **_EMPTY[table], "sealed": sealed, "sealed_for": _sealed_for(event)}


def _sealed_for(event: Event) -> str:
    assert isinstance(event, Envelope)  # noqa: S101 - what has a row has an owner
    return event.sealed_for.key


def _clear(event: Event) -> tuple[Table, Row] | None:
    match event:
        case ScreenedTurn():
            return TURNS, _turn(event)
        case MemoryUpdate():
            return MEMORIES, _memory(event)
        case Decision():
            return DECISIONS, _decision(event)
        case SessionState():
            body = event.sealed.model_dump(mode="json")
            return SESSIONS, {**{n: getattr(event, n) for n in _SESSION}, "body": body}
        case Checkpoint():
            return CHECKPOINTS, {**{n: getattr(event, n) for n in _CHECKPOINT}, "summary": event.sealed.summary}
        case _:
            return None


def _turn(e: ScreenedTurn) -> Row:
    b = e.sealed
    return {
        **{n: getattr(e, n) for n in _TURN},
        "speaker": b.speaker,
        "content": b.content,
        "metadata": b.metadata,
        "terms": b.terms,
        "embedding": _base64(b.embedding),
        "originals": None if b.originals is None else [o.model_dump() for o in b.originals],
    }


def _memory(e: MemoryUpdate) -> Row:
    """A deletion keeps ids, kind, times and revision; whatever content the event still carries stays out."""
    b, is_deleted = e.sealed, e.op == "delete"
    return {
        **{n: getattr(e, n) for n in _MEMORY},
        "confidence": str(e.confidence),
        "reason": e.reason.model_dump(mode="json"),
        "sources": [] if is_deleted else [s.model_dump(mode="json") for s in e.sources],
        "text": "" if is_deleted else b.text,
        "value": None if is_deleted else b.value,
        "attributes": {} if is_deleted else b.attributes,
        "terms": () if is_deleted else b.terms,
        "embedding": "" if is_deleted else _base64(b.embedding),
        "deleted": is_deleted,
    }


def _decision(e: Decision) -> Row:
    r = e.reason
    return {
        **{n: getattr(e, n) for n in _DECISION},
        "text": e.sealed.text,
        "value": e.sealed.value,
        "outcome": r.outcome,
        "gate": r.gate,
        "rule": r.rule,
        "score": r.score,
    }


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
