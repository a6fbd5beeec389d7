"""Progress and freshness (DESIGN "Freshness").

A *root* is a topic that clients write to. Every emitted record carries, per root partition, the
offset below which everything has been emitted by its step: its `Progress`. Sinks store it beside
the rows; a read that holds a token compares.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import orjson
from pydantic import Field, ValidationError

from schemas.base import Frozen

Progress: TypeAlias = Mapping[str, int]
"""Root partition (`topic/partition`) -> first offset that has not been emitted yet."""
# What Kafka allows as a name, and numbers that fit: both go into positions and tables of Postgres.
_ROOT = re.compile(r"[A-Za-z0-9._-]{1,249}/\d{1,9}", re.ASCII)
_SOURCE = re.compile(rb"([A-Za-z0-9._-]{1,249})/(\d{1,9}):(\d{1,18}):(\d{1,9})")


def root_partition(topic: str, partition: int) -> str:
    return f"{topic}/{partition}"


def merge(*parts: Progress) -> dict[str, int]:
    """Pointwise maximum: progress never goes back."""
    out: dict[str, int] = {}
    for part in parts:
        for key, offset in part.items():
            if offset > out.get(key, -1):
                out[key] = offset
    return out


def dump_progress(progress: Progress) -> bytes:
    return orjson.dumps(dict(progress))


def load_progress(raw: bytes | None) -> dict[str, int]:
    """Raises ValueError, without the content, when the header is not an object of offsets."""
    if raw is None:
        return {}
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict) or not all(
        type(v) is int and 0 <= v < 2**63 and _ROOT.fullmatch(k) for k, v in value.items()
    ):
        raise ValueError("header progress must be an object of offsets")
    return value


@dataclass(frozen=True, slots=True)
class Source:
    """Where a step's output comes from: its input's partition and offset, and its place among the outputs of that."""

    step: str
    partition: int
    offset: int
    ordinal: int


def load_source(raw: bytes | None) -> Source | None:
    """Of the header `src`. Raises ValueError, without the content, when it is not what a step writes."""
    if raw is None:
        return None
    found = _SOURCE.fullmatch(raw)
    if found is None:
        raise ValueError("header src must be step/partition:offset:ordinal")
    step, partition, offset, ordinal = found.groups()
    return Source(step.decode(), int(partition), int(offset), int(ordinal))


def dump_reach(partitions: Iterable[int]) -> bytes:
    """Project partitions that a record's progress is to reach, as nothing else will tell it there."""
    return orjson.dumps(sorted(partitions))


def load_reach(raw: bytes | None) -> frozenset[int]:
    """Raises ValueError, without the content, when the header is not a list of partitions."""
    if raw is None:
        return frozenset()
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, list) or not all(type(v) is int and 0 <= v < 2**31 for v in value):
        raise ValueError("header reach must be a list of partitions")
    return frozenset(value)


class Written(Frozen):
    """One acknowledged write. `project_partitions`: project partitions that it can reach, for waiting on
    project views; other project views need not wait for it."""

    topic: str = Field(max_length=249)
    partition: int = Field(ge=0)
    offset: int = Field(ge=0)
    project_partitions: tuple[int, ...] = ()


class FreshnessToken(Frozen):
    """What a write returned and a read may wait for. Travels as URL-safe base64 of JSON."""

    writes: tuple[Written, ...] = Field(max_length=4096)

    @classmethod
    def of(cls, writes: Iterable[Written]) -> FreshnessToken:
        """The newest write of each root partition (earlier ones are implied by order)."""
        newest: dict[tuple[str, int], Written] = {}
        for w in writes:
            old = newest.get((w.topic, w.partition))
            if old is None:
                newest[w.topic, w.partition] = w
            else:
                reach = tuple(sorted({*old.project_partitions, *w.project_partitions}))
                newest[w.topic, w.partition] = w.model_copy(
                    update={"offset": max(w.offset, old.offset), "project_partitions": reach}
                )
        return cls(writes=tuple(newest[k] for k in sorted(newest)))

    def merged(self, other: FreshnessToken) -> FreshnessToken:
        return self.of((*self.writes, *other.writes))

    def __str__(self) -> str:
        rows = [[w.topic, w.partition, w.offset, *w.project_partitions] for w in self.writes]
        return base64.urlsafe_b64encode(orjson.dumps(rows)).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> FreshnessToken:
        """Raises ValueError with a message for the caller when the text is no token."""
        try:
            rows = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            return cls(
                writes=tuple(
                    Written(topic=t, partition=p, offset=o, project_partitions=tuple(reach)) for t, p, o, *reach in rows
                )
            )
        except (ValueError, TypeError, binascii.Error, ValidationError):
            raise ValueError("not a freshness token: expected the value that a write returned") from None
