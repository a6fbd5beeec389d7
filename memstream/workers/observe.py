"""Counters of a process, sent to Postgres as a heartbeat every two seconds (`ops.heartbeats`)."""

from __future__ import annotations

import bisect
import logging
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import psutil
import psycopg
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from memstream.workers.reading_counts import ReadingCounts
from schemas.heartbeat import (
    FRESHNESS_BUCKETS,
    LATENCY_BUCKETS,
    SIZE_BUCKETS,
    FreshnessStats,
    Heartbeat,
    StageStats,
)
from schemas.reading_stats import ReadingStats
from schemas.storage import postgres_connections

log = logging.getLogger(__name__)
_EVERY = 2.0
_RECENT = 60.0
_TIDY_EVERY = 60.0


def _now() -> datetime:
    return datetime.now(UTC)


class _Histogram:
    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.most = 0.0
        self.buckets = [0] * (len(FRESHNESS_BUCKETS) + 1)

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.most = max(self.most, seconds)
        self.buckets[bisect.bisect_left(FRESHNESS_BUCKETS, seconds)] += 1

    def stats(self) -> FreshnessStats:
        return FreshnessStats(
            count=self.count, total_seconds=self.total, max_seconds=self.most, buckets=tuple(self.buckets)
        )


class ProcessStats:
    """Observer of step runners and sink workers. Thread-safe."""

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._started = clock().isoformat()
        self._lock = threading.Lock()
        self._records: Counter[str] = Counter()
        self._batches: Counter[str] = Counter()
        self._outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self._seconds: dict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._latency: dict[str, list[int]] = defaultdict(lambda: [0] * (len(LATENCY_BUCKETS) + 1))
        self._sizes: dict[str, list[int]] = defaultdict(lambda: [0] * (len(SIZE_BUCKETS) + 1))
        self._fresh: dict[str, _Histogram] = defaultdict(_Histogram)
        self._recent: deque[tuple[float, str, float]] = deque(maxlen=20_000)
        self._reading = ReadingCounts()

    # -- step runners (streams.runner.Observer)
    def outcome(self, step: str, word: str, count: int) -> None:
        with self._lock:
            self._outcomes[step][word] += count

    def read(self, stats: ReadingStats) -> None:
        with self._lock:
            self._reading.add(stats, self._clock().date())

    def known_before(self, before: Heartbeat) -> None:
        """What the process of this name said last before this one started: the days of its readings go on."""
        with self._lock:
            self._reading.go_on(before.reading_days)

    # -- sink workers (sinks.protocol.Observer)
    def fresh(self, sink: str, topic: str, seconds: Sequence[float]) -> None:
        now = time.monotonic()
        with self._lock:
            for s in seconds:
                self._fresh[f"{sink}:{topic}"].add(s)
                self._recent.append((now, f"{sink}:{topic}", s))

    def retry(self, sink: str, operation: str, delay: float) -> None:
        self.outcome(f"sink-{sink}", "retry", 1)

    def refused(self, sink: str, count: int) -> None:
        self.outcome(f"sink-{sink}", "refused", count)

    def dead_letter(self, sink: str, reason: str) -> None:
        self.outcome(f"sink-{sink}", "dead_letter", 1)

    def took(self, stage: str, records: int, seconds: Mapping[str, float]) -> None:
        with self._lock:
            self._records[stage] += records
            self._batches[stage] += 1
            self._latency[stage][bisect.bisect_left(LATENCY_BUCKETS, sum(seconds.values()))] += 1
            self._sizes[stage][bisect.bisect_left(SIZE_BUCKETS, records)] += 1
            for phase, s in seconds.items():
                self._seconds[stage][phase] += s

    def heartbeat(self) -> Heartbeat:
        process = psutil.Process()
        times = process.cpu_times()
        with self._lock:
            horizon = time.monotonic() - _RECENT
            while self._recent and self._recent[0][0] < horizon:
                self._recent.popleft()
            recent: dict[str, _Histogram] = defaultdict(_Histogram)
            for _, key, s in self._recent:
                recent[key].add(s)
            names = set(self._records) | set(self._outcomes)
            stages = {
                n: StageStats(
                    records=self._records[n], batches=self._batches[n], outcomes=dict(self._outcomes[n]),
                    seconds=dict(self._seconds[n]), latency=tuple(self._latency[n]), sizes=tuple(self._sizes[n]),
                )
                for n in sorted(names)
            }  # fmt: skip
            return Heartbeat(
                started_at=self._started,
                pid=process.pid,
                stages=stages,
                freshness={k: h.stats() for k, h in sorted(self._fresh.items())},
                recent={k: h.stats() for k, h in sorted(recent.items())},
                reading=self._reading.since_start(),
                reading_days=self._reading.days(self._clock().date()),
                rss_bytes=process.memory_info().rss,
                cpu_seconds=times.user + times.system,
            )


class StepObserver:
    """`streams.runner.Observer` over the stats."""

    def __init__(self, stats: ProcessStats) -> None:
        self._stats = stats

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None:
        self._stats.took(step, size, seconds)

    def outcome(self, step: str, word: str, count: int) -> None:
        self._stats.outcome(step, word, count)

    def read(self, stats: ReadingStats) -> None:
        self._stats.read(stats)


class SinkObserver:
    """`sinks.protocol.Observer` over the stats. `beside`: the name under which a generation counts that is not the one
    that is read; its records are old, so how fresh they are is not told."""

    def __init__(self, stats: ProcessStats, beside: str | None = None) -> None:
        self._stats, self._beside = stats, beside

    def batch(self, sink: str, records: int, rows: int, seconds: float) -> None:
        name = f"sink-{self._beside or sink}"
        self._stats.took(name, records, {"write": seconds})
        self._stats.outcome(name, "rows", rows)

    def fresh(self, sink: str, topic: str, seconds: Sequence[float]) -> None:
        if self._beside is None:
            self._stats.fresh(sink, topic, seconds)

    def retry(self, sink: str, operation: str, delay: float) -> None:
        self._stats.retry(self._beside or sink, operation, delay)

    def refused(self, sink: str, count: int) -> None:
        self._stats.refused(self._beside or sink, count)

    def dead_letter(self, sink: str, reason: str) -> None:
        self._stats.dead_letter(self._beside or sink, reason)


class HeartbeatSender:
    """A thread that upserts this process's row. A store that is away costs a log line, never the process. `tidy` is
    called once a minute."""

    def __init__(
        self, dsn: str, process: str, stats: ProcessStats, tidy: Callable[[], object] | None = None
    ) -> None:
        self._tidy = tidy
        self._tidied = time.monotonic()
        self._dsn = dsn
        self._process = process
        self._stats = stats
        self._goes_on = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=3)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with postgres_connections.connect(self._dsn, connect_timeout=3, autocommit=True) as conn:
                    self._go_on(conn)
                    self._beat(conn)
                    while not self._stop.wait(_EVERY):
                        self._beat(conn)
            except (psycopg.Error, psutil.Error, OSError) as exc:
                log.warning("heartbeat not stored", extra={"error": type(exc).__name__})
                self._stop.wait(_EVERY)

    def _go_on(self, conn: psycopg.Connection[psycopg.rows.TupleRow]) -> None:
        """Once, before this process overwrites what the one before it had said."""
        if self._goes_on:
            return
        row = conn.execute("SELECT stats FROM ops.heartbeats WHERE process = %s", (self._process,)).fetchone()
        self._goes_on = True
        if row is None:
            return
        try:
            self._stats.known_before(Heartbeat.model_validate(row[0]))
        except ValidationError:  # of another version
            log.warning("the last heartbeat of this process was not understood", extra={"of": self._process})

    def _beat(self, conn: psycopg.Connection[psycopg.rows.TupleRow]) -> None:
        self._send(conn)
        if self._tidy is not None and time.monotonic() - self._tidied >= _TIDY_EVERY:
            self._tidied = time.monotonic()
            self._tidy()

    def _send(self, conn: psycopg.Connection[psycopg.rows.TupleRow]) -> None:
        conn.execute(
            "INSERT INTO ops.heartbeats (process, at, stats) VALUES (%s, now(), %s)"
            " ON CONFLICT (process) DO UPDATE SET at = now(), stats = EXCLUDED.stats",
            (self._process, Jsonb(self._stats.heartbeat().model_dump(mode="json"))),
        )
