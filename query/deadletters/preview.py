"""A look at a dead letter that shows its form and hides its content. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import orjson

from schemas.log.codec import field_names

MOST_ITEMS = 20
MOST_DEPTH = 8
SKELETON_CHARS = 240
_WORDS = frozenset({"type", "kind", "state", "role", "status", "outcome", "job", "command", "action", "source", "mode"})
_WORD = re.compile(r"[a-z][a-z_]{0,30}\Z")
_TIMES = re.compile(r".+_at\Z|now\Z|valid_from\Z|valid_to\Z")
_NUMBERS = frozenset({"schema_version", "revision", "version", "ordinal", "segment", "profile_version", "tokens"})


def preview(value: bytes | None) -> dict[str, Any]:
    """`form`: null, json or text; `bytes`; and `value`, the JSON with every value masked but type words of the
    schemas, times and counters, or the text's outline (letters a, digits 9, ideographs 文)."""
    if value is None:
        return {"form": "null", "bytes": 0, "value": None}
    try:
        parsed = orjson.loads(value)
    except orjson.JSONDecodeError:
        text = value.decode("utf-8", "replace")
        return {"form": "text", "bytes": len(value), "value": outline(text)}
    return {"form": "json", "bytes": len(value), "value": _masked("", parsed, MOST_DEPTH)}


def outline(text: str) -> str:
    """The text's shape, its first part."""
    cut = text[:SKELETON_CHARS]
    shape = "".join(_shape(c) for c in cut)
    return shape + ("…" if len(text) > SKELETON_CHARS else "")


def _shape(c: str) -> str:
    if c.isspace():
        return " "
    if c.isdigit():
        return "9"
    if c.isalpha():
        return "a" if c < "\u2e80" else "文"
    return c if c.isascii() and c.isprintable() else "?"


def _masked(name: str, value: Any, depth: int) -> Any:
    match value:
        case dict():
            return _object(value, depth)
        case list():
            return _array(name, value, depth)
        case str():
            return value if _plain(name, value) else f"text, {len(value)} characters"
        case bool():
            return "true or false"
        case int():
            return value if name in _NUMBERS else "number"
        case float():
            return "number"
    return None


def _object(value: dict[str, Any], depth: int) -> Any:
    if depth == 0:
        return f"object, {len(value)} fields"
    known = field_names()
    out: dict[str, Any] = {}
    hidden = 0
    for name, item in list(value.items())[: MOST_ITEMS * 2]:
        if name in known:
            out[name] = _masked(name, item, depth - 1)
        else:  # a name that no schema has may be content
            hidden += 1
    hidden += max(0, len(value) - MOST_ITEMS * 2)
    if hidden:
        out["…"] = f"{hidden} more field{'s' if hidden > 1 else ''}"
    return out


def _array(name: str, value: list[Any], depth: int) -> Any:
    if depth == 0:
        return f"array, {len(value)} items"
    shown = [_masked(name, item, depth - 1) for item in value[:MOST_ITEMS]]
    return shown if len(value) <= MOST_ITEMS else [*shown, f"{len(value) - MOST_ITEMS} more"]


def _plain(name: str, value: str) -> bool:
    """Whether a string is a word of the schemas or a time, and no content."""
    if name in _WORDS:
        return bool(_WORD.match(value)) and value in type_words()
    if _TIMES.match(name):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return False
        return True
    return False


def type_words() -> frozenset[str]:
    return field_names() | _ENUM_WORDS


_ENUM_WORDS = frozenset(
    {
        "user", "assistant", "system", "tool", "fact", "preference", "intent", "episode", "relation", "report",
        "active", "observed", "superseded", "refused", "rejected", "deleted", "kept", "merged", "duplicate", "done",
        "failed", "open", "closed", "extraction", "checkpoint", "create", "reset", "close", "patch", "anchors",
    }
)  # fmt: skip
