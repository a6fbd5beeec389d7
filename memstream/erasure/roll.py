"""Segments of the log rolled and cleaned now: what a null has taken out of a compacted topic leaves the broker (N6)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from confluent_kafka import Producer
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from memstream.erasure.kafka import read_to_end
from memstream.workers.timer import TICKED, send_tick
from messaging.admin import KafkaAdmin
from schemas.components.installed import catalogue
from schemas.log import topics
from schemas.log.topics import Cleanup, Topic
from schemas.storage.connections import Bootstrap, librdkafka

_NOW = {
    "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.001", "max.compaction.lag.ms": "1000",
    "file.delete.delay.ms": "1000",
}  # fmt: skip
_LOOK_SECONDS = 3.0
Changes = Mapping[str, str | tuple[str, str]]


class Roll:
    """Compacted topics of one cluster (but the profiles, which hold no user's words). Their settings are as before
    when it ends; a process that is killed meanwhile leaves them, and `memstream topics apply` sets them right."""

    def __init__(self, bootstrap: Bootstrap, partitions: int, patience: float) -> None:
        self._bootstrap, self._count, self._patience = bootstrap, partitions, patience
        self._compacted = [t for t in catalogue() if t.cleanup is not Cleanup.DELETE and t is not topics.PROFILES]

    def run(self) -> dict[str, int]:
        """Topic -> records that were superseded when this began and are still there. Raises KafkaException."""
        producer = Producer({**librdkafka(self._bootstrap), "enable.idempotence": True, "log_level": 3})
        began, deadline = datetime.now(UTC), time.monotonic() + self._patience
        with self._eager():
            while True:
                # A segment rolls when something is appended to it; behind a tick come the steps' markers.
                send_tick(producer, datetime.now(UTC), self._count, (*TICKED, topics.DOCUMENTS))
                held = self.held(began)
                if not held or time.monotonic() > deadline:
                    return held
                time.sleep(_LOOK_SECONDS)

    def held(self, before: datetime) -> dict[str, int]:
        """Records that another of the same key, of before that time, has superseded."""
        out: Counter[str] = Counter()
        last: set[tuple[str, int, bytes]] = set()
        places = [(t.name, p) for t in self._compacted for p in range(self._count)]
        for m in read_to_end(self._bootstrap, places, self._patience):
            key, until = m.key(), before.timestamp() * 1000
            # Markers supersede each other all the time.
            if key is None or topics.is_marker(key) or m.timestamp()[1] > until:
                continue
            place = (m.topic() or "", m.partition() or 0, key)
            out[place[0]] += place in last
            last.add(place)
        return {topic: n for topic, n in out.items() if n}

    @contextmanager
    def _eager(self) -> Iterator[None]:
        with closing(KafkaAdmin(self._bootstrap, "memstream-erasure")) as admin:
            try:
                for topic in self._compacted:
                    _change(admin, topic, _NOW)
                yield
            finally:
                for topic in self._compacted:
                    wanted = topic.config()
                    _change(admin, topic, {k: wanted.get(k, ("DELETE", "")) for k in _NOW})


def _change(admin: KafkaAdminClient, topic: Topic, changes: Changes) -> None:
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic.name, configs=dict(changes))])
