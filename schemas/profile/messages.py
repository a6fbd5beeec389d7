"""What is wrong with a profile's key, in words of its file: which table and key, and what is allowed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_EXPECTED = {
    "int_": "a whole number", "float_": "a number", "bool_": "true or false", "string_type": "a text",
    "tuple_": "a list", "list_": "a list", "frozen_set_": "a list", "set_": "a list", "dict_": "a table",
    "mapping_": "a table", "model_": "a table",
}  # fmt: skip
"""Beginning of a kind of error -> what should stand there."""
_BOUND = {"greater_than": "above", "greater_than_equal": "at least", "less_than": "below", "less_than_equal": "at most"}


def place(raw: Any, loc: Sequence[int | str]) -> str:
    """`fields.age.slot`: what stands in a list is called by its name, where it has one, else by its number."""
    out: list[str] = []
    node = raw
    for part in loc:
        if part == "[key]":
            continue
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            node = None
        own = [node.get(k) for k in ("name", "key", "id")] if isinstance(node, Mapping) else []
        named = next((n for n in own if isinstance(n, str) and n), None)
        out.append(named if isinstance(part, int) and named is not None else str(part))
    return ".".join(out)


def message_of(error: Mapping[str, Any]) -> str:
    """Of one error of pydantic's."""
    kind, ctx = str(error["type"]), error.get("ctx", {})
    if kind == "missing":
        return "is required"
    if kind in ("literal_error", "enum"):
        return f"must be one of {ctx['expected']}"
    if kind in _BOUND:
        return f"must be {_BOUND[kind]} {next(v for v in ctx.values())}"
    if kind in ("string_too_short", "too_short"):
        return f"must have at least {ctx['min_length']} {'characters' if kind == 'string_too_short' else 'entries'}"
    if kind in ("string_too_long", "too_long"):
        return f"must have at most {ctx['max_length']} {'characters' if kind == 'string_too_long' else 'entries'}"
    expected = next((words for start, words in _EXPECTED.items() if kind.startswith(start)), None)
    return str(error["msg"]).removeprefix("Value error, ") if expected is None else f"must be {expected}"
