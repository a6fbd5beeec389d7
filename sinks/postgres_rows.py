"""Events to rows: JSON objects by column name, bytes as base64, times as RFC 3339."""

from __future__ import annotations

import base64
from typing import Any

from schemas.codec import Event
from schemas.memory import Decision, MemoryUpdate
from schemas.sessions import Checkpoint, SessionState
from schemas.turns import ScreenedTurn
from sinks.postgres_tables import CHECKPOINTS, DECISIONS, MEMORIES, SESSIONS, TURNS, Table

Row = dict[str, Any]

_TURN = tuple(n for n, _ in TURNS.columns if n in ScreenedTurn.model_fields)
_MEMORY = tuple(n for n, _ in MEMORIES.columns if n in MemoryUpdate.model_fields)
_DECISION = tuple(n for n, _ in DECISIONS.columns if n in Decision.model_fields)
_SESSION = tuple(n for n, _ in SESSIONS.columns if n in SessionState.model_fields)
_CHECKPOINT = tuple(n for n, _ in CHECKPOINTS.columns if n in Checkpoint.model_fields)


def row(event: Event) -> tuple[Table, Row] | None:
    """The table and row of an event; None for what has none (commands, ticks, markers)."""
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
    }


def _memory(e: MemoryUpdate) -> Row:
    """A deletion keeps ids, kind, times and revision; whatever content the event still carries stays out."""
    b, gone = e.sealed, e.op == "delete"
    return {
        **{n: getattr(e, n) for n in _MEMORY},
        "confidence": str(e.confidence),
        "reason": e.reason.model_dump(mode="json"),
        "sources": [] if gone else [s.model_dump(mode="json") for s in e.sources],
        "text": "" if gone else b.text,
        "value": None if gone else b.value,
        "attributes": {} if gone else b.attributes,
        "terms": () if gone else b.terms,
        "embedding": "" if gone else _base64(b.embedding),
        "deleted": gone,
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
