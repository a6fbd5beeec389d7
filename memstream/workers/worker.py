"""`memstream worker STEP ...`: Faust apps of one process, on one loop, sharing models, store and producer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from inference.memory import calm_collector, return_freed_memory
from memstream.keyring.wiring import sealing_of
from memstream.profiles import ProfileFollower, warn_of_clear_text
from memstream.recovery import require_whole_logs
from memstream.settings import Settings
from memstream.tracing import spans_of
from memstream.workers.log_leaders import broker_leaders
from memstream.workers.models import LazyAnalyzer, recognise, recognise_beside
from memstream.workers.observe import HeartbeatSender, ProcessStats, StepObserver
from memstream.workers.parts import parts_of
from memstream.workers.preflight import check_topics
from memstream.workers.steps import step_of, watchdog_of, worker_name
from memstream.workers.traced import TracedRunner
from schemas.components.installed import catalogue
from schemas.storage import postgres_connections
from streams.faults import Faults, KillAt
from streams.faust.app import DIED, SESSION_TIMEOUT, AppConfig, build_app
from streams.faust.lease import Lease, end_at_once
from streams.kafka import KafkaOutbox
from streams.runner import RunnerConfig, StepRunner, at_once
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import StoreAway
from streams.state.suspects import PostgresSuspects
from streams.topology import Parts, topology
from streams.watch import Watch

log = logging.getLogger(__name__)
SCREENING = frozenset({"gate", "project", "chunk"})
"""Steps, beside screen, that read texts which no step screened before: commands, feedback, documents."""
_LEAVING = 3.0
"""Seconds that an end waits for Postgres to note what was delivered: without that it is only delivered once more."""


class CrashedError(Exception):
    """A service of Faust ended by itself."""


@contextlib.contextmanager
def dying() -> Iterator[None]:
    """An exception ends the process at once, uncommitted. Where it went its way, the pool would be closed under apps
    that run already (the second of five could not open its sockets, say): they wait for a store that never comes back,
    and the process for them."""
    try:
        yield
    except Exception as exc:
        log.critical("this worker ends, uncommitted", extra={"error": type(exc).__name__}, exc_info=True)
        logging.shutdown()
        os._exit(DIED)


def warm(parts: Parts, steps: Sequence[str], watch: Watch) -> None:
    """Load what the first record would wait for: dictionaries, and the recognisers where raw text is read."""
    parts.models.terms("加载词典 load the dictionaries")
    if "screen" in steps:
        recognise(parts.models.analyzer, watch)
    return_freed_memory()
    calm_collector()


async def warm_beside(parts: Parts, steps: Sequence[str], watch: Watch) -> None:
    """Steps to which callers' texts come seldom start without the recognisers and load them beside their work: the
    first feedback or document waits for none of the seconds that it takes, nor does what comes behind it. In a turn:
    no suspect is worked on meanwhile."""
    if "screen" in steps or not SCREENING.intersection(steps):
        return
    loop, loaded = asyncio.get_running_loop(), asyncio.Event()

    def done() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(loaded.set)

    async with watch.turn(False):
        recognise_beside(parts.models.analyzer, watch, done)
        await loaded.wait()


async def run_worker(settings: Settings, steps: Sequence[str]) -> None:
    """Run until SIGTERM or SIGINT: the batch in hand is finished, then the apps leave their groups."""
    faults = KillAt(settings.fault) if settings.fault else Faults()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    # One thread for the models: they are not thread-safe, and two would fight for the same cores.
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="models")

    async def compute(call: Callable[[], Any]) -> Any:
        return await loop.run_in_executor(thread, call)

    await asyncio.to_thread(partial(check_topics, settings, more=[topic.name for topic in catalogue()]))
    dsn = settings.postgres.get_secret_value()
    await asyncio.to_thread(require_whole_logs, settings.brokers, dsn, settings.partitions)
    deciding = ThreadPoolExecutor(max_workers=1, thread_name_prefix="deciding")

    async def seal(call: Callable[[], Any]) -> Any:
        """One at a time for all steps, which share models and terms: as on the loop, but without holding it up."""
        return await asyncio.get_running_loop().run_in_executor(deciding, call)

    parts = await compute(lambda: parts_of(settings))
    warn_of_clear_text(parts.book.default, sealed=settings.encryption == "sealed")
    profiles = await asyncio.to_thread(ProfileFollower(parts.book.default).start, settings.brokers)
    stats = ProcessStats()
    spans = spans_of(settings, f"worker-{'-'.join(steps)}")
    make_runner = partial(TracedRunner, spans) if spans else StepRunner
    observer = StepObserver(stats)
    heart = HeartbeatSender(dsn, worker_name(settings, steps), stats)
    async with postgres_connections.pool(dsn, min_size=1, max_size=len(steps) + 1) as pool:
        await pool.wait(60)
        suspects = PostgresSuspects(dsn, pool)
        watchdog = watchdog_of(settings, steps, suspects)
        lease = Lease(SESSION_TIMEOUT / 2, end_at_once(DIED), before=watchdog.look)
        outbox = KafkaOutbox(settings.brokers, f"memstream-worker-{'-'.join(steps)}", lease.check)
        leaders, close_leaders = await asyncio.to_thread(broker_leaders, settings.brokers, settings.partitions)
        sealing = sealing_of(settings, watchdog.waiting)
        store = sealing.state(PostgresStateStore(pool))
        models = replace(parts.models, keeper=sealing.vault, analyzer=LazyAnalyzer(watchdog))
        parts = replace(parts, models=models)
        apps, runners, specs = [], [], topology()
        for name in steps:
            spec = specs[name]
            config = RunnerConfig(settings.partitions, spec.cache_bytes // settings.partitions)
            runner = make_runner(
                step_of(name, parts, profiles), store, outbox, sealing.codec, config, faults=faults, observer=observer,
                compute=compute, seal=seal if sealing.codec.seals else at_once, decide=seal,
                watch=watchdog, suspects=suspects, leaders=leaders,
            )  # fmt: skip
            runners.append(runner)
            instance = f"{settings.instance}-{name}" if settings.instance else ""
            batch = min(spec.batch, settings.batch)
            apps.append(
                build_app(
                    runner,
                    AppConfig(settings.brokers, instance, batch=batch, longest_seconds=settings.batch_wait_ms / 1000),
                    faults,
                )
            )
        await asyncio.to_thread(watchdog.start)  # before anything is in hand: it reads what the life before had
        await compute(lambda: warm(parts, steps, watchdog))
        lease.start()
        beside = asyncio.create_task(warm_beside(parts, steps, watchdog))
        with dying():
            for app in apps:
                app.finalize()
                await app.start()
            heart.start()
            log.info("worker runs %s", ", ".join(steps))
            while not stop.is_set():
                if any(app.crashed for app in apps):
                    raise CrashedError("a Faust service crashed")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), 0.5)
        beside.cancel()
        await asyncio.gather(*(app.stop() for app in apps))
        with contextlib.suppress(StoreAway, TimeoutError):
            async with asyncio.timeout(_LEAVING):
                await asyncio.gather(*(runner.leave(range(settings.partitions)) for runner in runners))
        outbox.close()
        close_leaders()
        lease.stop()
        await asyncio.to_thread(watchdog.stop)
        profiles.stop()
    heart.stop()
