"""The worker on a real broker: the same contract as over the fake log, and group membership."""

from __future__ import annotations

import random
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import psycopg
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import KafkaException, NewTopic

from memstream.stack import Addresses
from schemas.log import topics
from schemas.log.codec import Headers, header
from schemas.migrations import drop_generation, upgrade
from schemas.storage.layouts import postgres_schema
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.memory import ALL_TOPICS
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Message, Sink, SinkBatch
from sinks.worker import Worker
from tests.patience import PATIENCE, joined, until
from tests.records import end_of, read_to_end
from tests.unit.sinks.events import CODEC, memory, message, turn
from tests.unit.sinks.worker_contract import UPDATES, Abort, AbortAt, Scripted, WorkerContract, drain, updates

pytestmark = [pytest.mark.integration, pytest.mark.crash]


class KafkaLog:
    """The catalogue's topics, read by a group of its own that starts at their present ends."""

    def __init__(self, servers: str) -> None:
        self._servers = servers
        self.group = f"test-{uuid.uuid4().hex}"
        self._open: list[KafkaConsumer] = []
        self._admin = AdminClient({"bootstrap.servers": servers})
        self._make_topics()
        self.fork(self.group)
        probe = self._consumer()
        self._letters_from = [self._end(probe, topics.DEAD_LETTERS.name, p) for p in range(topics.EMBEDDED_PARTITIONS)]
        probe.close()

    def fork(self, group: str) -> str:
        """A group that starts at the present ends."""
        probe = self._consumer(group)
        ends = [self._end(probe, t, p) for t in ALL_TOPICS for p in range(topics.EMBEDDED_PARTITIONS)]
        probe.commit(offsets=ends, asynchronous=False)
        probe.close()
        return group

    def send(self, *messages: Message) -> list[Message]:
        producer = Producer({"bootstrap.servers": self._servers, "linger.ms": 0})
        offsets: dict[int, int] = {}

        def acknowledged(number: int, raw: Any) -> None:
            offsets[number] = raw.offset()

        for number, m in enumerate(messages):
            producer.produce(
                m.topic,
                key=m.key,
                value=m.value,
                partition=m.partition,
                headers=list(m.headers),
                on_delivery=lambda _, raw, number=number: acknowledged(number, raw),  # type: ignore[misc]
            )
        assert producer.flush(PATIENCE) == 0
        return [replace(m, offset=offsets[number]) for number, m in enumerate(messages)]

    def worker(self, sink: Sink, **options: Any) -> Worker:
        self.close()
        # A static member has its partitions at once or, were it another, not while the test waits for it. (A session
        # may not outlast the poll interval of five minutes.)
        settings = KafkaSettings(self._servers, self.group, instance_id=f"{self.group}-1", session_timeout=290.0)
        consumer = KafkaConsumer(settings)
        self._open.append(consumer)
        letters = options.pop("dead_letters", None) or KafkaDeadLetters(settings)
        worker = Worker(sink, consumer, letters, CODEC, **options)
        worker.start()
        return worker

    def committed(self, topic: str, partition: int) -> int | None:
        probe = self._consumer()
        place = [TopicPartition(topic, partition)]
        message = f"what the group has committed of {topic}"
        (found,) = until(message, lambda: probe.committed(place, timeout=30), errors=(KafkaException,))
        probe.close()
        return found.offset if found.offset >= 0 else None

    def dead_letters(self) -> list[tuple[bytes | None, bytes | None, Headers]]:
        found = read_to_end(self._servers, self._letters_from)
        return [(m.key(), m.value(), list(cast(Headers, m.headers() or []))) for m in found]

    def close(self) -> None:
        """As when a process dies: static members leave the group without a word."""
        for consumer in self._open:
            consumer.close()
        self._open.clear()

    def _consumer(self, group: str | None = None) -> Consumer:
        name = group or self.group
        return Consumer({"bootstrap.servers": self._servers, "group.id": name, "enable.auto.commit": False})

    def _end(self, probe: Consumer, topic: str, partition: int) -> TopicPartition:
        return TopicPartition(topic, partition, end_of(probe, topic, partition))

    def _make_topics(self) -> None:
        """As the catalogue has them, whichever test comes first, but without an end of their time: the records of
        tests are of a fixed date."""
        wanted = [
            NewTopic(name, topics.EMBEDDED_PARTITIONS, 1, config=topics.BY_NAME[name].config() | {"retention.ms": "-1"})
            for name in (*ALL_TOPICS, topics.DEAD_LETTERS.name)
        ]
        made = self._admin.create_topics(wanted)
        for future in made.values():
            with suppress(KafkaException):  # it is there already
                future.result(PATIENCE)


@pytest.fixture
def log(addresses: Addresses) -> Iterator[KafkaLog]:
    log = KafkaLog(addresses.kafka)
    yield log
    log.close()


class TestWorkerOnKafka(WorkerContract):
    """Over a broker."""


def test_static_member_comes_back_without_a_rebalance(log: KafkaLog) -> None:
    """A restarted sink has its partitions at once, although its old session has not timed out."""
    sent = log.send(*updates((1, 1)))
    sink = Scripted()
    with pytest.raises(Abort):
        drain(log.worker(sink, faults=AbortAt("after_write")), 1)
    drain(log.worker(sink), 1)
    assert log.committed(UPDATES, 0) == sent[0].offset + 1
    assert sink.held() == {"record-1": 1}


def test_rebalance_loses_and_doubles_nothing(log: KafkaLog, addresses: Addresses) -> None:
    """N2: members come and go while records flow; each record is in one of their stores, whole."""
    sinks: list[Scripted] = []
    running: list[tuple[Worker, threading.Thread]] = []

    def join() -> None:
        settings = KafkaSettings(addresses.kafka, log.group)
        sinks.append(Scripted())
        worker = Worker(sinks[-1], KafkaConsumer(settings), KafkaDeadLetters(settings), CODEC)
        running.append((worker, threading.Thread(target=worker.run)))
        running[-1][1].start()

    def leave() -> None:
        worker, thread = running.pop(0)
        worker.stop()
        joined(thread, "a worker to stop")

    def held() -> set[str]:
        return {name for sink in sinks for name in sink.held()}

    sent = 0
    for change in (join, join, leave, join, leave):
        change()
        log.send(*(message(memory(n), partition=n % 8) for n in range(sent, sent + 80)))
        sent += 80
        reached = sent - 40  # in the middle of the flow
        until(  # RuntimeError: a row came while they were listed
            "records of this stage", lambda: len(held()), lambda count, enough=reached: count >= enough,  # type: ignore[misc]
            errors=(RuntimeError,),
        )  # fmt: skip
    until("all records", held, lambda names: len(names) >= sent, errors=(RuntimeError,))
    while running:
        leave()
    assert held() == {f"record-{n}" for n in range(sent)}
    assert log.dead_letters() == []
    ends = [log.committed(UPDATES, p) for p in range(8)]
    again = Scripted()
    worker = log.worker(again)
    for _ in range(10):
        worker.step()
    assert again.held() == {}, "all of it was committed"
    assert [log.committed(UPDATES, p) for p in range(8)] == ends


def test_a_partition_that_left_while_paused_is_read_when_it_comes_back(log: KafkaLog, addresses: Addresses) -> None:
    """As after an outage of the broker: the client remembers the pause of a partition beyond its assignment."""
    settings = KafkaSettings(addresses.kafka, log.group)
    mine, other = KafkaConsumer(settings), KafkaConsumer(settings)
    left: list[tuple[str, int]] = []

    read: list[int] = []

    def poll_until(what: str, done: Callable[[], bool], *others: KafkaConsumer) -> None:
        def polled() -> bool:
            read.extend(m.partition for m in mine.poll(100, 0.1))
            for consumer in others:
                consumer.poll(100, 0.1)
            return done()

        until(what, polled, pause=0)

    mine.subscribe([UPDATES], lambda partitions: left.extend(partitions))
    log.send(*(message(memory(n), partition=n) for n in range(8)))
    poll_until("the first records", lambda: set(read) == set(range(8)))
    mine.pause()
    other.subscribe([UPDATES], lambda _: None)
    poll_until("partitions to leave", lambda: len(left) >= 4, other)
    mine.resume()
    other.close()
    read.clear()
    log.send(*(message(memory(n), partition=n) for n in range(8)))
    poll_until("records of every partition", lambda: set(read) == set(range(8)))
    mine.close()


def test_what_waits_for_a_group_is_told(log: KafkaLog, addresses: Addresses) -> None:
    """Before it has partitions and with them; of records that it has not committed."""
    consumer = KafkaConsumer(KafkaSettings(addresses.kafka, log.group))
    consumer.subscribe([UPDATES], lambda _: None)
    sent = log.send(*(message(memory(n), partition=n) for n in range(3)))
    assert consumer.waiting() is not None
    ends = {(m.topic, m.partition): m.offset + 1 for m in sent}
    read: set[int] = set()

    def polled() -> bool:
        read.update(m.partition for m in consumer.poll(100, 0.1))
        return read >= {0, 1, 2}

    until("the records", polled, pause=0)
    until("the records to be told as waiting", lambda: (consumer.waiting() or {}).keys() >= ends.keys())
    consumer.commit(ends)
    assert not (consumer.waiting() or {}).keys() & ends.keys()
    consumer.close()
    removed = KafkaConsumer(KafkaSettings("127.0.0.1:1", log.group))
    assert removed.waiting() is None
    removed.close()


def test_poison_in_a_real_store_stands_alone(log: KafkaLog, addresses: Addresses) -> None:
    """Postgres refuses a batch as a whole; halving finds the one that it will never take."""
    upgrade(addresses.postgres)
    number = random.randrange(1_000, 10**6)
    sink = PostgresSink(addresses.postgres, [number])
    turns = [turn(n, tokens=2**40 if n == 37 else 7) for n in range(100)]
    sent = log.send(*(message(t) for t in turns))
    drain(log.worker(sink), 100)
    ((_, value, headers),) = log.dead_letters()
    assert value == sent[37].value
    assert header(headers, "reason") == b"postgres_refused"
    assert header(headers, "message") == b"SQLSTATE 22003"
    with psycopg.connect(addresses.postgres) as conn:
        row = conn.execute(f"SELECT count(*) FROM {postgres_schema(number)}.turns".encode()).fetchone()  # noqa: S608
        assert row == (99,)
        drop_generation(conn, number)
    sink.close()


def test_write_that_outlasts_the_poll_interval_is_survived(log: KafkaLog, addresses: Addresses) -> None:
    """The group takes the partitions away while a store hangs; the records are read again and nothing is lost."""

    lost = threading.Event()

    class Hangs(Scripted):
        hung = False

        def write(self, batch: SinkBatch) -> int:
            if batch.items and not self.hung:
                self.hung = True
                assert lost.wait(PATIENCE)
            return super().write(batch)

    sent = log.send(*updates((1, 1), (2, 1)))
    extra = (("max.poll.interval.ms", "6000"),)
    settings = KafkaSettings(addresses.kafka, log.group, session_timeout=6.0, extra=extra)  # at most the interval
    sink = Hangs()
    worker = Worker(sink, KafkaConsumer(settings), KafkaDeadLetters(settings), CODEC)
    thread = threading.Thread(target=worker.run)
    thread.start()
    admin = AdminClient({"bootstrap.servers": addresses.kafka})

    def members() -> int:
        return len(admin.describe_consumer_groups([log.group])[log.group].result(PATIENCE).members)

    until("the worker to have joined", lambda: sink.hung)
    until("the group to have put it out", members, lambda count: count == 0, pause=0.2, errors=(KafkaException,))
    lost.set()
    end = sent[-1].offset + 1
    until("all to be committed", lambda: log.committed(UPDATES, 0), lambda offset: offset == end, pause=0.2)
    worker.stop()
    joined(thread, "the worker to stop")
    assert log.committed(UPDATES, 0) == sent[-1].offset + 1
    assert sink.held() == {"record-1": 1, "record-2": 1}
    assert log.dead_letters() == []
