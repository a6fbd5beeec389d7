"""`memstream worker audit`: writes the access log (C10)."""

from __future__ import annotations

import signal
import threading
from datetime import timedelta

from memstream.secretfile import key_from
from memstream.settings import Settings
from memstream.workers.observe import HeartbeatSender, ProcessStats, SinkObserver
from memstream.workers.preflight import check_topics
from memstream.workers.shutdown import patiently
from schemas import migrations
from schemas.log.codec import Codec
from sinks.audit.sink import AuditSink
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.worker import Worker, WorkerConfig
from streams.faults import KillAt

GROUP = "memstream-audit"
LINGER = 0.2
"""Nobody waits for an entry: larger batches cost less."""


def audit_key(settings: Settings) -> bytes:
    """What seals the chains."""
    return key_from(settings.audit_key.get_secret_value(), settings.data_dir, "audit.key", "MEMSTREAM_AUDIT_KEY")


def run_auditor(settings: Settings) -> None:
    """Until SIGTERM; raises what ends the process uncommitted."""
    check_topics(settings)
    dsn = settings.postgres.get_secret_value()
    migrations.upgrade(dsn)
    kafka = KafkaSettings(settings.brokers, GROUP, settings.instance or None)
    stats = ProcessStats()
    worker = Worker(
        AuditSink(dsn, audit_key(settings), timedelta(days=settings.audit_days)),
        KafkaConsumer(kafka),
        KafkaDeadLetters(kafka),
        Codec(),
        WorkerConfig(linger=LINGER),
        observer=SinkObserver(stats),
        faults=KillAt(settings.fault) if settings.fault else None,
    )
    stopping = threading.Event()

    def end(*_: object) -> None:
        stopping.set()
        worker.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    heart = HeartbeatSender(dsn, settings.instance or "worker-audit", stats)
    heart.start()
    patiently(worker.run, stopping, moved_at=lambda: worker.moved_at)
    heart.stop()
