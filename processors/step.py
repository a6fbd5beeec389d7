"""The contract of a step (DESIGN "The house"): pure, so that the whole topology runs without a broker.

A step reads exactly one topic. The runtime decodes, loads state, calls the step, and writes state,
outputs and offset in one transaction; the step holds no client, clock, randomness or logger.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeAlias, TypeVar

from processors.state_tables import ByteRows, OwnerSingle, OwnerTable, Single, Table
from schemas.events.envelope import Envelope
from schemas.log.codec import Event
from schemas.log.owner import Owner
from schemas.log.topics import Topic
from schemas.reading_stats import ReadingStats

T = TypeVar("T")
P = TypeVar("P")
E = TypeVar("E", bound=Envelope)
Prepared: TypeAlias = Any
"""What `prepare` makes of a record. Each step has a type of its own, which nobody else looks into."""


@dataclass(frozen=True, slots=True)
class Record:
    """One decoded input. `timestamp` is Kafka's, of a replay its source's: the time of acceptance where the event names
    none. `first_hand`: a client wrote it, and this is no replay. `trace`: the traceparent that it came with, "" for
    none; outputs follow it by themselves. `replayed_at`: when a replay was put back, None for what is none.
    `redelivered`: the step upstream sent it again, and it was worked on the first time."""

    event: Event
    partition: int
    offset: int
    timestamp: datetime
    key: bytes | None = None
    first_hand: bool = True
    trace: str = ""
    replayed_at: datetime | None = None
    redelivered: bool = False


def accepted_as(prepared: E, record: Record) -> E:
    """What `prepare` made of the record's event, accepted when the record is: one that came after an erasure is dated
    behind it (`processors.erasure.guard`), and that was not known when it was prepared."""
    at = getattr(record.event, "accepted_at", None)
    return prepared if getattr(prepared, "accepted_at", None) == at else prepared.model_copy(update={"accepted_at": at})


@dataclass(frozen=True, slots=True)
class Emit:
    """An output; its partition follows from the event's owner. `everywhere`: to each partition of the topic. `trace`:
    of the earlier record that it comes of, "" where that had none; None for the one at hand."""

    topic: Topic
    event: Event
    everywhere: bool = False
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class Null:
    """A null value under a key of a compacted topic: the record leaves it (C9)."""

    topic: Topic
    owner: Owner
    key: bytes


@dataclass(frozen=True, slots=True)
class Reject:
    """The input becomes a dead letter. `reason` is a stable word; `message` names the field and what was
    expected, and never holds content."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Counted:
    """No output: what the reading of a turn adds to the metrics, counted once the record's changes are kept."""

    stats: ReadingStats


Out = Emit | Null | Reject | Counted


@dataclass(frozen=True, slots=True)
class Reads:
    """State that a record needs: the given keys of an owner, or all of its rows (`keys` None)."""

    owner: str
    keys: tuple[str, ...] | None = None


class OwnerState(ByteRows, Protocol):
    """The rows of one owner. Changes are seen at once and kept only if the record succeeds."""

    def table(self, table: Table[T]) -> OwnerTable[T]: ...

    def single(self, single: Single[T]) -> OwnerSingle[T]: ...

    def clear(self, keep: Container[str] = ()) -> int:
        """Delete every row that was read but those to `keep`, and what was derived from them; how many there were."""
        ...

    def derived(self, name: str, build: Callable[[], T]) -> T:
        """An index over rows that do not expire, which lives as long as they are cached. Built on first use; the step
        keeps it in step with its own writes; it is dropped when a record fails or the partition moves."""
        ...


class StateSpace(Protocol):
    def of(self, owner: str) -> OwnerState:
        """The rows of an owner. What the reads did not name is loaded when it is asked for, and the call that asked
        is made again: correct, and slower by a round trip."""
        ...


class Step(Protocol):
    """One step of the topology. `P` is what `prepare` makes of a record (model outputs)."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> Topic: ...

    @property
    def outputs(self) -> tuple[Topic, ...]: ...

    @property
    def marks(self) -> tuple[Topic, ...]:
        """Output topics whose partitions carry this step's progress (owners co-partitioned with the input)."""
        ...

    @property
    def carries(self) -> tuple[Topic, ...]:
        """Output topics whose owners are not those of the input: where something was sent, this step's progress must
        follow."""
        ...

    @property
    def coalesce(self) -> frozenset[str]:
        """Output topics of whole values: of several outputs of one key in a batch only the last is sent."""
        ...

    @property
    def completes(self) -> bool:
        """Whether `complete` has anything to do."""
        ...

    @property
    def asks(self) -> bool:
        """Whether `handle` may ask the recognisers (of texts that the step holds), which others may have in use: it is
        then called in a thread."""
        ...

    def prepare(self, records: Sequence[Record]) -> Sequence[Prepared]:
        """Slow, stateless work over the batch (models). Called in a thread; same length as `records`."""
        ...

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]: ...

    def then_reads(self, record: Record, prepared: Prepared, state: StateSpace) -> tuple[Reads, ...]:
        """State that only what was read names (a tick's stale sessions)."""
        ...

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Prepared], states: Sequence[StateSpace]
    ) -> Sequence[Prepared]:
        """Slow work that has to know the state (what is embedded already): `prepared` made whole. Called in a thread,
        with the state of before the batch, which it only reads; same length as `records`."""
        ...

    def handle(self, record: Record, prepared: Prepared, state: StateSpace) -> Iterable[Out]:
        """Decide one record. An exception rolls this record's changes back and makes it a dead letter."""
        ...


class PlainStep:
    """Defaults of a step without models, state or whole-value outputs."""

    outputs: tuple[Topic, ...] = ()
    marks: tuple[Topic, ...] = ()
    carries: tuple[Topic, ...] = ()
    coalesce: frozenset[str] = frozenset()
    completes: bool = False
    asks: bool = False

    def prepare(self, records: Sequence[Record]) -> Sequence[Prepared]:
        return [None] * len(records)

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]:
        return ()

    def then_reads(self, record: Record, prepared: Prepared, state: StateSpace) -> tuple[Reads, ...]:
        return ()

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Prepared], states: Sequence[StateSpace]
    ) -> Sequence[Prepared]:
        return prepared
