"""What stands around a step: from Kafka records to decoded ones, and from its outputs to outbox rows with progress."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from processors.erasure.guard import Guarded
from processors.step import Emit, Null, Out, Record, Step
from schemas.base import EARLIEST
from schemas.events.envelope import Envelope, Marker
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import ERASED, Codec, DecodeError, Headers, header
from schemas.log.dead_letters import REPLAY_OF, dead_letter_headers, kafka_time, meant_for_another, source_ms
from schemas.log.ids import event_id
from schemas.log.owner import partition as partition_of
from schemas.log.owner import project
from schemas.log.progress import (
    dump_progress,
    dump_reach,
    load_progress,
    load_reach,
    load_source,
    merge,
    root_partition,
)
from schemas.log.tracing import TRACEPARENT, parse
from streams.batch import Batch, Item, Message, Owed
from streams.state.protocol import OutboxRow, PartitionCommit, Position, carries_erasure
from streams.suspects import HELD, held_text

MARKER_ORDINAL = 1_000_000
"""A marker comes after every output of its offset."""
MAX_OUTPUT_BYTES = 1_950_000
"""Largest output, headers included: below what the topics take, so that a stored outbox can always be delivered."""


class OutputTooLargeError(Exception):
    """A step's output is larger than a topic takes."""


class BatchFrame:
    """Decodes what comes into a step and encodes what goes out. `count`: partitions of owner-keyed topics. `upstream`:
    the steps that write the topic."""

    def __init__(self, step: Step, codec: Codec, count: int, upstream: Container[str]) -> None:
        self._step = step
        self._codec = codec
        self._count = count
        self._upstream = upstream
        self._takes_out = isinstance(step, Guarded) and step.refuses

    def receive(self, batch: Batch, given_up: Container[int] = ()) -> None:
        """Decode, check the partition, drop what an upstream step redelivered. Failures become dead letters, and so do
        these offsets, undecoded."""
        progress, seen = dict(batch.position.progress), dict(batch.position.seen)
        for m in batch.fresh:
            try:
                if meant_for_another(m.headers, self._step.name):
                    batch.count("passed_by")
                    continue
                source, incoming, reach = self._progress_of(m)
            except ValueError as exc:
                self.dead_letter(batch, m, "headers", str(exc))
                continue
            if source is not None:
                if seen.get(source[0], (-1, -1)) >= source[1]:
                    batch.count("duplicate")
                    self._receive_again(batch, m)
                    continue
                seen[source[0]] = source[1]
                progress = merge(progress, incoming)
                batch.reach |= {p for p in reach if p < self._count}
            if m.offset in given_up:
                self.dead_letter(batch, m, HELD, held_text(self._step.name))
            else:
                self._receive(batch, m)
        end = batch.fresh[-1].offset + 1
        if self._step.source.root:
            progress = merge(progress, {root_partition(self._step.source.name, batch.partition): end})
        batch.position = Position(end, progress, seen, batch.fresh[-1].epoch)

    def _progress_of(self, m: Message) -> tuple[tuple[str, tuple[int, int]] | None, dict[str, int], frozenset[int]]:
        """(`step/partition`, (offset, ordinal)) of an emitted record, the progress that it carries and whom that is to
        reach; None for a client's, which has none to tell: one that copied a step's headers would pass for that step's
        redelivery and be dropped. Raises ValueError without the content."""
        headers = m.headers
        source = load_source(header(headers, "src"))
        if source is None:
            return None, {}, frozenset()
        nulled = m.value is None and source.step == self._step.name  # by an erasure, in its own input
        if source.step not in self._upstream and not nulled:
            raise ValueError("header src must not be set: only the steps that write this topic do")
        place = f"{source.step}/{source.partition}", (source.offset, source.ordinal)
        return place, load_progress(header(headers, "progress")), load_reach(header(headers, "reach"))

    def _receive_again(self, batch: Batch, m: Message) -> None:
        """In a kept log each sending has a key of its own (`topics.sent_key`), and an eraser may have passed the place
        already: what was sent once more leaves the log by the guard, where it is of before an erasure. Otherwise it
        stays: after a power cut it may be all that the log holds of it."""
        if not self._takes_out or m.topic not in topics.KEPT_LOGS or m.value is None or topics.is_marker(m.key):
            return
        try:
            record = self._record(m)
        except DecodeError:
            return
        if isinstance(record.event, Envelope) and not isinstance(record.event, Erasure):
            batch.items.append(Item(replace(record, redelivered=True), m))

    def _receive(self, batch: Batch, m: Message) -> None:
        if m.value is None and self._step.source.cleanup is not topics.Cleanup.DELETE:
            batch.count("tombstone")  # what compaction leaves of a deletion that was handled long ago
            return
        try:
            record = self._record(m)
        except DecodeError as exc:
            if exc.reason == ERASED:
                batch.count(ERASED)
                return
            self.dead_letter(batch, m, exc.reason, str(exc))
            return
        if not isinstance(record.event, Marker):
            batch.items.append(Item(record, m))

    def _record(self, m: Message) -> Record:
        """Raises DecodeError."""
        event = self._codec.decode(m.topic, m.value)
        self._check_partition(event, m.partition)
        timestamp = _when(source_ms(m.headers, m.timestamp_ms))
        replayed_at = None if header(m.headers, REPLAY_OF) is None else kafka_time(m.timestamp_ms)
        first_hand = header(m.headers, "src") is None and replayed_at is None
        trace = str(parse((header(m.headers, TRACEPARENT) or b"").decode("ascii", "replace")) or "")
        return Record(event, m.partition, m.offset, timestamp, m.key, first_hand, trace, replayed_at)

    def _check_partition(self, event: object, partition: int) -> None:
        if isinstance(event, Envelope) and not (isinstance(event, Erasure) and event.everywhere):
            expected = partition_of(event.owner, self._count)
            if expected != partition:
                raise DecodeError("wrong_partition", f"partition: this owner's records belong to {expected}")

    def rows(self, batch: Batch, item: Item, outs: Sequence[Out]) -> list[OutboxRow]:
        """Encode a record's outputs. Raises OutputTooLargeError."""
        offset = item.record.offset
        out: list[OutboxRow] = []
        for emit in outs:
            trace = _trace(item, emit)
            for target in self._targets(batch, emit):
                row = self._out(batch.partition, offset, len(out), target, emit, trace)
                if _size(row) > MAX_OUTPUT_BYTES:
                    raise OutputTooLargeError
                out.append(row)
        return out

    def _targets(self, batch: Batch, out: Out) -> Sequence[int]:
        """The partitions that an output goes to."""
        if isinstance(out, Null):
            return (partition_of(out.owner, self._count),)
        if not isinstance(out, Emit):
            return ()
        if out.everywhere:
            return range(self._count)
        event = out.event
        if not isinstance(event, Envelope) or (isinstance(event, Erasure) and event.everywhere):
            return (batch.partition,)
        return (partition_of(event.owner, self._count),)

    def _out(self, partition: int, offset: int, ordinal: int, target: int, out: Out, trace: Headers) -> OutboxRow:
        if isinstance(out, Emit):
            return self._row(partition, offset, ordinal, out.topic.name, target, out.event, trace)
        assert isinstance(out, Null)  # noqa: S101 - a Reject has no targets
        headers: Headers = [("owner", out.owner.key.encode()), ("src", self._src(partition, offset, ordinal))]
        return OutboxRow(offset, ordinal, out.topic.name, target, out.key, None, headers)

    def _row(
        self, partition: int, offset: int, ordinal: int, topic: str, target: int, event: Any, extra: Headers
    ) -> OutboxRow:
        name = self._step.name
        encoded = self._codec.encode(
            event,
            f"memstream/{name}",
            event_id(name, partition, offset, ordinal),
            [("src", self._src(partition, offset, ordinal)), *extra],
        )
        return OutboxRow(offset, ordinal, topic, target, encoded.key, encoded.value, encoded.headers)

    def _src(self, partition: int, offset: int, ordinal: int) -> bytes:
        return f"{self._step.name}/{partition}:{offset}:{ordinal}".encode()

    def ended(self, batch: Batch, item: Item, rows: Sequence[OutboxRow]) -> None:
        """A record of a project (a turn sent again, one that was refused) that leaves nothing which could come there:
        who waits for it in the project's views would wait for a record that never comes. Of several projects that a
        record names each is told, as it may come to some of them only."""
        event = item.record.event
        if not isinstance(event, Envelope) or item.record.redelivered:
            return
        name = getattr(event, "project_id", None)
        onward = {t.name for t in (*self._step.carries, *self._towards())}
        ends = isinstance(name, str) and not any(r.topic in onward for r in rows)
        for project_id in (*([name] if ends else ()), *getattr(event, "project_ids", ())):
            batch.reach.add(partition_of(project(event.tenant, project_id), self._count))

    def _towards(self) -> list[topics.Topic]:
        return [t for t in self._step.marks if t in topics.TOWARDS_PROJECTS]

    def dead_letter(self, batch: Batch, m: Message, reason: str, message: str) -> None:
        """The original bytes; step, reason, attempts and source in the headers (never content)."""
        headers = dead_letter_headers(m, self._step.name, reason, message)
        batch.outbox.append(OutboxRow(m.offset, 0, topics.DEAD_LETTERS.name, m.partition, m.key, m.value, headers))
        batch.count("dead_letter")

    def commit(self, batch: Batch) -> PartitionCommit:
        """The batch as one transaction: its writes, its outputs with their progress, its position."""
        expected = batch.part.position.next_offset
        writes = list(batch.writes.values())
        rows = self._with_progress(batch)
        erases = any(isinstance(i.record.event, Erasure) for i in batch.items) or any(map(carries_erasure, rows))
        return PartitionCommit(
            self._step.name, batch.partition, expected, batch.position, writes, rows, batch.sweep, erases=erases
        )

    def _with_progress(self, batch: Batch) -> list[OutboxRow]:
        """Coalesce whole values, put the batch's progress on the last row of each partition, and add a marker where a
        marked topic has none. Only where the step answers for it: in a topic that another marks (commands that a
        session's end writes into the ledger) it would claim what that one has not sent yet."""
        rows = _coalesced(batch.outbox, self._step.coalesce)
        for topic in self._step.marks:
            if not any(r.topic == topic.name and r.partition == batch.partition for r in rows):
                end = batch.fresh[-1].offset
                rows.append(self._row(batch.partition, end, MARKER_ORDINAL, topic.name, batch.partition, Marker(), []))
        rows += self._paid(batch, rows)
        headers: Headers = [("progress", dump_progress(batch.position.progress))]
        onward = [*headers, ("reach", dump_reach(batch.reach))] if batch.reach else headers
        towards = self._towards()
        for topic in (*self._step.marks, *self._step.carries):
            rows = _on_last(rows, topic.name, onward if topic in towards else headers)
        return rows

    def owed(self, partition: int, position: Position) -> Owed:
        """At the start of a partition: whoever had it before may have sent to any partition of what the step carries,
        and told no more there than the stored progress. One marker each, once that has moved."""
        if position.next_offset is None:
            return {}
        upstream = self._upstream_progress(partition, position)
        return {(t.name, to): upstream for t in self._step.carries for to in range(self._count)}

    def _upstream_progress(self, partition: int, position: Position) -> Mapping[str, int]:
        own = root_partition(self._step.source.name, partition)
        return {root: end for root, end in position.progress.items() if root != own}

    def _paid(self, batch: Batch, rows: Sequence[OutboxRow]) -> list[OutboxRow]:
        """Markers for partitions that were sent something before the progress that belongs to it was known, and for
        those that something would have reached."""
        upstream = self._upstream_progress(batch.partition, batch.position)
        carried = {t.name for t in self._step.carries}
        sent = {(r.topic, r.partition) for r in rows if r.topic in carried}
        reached = sorted({(topic, to) for topic in carried for to in batch.reach} - sent)
        sent.update(reached)
        owed = {at: owner_progress for at, owner_progress in batch.part.owed.items() if at not in sent}
        # Sorted: a set of text has another order in each process, and the outbox would have it, too.
        due = dict.fromkeys(sorted(sent), upstream)
        batch.owed = {at: owner_progress for at, owner_progress in owed.items() if owner_progress == upstream} | due
        end = batch.fresh[-1].offset
        return [
            self._row(batch.partition, end, MARKER_ORDINAL, topic, to, Marker(), [])
            for topic, to in [*reached, *(at for at, owner_progress in owed.items() if owner_progress != upstream)]
        ]  # fmt: skip


def _when(timestamp_ms: int) -> datetime:
    """Raises DecodeError: Kafka's timestamp is the client's to set, or absent (-1)."""
    when = kafka_time(timestamp_ms)
    if when <= EARLIEST:
        raise DecodeError("timestamp", f"timestamp: must be after {EARLIEST.date()}")
    return when


def _trace(item: Item, out: Out) -> Headers:
    """The trace context that an output carries on: of the record, or of the earlier one that it comes of."""
    if isinstance(out, Emit) and out.trace is not None:
        return [(TRACEPARENT, out.trace.encode())] if out.trace else []
    return [(k, v) for k, v in item.message.headers if k in (TRACEPARENT, "tracestate")]


def _size(row: OutboxRow) -> int:
    return sum(len(k) + len(v) + 4 for k, v in row.headers) + len(row.key or b"") + len(row.value or b"")


def _coalesced(rows: list[OutboxRow], whole: frozenset[str]) -> list[OutboxRow]:
    """The last row of each key in these topics. A null stays: a store removes by it what earlier batches wrote, whose
    revision may be higher than that of the value behind it."""
    last = {(r.topic, r.key): i for i, r in enumerate(rows) if r.topic in whole}
    return [r for i, r in enumerate(rows) if r.topic not in whole or r.value is None or last[r.topic, r.key] == i]


def _on_last(rows: list[OutboxRow], topic: str, headers: Headers) -> list[OutboxRow]:
    """Put the progress on the last row of each partition of the topic: those before it still lie below it."""
    last = {r.partition: i for i, r in enumerate(rows) if r.topic == topic}
    ends = set(last.values())
    return [replace(r, headers=[*r.headers, *headers]) if i in ends else r for i, r in enumerate(rows)]
