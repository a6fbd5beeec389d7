"""Typed rows of a step's state.

A step declares each kind of row once: `Table` is a row a name under a key prefix, `Single` is one row under one key.
`OwnerState.table` and `OwnerState.single` then read and write rows of that type. The declarations of a step stand in
one module, which is the only place that knows keys and stored field names.

Rows are stored as JSON with sorted keys, so equal rows are equal bytes. A row type whose stored form changes reads the
old form too, by a validator in the row type and a test over recorded rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, fields
from datetime import datetime
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

import orjson
from pydantic import ConfigDict, PlainSerializer, TypeAdapter, ValidationError

from schemas.base import Frozen, Json
from schemas.log.codec import Codec, Event, describe
from schemas.log.topics import Topic


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R")
D = TypeVar("D", bound=_Dataclass)
E = TypeVar("E", bound=Event)

IsoTime = Annotated[datetime, PlainSerializer(datetime.isoformat, return_type=str)]
"""A UTC time, stored as `datetime.isoformat` writes it: without a fraction where there is none."""


def _microseconds(when: datetime) -> str:
    return when.isoformat(timespec="microseconds")


SortableTime = Annotated[datetime, PlainSerializer(_microseconds, return_type=str)]
"""A UTC time, stored with microseconds: the text sorts as the times do."""


class UnreadableRow(ValueError):  # noqa: N818 - names the condition
    """A stored row is not of its table's type. The message names the field and what was expected, never a value."""


class Row(Frozen):
    """Base of row types that are JSON objects. A field that a newer version has added is left out, so that the version
    before still reads its rows."""

    model_config = ConfigDict(extra="ignore", validate_by_name=True, validate_by_alias=True)


def stored_as(**names: str) -> ConfigDict:
    """`model_config` of a `Row` whose fields are stored under other names: field name to stored name."""
    return ConfigDict(alias_generator=lambda field: names.get(field, field))


class ByteRows(Protocol):
    """The rows of one owner as stored bytes."""

    def read(self, key: str) -> bytes | None: ...

    def write(self, key: str, value: bytes, expires_at: datetime | None = None) -> None:
        """`expires_at`: deleted with the first tick of the partition that comes after it and is not before it in time,
        for every record behind that tick. A step that cares sooner compares times."""
        ...

    def delete(self, key: str) -> None: ...

    def keys(self, prefix: str = "") -> list[str]:
        """In order."""
        ...


class RowFormat(Protocol[R]):
    """How rows of a type are stored."""

    def encode(self, row: R) -> bytes: ...

    def decode(self, raw: bytes) -> R:
        """Raises UnreadableRow."""
        ...


class JsonRows(Generic[R]):
    """Rows of a type that pydantic validates: a `Row`, a NamedTuple (stored as a list), a list, a text, a number."""

    def __init__(self, row_type: type[R]) -> None:
        self._adapter = TypeAdapter(row_type)

    def encode(self, row: R) -> bytes:
        return orjson.dumps(self._adapter.dump_python(row, mode="json", by_alias=True), option=orjson.OPT_SORT_KEYS)

    def decode(self, raw: bytes) -> R:
        try:
            return self._adapter.validate_json(raw)
        except ValidationError as exc:
            raise UnreadableRow(describe(exc)) from None


class DataclassRows(JsonRows[D]):
    """Rows that are dataclasses of JSON values and sortable times, each field under its own name; one that is None is
    left out. For rows with large maps: writing them takes half the time of `JsonRows`."""

    def __init__(self, row_type: type[D]) -> None:
        super().__init__(row_type)
        self._names = [field.name for field in fields(row_type)]

    def encode(self, row: D) -> bytes:
        stored = {name: value for name in self._names if (value := getattr(row, name)) is not None}
        return orjson.dumps(stored, default=_stored, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME)


def _stored(value: object) -> str:
    if isinstance(value, datetime):
        return _microseconds(value)
    raise TypeError(f"cannot store {type(value).__name__}")


class BuiltRows(Generic[R]):
    """Rows that are built from parsed JSON, and taken apart into it."""

    def __init__(self, build: Callable[[Any], R], stored: Callable[[R], Json]) -> None:
        """`build` raises UnreadableRow, or what comes of JSON of another form."""
        self._build = build
        self._stored = stored

    def encode(self, row: R) -> bytes:
        return orjson.dumps(self._stored(row), option=orjson.OPT_SORT_KEYS)

    def decode(self, raw: bytes) -> R:
        try:
            return self._build(orjson.loads(raw))
        except UnreadableRow:
            raise
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise UnreadableRow("value: expected another form") from None


class TimeRows:
    """Rows that are a UTC time each, as sortable text."""

    def encode(self, row: datetime) -> bytes:
        return orjson.dumps(_microseconds(row))

    def decode(self, raw: bytes) -> datetime:
        try:
            return datetime.fromisoformat(orjson.loads(raw))
        except (ValueError, TypeError):
            raise UnreadableRow("value: expected a time") from None


class EventRows(Generic[E]):
    """Rows that are events, in the bytes that their topic has, not sealed: a state store seals rows itself."""

    def __init__(self, topic: Topic, event_type: type[E]) -> None:
        self._topic = topic.name
        self._type = event_type
        self._codec = Codec()

    def encode(self, row: E) -> bytes:
        return self._codec.value(row)

    def decode(self, raw: bytes) -> E:
        try:
            event = self._codec.decode(self._topic, raw)
        except ValueError as exc:
            raise UnreadableRow(str(exc)) from None
        if not isinstance(event, self._type):
            raise UnreadableRow(f"type: expected {self._type.__name__}")
        return event


@dataclass(frozen=True, slots=True)
class Table(Generic[R]):
    """A row a name, under `prefix` + name. An empty prefix is for owners that hold nothing else."""

    prefix: str
    format: RowFormat[R]

    def key(self, name: str) -> str:
        return self.prefix + name


@dataclass(frozen=True, slots=True)
class Single(Generic[R]):
    """One row, under `key`."""

    key: str
    format: RowFormat[R]


class OwnerTable(Generic[R]):
    """A table of one owner. `None` where there is no such row."""

    def __init__(self, rows: ByteRows, table: Table[R]) -> None:
        self._rows = rows
        self._table = table

    def get(self, name: str) -> R | None:
        raw = self._rows.read(self._table.key(name))
        return None if raw is None else self._table.format.decode(raw)

    def __contains__(self, name: str) -> bool:
        return self._rows.read(self._table.key(name)) is not None

    def put(self, name: str, row: R, expires_at: datetime | None = None) -> None:
        """`expires_at`: as `ByteRows.write` has it."""
        self._rows.write(self._table.key(name), self._table.format.encode(row), expires_at)

    def delete(self, name: str) -> None:
        self._rows.delete(self._table.key(name))

    def names(self) -> list[str]:
        """In order. The owner's rows must have been read whole."""
        return [key.removeprefix(self._table.prefix) for key in self._rows.keys(self._table.prefix)]

    def items(self) -> Iterator[tuple[str, R]]:
        for name in self.names():
            row = self.get(name)
            if row is not None:
                yield name, row


class OwnerSingle(Generic[R]):
    """A single row of one owner."""

    def __init__(self, rows: ByteRows, single: Single[R]) -> None:
        self._rows = rows
        self._single = single

    def get(self) -> R | None:
        raw = self._rows.read(self._single.key)
        return None if raw is None else self._single.format.decode(raw)

    def put(self, row: R, expires_at: datetime | None = None) -> None:
        """`expires_at`: as `ByteRows.write` has it."""
        self._rows.write(self._single.key, self._single.format.encode(row), expires_at)

    def delete(self) -> None:
        self._rows.delete(self._single.key)
