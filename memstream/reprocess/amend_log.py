"""What rescreen, regate and redate do with the log: the newest events of a partition, sending amendments, and waiting
until they are in the views."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

import psycopg
from confluent_kafka import KafkaError, Producer
from confluent_kafka import Message as Acknowledged

from memstream.reprocess.errors import RebuildError
from memstream.reprocess.log import LogReader
from memstream.settings import Settings
from query.freshness import needs_of
from schemas.base import JsonObject
from schemas.events.amendments import Amendment, AmendmentBody
from schemas.events.envelope import Envelope
from schemas.log.codec import Codec, Event
from schemas.log.ids import record_id
from schemas.log.owner import partition
from schemas.log.progress import FreshnessToken, Written
from schemas.log.topics import MAX_MESSAGE_BYTES, Topic
from schemas.storage.connections import librdkafka
from schemas.storage.layouts import postgres_schema
from sinks.collapse import collapse, runs
from sinks.decode import decode
from sinks.memory import MemorySink
from sinks.protocol import Mark, Message, SinkBatch

LOOK_SECONDS = 0.2
PATIENCE_SECONDS = 300.0


class Folded:
    """The newest event of every record of some topics, as a sink would hold them."""

    def __init__(self, codec: Codec, held: Sequence[Topic]) -> None:
        self._codec = codec
        self._sink = MemorySink(consumed=[t.name for t in held])
        self.progress: dict[Mark, int] = {}

    @property
    def rows(self) -> Iterable[Event]:
        return self._sink.rows.values()

    def take(self, messages: Sequence[Message]) -> None:
        decoded = decode(self._codec, messages)
        *before, last = [collapse(run) for run in runs(decoded.items)]
        for items in before:
            self._sink.write(SinkBatch(items))
        self._sink.write(SinkBatch(last, decoded.progress, decoded.sweep))
        self.progress = self._sink.progress()


def newest(settings: Settings, codec: Codec, topics: Sequence[Topic], number: int) -> list[Event]:
    """The newest event of every record that one partition of these topics holds."""
    log, folded = LogReader(settings.brokers, [(t.name, number) for t in topics]), Folded(codec, topics)
    try:
        for messages in log.to_end():
            folded.take(messages)
    finally:
        log.close()
    return list(folded.rows)


def amendment(
    event: Any, cause: Literal["rescreen", "regate", "redate"], what: Any, target: str, expected: int,
    record: JsonObject, at: datetime, rule: str,
) -> Amendment:  # fmt: skip
    """A stored record as it is to stand; `rule` also tells amendments of one revision apart."""
    version = event.version if what == "memory" else 0
    return Amendment(
        tenant=event.tenant, user_id=event.owner.id, cause=cause, what=what, target=target,
        session_id=event.session_id, version=version, expected=expected, rule=rule.partition("/")[0], accepted_at=at,
        amendment_id=record_id(event.owner, rule, what, target, version, expected),
        sealed=AmendmentBody(record=record),
    )  # fmt: skip


class Sender:
    """Writes events to the partitions of their owners. `close` waits for the brokers."""

    def __init__(self, settings: Settings, codec: Codec, name: str) -> None:
        self._codec, self._name, self._partitions = codec, name, settings.partitions
        self._failed = 0
        self._last: dict[tuple[str, int], int] = {}
        self._producer = Producer(
            {
                **librdkafka(settings.brokers), "enable.idempotence": True, "client.id": f"memstream-{name}",
                "linger.ms": 20, "message.max.bytes": MAX_MESSAGE_BYTES, "log_level": 3,
            }
        )  # fmt: skip

    def send(self, topic: Topic, event: Envelope, event_id: str) -> None:
        encoded = self._codec.encode(event, f"memstream/{self._name}", event_id)
        at = partition(event.owner, self._partitions)
        while True:
            try:
                self._producer.produce(
                    topic.name, encoded.value, encoded.key, at, self._on_delivery, headers=list(encoded.headers)
                )
                break
            except BufferError:
                self._producer.poll(0.5)
        self._producer.poll(0)

    def close(self) -> FreshnessToken | None:
        """The token of all that was sent, None for nothing. Raises RebuildError when the brokers did not take all."""
        left = self._producer.flush(60)
        if left or self._failed:
            raise RebuildError(f"the brokers did not take {left + self._failed} records: run the same command again")
        writes = [Written(topic=t, partition=p, offset=o) for (t, p), o in sorted(self._last.items())]
        return FreshnessToken.of(writes) if writes else None

    def _on_delivery(self, error: KafkaError | None, message: Acknowledged) -> None:
        topic, at, offset = message.topic(), message.partition(), message.offset()
        if error is not None or topic is None or at is None or offset is None:
            self._failed += 1
            return
        self._last[topic, at] = max(offset, self._last.get((topic, at), 0))


def until_readable(
    conn: psycopg.Connection[Any], token: FreshnessToken, views: Iterable[str],
    now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
) -> None:  # fmt: skip
    """Until the views that are read in Postgres have what the token names. Raises RebuildError when that takes too
    long."""
    needs = needs_of(token, views)
    deadline = now() + PATIENCE_SECONDS
    while True:
        row = conn.execute("SELECT generation FROM ops.live_views WHERE store = 'postgres'").fetchone()
        schema = postgres_schema(row[0] if row else 1)
        found = conn.execute(f"SELECT stage, partition, root, next_offset FROM {schema}.progress".encode())  # noqa: S608
        have = {(r[0], r[1], r[2]): r[3] for r in found}
        if all(have.get(place, 0) >= offset for place, offset in needs.items()):
            return
        if now() > deadline:
            raise RebuildError("what was sent is not in the views yet: are the workers and sinks running?")
        sleep(LOOK_SECONDS)
