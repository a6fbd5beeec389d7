"""What a sink is, and what it is given: one file a store implements `Sink`, one worker runs any of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from schemas.events.erasure import Erasure
from schemas.log.codec import Event, Headers
from schemas.log.owner import Owner
from schemas.security.sealed_rows import SealedPart, Seals


class Transient(Exception):  # noqa: N818 - it names an outcome, as the rules of delivery do
    """The store cannot be written now (away, overloaded, timed out). The worker pauses and tries again."""


class Permanent(Exception):  # noqa: N818
    """The store refuses something in this batch for good. The worker halves the batch until it stands alone.

    `reason` is a stable word; the message never holds content.
    """

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Message:
    """A Kafka record as it came."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A null value: the record of `owner` with this Kafka key left the compacted topic."""

    topic: str
    owner: Owner
    key: str


@dataclass(frozen=True, slots=True)
class Item:
    """One record to write. `older`: what it stands for as well, newest first; tried when it turns out to be poison.
    `sealed`: its text as the log holds it, where it is encrypted there (`schemas.security.sealed_rows`)."""

    event: Event | Tombstone
    message: Message
    older: tuple[Item, ...] = ()
    sealed: SealedPart | None = None


def kept_sealed(item: Item, seals: Seals) -> SealedPart | None:
    """The sealed part that a row keeps in place of its text."""
    if item.sealed is None or isinstance(item.event, Tombstone) or not seals(item.event):
        return None
    return item.sealed


class Mark(NamedTuple):
    """Identity of a progress row (N3): stage (schemas.storage.layouts.stage), partition that the sink read,
    root partition."""

    stage: str
    partition: int
    root: str


@dataclass(frozen=True, slots=True)
class SinkBatch:
    """Records, at most one a record id, and the progress that they complete: root -> first offset not emitted yet.

    `sweep`: rows whose time is over at this moment may go (the newest tick in the batch).
    """

    items: Sequence[Item] = ()
    progress: Mapping[Mark, int] = field(default_factory=dict)
    sweep: datetime | None = None


class Findings(Protocol):
    """Where a store that is not Postgres tells what an erasure removed from it (C9)."""

    def __call__(self, erasure: Erasure, place: str, counts: dict[str, int]) -> None:
        """Raises Transient while it cannot be noted: the erasure is then tried again."""
        ...


class Sink(Protocol):
    """One store. Calls never overlap. Every method raises Transient while the store is away."""

    @property
    def name(self) -> str:
        """The store, as in the consumer group `memstream-sink-NAME`."""
        ...

    @property
    def topics(self) -> Sequence[str]: ...

    def ensure(self) -> None:
        """Create tables, collections or scripts that are missing."""
        ...

    def write(self, batch: SinkBatch) -> int:
        """Write the rows, then (or with them) the progress, which never goes back.

        Idempotent: a record at or below the stored revision changes nothing. Returns how many were refused so.
        Raises Permanent when the store will never take the batch; nothing, or a part of it, may have been written.
        """
        ...

    def progress(self) -> dict[Mark, int]:
        """What is stored now."""
        ...

    def written_at(self) -> datetime | None:
        """When progress was last stored; None for a store that holds nothing yet."""
        ...

    def idle(self, now: datetime) -> None:
        """Called between batches: work that is nobody's batch (rehydration). Must be short."""
        ...

    def close(self) -> None: ...


class Consumer(Protocol):
    """The part of a Kafka consumer that the worker uses."""

    def subscribe(self, topics: Sequence[str], revoked: Revoked) -> None:
        """`revoked` is told the partitions that move away, before they do, from within `poll`."""
        ...

    def poll(self, max_records: int, timeout: float, linger: float = 0.0) -> list[Message]:
        """Waits up to `timeout` seconds for a record, and then `linger` for more.

        What `revoked` is told meanwhile concerns records of earlier polls: those returned belong to what is assigned
        now, also where a partition went and came back.
        """
        ...

    def pause(self) -> None:
        """Fetch nothing more, also from partitions assigned from here on; `poll` still keeps the membership."""
        ...

    def resume(self) -> None: ...

    def commit(self, offsets: Mapping[tuple[str, int], int]) -> None:
        """Synchronously: (topic, partition) -> next offset. Raises Transient, or CommitLost after a rebalance."""
        ...

    def waiting(self) -> Mapping[tuple[str, int], int] | None:
        """(topic, partition) -> committed offset, of those with records behind it: of what is assigned, or of all
        topics where nothing is. None when the brokers do not tell."""
        ...

    def close(self) -> None: ...


class Revoked(Protocol):
    def __call__(self, partitions: Sequence[tuple[str, int]]) -> None: ...


class CommitLost(Exception):  # noqa: N818
    """The partitions belong to another member now: it reads the records again, and the sink refuses what it has."""


class Stuck(RuntimeError):  # noqa: N818
    """A call into the brokers' client has not come back for so long that only a new process helps."""


class DeadLetters(Protocol):
    """Where poison goes."""

    def deliver(self, message: Message, headers: Headers) -> None:
        """Returns when the broker has acknowledged the original key and value under these headers.

        Raises Undelivered when it does not within its time.
        """
        ...

    def close(self) -> None: ...


class Undelivered(Exception):  # noqa: N818
    """A dead letter could not be delivered: the worker stops uncommitted."""


class TooFarBehind(Exception):  # noqa: N818
    """Deletions that this store has not seen may have left the log: it must be rebuilt (delivery rule 3)."""


class Clock(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float:
        """Seconds."""
        ...

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        """Until `stop` is set, `seconds` at most; whether it is."""
        ...


class FaultHook(Protocol):
    """Named points where a crash test kills the process (N2): after_poll, after_rows, after_write,
    after_dead_letter, after_commit."""

    def hit(self, stage: str, point: str) -> None: ...


class Observer(Protocol):
    """What a worker reports; metrics are the caller's. `sink` is the store's name."""

    def batch(self, sink: str, records: int, rows: int, seconds: float) -> None:
        """`records` read, `rows` written after collapsing, `seconds` from the first attempt to the commit."""
        ...

    def fresh(self, sink: str, topic: str, seconds: Sequence[float]) -> None:
        """Age of each record, accepted to readable (N3)."""
        ...

    def retry(self, sink: str, operation: str, delay: float) -> None: ...

    def refused(self, sink: str, count: int) -> None: ...

    def dead_letter(self, sink: str, reason: str) -> None: ...
