"""What counts as a breaking change of a schema, and of a topic; small schemas, each with one edit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
import pytest

from schemas.compatibility.breaking import breaks
from schemas.compatibility.breaking_topics import OWNERS, broken_topics
from schemas.compatibility.export import asyncapi

S = {"type": "string"}
N = {"type": "null"}


def of(field: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"f": field}, **more}


def nested(inner: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An object behind a reference, in a list."""
    return {**of({"type": "array", "items": {"$ref": "#/$defs/Part"}}), "$defs": {"Part": inner}, **more}


EITHER_WAY = [
    # Nobody may lose these, whoever writes.
    (of({"enum": ["a", "b"]}), of({"enum": ["a"]}), ".f: b is gone"),
    (of({"enum": ["a", "b"]}), of({"const": "a"}), ".f: b is gone"),
    (of(S), of({"enum": ["a"]}), ".f: only a now"),
    (of(S), of({**S, "maxLength": 9}), ".f: maxLength 9 is lower"),
    (of({**S, "maxLength": 9}), of({**S, "maxLength": 8}), ".f: maxLength 8 is lower"),
    (of({"type": "integer", "minimum": 0}), of({"type": "integer", "minimum": 1}), ".f: minimum 1 is higher"),
    (of({"type": "integer"}), of({"type": "integer", "exclusiveMaximum": 5}), ".f: exclusiveMaximum 5 is lower"),
    (of({"type": "integer"}), of({"type": "integer", "multipleOf": 5}), ".f: multipleOf has changed"),
    (of({"type": "array"}), of({"type": "array", "uniqueItems": True}), ".f: no item twice now"),
    (of({"anyOf": [S, N]}), of({"anyOf": [{**S, "maxLength": 9}, N]}), ".f: maxLength 9 is lower"),
    (of({"anyOf": [S, N]}), of({"anyOf": [S, N], "maxLength": 9}), ".f: maxLength 9 is lower"),
    (nested({**S}), nested({**S, "maxLength": 9}), ".f[]: maxLength 9 is lower"),
    (
        {**of({"$ref": "#/$defs/Text"}), "$defs": {"Text": S}},
        {**of({"$ref": "#/$defs/Text", "maxLength": 9}), "$defs": {"Text": S}},
        ".f: maxLength 9 is lower",
    ),
    (
        {**of({"$ref": "#/$defs/Text"}), "$defs": {"Text": S}},
        {**of({"allOf": [{"$ref": "#/$defs/Text"}, {"maxLength": 9}]}), "$defs": {"Text": S}},
        ".f: maxLength 9 is lower",
    ),
    (of(S), of(S, additionalProperties=False), ".*: no fields beside the named ones now"),
    (of(S), of(S, additionalProperties=S), ".*: was anything, is string"),
    (of(S, additionalProperties=S), of(S, additionalProperties={"type": "integer"}), ".*: was string, is integer"),
    (of(S), of(S, patternProperties={"^x": S}), "./^x/: was anything, is string"),
    (of(S), of(S, propertyNames={"maxLength": 9}), ".*: maxLength 9 is lower"),
    (nested(of(S)), nested(of(S, required=["f"])), ".f[].f: is required now"),
    (nested(of(S)), nested({"type": "object", "properties": {}}), ".f[].f: the field is gone"),
    (of({"anyOf": [of(S), N]}), of({"anyOf": [of(S, required=["f"]), N]}), ".f.f: is required now"),
    (of({"type": ["string", "null"]}), of(S), ".f: was null or string, is string"),
    (of({"anyOf": [S, N]}), of(S), ".f: was null or string, is string"),
    (of({"const": 5}), of(S), ".f: was integer, is string"),
    (of({}), of(S), ".f: was anything, is string"),
    (of({"type": "number"}), of({"type": "integer"}), ".f: was number, is integer"),
    (of({"type": "array"}), of({"type": "array", "items": False}), ".f: no items now"),
]
IN_WHAT_IS_READ = [
    # A reader was never to find these; a sender may send more than before.
    (of({"enum": ["a", "b"]}), of(S), ".f: was one of a, b, may be any value now"),
    (of(S), of({}), ".f: may be array or boolean or null or number or object now"),
    (of(S), of({"anyOf": [S, N]}), ".f: may be null now"),
    (of(S), of({"type": ["string", "integer"]}), ".f: may be integer now"),
    (of({"type": "integer"}), of({"type": "number"}), ".f: may be number now"),
    (of({**S, "format": "date-time"}), of(S), ".f: format date-time is gone"),
    (of(S, required=["f"]), of(S), ".f: may be missing now"),
    (nested(of(S, required=["f"])), nested(of(S)), ".f[].f: may be missing now"),
    (of(S, additionalProperties=S), of(S), ".*: may be"),
    (of({"type": "array", "items": S}), of({"type": "array"}), ".f[]: may be"),
]
NO_BREAK = [
    (of({"enum": ["a"]}), of({"enum": ["a", "b"]})),
    (of({"const": "a"}), of({"enum": ["a", "b"]})),
    (of({**S, "maxLength": 9}), of({**S, "maxLength": 10})),
    (of({"type": "integer", "minimum": 1}), of({"type": "integer", "minimum": 0})),
    (of(S), {"type": "object", "properties": {"f": S, "g": S}}),
    (of(S, additionalProperties=False), of(S)),
    (of({"type": ["string", "null"]}), of({"anyOf": [N, S]})),
    ({**of({"$ref": "#/$defs/Text"}), "$defs": {"Text": S}}, of(S)),
    (nested(of(S, required=["f"])), nested(of(S, required=["f"]))),
]


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize(("old", "new", "text"), EITHER_WAY)
def test_what_is_taken_away_is_a_break(old: Any, new: Any, text: str, written: bool) -> None:
    assert any(text in found for found in breaks(old, new, written=written))
    assert breaks(old, old, written=written) == breaks(new, new, written=written) == []


@pytest.mark.parametrize(("old", "new", "text"), IN_WHAT_IS_READ)
def test_what_a_reader_was_never_to_find_is_a_break_of_what_memstream_writes(old: Any, new: Any, text: str) -> None:
    assert any(text in found for found in breaks(old, new, written=True))
    assert breaks(old, new, written=False) == []


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize(("old", "new"), NO_BREAK)
def test_additions_are_none(old: Any, new: Any, written: bool) -> None:
    assert breaks(old, new, written=written) == []


def test_a_part_that_only_a_rejected_alternative_met_is_compared_where_it_stands() -> None:
    part, less = of(S), {"type": "object", "properties": {}}
    old: dict[str, Any] = {"type": "object", "$defs": {"Part": part}, "properties": {
        "a": {"anyOf": [{"type": "object", "properties": {"x": {"$ref": "#/$defs/Part"}}}]},
        "b": {"$ref": "#/$defs/Part"},
    }}  # fmt: skip
    new = copy.deepcopy(old)
    new["$defs"]["Part"] = less
    whole = {"type": "object", "properties": {"x": part}}
    new["properties"]["a"]["anyOf"] = [whole, {"type": "object", "properties": {"x": {"$ref": "#/$defs/Part"}}}]
    assert breaks(old, new, written=True) == [".b.f: the field is gone"]


@pytest.mark.parametrize("beside", [{}, {"description": "a branch"}, {"allOf": []}])
def test_a_model_that_holds_itself_is_compared_once(beside: dict[str, Any]) -> None:
    old = {"$ref": "#/$defs/Tree", "$defs": {"Tree": of(S)}}
    old["$defs"]["Tree"]["properties"]["left"] = {"$ref": "#/$defs/Tree", **beside}  # type: ignore[index]
    new = copy.deepcopy(old)
    new["$defs"]["Tree"]["properties"]["f"]["maxLength"] = 9  # type: ignore[index]
    assert breaks(old, old, written=True) == []
    assert ".f: maxLength 9 is lower" in breaks(old, new, written=True)


@cache
def _document() -> bytes:
    return orjson.dumps(asyncapi())


def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    """Two of the test's own, equal."""
    return orjson.loads(_document()), orjson.loads(_document())


def _without_channel(d: Any) -> None:
    d["channels"].pop("memory_updates_v1")
    d["operations"].pop("send_memory_updates_v1")


def _message_gone(d: Any) -> None:
    d["channels"]["memory_updates_v1"]["messages"].popitem()


def _set(*path: str, to: Any) -> Callable[[Any], None]:
    def edit(document: Any) -> None:
        node = document
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = to

    return edit


_UPDATES = ("channels", "memory_updates_v1")
_CONFIG = (*_UPDATES, "bindings", "kafka", "topicConfiguration")
_TURN = ("components", "messages", "TurnEvent")


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (_without_channel, "memory.updates.v1: the topic is gone"),
        (_set(*_UPDATES, "address", to="memory.changes.v1"), "memory.updates.v1: the topic is gone"),
        (_message_gone, "is gone"),
        (_set(*_UPDATES, OWNERS, to=["tenant"]), "was partitioned by"),
        (_set(*_CONFIG, "cleanup.policy", to=["delete"]), "cleanup.policy was compact, is delete"),
        (_set(*_CONFIG, "retention.ms", to=1000), "retention.ms 1000 is shorter"),
        (_set(*_TURN, "bindings", "kafka", "key", to={"type": "integer"}), "key: was string, is integer"),
        (_set(*_TURN, "bindings", "kafka", to={}), "the key is gone"),
        (_set(*_TURN, "contentType", to="application/avro"), "was application/json, is application/avro"),
        (_set("components", "schemas", "Headers", "properties", to={}), "headers.ce_id: the field is gone"),
        (lambda d: d["operations"].pop("send_memory_updates_v1"), "memstream does not send it any more"),
    ],
)
def test_what_a_topic_takes_away_is_named(edit: Callable[[Any], object], text: str) -> None:
    old, new = documents()
    edit(new)
    assert broken_topics(old, old) == []
    assert any(text in found for found in broken_topics(old, new)), broken_topics(old, new)


def test_partitions_that_are_promised_stay() -> None:
    old, new = documents()
    _set(*_UPDATES, "bindings", "kafka", "partitions", to=64)(old)
    _set(*_UPDATES, "bindings", "kafka", "partitions", to=32)(new)
    assert broken_topics(old, new) == ["memory.updates.v1: partitions were 64, are 32"]


def test_a_new_topic_and_a_longer_retention_are_additions() -> None:
    old, new = documents()
    _without_channel(old)
    _set("channels", "conversation_turns_v1", "bindings", "kafka", "topicConfiguration", "retention.ms", to=-1)(new)
    assert broken_topics(old, new) == []
