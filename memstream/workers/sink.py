"""`memstream sink NAME`: one sink on the one worker loop."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
from functools import partial

from inference.memory import calm_collector, return_freed_memory
from memstream.keyring.wiring import sealing_of
from memstream.recovery import require_whole_logs
from memstream.reprocess.vectors import with_vectors_of
from memstream.settings import Settings
from memstream.tracing import spans_of
from memstream.workers.observe import HeartbeatSender, ProcessStats, SinkObserver
from memstream.workers.preflight import check_topics
from memstream.workers.shutdown import patiently
from memstream.workers.sink_parts import parts_of
from memstream.workers.traced import TracedWorker
from memstream.workers.writers import Children, Watch, become_live, numbered, wait_for_live
from schemas import migrations
from schemas.components.installed import BUILT_IN, ComponentError, catalogue, components, sink_named
from schemas.log.codec import Headers
from schemas.storage.generations import Generation
from schemas.storage.layouts import sink_group
from sinks.erased import WithoutErased
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.parts import SinkParts
from sinks.postgres.erasure import PostgresErasures
from sinks.protocol import Message, Sink
from sinks.worker import Worker, WorkerConfig
from streams.faults import KillAt

log = logging.getLogger(__name__)
COMMIT_EVERY = 0.2
"""Seconds. A commit costs the broker as much as a batch of records does, and its sink waits for it."""


def run_sink(settings: Settings, name: str, number: int | None = None) -> None:
    """Until SIGTERM; raises what ends the process uncommitted. Writes the live generation of the store and keeps a
    child for every other one (N1); with `number`, that one only."""
    check_topics(settings, more=[topic.name for topic in catalogue()])
    dsn = settings.postgres.get_secret_value()
    if name == "postgres":
        migrations.upgrade(dsn)
    require_whole_logs(settings.brokers, dsn, settings.partitions)
    stopped = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stopped.set())
    own = wait_for_live(dsn, name, stopped) if number is None else numbered(dsn, name, number)
    if own is None:
        return
    stats = ProcessStats()
    worker = _worker(settings, own, stats, beside=number is not None)

    def end(*_: object) -> None:
        stopped.set()
        worker.stop()

    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, end)
    if stopped.is_set():  # between the two handlers
        worker.stop()
    watch = Watch(dsn, own, worker.stop, Children(name, settings.instance) if number is None else None)
    heart = HeartbeatSender(dsn, settings.instance or f"sink-{name}", stats, tidy=return_freed_memory)
    heart.start()
    watch.start()
    calm_collector()
    try:
        patiently(worker.run, stopped, moved_at=lambda: worker.moved_at)
    finally:
        watch.close()
        heart.stop()
    if watch.dropped and number is None and not stopped.is_set():
        become_live(name)


def _worker(settings: Settings, own: Generation, stats: ProcessStats, *, beside: bool) -> Worker:
    """The loop over one generation. One beside the live one sends no dead letters, and its freshness is not the
    service's."""
    feed = sink_named(own.store).feed
    group = sink_group(own.store, own.number)
    kafka = KafkaSettings(settings.brokers, group, settings.instance or None, extra=feed.fetch)
    spans = spans_of(settings, f"sink-{own.store}")
    make = partial(TracedWorker, spans) if spans else Worker
    return make(
        _sink(settings, own, beside=beside),
        KafkaConsumer(kafka),
        Unsent() if beside else KafkaDeadLetters(kafka),
        sealing_of(settings).codec,
        WorkerConfig(linger=feed.seldom, linger_busy=feed.busy, commit_every=COMMIT_EVERY),
        observer=SinkObserver(stats, f"{own.store}-g{own.number}" if beside else None),
        faults=KillAt(settings.fault) if settings.fault else None,
    )


def _sink(settings: Settings, own: Generation, *, beside: bool) -> Sink:
    """The store of a generation, with the vectors of its own model where it has one (reembed)."""
    erasures = PostgresErasures(settings.postgres.get_secret_value())
    tells = own.store == "postgres" and not beside
    sink: Sink = WithoutErased(built(parts_of(settings, own.number, own.embedder), own.store), erasures, tells=tells)
    return with_vectors_of(settings, own.embedder, sink) if own.embedder else sink


def built(parts: SinkParts, name: str) -> Sink:
    """The sink of a store. Raises ComponentError, also for one that is not what it is declared to be."""
    declared = sink_named(name)
    found = components() if name not in BUILT_IN.sinks else BUILT_IN
    sink: Sink = found.loaded(declared, declared.build)(parts)
    for what, expected, is_ in (
        ("name", name, sink.name), ("topics", sorted(declared.feed.topics), sorted(sink.topics))
    ):  # fmt: skip
        if expected != is_:
            raise ComponentError(f"{found.origin(declared)}: expected {what} {expected}, the sink has {is_}")
    return sink


class Unsent:
    """Dead letters of a generation that is not read: the live one sends the same."""

    def deliver(self, message: Message, headers: Headers) -> None:
        log.info("left out of a generation that is not live", extra={"topic": message.topic})

    def close(self) -> None:
        """Nothing to close."""


def run_all(settings: Settings) -> int:
    """Each sink in a process of its own, so that one store's outage delays nobody else; ends when one of them does."""
    procs = [subprocess.Popen([sys.executable, "-m", "memstream", "sink", n]) for n in components().sinks]
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    while not stop.wait(0.5) and all(p.poll() is None for p in procs):
        pass
    for p in procs:
        p.terminate()
    return max(abs(p.wait()) for p in procs)
