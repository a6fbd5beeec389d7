"""Store items (C1): which text of a value is searched, when it was first put, and how reading renews its time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from processors.memory.emit import because, changed
from schemas.base import JsonValue
from schemas.events.memory import MemoryCommand, MemoryUpdate, StoreItem

MAX_CHARS = 8_000
"""Text of one value that is encoded; the rest of a longer one is read, not found."""
_LIVES = "lives_until"
_STEP = re.compile(r"\{[^{}]*\}|[^.\[\]{}]+|\[(?:-?\d+|\*)\]")


def searched_text(command: MemoryCommand, value: JsonValue) -> str:
    """What a search finds the item by: the whole value, the fields that `index` names (LangGraph's paths: `a.b`,
    `tags[*]`, `list[0].name`, `{title,author.name}`, `$`), or nothing where it is False."""
    if command.index is False:
        return ""
    if command.index is None or command.index is True or "$" in command.index:
        return whole_text(value)
    found = (line for path in command.index for node in at_path(value, path) for line in _leaves(node))
    return "\n".join(found)[:MAX_CHARS]


def whole_text(value: JsonValue) -> str:
    """What an item is found by whose whole value is searched."""
    return "\n".join(_leaves(value))[:MAX_CHARS]


def at_path(value: JsonValue, path: str) -> list[JsonValue]:
    """The nodes at a path; none where it leads nowhere."""
    nodes = [value]
    for step in _STEP.findall(path):
        nodes = [found for node in nodes for found in _child(node, step)]
    return nodes


def _child(node: JsonValue, step: str) -> Sequence[JsonValue]:
    if step.startswith("{"):
        return [found for path in step[1:-1].split(",") for found in at_path(node, path.strip()) if path.strip()]
    if not step.startswith("["):
        if step == "*":
            return list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
        return [node[step]] if isinstance(node, dict) and step in node else []
    if not isinstance(node, list):
        return []
    if step == "[*]":
        return node
    place = int(step[1:-1])
    return [node[place]] if -len(node) <= place < len(node) else []


def _leaves(value: JsonValue, name: str = "") -> Iterator[str]:
    """A line a leaf, named by its key: "language: zh-CN"."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and value != "":
        yield f"{name}: {value}" if name else str(value)


def first_put(existing: MemoryUpdate | None, at: datetime) -> str:
    """When the item was first put, kept over every later put."""
    if existing is None or _over(existing, at):
        return at.isoformat()
    return str(existing.sealed.attributes.get("created_at") or existing.known_at.isoformat())


def lives_until(item: MemoryUpdate) -> datetime | None:
    """The end of its time to live, None where it has none. Of an item that was put before this was kept, its end: no
    class of retention outlives it."""
    attributes = item.sealed.attributes
    if _LIVES not in attributes:
        return item.expires_at
    return None if attributes[_LIVES] is None else datetime.fromisoformat(str(attributes[_LIVES]))


def living(item: StoreItem) -> StoreItem:
    """The item as its time to live ends it, which stays with it whatever its class says."""
    until = None if item.expires_at is None else item.expires_at.isoformat()
    attributes = {**item.sealed.attributes, _LIVES: until}
    return item.model_copy(update={"sealed": item.sealed.model_copy(update={"attributes": attributes})})


def touched(existing: StoreItem, at: datetime) -> StoreItem | None:
    """The item with its time renewed from now on; None where it has none, or it has run out."""
    until = lives_until(existing)
    if until is None or _over(existing, at) or at <= existing.last_accessed_at:
        return None
    reason = because("kept", "command", "touched")
    lives = at + (until - existing.last_accessed_at)
    return living(changed(existing, last_accessed_at=at, expires_at=lives, reason=reason))


def _over(existing: MemoryUpdate, at: datetime) -> bool:
    return existing.expires_at is not None and existing.expires_at <= at
