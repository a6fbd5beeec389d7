"""The one loop that runs every sink: poll, decode, collapse, write; commit is the last step (DESIGN "Sinks",
delivery rule 1)."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from schemas.components.installed import topic_named
from schemas.log.batch_window import Pace
from schemas.log.codec import Codec
from schemas.log.dead_letters import dead_letter_headers
from schemas.log.topics import Cleanup
from sinks.clock import SystemClock
from sinks.collapse import caused_at, collapse, runs
from sinks.decode import Decoded, decode
from sinks.protocol import (
    Clock,
    CommitLost,
    Consumer,
    DeadLetters,
    FaultHook,
    Item,
    Message,
    Observer,
    Permanent,
    Sink,
    SinkBatch,
    Stuck,
    TooFarBehind,
    Transient,
)
from sinks.retry_log import Wait
from sinks.stall_detector import Standstill

T = TypeVar("T")
DATA_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What a sink raises on a record that it did not expect. Anything else it has not classified ends the process."""
DELETIONS_KEPT = timedelta(days=30)
"""How long a deletion marker stays in a compacted topic (delivery rule 3)."""
REFUSED_SECONDS = 60.0
"""For so long the group may refuse the commits of a member that keeps its partitions. A rebalance takes seconds."""


class Stopped(Exception):  # noqa: N818
    """The worker was told to stop while it waited; nothing of the batch in hand is committed."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Times in seconds. A batch is what came within `linger` of its first record (`linger_busy` where records come
    often), up to `max_records`. What is written
    may stay uncommitted for `commit_every`: it is read once more after a crash, and the sink refuses it."""

    max_records: int = 500
    poll: float = 0.25
    linger: float = 0.01
    linger_busy: float = 0.0
    commit_every: float = 0.0
    first_delay: float = 0.1
    max_delay: float = 10.0


class SilentObserver:
    def batch(self, sink: str, records: int, rows: int, seconds: float) -> None: ...

    def fresh(self, sink: str, topic: str, seconds: Sequence[float]) -> None: ...

    def retry(self, sink: str, operation: str, delay: float) -> None: ...

    def refused(self, sink: str, count: int) -> None: ...

    def dead_letter(self, sink: str, reason: str) -> None: ...


class NoFaults:
    def hit(self, stage: str, point: str) -> None: ...


class Worker:
    """Runs one sink on one consumer, in the calling thread.

    `run` returns after `stop`; it raises Undelivered, TooFarBehind, Stuck and what the sink did not classify: the
    process then ends uncommitted and is started again by its supervisor.
    """

    def __init__(
        self,
        sink: Sink,
        consumer: Consumer,
        dead_letters: DeadLetters,
        codec: Codec,
        config: WorkerConfig = WorkerConfig(),
        *,
        clock: Clock | None = None,
        observer: Observer | None = None,
        faults: FaultHook | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._sink = sink
        self._consumer = consumer
        self._dead_letters = dead_letters
        self._codec = codec
        self._config = config
        self._clock = clock or SystemClock()
        self._pace = Pace(max(config.linger, config.linger_busy), config.linger, self._clock.monotonic)
        self._observer = observer or SilentObserver()
        self._faults = faults or NoFaults()
        self._jitter = jitter
        self._stop = threading.Event()
        self._held: list[Message] = []
        self._revoked_partitions: set[tuple[str, int]] = set()
        self._seen: set[tuple[str, int]] = set()
        self._done: dict[tuple[str, int], int] = {}
        self._committed = 0.0
        self._standstill = Standstill(consumer.waiting, self._clock.monotonic)
        self._refusals = Wait(sink.name, "commit_refused", self._clock.monotonic)
        self._written_at: datetime | None = None
        self._stuck = False
        self.moved_at: float | None = None
        """When it began or came round last (monotonic seconds), waiting for its store included; None before."""
        self.step_name = f"sink-{sink.name}"

    def stop(self) -> None:
        """Safe from a signal handler and from other threads."""
        self._stop.set()

    def run(self) -> None:
        try:
            self.start()
            while not self._stop.is_set():
                self.step()
            self._commit()
        except Stopped:
            pass
        except Stuck:
            self._stuck = True
            raise
        finally:
            if not self._stuck:  # closing would wait for the same client
                self._consumer.close()
                self._dead_letters.close()
                self._sink.close()

    def start(self) -> None:
        """Prepare the store, waiting for it as long as it takes, then join the group."""
        self.moved_at = self._clock.monotonic()
        self._retry("ensure", self._sink.ensure, waiting=self._sleep)
        self._written_at = self._retry("ensure", self._sink.written_at, waiting=self._sleep)
        self._consumer.subscribe(self._sink.topics, self._revoked)

    def step(self) -> int:
        """One batch from poll to commit; the number of records read."""
        self.moved_at = self._clock.monotonic()
        messages, self._held = self._held, []
        if not messages:
            messages = self._consumer.poll(self._config.max_records, self._config.poll, self._pace.wait())
            self._pace.came(len(messages))
        # What moved away before these came is no matter of theirs: it may have come back in the same poll.
        self._revoked_partitions.clear()
        if messages:
            self._standstill.came()
            self._check_age(messages)
            self._faults.hit(self.step_name, "after_poll")
            self._take(messages)
        elif self._due():
            self._commit()
        else:
            self._standstill.nothing_came()
        self._idle()
        return len(messages)

    def _take(self, messages: Sequence[Message]) -> None:
        began = self._clock.monotonic()
        decoded = self._retry("decode", lambda: decode(self._codec, messages, self.step_name))
        for p in decoded.poison:
            self._dead_letter(p.message, p.reason, p.text)
        *before, last = [collapse(run) for run in runs(decoded.items)]
        refused = sum(self._write(SinkBatch(items)) for items in before)
        refused += self._write(SinkBatch(last, decoded.progress, decoded.sweep))
        written = len(last) + sum(map(len, before))
        if refused:
            self._observer.refused(self._sink.name, refused)
        self._observe_freshness(decoded)
        self._faults.hit(self.step_name, "after_write")
        for m in messages:
            place = (m.topic, m.partition)
            if place not in self._revoked_partitions:
                self._done[place] = m.offset + 1  # below the one before where the log was cut, and is read again
        if self._due():
            self._commit()
            self._faults.hit(self.step_name, "after_commit")
        seconds = self._clock.monotonic() - began
        self._observer.batch(self._sink.name, len(messages), written, seconds)

    def _write(self, batch: SinkBatch) -> int:
        """The batch in one call; when the store refuses it for good, its items apart and then its progress."""
        try:
            return self._attempt(batch)
        except Permanent as exc:
            if not batch.items:
                raise
            refused = self._isolate(batch.items, exc)
            return refused + self._attempt(replace(batch, items=()))

    def _attempt(self, batch: SinkBatch) -> int:
        try:
            return self._retry("write", lambda: self._sink.write(batch))
        except DATA_ERRORS as exc:
            raise Permanent("sink_failed", f"{self._sink.name} raised {type(exc).__name__}") from exc

    def _isolate(self, items: Sequence[Item], refusal: Permanent) -> int:
        """Halve until what is refused stands alone; it becomes a dead letter and what it had collapsed is tried."""
        if len(items) == 1:
            self._dead_letter(items[0].message, refusal.reason, str(refusal))
            older = items[0].older
            return self._part([replace(older[0], older=older[1:])]) if older else 0
        half = len(items) // 2
        return self._part(items[:half]) + self._part(items[half:])

    def _part(self, items: Sequence[Item]) -> int:
        try:
            return self._attempt(SinkBatch(items))
        except Permanent as exc:
            return self._isolate(items, exc)

    def _dead_letter(self, message: Message, reason: str, text: str) -> None:
        self._dead_letters.deliver(message, dead_letter_headers(message, self.step_name, reason, text))
        self._observer.dead_letter(self._sink.name, reason)
        self._faults.hit(self.step_name, "after_dead_letter")

    def _due(self) -> bool:
        return bool(self._done) and self._clock.monotonic() - self._committed >= self._config.commit_every

    def _commit(self) -> None:
        """Last: all that is written. Partitions that moved away meanwhile are their new owner's to commit; what the
        group refuses while this member keeps its partitions is committed with its next generation."""

        def commit() -> None:
            if self._done:
                self._consumer.commit(self._done)

        try:
            self._retry("commit", commit)
            self._done.clear()
            self._refusals.ended()
        except CommitLost as exc:
            self._observer.retry(self._sink.name, "commit_lost", 0.0)
            self._refusals.failed(str(exc))
            if self._refusals.seconds > REFUSED_SECONDS:
                raise Stuck(f"commits are refused since {self._refusals.seconds:.0f} s: {exc}") from None
        self._committed = self._clock.monotonic()

    def _retry(self, operation: str, call: Callable[[], T], waiting: Callable[[float], None] | None = None) -> T:
        """One operation, as long as it fails in passing: delays double up to the longest, each between its half and
        its whole. The partitions are paused meanwhile and the group membership is kept by polling."""
        delay, paused = self._config.first_delay, False
        wait = Wait(self._sink.name, operation, self._clock.monotonic)
        try:
            while True:
                try:
                    return call()
                except Transient as exc:
                    wait.failed(str(exc))
                    if waiting is None and not paused:
                        self._consumer.pause()
                        paused = True
                    pause = delay * (0.5 + 0.5 * self._jitter())
                    self._observer.retry(self._sink.name, operation, pause)
                    (waiting or self._wait)(pause)
                    delay = min(delay * 2, self._config.max_delay)
        finally:
            wait.ended()
            # However it ended: a commit that was lost, a batch refused for good. A consumer left paused reads no more.
            if paused:
                self._consumer.resume()

    def _wait(self, seconds: float) -> None:
        """Raises Stopped. What arrives in spite of the pause is kept for the next batch."""
        until = self._clock.monotonic() + seconds
        while (left := until - self._clock.monotonic()) > 0:
            if self._stop.is_set():
                raise Stopped
            self.moved_at = self._clock.monotonic()
            found = self._consumer.poll(self._config.max_records, min(left, self._config.poll))
            self._held += found  # not in one line: `_revoked` runs inside poll, and what it takes out must stay out

    def _sleep(self, seconds: float) -> None:
        """Before the group is joined there is no membership to keep. Raises Stopped."""
        self.moved_at = self._clock.monotonic()
        if self._clock.wait(self._stop, seconds):
            raise Stopped

    def _revoked(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Their new owner starts at the last commit: nothing of theirs is committed from here on."""
        self._refusals.ended()
        self._revoked_partitions.update(partitions)
        for place in partitions:
            self._done.pop(place, None)
        self._held = [m for m in self._held if (m.topic, m.partition) not in self._revoked_partitions]

    def _check_age(self, messages: Sequence[Message]) -> None:
        """On the first record of each partition: a store that stood still for longer than deletions are kept, while
        records waited for it, may have missed some."""
        limit = self._clock.now() - DELETIONS_KEPT
        stamp = int(limit.timestamp() * 1000)
        for m in messages:
            if (m.topic, m.partition) in self._seen:
                continue
            self._seen.add((m.topic, m.partition))
            waited = topic_named(m.topic).cleanup is Cleanup.COMPACT and m.timestamp_ms < stamp
            if waited and self._written_at is not None and self._written_at < limit:
                raise TooFarBehind(f"{self._sink.name} was last written at {self._written_at.isoformat()}: rebuild it")

    def _idle(self) -> None:
        try:
            self._sink.idle(self._clock.now())
        except Transient:
            self._observer.retry(self._sink.name, "idle", 0.0)

    def _observe_freshness(self, decoded: Decoded) -> None:
        now = self._clock.now()
        ages: dict[str, list[float]] = {}
        for item in decoded.items:
            at = caused_at(item.event)
            if at is not None:
                ages.setdefault(item.message.topic, []).append(max(0.0, (now - at).total_seconds()))
        for topic, seconds in ages.items():
            self._observer.fresh(self._sink.name, topic, seconds)
