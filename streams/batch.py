"""One partition's batch: the records that came, what is remembered of the partition, and what has become of both."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from processors.step import Record
from schemas.log.codec import Headers
from schemas.log.leaders import Place
from schemas.reading_stats import ReadingStats
from schemas.security.sealing import KeysAway
from streams.state.cache import PartitionCache
from streams.state.protocol import Delivered, OutboxRow, Position, StoreAway, Write
from streams.suspects import Noted

log = logging.getLogger(__name__)


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
    epoch: int | None = None
    """Of the leader that took it; None: not known."""


Owed: TypeAlias = dict[tuple[str, int], Mapping[str, int]]
"""(topic, partition) of what a step carries -> the progress from upstream that was last sent there. What was sent may
come of the middle of an upstream batch, whose progress is on its end alone: until that has come, and is sent on, a read
would wait for progress that is never published. Not stored: who takes a partition over owes it wherever something may
have been sent."""


@dataclass(slots=True)
class Partition:
    """What a runner remembers of a partition between batches."""

    position: Position
    cache: PartitionCache
    owed: Owed = field(default_factory=dict)
    suspects: dict[int, Noted] = field(default_factory=dict)
    """By offset: what was in hand when the step computed for too long."""
    delivered: Delivered = field(default_factory=dict)
    """Where the outbox of the position lies."""
    sound: dict[Place, int] = field(default_factory=dict)
    """Output partition -> the leader under which all that is kept of what was sent there was found in it."""


@dataclass(slots=True)
class Item:
    """One record on its way through the step. `failed` names the error class that stopped it before `handle`; `held`:
    it is given up; `alone`: it is a suspect, and has the process for itself."""

    record: Record
    message: Message
    prepared: Any = None
    failed: str | None = None
    held: bool = False
    alone: bool = False


@dataclass(slots=True)
class Batch:
    """One partition's share. `part` stays its own when the runner forgets the partition meanwhile: the batch ends as
    it began, guarded by the stored offset, and the next one reads everything again. `alone`: its one record is a
    suspect."""

    partition: int
    fresh: list[Message]
    part: Partition
    position: Position
    items: list[Item] = field(default_factory=list)
    writes: dict[tuple[str, str], Write] = field(default_factory=dict)
    outbox: list[OutboxRow] = field(default_factory=list)
    owed: Owed = field(default_factory=dict)
    reach: set[int] = field(default_factory=set)
    """Project partitions for which something ended here or before: they hear of it as progress alone."""
    counts: dict[str, int] = field(default_factory=dict)
    readings: list[ReadingStats] = field(default_factory=list)
    """What was counted of turns that were read."""
    sweep: datetime | None = None
    """The newest tick that was decided."""
    alone: bool = False
    rewritten: Message | None = None
    """One that lies below the position, and came under a later leader than what was read there: the log was cut."""
    leaders_before: list[tuple[int, int]] = field(default_factory=list)
    """(leader, offset behind the last record that was read under it), of those that another one followed."""

    def count(self, word: str) -> None:
        self.counts[word] = self.counts.get(word, 0) + 1

    def swept(self, now: datetime) -> None:
        """A tick was decided: what has expired by then is gone for every record behind it, whatever of it is in memory
        and however the records are batched."""
        self.sweep = now if self.sweep is None else max(self.sweep, now)
        self.part.cache.sweep(now)
        over = [w for w in self.writes.values() if w.expires_at is not None and w.expires_at <= now]
        self.writes.update({(w.owner, w.key): Write(w.owner, w.key, None) for w in over})


def begun(
    partition: int, share: list[Message], part: Partition, alone: bool = False, position: Position | None = None
) -> Batch:
    """Offsets below the position are redeliveries: their outcomes are stored and delivered, never recomputed.
    `position`: where the batch before it will stand; None: that of the partition."""
    position = position or part.position
    start = position.next_offset
    # A consumer that went back may bring a record twice in one batch.
    fresh = list({m.offset: m for m in share if start is None or m.offset >= start}.values())
    batch = Batch(partition, fresh, part, position, alone=alone, leaders_before=_leaders_before(position, fresh))
    if start is not None and (epoch := position.epoch) is not None:
        batch.rewritten = next((m for m in share if m.offset < start and (m.epoch or 0) > epoch), None)
    return batch


def _leaders_before(position: Position, fresh: Sequence[Message]) -> list[tuple[int, int]]:
    out = []
    epoch, end = position.epoch, position.next_offset
    for m in fresh:
        if m.epoch is not None:
            if epoch is not None and end is not None and epoch != m.epoch:
                out.append((epoch, end))
            epoch, end = m.epoch, m.offset + 1
    return out


def by_partition(messages: Sequence[Message]) -> dict[int, list[Message]]:
    out: dict[int, list[Message]] = {}
    for m in sorted(messages, key=lambda m: (m.partition, m.offset)):
        out.setdefault(m.partition, []).append(m)
    return out


def guarded(items: Sequence[Item], call: Callable[[Item], None], refused: Callable[[BaseException], bool]) -> None:
    """Call for every item that is still sound; an exception fails that item alone. But what says that memory was
    `refused`, or that a store, a model or the keyring has to be waited for, is raised: that is no mistake of a step."""
    for item in items:
        if item.failed is None and not item.held:
            try:
                call(item)
            except (StoreAway, KeysAway):
                raise
            except Exception as exc:
                if refused(exc):
                    raise
                log.exception("a step raised: one record becomes a dead letter")  # in `handle`
                item.failed = type(exc).__name__
