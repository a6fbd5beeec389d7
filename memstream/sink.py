"""`memstream sink NAME`: one sink on the one worker loop."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable

from memstream.observe import HeartbeatSender, ProcessStats, SinkObserver
from memstream.preflight import check_topics
from memstream.settings import Settings
from schemas import migrations
from schemas.codec import Codec
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.postgres import PostgresSink
from sinks.protocol import Sink
from sinks.worker import Worker
from streams.faults import KillAt


def _postgres(s: Settings) -> Sink:
    return PostgresSink(s.postgres.get_secret_value())


def _redis(s: Settings) -> Sink:
    from sinks.redis import RedisSink

    return RedisSink(s.redis.get_secret_value(), fill_from=s.postgres.get_secret_value())


def _milvus(s: Settings) -> Sink:
    from sinks.milvus import MilvusSink

    return MilvusSink(s.milvus)


SINKS: dict[str, Callable[[Settings], Sink]] = {"postgres": _postgres, "redis": _redis, "milvus": _milvus}
"""A new sink is one file in sinks/ and one line here."""


def run_sink(settings: Settings, name: str) -> None:
    """Until SIGTERM; raises what ends the process uncommitted."""
    check_topics(settings)
    dsn = settings.postgres.get_secret_value()
    if name == "postgres":  # the others go on while Postgres is away
        migrations.upgrade(dsn)
    kafka = KafkaSettings(settings.kafka, f"memstream-sink-{name}", settings.instance or None)
    stats = ProcessStats()
    worker = Worker(
        SINKS[name](settings),
        KafkaConsumer(kafka),
        KafkaDeadLetters(kafka),
        Codec(),
        observer=SinkObserver(stats),
        faults=KillAt(settings.fault) if settings.fault else None,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    heart = HeartbeatSender(dsn, settings.instance or f"sink-{name}", stats)
    heart.start()
    worker.run()
    heart.stop()


def run_all(settings: Settings) -> int:
    """Each sink in a process of its own, so that one store's outage delays nobody else; ends when one of them does."""
    procs = [subprocess.Popen([sys.executable, "-m", "memstream", "sink", n]) for n in SINKS]
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    while not stop.wait(0.5) and all(p.poll() is None for p in procs):
        pass
    for p in procs:
        p.terminate()
    return max(abs(p.wait()) for p in procs)
