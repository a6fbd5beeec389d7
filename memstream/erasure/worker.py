"""`memstream worker eraser`: the eraser over real brokers and Postgres."""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from memstream.erasure.eraser import Eraser, EraserConfig, Reached, follow
from memstream.erasure.kafka import KafkaTopics
from memstream.erasure.register import opened
from memstream.erasure.report import signing_key
from memstream.erasure.ways import ways
from memstream.keyring.wiring import sealing_of
from memstream.settings import Settings
from memstream.workers.auditor import audit_key
from schemas.components.builtin import SINKS
from schemas.components.installed import components


def eraser_of(settings: Settings) -> Eraser:
    """Raises ValueError, MasterKeyError: a key that is none must not show at the end of an erasure; ComponentError."""
    sealing = sealing_of(settings)
    reached = Reached(
        register=partial(opened, settings.postgres.get_secret_value(), audit_key(settings)),
        topics=KafkaTopics(settings.brokers),
        keys=sealing.keyring,
        codec=sealing.codec,
        signing=signing_key(settings.data_dir, settings.report_key.get_secret_value()),
        now=lambda: datetime.now(UTC),
        event_id=lambda: str(uuid4()),
    )
    stores = {"postgres", *(["milvus"] if settings.milvus else [])}
    stores |= {"redis"} if settings.redis.get_secret_value() else set()
    stores |= components().sinks.keys() - SINKS.keys()  # of installed packages; those of this release by their address
    config = EraserConfig(frozenset(stores), settings.partitions, settings.encryption, ways(components()))
    return Eraser(reached, config)


def run_eraser(settings: Settings) -> None:
    """Until SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    follow(eraser_of(settings), stop, stop.wait)
