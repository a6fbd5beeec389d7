"""The worker's consumer and dead-letter producer over confluent-kafka."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

from confluent_kafka import Consumer as _Consumer
from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import Message as _Message

from schemas.log import topics
from schemas.log.codec import Headers
from schemas.log.leaders import LeaderSpans
from schemas.storage.connections import Bootstrap, librdkafka
from sinks.protocol import CommitLost, Message, Revoked, Stuck, Transient, Undelivered

_ASK_SECONDS = 5.0
_AT_ONCE = 16
"""Records between two looks at their bytes."""
_LOG = logging.getLogger("memstream.sinks.kafka")
"""What librdkafka says: brokers and states, never content."""
_LOST = frozenset(
    {
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError._ASSIGNMENT_LOST,
        KafkaError.STALE_MEMBER_EPOCH,
        KafkaError.FENCED_MEMBER_EPOCH,
    }
)


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """`instance_id`: static membership (a restart within `session_timeout` seconds causes no rebalance); it must be
    unique in the group. `extra`: librdkafka settings, e.g. of TLS and SASL."""

    bootstrap: Bootstrap
    group: str
    instance_id: str | None = None
    session_timeout: float = 30.0
    delivery_timeout: float = 30.0
    commit_timeout: float = 60.0
    """Longer than librdkafka needs for its own tries; by itself it waits without a bound."""
    batch_bytes: int = 16 * 1024 * 1024
    """A batch takes no more records once it has so many; it may pass them by what one call brings."""
    extra: tuple[tuple[str, str], ...] = ()


class KafkaConsumer:
    """Reads committed offsets of its group, from the beginning where there is none; never commits by itself."""

    def __init__(self, settings: KafkaSettings) -> None:
        config: dict[str, Any] = {
            **librdkafka(settings.bootstrap),
            "group.id": settings.group,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "cooperative-sticky",
            "session.timeout.ms": int(settings.session_timeout * 1000),
            "heartbeat.interval.ms": int(settings.session_timeout * 1000 / 10),
            "fetch.wait.max.ms": 500,  # without records; the first one ends the wait
            # What is fetched ahead while a store is away: the heap keeps for good what it once needed.
            "queued.max.messages.kbytes": 8_192,
            **dict(settings.extra),
        }
        if settings.instance_id:
            config["group.instance.id"] = settings.instance_id
        self._consumer = _Consumer(config, logger=_LOG)
        self._committer = ThreadPoolExecutor(1, thread_name_prefix="commit")
        self._commit_timeout, self._batch_bytes = settings.commit_timeout, settings.batch_bytes
        self._paused = False
        self._revoked: Revoked = _ignore
        self._left: set[tuple[str, int]] = set()
        self._topics: tuple[str, ...] = ()
        self._leaders = LeaderSpans()

    def subscribe(self, topics: Sequence[str], revoked: Revoked) -> None:
        self._revoked, self._topics = revoked, tuple(topics)
        self._consumer.subscribe(
            list(topics), on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_revoke
        )

    def poll(self, max_records: int, timeout: float, linger: float = 0.0) -> list[Message]:
        first = self._consumer.poll(timeout)
        if first is None:
            return []
        found, size, until = [first], _size(first), time.monotonic() + linger
        while len(found) < max_records and size < self._batch_bytes:
            self._left.clear()
            wanted = min(_AT_ONCE, max_records - len(found))
            more = self._consumer.consume(wanted, max(0.0, until - time.monotonic()))
            # Its partition went away while more was waited for: wherever it is now, it starts at the last commit.
            found = [m for m in found if (m.topic(), m.partition()) not in self._left] + more
            size += sum(map(_size, more))
            if len(more) < wanted:
                break
        self._note_leaders(found)
        return [m for m in map(_message, found) if m is not None]

    def _note_leaders(self, found: Sequence[_Message]) -> None:
        for raw in found:
            topic, partition, offset = raw.topic(), raw.partition(), raw.offset()
            if raw.error() is None and topic is not None and partition is not None and offset is not None:
                epoch = raw.leader_epoch()
                self._leaders.note((topic, partition), offset, -1 if epoch is None else epoch)

    def pause(self) -> None:
        self._paused = True
        self._consumer.pause(self._consumer.assignment())

    def resume(self) -> None:
        self._paused = False
        self._consumer.resume(self._consumer.assignment())

    def commit(self, offsets: Mapping[tuple[str, int], int]) -> None:
        """With the leader of the last record: of a log that has lost it, whoever goes on from there reads again what
        stands behind the loss (librdkafka compares, at its start and whenever the leader changes). Raises CommitLost,
        Transient, and Stuck when there is no answer at all."""
        wanted = [_position(place, offset, self._leaders.of(place, offset - 1)) for place, offset in offsets.items()]
        try:
            answer = self._committer.submit(self._consumer.commit, offsets=wanted, asynchronous=False)
            done = answer.result(self._commit_timeout)
        except TimeoutError:
            raise Stuck(f"no answer to a commit for {self._commit_timeout:g} s") from None
        except KafkaException as exc:
            raise _classified(exc) from exc
        for part in done or ():
            if part.error is not None:
                raise _classified(KafkaException(part.error))

    def waiting(self) -> Mapping[tuple[str, int], int] | None:
        try:
            places = self._consumer.assignment() or self._everything()
            done = self._consumer.committed(places, _ASK_SECONDS)
            ends = {p: self._consumer.get_watermark_offsets(p, _ASK_SECONDS) for p in done}
        except KafkaException:
            return None
        if any(p.error is not None for p in done) or not all(ends.values()):
            return None
        return {(p.topic, p.partition): p.offset for p in done if max(p.offset, ends[p][0]) < ends[p][1]}

    def _everything(self) -> list[TopicPartition]:
        known = self._consumer.list_topics(timeout=_ASK_SECONDS).topics
        return [TopicPartition(t, p) for t in self._topics if t in known for p in known[t].partitions]

    def close(self) -> None:
        self._committer.shutdown(wait=False)
        self._consumer.close()

    def _on_assign(self, consumer: _Consumer, partitions: list[TopicPartition]) -> None:
        consumer.incremental_assign(partitions)
        # A pause outlives the assignment: of a partition that left paused nothing would be read when it comes back.
        if self._paused:
            consumer.pause(partitions)
        else:
            consumer.resume(partitions)

    def _on_revoke(self, consumer: _Consumer, partitions: list[TopicPartition]) -> None:
        left = [(p.topic, p.partition) for p in partitions]
        self._left.update(left)
        self._revoked(left)
        consumer.incremental_unassign(partitions)


class KafkaDeadLetters:
    """Idempotent producer into memory.dead-letters, at the partition of the source."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._timeout = settings.delivery_timeout
        self._producer = Producer(
            {
                **librdkafka(settings.bootstrap),
                "enable.idempotence": True,
                "linger.ms": 0,
                "message.max.bytes": topics.MAX_MESSAGE_BYTES,
                "delivery.timeout.ms": int(settings.delivery_timeout * 1000),
                **dict(settings.extra),
            },
            logger=_LOG,
        )

    def deliver(self, message: Message, headers: Headers) -> None:
        errors: list[KafkaError | None] = []
        self._producer.produce(
            topics.DEAD_LETTERS.name,
            key=message.key,
            value=message.value,
            partition=message.partition,
            headers=list(headers),
            on_delivery=lambda error, _: errors.append(error),
        )
        self._producer.flush(self._timeout + 5.0)
        if not errors:
            raise Undelivered("no answer from the broker")
        if errors[0] is not None:
            raise Undelivered(errors[0].name())

    def close(self) -> None:
        self._producer.flush(1.0)


def _position(place: tuple[str, int], offset: int, epoch: int | None) -> TopicPartition:
    if epoch is None:
        return TopicPartition(*place, offset)
    return TopicPartition(*place, offset, leader_epoch=epoch)


def _size(raw: _Message) -> int:
    return len(raw.value() or b"") + len(raw.key() or b"")


def _message(raw: _Message) -> Message | None:
    """None for an event without a record that passes by itself. Raises KafkaException for what does not."""
    error = raw.error()
    if error is not None:
        if error.fatal() or not (error.retriable() or error.code() in _PASSING):
            raise KafkaException(error)
        return None
    pairs: list[tuple[str, bytes | None]] = list(cast(Any, raw.headers()) or [])
    headers = [(name, content or b"") for name, content in pairs]
    topic, partition, offset = raw.topic(), raw.partition(), raw.offset()
    if topic is None or partition is None or offset is None:
        return None
    key, value = raw.key(), raw.value()
    return Message(topic, partition, offset, _bytes(key), _bytes(value), headers, raw.timestamp()[1])


_PASSING = frozenset(
    {
        KafkaError._PARTITION_EOF,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TRANSPORT,
        KafkaError._RESOLVE,
        KafkaError._MAX_POLL_EXCEEDED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
    }
)
"""Reported by `poll` while librdkafka goes on trying by itself (a topic may still be created)."""


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _classified(exc: KafkaException) -> Exception:
    error = exc.args[0]
    if error.fatal() or error.code() == KafkaError.FENCED_INSTANCE_ID:
        return exc
    if error.code() in _LOST:
        return CommitLost(error.name())
    return Transient(error.name())


def _ignore(partitions: Sequence[tuple[str, int]]) -> None:
    """Before a worker subscribes there is nothing in hand."""
