"""The one loop that runs every step: load, compute, state transaction, outbox delivery; commit is the caller's last
step (DESIGN, delivery rules 1, 2, 4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from processors.step import Emit, Out, Reads, Record, Reject, Step
from schemas import topics
from schemas.codec import Codec, DecodeError, Headers, header
from schemas.envelope import Envelope, Marker, Tick
from schemas.ids import event_id
from schemas.owner import partition as partition_of
from schemas.progress import dump_progress, load_progress, merge, root_partition
from streams.cache import PartitionCache, RecordState
from streams.faults import Faults, Point
from streams.state import OutboxRow, PartitionCommit, Position, StateStore, Write

MARKER_ORDINAL = 1_000_000
"""A marker comes after every output of its offset."""

Inline = Callable[[Callable[[], Any]], Awaitable[Any]]


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


class Producer(Protocol):
    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        """Returns when the broker has acknowledged every row, in order per partition. Retries what is transient."""
        ...


class Observer(Protocol):
    """What a step run reports (metrics are the caller's)."""

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...


class Silent:
    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class RunnerConfig:
    """`partitions`: the fixed count of owner-keyed topics; `cache_bytes`: state kept in memory a partition."""

    partitions: int = topics.EMBEDDED_PARTITIONS
    cache_bytes: int = 64 * 1024 * 1024


@dataclass(slots=True)
class _Partition:
    position: Position
    cache: PartitionCache


@dataclass(slots=True)
class _Work:
    """One partition's batch on its way."""

    partition: int
    fresh: list[Message]
    position: Position
    writes: dict[tuple[str, str], Write] = field(default_factory=dict)
    outbox: list[OutboxRow] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    sweep: datetime | None = None


async def in_thread(call: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(call)


class StepRunner:
    """Runs one step over batches of any partitions. Not safe for concurrent calls; one a process and step."""

    def __init__(
        self,
        step: Step,
        store: StateStore,
        producer: Producer,
        codec: Codec,
        config: RunnerConfig = RunnerConfig(),
        *,
        faults: Faults | None = None,
        observer: Observer | None = None,
        compute: Inline = in_thread,
    ) -> None:
        self.step = step
        self._store = store
        self._producer = producer
        self._codec = codec
        self._config = config
        self._faults = faults or Faults()
        self._observer = observer or Silent()
        self._compute = compute
        self._parts: dict[int, _Partition] = {}

    async def process(self, messages: Sequence[Message]) -> None:
        """Take a batch through. On return every outcome is stored and delivered: the caller may commit.

        Raises StaleOwner (nothing was written; the partitions belong to another worker) and whatever the store or the
        producer raise when they give up. After an exception the runner must be told `forget`.
        """
        clock = _Stopwatch()
        works = [await self._begin(p, batch) for p, batch in sorted(_by_partition(messages).items())]
        works = [w for w in works if w.fresh]
        if not works:
            return
        self._faults.hit(self.step.name, Point.BEFORE_LOAD)
        records = {w.partition: self._decode(w) for w in works}
        flat = [r for w in works for r in records[w.partition]]
        prepared = await self._prepare(flat)
        clock.lap("prepare")
        by_place = {(r.partition, r.offset): p for r, p in zip(flat, prepared, strict=True)}
        for w in works:
            await self._load(w, records[w.partition], by_place)
        clock.lap("load")
        self._faults.hit(self.step.name, Point.AFTER_LOAD)
        for w in works:
            self._handle(w, records[w.partition], by_place)
        clock.lap("compute")
        self._faults.hit(self.step.name, Point.AFTER_COMPUTE)
        await self._finish(works, clock)

    def forget(self, partitions: Sequence[int] | None = None) -> None:
        """Partitions moved away or a batch failed: positions and cached state are read again before use."""
        for p in list(self._parts) if partitions is None else partitions:
            self._parts.pop(p, None)

    def next_offset(self, partition: int) -> int | None:
        """The stored offset as last seen; None when unknown or never started."""
        part = self._parts.get(partition)
        return None if part is None else part.position.next_offset

    async def _begin(self, partition: int, batch: list[Message]) -> _Work:
        """On first sight of a partition: read its position and deliver its outbox again (it may not have gone out).
        Offsets below the position are redeliveries: their outcomes are stored and delivered, never recomputed."""
        part = self._parts.get(partition)
        if part is None:
            position, outbox = await self._store.position(self.step.name, partition)
            if outbox:
                await self._producer.deliver(outbox)
            part = self._parts[partition] = _Partition(position, PartitionCache(self._config.cache_bytes))
        start = part.position.next_offset
        fresh = [m for m in batch if start is None or m.offset >= start]
        return _Work(partition, fresh, part.position)

    def _decode(self, w: _Work) -> list[Record]:
        """Decode, check the partition, drop what an upstream redelivered. Failures become dead letters."""
        out: list[Record] = []
        progress, seen = dict(w.position.progress), dict(w.position.seen)
        for m in w.fresh:
            try:
                source = _source(m.headers)
                incoming = load_progress(header(m.headers, "progress"))
                if source is not None and seen.get(source[0], (-1, -1)) >= source[1]:
                    _count(w, "duplicate")
                    continue
                event = self._codec.decode(m.topic, m.value)
                self._check_partition(event, m.partition)
            except DecodeError as exc:
                self._dead_letter(w, m, exc.reason, str(exc))
                continue
            except ValueError as exc:
                self._dead_letter(w, m, "headers", f"headers: {exc}")
                continue
            if source is not None:
                seen[source[0]] = source[1]
            progress = merge(progress, incoming)
            if isinstance(event, Marker):
                continue
            if isinstance(event, Tick):
                w.sweep = event.now if w.sweep is None else max(w.sweep, event.now)
            out.append(Record(event, m.partition, m.offset, datetime.fromtimestamp(m.timestamp_ms / 1000, UTC)))
        if self.step.source.root:
            progress = merge(progress, {root_partition(self.step.source.name, w.partition): w.fresh[-1].offset + 1})
        w.position = Position(w.fresh[-1].offset + 1, progress, seen)
        return out

    def _check_partition(self, event: object, partition: int) -> None:
        if isinstance(event, Envelope):
            expected = partition_of(event.owner, self._config.partitions)
            if expected != partition:
                raise DecodeError("wrong_partition", f"partition: this owner's records belong to {expected}")
        elif not isinstance(event, Tick | Marker):
            raise DecodeError("invalid", "value: not an event")

    async def _prepare(self, records: list[Record]) -> list[Any]:
        """Models over the whole batch; when that fails, record by record, so that one poison record fails alone."""
        if not records:
            return []
        try:
            return list(await self._compute(lambda: self.step.prepare(records)))
        except Exception:  # noqa: BLE001 - isolated below, each failure becomes a dead letter
            out: list[Any] = []
            for record in records:
                try:
                    out.extend(await self._compute(lambda r=record: self.step.prepare([r])))  # type: ignore[misc]
                except Exception as exc:  # noqa: BLE001
                    out.append(_Failed(type(exc).__name__))
            return out

    async def _load(self, w: _Work, records: list[Record], prepared: Mapping[tuple[int, int], Any]) -> None:
        sound = [(r, p) for r in records if not isinstance(p := prepared[r.partition, r.offset], _Failed)]
        await self._fill(w, {read for r, p in sound for read in self.step.reads(r, p)})
        cache = self._parts[w.partition].cache
        await self._fill(w, {read for r, p in sound for read in self.step.then_reads(r, p, RecordState(cache))})

    async def _fill(self, w: _Work, reads: set[Reads]) -> None:
        cache = self._parts[w.partition].cache
        missing = cache.missing(sorted(reads, key=lambda x: (x.owner, x.keys or ())))
        if missing:
            cache.fill(missing, await self._store.load(self.step.name, w.partition, missing))

    def _handle(self, w: _Work, records: list[Record], prepared: Mapping[tuple[int, int], Any]) -> None:
        raw = {m.offset: m for m in w.fresh}
        cache = self._parts[w.partition].cache
        for r in records:
            p = prepared[r.partition, r.offset]
            if isinstance(p, _Failed):
                self._dead_letter(w, raw[r.offset], "step_failed", f"prepare raised {p.error}")
                continue
            state = RecordState(cache)
            try:
                outs = list(self.step.handle(r, p, state))
                rows = self._encode(w, r, outs, raw[r.offset])
            except Exception as exc:  # noqa: BLE001 - a step's bug costs one record, said so, never the stream
                state.drop()
                self._dead_letter(w, raw[r.offset], "step_failed", f"{self.step.name} raised {type(exc).__name__}")
                continue
            rejects = [o for o in outs if isinstance(o, Reject)]
            if rejects:
                state.drop()
                self._dead_letter(w, raw[r.offset], rejects[0].reason, rejects[0].message)
                continue
            w.writes.update(state.keep())
            w.outbox.extend(rows)
            _count(w, "handled")

    def _encode(self, w: _Work, record: Record, outs: Sequence[Out], m: Message) -> list[OutboxRow]:
        rows: list[OutboxRow] = []
        trace = [(k, v) for k, v in m.headers if k in ("traceparent", "tracestate")]
        for ordinal, out in enumerate(o for o in outs if isinstance(o, Emit)):
            event = out.event
            target = partition_of(event.owner, self._config.partitions) if isinstance(event, Envelope) else w.partition
            rows.append(self._row(w, record.offset, ordinal, out.topic.name, target, event, trace))
        return rows

    def _row(
        self, w: _Work, offset: int, ordinal: int, topic: str, target: int, event: Any, extra: Headers
    ) -> OutboxRow:
        name = self.step.name
        encoded = self._codec.encode(
            event,
            f"memstream/{name}",
            event_id(name, w.partition, offset, ordinal),
            [("src", f"{name}/{w.partition}:{offset}:{ordinal}".encode()), *extra],
        )
        return OutboxRow(offset, ordinal, topic, target, encoded.key, encoded.value, encoded.headers)

    def _dead_letter(self, w: _Work, m: Message, reason: str, message: str) -> None:
        """The original bytes; step, reason, attempts and source in the headers (never content)."""
        attempts = int(header(m.headers, "attempts") or b"0") + 1
        kept = [(k, v) for k, v in m.headers if k in ("traceparent", "owner", "ce_type")]
        headers: Headers = [
            ("step", self.step.name.encode()),
            ("reason", reason.encode()),
            ("message", message.encode()),
            ("attempts", str(attempts).encode()),
            ("source_topic", m.topic.encode()),
            ("source_partition", str(m.partition).encode()),
            ("source_offset", str(m.offset).encode()),
            ("failed_at", datetime.fromtimestamp(m.timestamp_ms / 1000, UTC).isoformat().encode()),
            *kept,
        ]
        w.outbox.append(OutboxRow(m.offset, 0, topics.DEAD_LETTERS.name, m.partition, m.key, m.value, headers))
        _count(w, "dead_letter")

    def _with_progress(self, w: _Work) -> list[OutboxRow]:
        """Coalesce whole values, put the batch's progress on the last row of each marked partition, and add a marker
        where a marked topic has none."""
        rows = _coalesced(w.outbox, self.step.coalesce)
        blob = dump_progress(w.position.progress)
        for topic in self.step.marks:
            if not any(r.topic == topic.name and r.partition == w.partition for r in rows):
                row = self._row(w, w.fresh[-1].offset, MARKER_ORDINAL, topic.name, w.partition, Marker(), [])
                rows.append(replace(row, key=b"marker"))
        for topic in self.step.outputs:
            rows = _progress_on_last(rows, topic.name, blob)
        return rows

    async def _finish(self, works: Sequence[_Work], clock: _Stopwatch) -> None:
        commits = []
        for w in works:
            rows = self._with_progress(w)
            expected = self._parts[w.partition].position.next_offset
            writes = list(w.writes.values())
            commits.append(PartitionCommit(self.step.name, w.partition, expected, w.position, writes, rows, w.sweep))
        await self._store.commit(commits)
        clock.lap("transaction")
        self._faults.hit(self.step.name, Point.AFTER_TRANSACTION)
        outgoing = [row for c in commits for row in c.outbox]
        await self._deliver(outgoing)
        clock.lap("delivery")
        self._faults.hit(self.step.name, Point.AFTER_DELIVERY)
        for w in works:
            self._parts[w.partition].position = w.position
            self._parts[w.partition].cache.shrink()
            for word, n in w.counts.items():
                self._observer.outcome(self.step.name, word, n)
        self._observer.batch(self.step.name, sum(len(w.fresh) for w in works), clock.laps)

    async def _deliver(self, rows: list[OutboxRow]) -> None:
        if type(self._faults) is not Faults and len(rows) > 1:
            await self._producer.deliver(rows[: len(rows) // 2])
            self._faults.hit(self.step.name, Point.MID_DELIVERY)
            rows = rows[len(rows) // 2 :]
        await self._producer.deliver(rows)


@dataclass(frozen=True, slots=True)
class _Failed:
    error: str


class _Stopwatch:
    """Seconds a phase, for metrics."""

    def __init__(self) -> None:
        self._last = asyncio.get_running_loop().time()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = asyncio.get_running_loop().time()
        self.laps[name] = now - self._last
        self._last = now


def _by_partition(messages: Sequence[Message]) -> dict[int, list[Message]]:
    out: dict[int, list[Message]] = {}
    for m in sorted(messages, key=lambda m: m.offset):
        out.setdefault(m.partition, []).append(m)
    return out


def _source(headers: Headers) -> tuple[str, tuple[int, int]] | None:
    """`step/partition:offset:ordinal` of an emitted record; None for a client's. Raises ValueError."""
    raw = header(headers, "src")
    if raw is None:
        return None
    name, offset, ordinal = raw.decode().rsplit(":", 2)
    return name, (int(offset), int(ordinal))


def _count(w: _Work, word: str) -> None:
    w.counts[word] = w.counts.get(word, 0) + 1


def _coalesced(rows: list[OutboxRow], whole: frozenset[str]) -> list[OutboxRow]:
    last = {(r.topic, r.key): i for i, r in enumerate(rows) if r.topic in whole}
    return [r for i, r in enumerate(rows) if r.topic not in whole or last[r.topic, r.key] == i]


def _progress_on_last(rows: list[OutboxRow], topic: str, blob: bytes) -> list[OutboxRow]:
    """Put the progress on the last row of each partition of the topic: those before it still lie below it."""
    last = {r.partition: i for i, r in enumerate(rows) if r.topic == topic}
    ends = set(last.values())
    return [replace(r, headers=[*r.headers, ("progress", blob)]) if i in ends else r for i, r in enumerate(rows)]
