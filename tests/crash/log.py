"""Topics as they lie on the broker, and how far their readers are."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from schemas.log import topics
from schemas.log.codec import header
from schemas.log.topics import Topic
from streams.runner import Message
from streams.topology import TOPOLOGY, group_of
from tests.patience import PATIENCE, until

SINK_TOPICS = {
    "postgres": (topics.HISTORY, topics.UPDATES, topics.DECISIONS, topics.SESSION_STATE),
    "redis": (topics.SESSION_STATE, topics.UPDATES),
    "milvus": (topics.HISTORY, topics.UPDATES),
}
Log = dict[tuple[str, int], list[Message]]


@dataclass(frozen=True, slots=True)
class Lag:
    """Records of a topic partition that a group has not committed."""

    group: str
    topic: str
    partition: int
    records: int


class Broker:
    """Reads topics whole and asks for lag. Raises KafkaException or KafkaError when the broker is away."""

    def __init__(self, bootstrap: str, partitions: int) -> None:
        self._bootstrap = bootstrap
        self._count = partitions
        # Not librdkafka's: that one crashes while a group has no coordinator.
        self._admin: Any = KafkaAdminClient(bootstrap_servers=bootstrap, client_id="crash-lag")
        self._consumer = self._new()

    def close(self) -> None:
        self._consumer.close()
        self._admin.close()

    def lags(self, groups: dict[str, Sequence[Topic]]) -> list[Lag]:
        """What is not committed, of the given groups; empty when all are through."""
        request = self._admin.list_group_offsets(dict.fromkeys(groups))
        out = []
        for group, read in groups.items():
            done = {(tp.topic, tp.partition): x.offset for tp, x in request[group].items()}
            for place in (TopicPartition(t.name, p) for t in read for p in range(self._count)):
                low, high = self._consumer.get_watermark_offsets(place, timeout=10)
                left = high - max(done.get((place.topic, place.partition), -1), low)
                if left > 0:
                    out.append(Lag(group, place.topic, place.partition, left))
        return out

    def described(self, groups: Sequence[str]) -> list[str]:
        """A line a group: its state, its members and how much each holds, as the coordinator tells."""
        try:
            found = self._admin.describe_groups(list(groups)) if groups else {}
        except KafkaError as exc:
            return [f"groups not described: {type(exc).__name__}"]
        return [f"{name}: {entry}" for name, entry in found.items()]

    def read(self, topic: Topic, takes: Callable[[Message], bool] = lambda m: True) -> Log:
        """Every record of a topic that is taken, by partition in offset order."""
        consumer = self._new()
        out: Log = {(topic.name, p): [] for p in range(self._count)}
        ends: dict[int, int] = {}
        starts = []
        for p in range(self._count):
            place = TopicPartition(topic.name, p)
            ask = partial(consumer.get_watermark_offsets, place, timeout=30)
            low, high = until(f"the bounds of {topic.name}/{p}", ask, errors=(KafkaException,))
            if high > low:
                ends[p] = high
                starts.append(TopicPartition(topic.name, p, low))
        consumer.assign(starts)
        try:
            self._drain(consumer, topic, ends, out, takes)
        finally:
            consumer.close()
        return out

    def _drain(
        self, consumer: Consumer, topic: Topic, ends: dict[int, int], out: Log, takes: Callable[[Message], bool]
    ) -> None:
        deadline = time.monotonic() + 5 * PATIENCE
        while ends:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{topic.name} could not be read to its end")
            for raw in consumer.consume(1000, 0.5):
                if raw.error():
                    continue
                m = _message(raw)
                if takes(m):
                    out[topic.name, m.partition].append(m)
            for place in consumer.position([TopicPartition(topic.name, p) for p in ends]):
                # Where compaction took the last records there is nothing to read up to the end: position tells.
                if place.offset >= ends[place.partition]:
                    del ends[place.partition]

    def _new(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._bootstrap, "group.id": "memstream-crash-reader", "log_level": 0,
                "enable.auto.commit": False, "auto.offset.reset": "earliest", "enable.partition.eof": False,
            }
        )  # fmt: skip


def _message(raw: Any) -> Message:
    headers = [(k, v or b"") for k, v in raw.headers() or []]
    stamp = raw.timestamp()[1]
    return Message(raw.topic(), raw.partition(), raw.offset(), raw.key(), raw.value(), headers, stamp)


def groups(sinks: Sequence[str]) -> dict[str, Sequence[Topic]]:
    """Every consumer group of the flow, in its order, with what it reads."""
    sources = {
        "screen": topics.TURNS, "extract": topics.HISTORY, "gate": topics.LEDGER, "session": topics.HISTORY,
        "project": topics.PROJECT_EVENTS, "chunk": topics.DOCUMENTS,
    }  # fmt: skip
    steps = {group_of(s): (sources[s],) for s in TOPOLOGY if s in sources}
    return {**steps, **{f"memstream-sink-{s}": SINK_TOPICS[s] for s in sinks}}


def wait_through(broker: Broker, wanted: dict[str, Sequence[Topic]], seconds: float) -> tuple[float, list[Lag]]:
    """Wait until no group has lag twice in a row; (seconds that it took, what is left when nothing has moved for
    `seconds`, or not all has in ten times that): a slow machine is no difference, a stage that stands still is one."""
    began = moved = time.monotonic()
    calm, left = 0, [Lag("", "", 0, 1)]
    while time.monotonic() - moved < seconds and time.monotonic() - began < 10 * seconds:
        before = left
        try:
            left = broker.lags(wanted)
        except (KafkaException, KafkaError):
            left = [Lag("broker", "", 0, 1)]
        calm = 0 if left else calm + 1
        if calm == 2:
            break
        if left != before:
            moved = time.monotonic()
        time.sleep(0.5)
    return time.monotonic() - began, left


def source_of(m: Message) -> tuple[str, int, int] | None:
    """(step/partition, offset, ordinal) of an emitted record."""
    raw = header(m.headers, "src")
    if raw is None:
        return None
    name, offset, ordinal = raw.decode().rsplit(":", 2)
    return name, int(offset), int(ordinal)


def without_redelivered(records: Sequence[Message]) -> list[Message]:
    """As every reader of the stream does: per source, what does not come after the last seen is dropped."""
    seen: dict[str, tuple[int, int]] = defaultdict(lambda: (-1, -1))
    out = []
    for m in records:
        src = source_of(m)
        if src is not None:
            if src[1:] <= seen[src[0]]:
                continue
            seen[src[0]] = src[1:]
        out.append(m)
    return out
