"""State, outputs and offset as one transaction (DESIGN, delivery rule 4), behind a small protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias

import msgpack

from processors.step import Reads
from schemas.log.codec import header
from schemas.log.leaders import Place

KEPT_SECONDS = 40.0
"""For so long an outbox is kept at least. Linux writes a page to the disk 30 seconds after it changed, and looks every
5 seconds: what a broker has acknowledged for longer is on the disk."""
FORMER_LEADERS = 32
"""So many leaders of before are remembered of a partition, and the one that was left last. A step compares each with
the log when another one follows: an old one tells only of what an earlier release has passed over."""
Delivered: TypeAlias = Mapping[Place, tuple[int, int]]
"""Partition -> its leader (epoch) just before an outbox was sent there, and the offset behind what came of it. A
partition whose leader was not known is left out."""


class Rows(dict[str, dict[str, bytes]]):
    """Owner -> key -> JSON bytes. `expiry`: when those rows go that do, by owner and key."""

    def __init__(self, rows: Mapping[str, dict[str, bytes]] = {}) -> None:
        super().__init__(rows)
        self.expiry: dict[tuple[str, str], datetime] = {}


class StaleOwner(Exception):  # noqa: N818 - the name of the condition in DESIGN
    """Another worker has moved the offset on: this one must let go of the partitions."""

    def __init__(self, partitions: Sequence[int]) -> None:
        super().__init__(f"partitions {sorted(partitions)} were taken over")
        self.partitions = frozenset(partitions)


class StoreAway(Exception):  # noqa: N818 - as above
    """The store did not answer; whether the last commit stands is unknown. Positions must be read again."""


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """An encoded output. (`offset`, `ordinal`) name the input and the place among its outputs."""

    offset: int
    ordinal: int
    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a step stands in a partition.

    `next_offset` None: never started. `progress`: root offsets below which everything is emitted.
    `seen`: per upstream `step/partition`, the last (offset, ordinal) taken in: what comes again at or
    below it is a redelivery and is dropped. `epoch`: leader epoch of the record before `next_offset`, by which a log
    that has lost that record is known, however far it has grown since; None: not known.
    """

    next_offset: int | None = None
    progress: Mapping[str, int] = field(default_factory=dict)
    seen: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    epoch: int | None = None


class Write(NamedTuple):
    """A state row; `value` None deletes it."""

    owner: str
    key: str
    value: bytes | None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PartitionCommit:
    """One partition's share of a batch. `expected` is the stored offset that must still stand. `sweep`: the newest
    tick in the batch; rows that stood before the batch and expired by then go. The batch's own writes stay as they are:
    what a tick of it took of them is a deletion there, and what was written behind the tick waits for the next one.
    `delivered`: where the outbox lies that this one replaces. `erases`: the batch holds an erasure; outboxes of before
    may hold what it takes, and none is kept."""

    step: str
    partition: int
    expected: int | None
    position: Position
    writes: Sequence[Write]
    outbox: Sequence[OutboxRow]
    sweep: datetime | None = None
    delivered: Delivered = field(default_factory=dict)
    erases: bool = False


class Kept(NamedTuple):
    """An outbox that was delivered, and is kept until the brokers have surely flushed it. `next_offset`: the position
    of its batch, by which it is named."""

    next_offset: int
    delivered: Delivered


class StateStore(Protocol):
    """Every method raises StoreAway when the store cannot be reached."""

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        """The stored position, and the outbox of the last batch (delivered again on take-over) unless settled."""
        ...

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        """What is wanted of each partition, in one go."""
        ...

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        """All or nothing. Raises StaleOwner when a stored offset is not the expected one; the outbox of the batch
        before (delivered by then) is replaced, and kept for KEPT_SECONDS where it is said where it lies."""
        ...

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = ...,
        erasures: Mapping[int, Sequence[OutboxRow]] = ...,
    ) -> None:  # fmt: skip
        """The outbox of these partitions was delivered, and need not be again: it is emptied where the stored offset
        is the one given, and kept where it is said where it lies; of one with an erasure these rows alone."""
        ...

    async def kept(self, step: str, partition: int) -> list[Kept]:
        """What is kept of a partition, in its order."""
        ...

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        """The rows of one that is kept; none where it is no more."""
        ...

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        """One that is kept lies there now: it is kept anew."""
        ...


def carries_erasure(row: OutboxRow) -> bool:
    return (header(row.headers, "ce_type") or b"").startswith(b"memstream.erasure.")


def pack_outbox(rows: Sequence[OutboxRow]) -> bytes:
    return bytes(
        msgpack.packb(
            [(r.offset, r.ordinal, r.topic, r.partition, r.key, r.value, [list(h) for h in r.headers]) for r in rows]
        )
    )


def unpack_outbox(blob: bytes | None) -> list[OutboxRow]:
    if not blob:
        return []
    return [OutboxRow(o, n, t, p, k, v, [(a, b) for a, b in h]) for o, n, t, p, k, v, h in msgpack.unpackb(blob)]
