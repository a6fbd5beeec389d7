"""The timer: writes ticks. Weeks, idle sessions, retention and reminders move on ticks alone."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from confluent_kafka import KafkaError, Message, Producer

from memstream.settings import Settings
from schemas.events.envelope import Tick
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.topics import Topic
from schemas.storage.connections import librdkafka

log = logging.getLogger(__name__)
TICKED = (topics.TURNS, topics.LEDGER, topics.PROJECT_EVENTS)


def send_tick(producer: Producer, now: datetime, partitions: int, into: Sequence[Topic] = TICKED) -> int:
    """One tick into every partition of the topics whose steps close things; returns how many failed."""
    failed = 0

    def report(error: KafkaError | None, message: Message) -> None:
        nonlocal failed
        failed += error is not None

    codec = Codec()
    for topic in into:
        for p in range(partitions):
            encoded = codec.encode(Tick(now=now), "memstream/timer", f"tick/{now.isoformat()}/{p}")
            producer.produce(topic.name, encoded.value, encoded.key, p, report, headers=list(encoded.headers))
    return failed + producer.flush(30)


def run_timer(settings: Settings) -> None:
    """Until SIGTERM. Two timers at once do no harm: steps look at the time in the tick, never at how many came."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    producer = Producer(
        {
            **librdkafka(settings.brokers),
            "enable.idempotence": True,
            "client.id": "memstream-timer",
            "log_level": 3,
        }
    )
    while not stop.is_set():
        if failed := send_tick(producer, datetime.now(UTC), settings.partitions):
            log.warning("%d ticks were not delivered", failed)
        stop.wait(settings.tick_seconds)
