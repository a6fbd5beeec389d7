"""memory.updates: records of every kind that the flat form alone has written are read as the type of their kind, and
written byte for byte; whatever else the flat form allows is read, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from schemas.events.memory import (
    Deletion,
    DocumentChunk,
    HabitPattern,
    HotMemory,
    KeptFeedback,
    MemoryUpdate,
    ProfileNarrative,
    StatementMemory,
    StoreItem,
    TableRow,
    WeeklyReport,
    parse,
)
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError

RECORDED = (Path(__file__).parent / "recorded_updates.jsonl").read_bytes().splitlines()
CODEC = Codec()
TYPES: dict[str, type[MemoryUpdate]] = {
    "fact": StatementMemory, "preference": StatementMemory, "intent": StatementMemory, "episode": StatementMemory,
    "relation": StatementMemory, "hot": HotMemory, "report": WeeklyReport, "chunk": DocumentChunk, "item": StoreItem,
    "table": TableRow, "pattern": HabitPattern, "profile": ProfileNarrative, "feedback": KeptFeedback,
}  # fmt: skip


def name_of(raw: bytes) -> str:
    data = orjson.loads(raw)
    return "-".join(str(data.get(n)) for n in ("kind", "op", "state", "extractor"))


def of(kind: str, op: str = "upsert") -> dict[str, Any]:
    """A recorded one."""
    found = (orjson.loads(raw) for raw in RECORDED)
    return next(data for data in found if (data["kind"], data["op"]) == (kind, op))


def read(data: dict[str, Any]) -> MemoryUpdate:
    event = CODEC.event(topics.UPDATES.name, data)
    assert isinstance(event, MemoryUpdate)
    return event


def test_every_kind_is_recorded() -> None:
    same_builder = {"relation"}  # as "episode"
    assert {orjson.loads(raw)["kind"] for raw in RECORDED} == set(TYPES) - same_builder
    deleted = {orjson.loads(raw)["kind"] for raw in RECORDED if orjson.loads(raw)["op"] == "delete"}
    assert deleted >= {"fact", "episode", "hot", "chunk", "item", "table", "pattern"}


@pytest.mark.parametrize("raw", RECORDED, ids=map(name_of, RECORDED))
def test_a_recorded_one_is_read_as_the_type_of_its_kind_and_written_byte_for_byte(raw: bytes) -> None:
    event = CODEC.decode(topics.UPDATES.name, raw)
    data = orjson.loads(raw)
    assert type(event) is (Deletion if data["op"] == "delete" else TYPES[data["kind"]])
    assert CODEC.value(event) == raw


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda data: {n: v for n, v in data.items() if n not in names}


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [("hot", "key"), ("hot", "category"), ("hot", "project_id"), ("report", "key"), ("table", "category"),
     ("chunk", "key"), ("pattern", "key"), ("profile", "user_id"), ("feedback", "category")],
)  # fmt: skip
def test_one_that_lacks_what_its_kind_has_is_read_as_no_kind_in_particular(kind: str, lacks: str) -> None:
    data = without(lacks)(of(kind))
    event = read(data)
    assert type(event) not in TYPES.values()
    assert CODEC.value(event) == orjson.dumps(data, option=orjson.OPT_SORT_KEYS)


def test_the_kind_that_nobody_writes_is_read() -> None:
    event = read({**of("fact"), "kind": "rejection"})
    assert (event.kind, type(event) in TYPES.values()) == ("rejection", False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"revision": 0}, "memory.revision: Input should be greater than or equal to 1"),
        ({"unheard_of": 1}, "memory.*: Extra inputs are not permitted"),
        ({"key": 7}, "memory.key: Input should be a valid string"),
        ({"op": "upset"}, "memory.op: Input should be 'upsert' or 'delete'"),
    ],
)
@pytest.mark.parametrize("kind", ["fact", "hot", "item"])
def test_a_refusal_names_the_field_of_the_flat_form(kind: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        read({**of(kind), **change})
    assert str(refused.value) == message


@pytest.mark.parametrize("kind", [7, ["fact"], None, "unheard_of"])
def test_no_kind_at_all_is_refused(kind: object) -> None:
    with pytest.raises(DecodeError, match=r"^memory\.kind: Input should be 'fact'"):
        read({**of("fact"), "kind": kind})


def test_a_record_as_json_is_parsed_as_the_codec_does() -> None:
    data = of("hot")
    assert parse(data) == read(data)
