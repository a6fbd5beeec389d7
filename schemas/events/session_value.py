"""A session in the shape that callers read (E1): made here once, so that Redis and Postgres serve the same JSON.

The free parts' empty shape (what a caller finds before anybody wrote it) is data: `session_value.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson

from schemas.events.sessions import SessionState
from schemas.security.sealed_rows import SealedPart, in_order

HISTORY_MESSAGES = 20
"""Longest list at wm:history (D6)."""


_CLEAR = (
    "session_id", "user_id", "revision", "status", "mode", "checkpoint_message_id", "turn_count", "current_agent_key",
)  # fmt: skip
"""Columns, beside its time and body, that a session's value is made of."""


@lru_cache(maxsize=1)
def _template() -> bytes:
    return files("schemas.events").joinpath("session_value.json").read_bytes()


def session_value(state: SessionState) -> dict[str, Any]:
    """The whole value of a session."""
    row = {name: getattr(state, name) for name in SessionState.model_fields if name != "sealed"}
    return value_of_row({**row, "body": state.sealed.model_dump(mode="json")})


def value_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same from a row of the table `sessions`: its columns, `updated_at` as datetime, `body` as a dict."""
    body: Mapping[str, Any] = row["body"]
    updated: datetime = row["updated_at"]
    empty = orjson.loads(_template())
    checkpoint = row["checkpoint_message_id"] or ""
    summary = body.get("summary", "")
    return {
        "meta": {
            "conversation_id": row["session_id"],
            "user_id": row["user_id"],
            "updated_at": int(updated.timestamp()),
        },
        "flow_context": {
            "current_agent_key": row["current_agent_key"] or "",
            "last_bot_message": body.get("last_bot_message", ""),
            "turn_count": row["turn_count"],
        },
        "message_context": {
            "summary": summary,
            "window_messages": [_message(m) for m in body.get("window", ())],
            "mode": row["mode"],
            "checkpoint_message_id": checkpoint,
            "cached_checkpoint": summary if checkpoint else "",
        },
        "global_state": {**empty["global_state"], **body.get("global_state", {})},
        "user_snapshot": {**empty["user_snapshot"], "user_id": row["user_id"], **body.get("user_snapshot", {})},
        "anchors": body.get("anchors", {}),
        "status": row["status"],
        "revision": row["revision"],
    }


def sealed_value(state: SessionState, sealed: SealedPart) -> dict[str, Any]:
    """What Redis holds of a sealed session (C7): the clear columns of its row, and its body as the log holds it."""
    row = {name: getattr(state, name) for name in _CLEAR}
    at = state.updated_at.astimezone(UTC).isoformat()
    return {**row, "updated_at": at, "body": {}, "sealed": in_order(sealed), "sealed_for": state.sealed_for.key}


def row_of_sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """The row again, its body to be opened."""
    return {**value, "updated_at": datetime.fromisoformat(value["updated_at"])}


def _message(m: Mapping[str, Any]) -> dict[str, Any]:
    """The seed's two keys, and who spoke where the turn says so."""
    named = {"speaker": m["speaker"]} if m.get("speaker") else {}
    return {"role": m["role"], "content": m["content"], **named}


def history_list(state: SessionState) -> list[dict[str, Any]]:
    """`wm:history`: the newest 20 messages, newest first (D6)."""
    return [
        {
            **_message({"role": m.role, "content": m.content, "speaker": m.speaker}),
            "timestamp": m.timestamp.isoformat().replace("+00:00", "Z"),
        }
        for m in reversed(state.sealed.window[-HISTORY_MESSAGES:])
    ]
