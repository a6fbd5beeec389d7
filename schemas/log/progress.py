"""Progress and freshness (DESIGN "Freshness").

A *root* is a topic that clients write to. Every emitted record carries, per root partition, the
offset below which everything has been emitted by its step: its `Progress`. Sinks store it beside
the rows; a read that holds a token compares.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import orjson
from pydantic import Field, ValidationError

from schemas.base import Frozen

Progress: TypeAlias = Mapping[str, int]
"""Root partition (`topic/partition`) -> first offset that has not been emitted yet."""
# What Kafka allows as a name, and numbers that fit: both go into positions and tables of Postgres.
_ROOT = re.compile(r"[A-Za-z0-9._-]{1,249}/\d{1,9}", re.ASCII)
_SOURCE = re.compile(rb"([A-Za-z0-9._-]{1,249})/(\d{1,9}):(\d{1,18}):(\d{1,9})")
_EPOCH_AT = 44
"""Bits of an offset in a token; the leader epoch stands above them. So clients of an earlier release merge such tokens
as they are, and a service of one waits for them in vain in place of saying that they are fresh."""
_EPOCHS = 1 << (62 - _EPOCH_AT)
_LEADERS = 3
"""Of one partition that a token names: a client that has heard of a loss is to read on one day."""
_WRITES = 256
"""That a token names at most, or one of each partition: it travels in a header, and may be that of many users."""


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
    project views; other project views need not wait for it. `epoch`: leader epoch of the partition just before it was
    sent; None: not known."""

    topic: str = Field(max_length=249)
    partition: int = Field(ge=0)
    offset: int = Field(ge=0)
    project_partitions: tuple[int, ...] = ()
    epoch: int | None = None


class FreshnessToken(Frozen):
    """What a write returned and a read may wait for. Travels as URL-safe base64 of JSON."""

    writes: tuple[Written, ...] = Field(max_length=4096)

    @classmethod
    def of(cls, writes: Iterable[Written]) -> FreshnessToken:
        """The newest write of each root partition and of each of its last leaders (earlier ones are implied by order,
        but of a former leader the log may have lost some), and the newest that reaches each project partition: it is
        told of no later one, so that a read that waits for one there would wait for ever."""
        ends: dict[tuple[str, int, int], _Ends] = {}
        for w in writes:
            at = (w.topic, w.partition, -1 if w.epoch is None else w.epoch)
            ends.setdefault(at, _Ends(w.epoch)).note(w)
        leaders: dict[tuple[str, int], list[int]] = {}
        for topic, partition, epoch in ends:
            leaders.setdefault((topic, partition), []).append(epoch)
        last_ones = {place: set(sorted(epochs)[-_LEADERS:]) for place, epochs in leaders.items()}
        named = [at for at in sorted(ends) if at[2] in last_ones[at[:2]]]
        share = _WRITES // len(named) if named else 0
        return cls(writes=tuple(w for at in named for w in ends[at].writes(at[0], at[1], max(1, share))))

    def merged(self, other: FreshnessToken) -> FreshnessToken:
        return self.of((*self.writes, *other.writes))

    def __str__(self) -> str:
        rows = [[w.topic, w.partition, _packed(w), *w.project_partitions] for w in self.writes]
        return base64.urlsafe_b64encode(orjson.dumps(rows)).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> FreshnessToken:
        """Raises ValueError with a message for the caller when the text is no token."""
        try:
            rows = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            return cls(
                writes=tuple(
                    Written(topic=t, partition=p, offset=offset, project_partitions=tuple(reach), epoch=epoch)
                    for t, p, packed, *reach in rows
                    for offset, epoch in (_unpacked(packed),)
                )
            )
        except (ValueError, TypeError, binascii.Error, ValidationError):
            raise ValueError("not a freshness token: expected the value that a write returned") from None


@dataclass(slots=True)
class _Ends:
    """Of one root partition under one leader: the newest offset, and the newest that reaches each project partition."""

    epoch: int | None
    newest: int = -1
    reach: dict[int, int] = field(default_factory=dict)

    def note(self, w: Written) -> None:
        self.newest = max(self.newest, w.offset)
        for to in w.project_partitions:
            self.reach[to] = max(w.offset, self.reach.get(to, -1))

    def writes(self, topic: str, partition: int, most: int) -> Iterator[Written]:
        """In the order of their offsets. Where there are more, the oldest count as later ones: a read may wait for
        more than it has to, never for less."""
        kept = sorted({self.newest, *self.reach.values()})[-most:]
        for offset in kept:
            reach = tuple(sorted(to for to, last in self.reach.items() if max(last, kept[0]) == offset))
            yield Written(
                topic=topic, partition=partition, offset=offset, project_partitions=reach, epoch=self.epoch
            )  # fmt: skip


def _packed(w: Written) -> int:
    if w.epoch is None or w.epoch >= _EPOCHS - 1 or w.offset >> _EPOCH_AT:
        return w.offset
    return ((w.epoch + 1) << _EPOCH_AT) | w.offset


def _unpacked(number: int) -> tuple[int, int | None]:
    """Offset and leader epoch."""
    epoch = number >> _EPOCH_AT if number > 0 else 0
    if not 0 < epoch < _EPOCHS:
        return number, None
    return number & ((1 << _EPOCH_AT) - 1), epoch - 1
