"""The timer: writes ticks. Weeks, idle sessions, retention and reminders move on ticks alone."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import psycopg
from confluent_kafka import KafkaError, Message, Producer

from memstream.settings import Settings
from schemas.events.envelope import Tick
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.topics import Topic
from schemas.storage import postgres_connections
from schemas.storage.connections import librdkafka

log = logging.getLogger(__name__)
TICKED = (topics.TURNS, topics.LEDGER, topics.PROJECT_EVENTS)
AHEAD = timedelta(days=1)
"""More than clocks differ: by a tick that much ahead of the time, what is due in days would end today, for good."""
_ANSWER_SECONDS = 5.0
_RUNNING: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps, where there is such a clock."""


class WrongClock:
    """Looks for a clock that is far ahead: of what has passed since the timer began, and of Postgres' own. One that is
    behind does no harm, as steps go by the latest tick that they have read."""

    def __init__(
        self, theirs: Callable[[], datetime] | None,
        ours: Callable[[], datetime] = lambda: datetime.now(UTC),
        passed: Callable[[], float] = lambda: time.clock_gettime(_RUNNING),
    ) -> None:
        """`theirs`: another clock's time, raising psycopg.Error; `passed`: seconds that no clock's setting moves."""
        self._theirs, self._ours, self._passed = theirs, ours, passed
        self._begun = self._start()

    def _start(self) -> datetime:
        return self._ours() - timedelta(seconds=self._passed())

    def fault(self) -> str | None:
        """Why no tick may be sent now."""
        start = self._start()
        self._begun = min(self._begun, start)  # it was ahead, and was set right
        if start - self._begun > AHEAD:
            return f"the clock went {_days(start - self._begun)} ahead at once; set it right, or start the timer again"
        if self._theirs is None:
            return None
        try:
            ahead = self._ours() - self._theirs()
        except psycopg.Error as exc:  # nobody could store what a tick ends
            return f"Postgres does not say its time ({type(exc).__name__})"
        return f"the clock is {_days(ahead)} ahead of Postgres'" if ahead > AHEAD else None


def _days(span: timedelta) -> str:
    return f"{span / timedelta(days=1):.1f} days"


def _postgres_time(dsn: str) -> datetime:
    with postgres_connections.connect(dsn, autocommit=True, answer_seconds=_ANSWER_SECONDS) as connection:
        row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None  # noqa: S101 - one row, always
    found: datetime = row[0]
    return found


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
    dsn = settings.postgres.get_secret_value()
    clock = WrongClock((lambda: _postgres_time(dsn)) if dsn else None)
    while not stop.is_set():
        if (fault := clock.fault()) is not None:
            log.error("no tick: %s", fault)
        elif failed := send_tick(producer, datetime.now(UTC), settings.partitions):
            log.warning("%d ticks were not delivered", failed)
        stop.wait(settings.tick_seconds)
