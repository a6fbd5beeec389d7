"""The whole topology without a broker (Kafka Streams' TopologyTestDriver): pipe records in, read topics out, advance
the clock, open the state. It runs the very runner that Faust runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from processors.step import Step
from schemas.components.installed import topic_named
from schemas.events.envelope import Envelope, Tick
from schemas.log import topics
from schemas.log.codec import Codec, Event, Headers
from schemas.log.owner import partition as partition_of
from schemas.log.progress import FreshnessToken, Written
from schemas.log.topics import Topic
from streams.faults import Faults
from streams.ports import Inline, Observer
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, StateStore


async def inline(call: Callable[[], Any]) -> Any:
    return call()


class MemoryLog:
    """Topics as lists: offsets are positions."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.partitions: dict[tuple[str, int], list[Message]] = defaultdict(list)

    def append(self, topic: str, partition: int, key: bytes | None, value: bytes | None, headers: Headers) -> int:
        log = self.partitions[topic, partition]
        stamp = int(self._now().timestamp() * 1000)
        log.append(Message(topic, partition, len(log), key, value, list(headers), stamp))
        return len(log) - 1

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        for r in rows:
            self.append(r.topic, r.partition, r.key, r.value, r.headers)


class TopologyDriver:
    """Runs steps over a `MemoryLog` until nothing is left. `batch` records at a time a partition. `upstream`: see
    RunnerConfig; `compute`, `decide`: see StepRunner."""

    def __init__(
        self,
        steps: Sequence[Step],
        start: datetime,
        *,
        partitions: int = topics.EMBEDDED_PARTITIONS,
        batch: int = 64,
        store: StateStore | None = None,
        codec: Codec | None = None,
        faults: Faults | None = None,
        upstream: Collection[str] | None = None,
        compute: Inline = inline,
        decide: Inline | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.now = start
        self.codec = codec or Codec()
        self.log = MemoryLog(lambda: self.now)
        self.store = store or MemoryStateStore()
        self._batch = batch
        self._count = partitions
        config = RunnerConfig(partitions, upstream=upstream)
        self.runners = {
            s.name: StepRunner(
                s,
                self.store,
                self.log,
                self.codec,
                config,
                compute=compute,
                decide=decide,
                faults=faults,
                observer=observer,
            )
            for s in steps
        }
        self._cursor: dict[tuple[str, int], int] = defaultdict(int)

    def advance(self, by: timedelta) -> None:
        self.now += by

    def pipe(self, topic: Topic, event: Event, source: str = "client") -> FreshnessToken:
        """Append an event as a client would; returns its token."""
        if not isinstance(event, Envelope):
            raise TypeError("pipe_tick writes ticks")
        p = partition_of(event.owner, self._count)
        encoded = self.codec.encode(event, source, f"{topic.name}:{len(self.log.partitions[topic.name, p])}")
        offset = self.log.append(topic.name, p, encoded.key, encoded.value, encoded.headers)
        return FreshnessToken.of([Written(topic=topic.name, partition=p, offset=offset)])

    def pipe_raw(self, topic: Topic, partition: int, value: bytes | None, headers: Headers | None = None) -> None:
        self.log.append(topic.name, partition, None, value, headers or [])

    def tick(self) -> None:
        """What the timer writes: one tick into every partition of the topics whose steps close things."""
        for topic in (topics.TURNS, topics.LEDGER, topics.PROJECT_EVENTS):
            for p in range(self._count):
                encoded = self.codec.encode(Tick(now=self.now), "memstream/timer", f"tick/{self.now.isoformat()}/{p}")
                self.log.append(topic.name, p, encoded.key, encoded.value, encoded.headers)

    async def run(self) -> None:
        """Until no step has input left."""
        moved = True
        while moved:
            moved = False
            for runner in self.runners.values():
                moved = await self._run_step(runner) or moved

    async def _run_step(self, runner: StepRunner) -> bool:
        moved = False
        for p in range(self._count):
            log = self.log.partitions[runner.step.source.name, p]
            place = runner.step.name, p
            while self._cursor[place] < len(log):
                end = self._cursor[place] + self._batch
                chunk = log[self._cursor[place] : end]
                await runner.process(chunk, lambda log=log, end=end: log[end : end + self._batch])  # type: ignore[misc]
                self._cursor[place] += len(chunk)
                moved = True
        return moved

    def retention_pass(self) -> None:
        """What is older than its topic keeps it goes, as brokers take it by its own time: a step that has not read it
        goes on behind it. (`read` and offsets still show it.)"""
        for (name, p), log in self.log.partitions.items():
            days = topic_named(name).retention_days
            if days is None:
                continue
            limit = int((self.now - timedelta(days=days)).timestamp() * 1000)
            start = next((m.offset for m in log if m.timestamp_ms >= limit), len(log))
            for runner in self.runners.values():
                if runner.step.source.name == name:
                    self._cursor[runner.step.name, p] = max(start, self._cursor[runner.step.name, p])

    def restart(self, rewind: int = 0) -> None:
        """Forget everything in memory, as a crash does; the consumer starts `rewind` records earlier."""
        for runner in self.runners.values():
            runner.forget()
        for place in list(self._cursor):
            self._cursor[place] = max(0, self._cursor[place] - rewind)

    def read(self, topic: Topic) -> list[Event]:
        """All events of a topic, by partition and offset (markers and nulls left out)."""
        out: list[Event] = []
        for p in range(self._count):
            for m in self.log.partitions[topic.name, p]:
                if m.value is None:
                    continue
                event = self.codec.decode(topic.name, m.value)
                if isinstance(event, Envelope):
                    out.append(event)
        return out

    def dead_letters(self) -> list[Message]:
        return [m for (t, _), log in sorted(self.log.partitions.items()) if t == topics.DEAD_LETTERS.name for m in log]
