"""`memstream worker jobs`: a plain consumer of memory.jobs with bounded concurrency (DESIGN "Model work never blocks a
partition").

Jobs overlap and end in any order; an offset is committed when everything below it is done, which is after the broker
has acknowledged its results. A job that waits for an endpoint that is away lends its slot to those behind it, so that
summaries by extraction and jobs of other kinds go on. While the slots are full, or too many jobs wait, nothing is
polled; when that lasts, the partitions are paused and the membership is kept by polling. Not at once: a pause throws
away what was fetched ahead, and the fetch behind it begins with the same partition again, so that the others would wait
until that one has nothing left. A job that is run twice sends the same results, which their readers take once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Protocol, TypeVar

from inference.memory import return_freed_memory
from inference.openai_compatible import OpenAiCompatible
from memstream.endpoint import endpoint_of
from memstream.keyring.wiring import sealing_of
from memstream.profiles import LiveBook, ProfileFollower
from memstream.settings import Settings
from memstream.tracing import spans_of
from memstream.workers.asking import Bounds
from memstream.workers.job_work import JobWork, Parts, UnknownJob
from memstream.workers.observe import HeartbeatSender, ProcessStats
from memstream.workers.parts import parts_of
from memstream.workers.preflight import check_topics
from memstream.workers.slots import Slots
from processors.step import Emit
from schemas.events.documents import Job
from schemas.events.envelope import Envelope
from schemas.log import topics
from schemas.log.codec import ERASED, Codec, DecodeError
from schemas.log.dead_letters import dead_letter_headers
from schemas.log.owner import partition
from schemas.security.sealing import KeysAway
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.protocol import CommitLost, Consumer, DeadLetters, Message, Transient
from streams.kafka import KafkaOutbox
from streams.state.protocol import OutboxRow

log = logging.getLogger(__name__)
STAGE = JobWork.STAGE
GROUP = "memstream-jobs"
FULL_SECONDS = 20.0
"""How long the slots may be full before the partitions are paused; far below librdkafka's `max.poll.interval.ms`."""
FETCHED = 65_536
"""Bytes of one partition in a fetch: jobs of the others come in between, however many one of them has."""
MOST_HELD = 1_000
"""Jobs that a worker holds, running or waiting for the endpoint; each has its record in memory."""
_AWAY_SECONDS = 5.0
"""Between two tries of a job that waits for the keyring."""
Place = tuple[str, int]
T = TypeVar("T")


class Outbox(Protocol):
    async def deliver(self, rows: Sequence[OutboxRow]) -> object:
        """Returns when every row is acknowledged; raises for what no retry can mend."""
        ...


class InFlight:
    """Which offsets were taken and which are done, by partition."""

    def __init__(self) -> None:
        self._taken: dict[Place, deque[int]] = {}
        self._done: dict[Place, set[int]] = {}

    def take(self, m: Message) -> None:
        self._taken.setdefault((m.topic, m.partition), deque()).append(m.offset)

    def done(self, m: Message) -> None:
        self._done.setdefault((m.topic, m.partition), set()).add(m.offset)

    def ready(self) -> dict[Place, int]:
        """Next offsets: everything below them is done. Each is told once."""
        out: dict[Place, int] = {}
        for place, taken in self._taken.items():
            done = self._done.get(place, set())
            while taken and taken[0] in done:
                done.discard(taken[0])
                out[place] = taken.popleft() + 1
        return out

    def drop(self, places: Sequence[Place]) -> None:
        """Their new owner starts at the last commit."""
        for place in places:
            self._taken.pop(place, None)
            self._done.pop(place, None)


class JobsWorker:
    """Runs jobs on one consumer. `work` makes what runs them, at the first job: until then no model is loaded."""

    def __init__(
        self,
        consumer: Consumer,
        outbox: Outbox,
        dead_letters: DeadLetters,
        work: Callable[[], Awaitable[JobWork]],
        stats: ProcessStats,
        *,
        partitions: int,
        concurrency: int,
        codec: Codec | None = None,
        poll_seconds: float = 0.2,
        most_held: int = MOST_HELD,
        full_seconds: float = FULL_SECONDS,
    ) -> None:
        self._consumer = consumer
        self._outbox = outbox
        self._dead_letters = dead_letters
        self._make = work
        self._work: JobWork | None = None
        self._stats = stats
        self._partitions = partitions
        self.slots = Slots(concurrency)
        self._most_held = max(most_held, concurrency)
        self._codec = codec or Codec()
        self._poll_seconds = poll_seconds
        self._full_seconds = full_seconds
        self._full_since: float | None = None
        self._in_flight = InFlight()
        self._to_commit: dict[Place, int] = {}
        self._revoked: list[Place] = []
        self._waiting: deque[Message] = deque()
        self._tasks: dict[asyncio.Task[None], Place] = {}
        self._paused = False

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`: what is not done then is not committed. Raises what ends the process uncommitted."""
        self._consumer.subscribe([topics.JOBS.name], self._on_revoked)
        try:
            while not stop.is_set():
                await self.turn()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.to_thread(self._consumer.close)

    async def turn(self) -> None:
        """Poll, start what there is room for, commit what is done."""
        messages = await self._polled(self._room())
        self._let_go()
        for m in messages:
            self._in_flight.take(m)
            self._waiting.append(m)
        if self._waiting and self._work is None:
            self._work = await self._make()
        while self._waiting and len(self._tasks) < self._most_held:
            m = self._waiting.popleft()
            self._tasks[asyncio.create_task(self._placed(m))] = (m.topic, m.partition)
        for task in [t for t in self._tasks if t.done()]:
            del self._tasks[task]
            if not task.cancelled():
                task.result()
        await self._commit()

    async def _polled(self, room: int) -> list[Message]:
        now = time.monotonic()
        if room > 0:
            self._full_since = None
        elif self._full_since is None:
            self._full_since = now
        if self._full_since is not None and now - self._full_since < self._full_seconds:
            await asyncio.wait(self._tasks, timeout=self._poll_seconds, return_when=asyncio.FIRST_COMPLETED)
            return []
        await self._set_pause(room <= 0)
        return await asyncio.to_thread(self._consumer.poll, max(1, room), self._poll_seconds, 0.005)

    def _room(self) -> int:
        """How many more records can be taken: by free slots, and by what may be held at all."""
        held = len(self._tasks) + len(self._waiting)
        return min(self.slots.count - (held - self.slots.resting), self._most_held - held)

    async def _placed(self, m: Message) -> None:
        async with self.slots.place():
            await self._one(m)

    def _on_revoked(self, partitions: Sequence[Place]) -> None:
        """Called from within `poll`, in its thread: only noted."""
        self._revoked.extend(partitions)

    async def _one(self, m: Message) -> None:
        """One job to its end: results acknowledged, or the original as a dead letter."""
        began = time.monotonic()
        try:
            job = await self._sealing(partial(self._codec.decode, m.topic, m.value))
            if not isinstance(job, Job) or self._work is None:
                raise DecodeError("invalid", "type: expected a job")
            emits = await self._work.run(job)
            if self._codec.seals:  # its owner may have been erased meanwhile: sealed now, it would be read again (C9)
                await self._sealing(partial(self._codec.decode, m.topic, m.value))
        except DecodeError as exc:
            if exc.reason == ERASED:
                self._stats.outcome(STAGE, ERASED, 1)
            else:
                await self._refuse(m, exc.reason, str(exc))
        except UnknownJob as exc:
            await self._refuse(m, "unknown_job", str(exc))
        except Exception as exc:  # noqa: BLE001 - it becomes a dead letter; its text may hold content
            log.error("a job failed", extra={"error": type(exc).__name__})
            await self._refuse(m, "job_failed", type(exc).__name__)
        else:
            await self._outbox.deliver(await self._sealing(partial(self._rows, m, job, emits)))
        self._in_flight.done(m)
        self._stats.took(STAGE, 1, {"job": time.monotonic() - began})

    async def _sealing(self, call: Callable[[], T]) -> T:
        """In a thread, as keys may have to be asked for. A job is sound while the keyring is away: it waits."""
        if not self._codec.seals:
            return call()
        while True:
            try:
                return await asyncio.to_thread(call)
            except KeysAway as exc:
                log.warning("a job waits for the keyring", extra={"error": str(exc)})
                await asyncio.sleep(_AWAY_SECONDS)

    def _rows(self, m: Message, job: Job, emits: Sequence[Emit]) -> list[OutboxRow]:
        trace = [(k, v) for k, v in m.headers if k in ("traceparent", "tracestate")]
        rows = []
        for n, emit in enumerate(emits):
            assert isinstance(emit.event, Envelope)  # noqa: S101 - results belong to the job's owner
            encoded = self._codec.encode(emit.event, f"memstream/{STAGE}", f"{job.job_id}/{n}", trace)
            target = partition(emit.event.owner, self._partitions)
            rows.append(OutboxRow(m.offset, n, emit.topic.name, target, encoded.key, encoded.value, encoded.headers))
        return rows

    async def _refuse(self, m: Message, reason: str, text: str) -> None:
        headers = dead_letter_headers(m, STAGE, reason, text)
        await asyncio.to_thread(self._dead_letters.deliver, m, headers)
        self._stats.outcome(STAGE, "dead_letter", 1)

    async def _set_pause(self, full: bool) -> None:
        if full != self._paused:
            await asyncio.to_thread(self._consumer.pause if full else self._consumer.resume)
            self._paused = full

    def _let_go(self) -> None:
        """Of partitions that moved away: their jobs are run again by the new owner."""
        if not self._revoked:
            return
        revoked = set(self._revoked)
        self._revoked.clear()
        self._in_flight.drop(list(revoked))
        self._waiting = deque(m for m in self._waiting if (m.topic, m.partition) not in revoked)
        self._to_commit = {p: o for p, o in self._to_commit.items() if p not in revoked}
        for task, place in self._tasks.items():
            if place in revoked:
                task.cancel()

    async def _commit(self) -> None:
        """Last. What cannot be committed now is with the next turn."""
        self._to_commit.update(self._in_flight.ready())
        if not self._to_commit:
            return
        try:
            await asyncio.to_thread(self._consumer.commit, dict(self._to_commit))
        except Transient as exc:
            log.warning("jobs not committed yet", extra={"error": str(exc)})
            return
        except CommitLost:
            self._stats.outcome(STAGE, "commit_lost", 1)
        self._to_commit.clear()


async def run_jobs(settings: Settings) -> None:
    """Until SIGTERM or SIGINT."""
    from memstream.workers.traced_jobs import TracedJobs, TracedModel

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await asyncio.to_thread(check_topics, settings)
    stats = ProcessStats()
    # One thread for the encoder: it is not thread-safe.
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="models")
    llm = endpoint_of(settings)
    spans = spans_of(settings, "worker-jobs")

    async def compute(call: Callable[[], Any]) -> Any:
        return await loop.run_in_executor(thread, call)

    async def work() -> JobWork:
        parts = await compute(lambda: parts_of(settings))
        return_freed_memory()
        profiles = await asyncio.to_thread(ProfileFollower(parts.book.default).start, settings.brokers)
        model = TracedModel(llm, settings.model_name, spans) if llm and spans else llm
        book = LiveBook(profiles)
        bounds = Bounds(settings.model_tries, timedelta(seconds=settings.model_age_seconds))
        rest = worker.slots.rest
        return JobWork(Parts(parts.models, book, parts.extractor, model, compute, stats, rest, bounds=bounds))

    fetched = (("max.partition.fetch.bytes", str(FETCHED)),)
    kafka = KafkaSettings(settings.brokers, GROUP, settings.instance or None, extra=fetched)
    outbox = KafkaOutbox(settings.brokers, "memstream-jobs")
    make = partial(TracedJobs, spans) if spans else JobsWorker
    worker = make(
        KafkaConsumer(kafka), outbox, KafkaDeadLetters(replace(kafka, extra=())), work, stats,
        partitions=settings.partitions, concurrency=settings.model_concurrency, codec=sealing_of(settings).codec,
    )  # fmt: skip
    heart = HeartbeatSender(settings.postgres.get_secret_value(), settings.instance or "worker-jobs", stats)
    heart.start()
    cost = asyncio.create_task(_report_cost(llm, stats)) if llm else None
    try:
        await worker.run(stop)
    finally:
        if cost is not None:
            cost.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await cost
        if llm is not None:
            await llm.close()
        await asyncio.to_thread(outbox.close)
        thread.shutdown()
    heart.stop()


async def _report_cost(llm: OpenAiCompatible, stats: ProcessStats) -> None:
    """Cost so far, as a count of millionths of the currency."""
    reported = 0
    while True:
        now = round(llm.usage.cost * 1_000_000)
        if now > reported:
            stats.outcome(STAGE, "cost_micros", now - reported)
            reported = now
        await asyncio.sleep(2)
