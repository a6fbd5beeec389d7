"""A store that is away: nobody else is delayed, and nothing is missing afterwards (N2, delivery rules)."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import redis
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from schemas.events.memory import MemoryUpdate
from schemas.log.codec import header
from schemas.migrations import create_generation, drop_generation, upgrade
from schemas.storage.connections import milvus_options
from schemas.storage.layouts import MilvusLayout, RedisLayout, postgres_schema
from sinks.kafka import KafkaConsumer, KafkaDeadLetters, KafkaSettings
from sinks.milvus.rows import key
from sinks.milvus.sink import MilvusSink
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Sink
from sinks.redis.sink import RedisSink
from sinks.worker import Worker, WorkerConfig
from tests.integration.conftest import BackgroundStack
from tests.integration.test_sinks_worker import KafkaLog
from tests.unit.sinks.events import CODEC, memory, message, session, turn
from tests.unit.sinks.worker_contract import Seen

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]
COUNT = 200


class Stores:
    """Places of their own in each store, and a worker a store in a thread of its own."""

    def __init__(self, stack: BackgroundStack, log: KafkaLog) -> None:
        self.stack, self.log = stack, log
        self.number = random.randrange(1_000, 10**6)
        self.tenant = f"t{self.number}"
        a = stack.addresses
        upgrade(a.postgres)
        with psycopg.connect(a.postgres) as conn:
            create_generation(conn, self.number)
        self.redis: Any = redis.Redis.from_url(a.redis)
        self.layout = MilvusLayout(self.number)
        self.observers = {name: Seen() for name in ("postgres", "redis", "milvus")}
        self.milvus_seconds = 10.0
        """What one call may take: short only where nothing answers, or a busy machine looks like an outage."""
        self.sinks: dict[str, Callable[[], Sink]] = {
            "postgres": lambda: PostgresSink(a.postgres, [self.number]),
            "redis": lambda: RedisSink(a.redis, now=lambda: session().updated_at),
            "milvus": lambda: MilvusSink(a.milvus, [self.number], timeout=self.milvus_seconds),
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        workers, threads, failed = [], [], []
        for name, make in self.sinks.items():
            group = self.log.fork(f"{self.log.group}-{name}")
            kafka = KafkaSettings(self.stack.addresses.kafka, group)
            worker = Worker(
                make(), KafkaConsumer(kafka), KafkaDeadLetters(kafka), CODEC, WorkerConfig(max_delay=0.5),
                observer=self.observers[name],
            )  # fmt: skip

            def run(worker: Worker = worker) -> None:
                try:
                    worker.run()
                except Exception as exc:  # noqa: BLE001 - handed to the test
                    failed.append(exc)

            threads.append(threading.Thread(target=run))
            workers.append(worker)
            threads[-1].start()
        try:
            yield
        finally:
            for worker in workers:
                worker.stop()
            for thread in threads:
                thread.join(60)
        assert failed == []

    def send(self, first: int) -> list[MemoryUpdate]:
        made = [memory(n, tenant=self.tenant) for n in range(first, first + COUNT)]
        others = [e for n in range(first, first + COUNT) for e in (turn(n, tenant=self.tenant), self._session(n))]
        self.log.send(*(message(e, partition=n % 8) for n, e in enumerate([*made, *others])))
        return made

    def _session(self, n: int) -> Any:
        return session(n, tenant=self.tenant)

    def in_postgres(self) -> int:
        schema = postgres_schema(self.number)
        query = f"SELECT (SELECT count(*) FROM {schema}.memories) + (SELECT count(*) FROM {schema}.turns)"  # noqa: S608
        with psycopg.connect(self.stack.addresses.postgres) as conn:
            row = conn.execute(query.encode()).fetchone()
        return int(row[0]) if row else 0

    def in_redis(self, first: int) -> int:
        states = [session(n, tenant=self.tenant) for n in range(first, first + COUNT)]
        return int(self.redis.exists(*(RedisLayout().session(s.owner, s.session_id) for s in states)))

    def in_milvus(self, made: list[MemoryUpdate]) -> int:
        """0 while it is away."""
        client: Any = None
        try:
            client = MilvusClient(**milvus_options(self.stack.addresses.milvus), timeout=20)
            if not client.has_collection(self.layout.memories):
                return 0
            return len(client.get(self.layout.memories, [key(m) for m in made], output_fields=["pk"]))
        except MilvusException:
            return 0
        finally:
            if client is not None:
                client.close()

    def close(self) -> None:
        with psycopg.connect(self.stack.addresses.postgres) as conn:
            drop_generation(conn, self.number)
        self.redis.close()


@pytest.fixture
def stores(running_stack: BackgroundStack) -> Iterator[Stores]:
    log = KafkaLog(running_stack.addresses.kafka)
    stores = Stores(running_stack, log)
    yield stores
    stores.close()
    log.close()


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not come about"
        time.sleep(0.05)


def test_milvus_frozen_delays_nobody_else(stores: Stores) -> None:
    """It takes connections and answers nothing: the worst outage."""
    stores.milvus_seconds = 1.0
    with stores.running():
        first = stores.send(0)
        until(lambda: stores.in_milvus(first) == COUNT)
        stores.stack.pause("milvus")
        try:
            made = stores.send(COUNT)
            until(lambda: stores.in_postgres() == 4 * COUNT and stores.in_redis(COUNT) == COUNT)
            until(lambda: len(stores.observers["milvus"].delays) >= 3)
        finally:
            stores.stack.resume("milvus")
        until(lambda: stores.in_milvus(made) == COUNT)
        until(lambda: stores.in_milvus(first) == COUNT)
    assert [o.letters for o in stores.observers.values()] == [[], [], []]
    assert stores.observers["postgres"].delays == []
    assert stores.observers["redis"].delays == []
    assert not any(header(h, "step") == b"sink-milvus" for _, _, h in stores.log.dead_letters())


@pytest.mark.parametrize("store", ["milvus", "postgres", "valkey", "kafka"])
def test_killed_server_costs_nothing(stores: Stores, store: str) -> None:
    """kill -9 in the middle of the writes; the supervisor brings it back."""
    with stores.running():
        first = stores.send(0)
        stores.stack.kill(store)
        second = stores.send(COUNT)
        until(lambda: stores.in_milvus([*first, *second]) == 2 * COUNT, 90)
        until(lambda: stores.in_postgres() == 4 * COUNT, 90)
        until(lambda: stores.in_redis(COUNT) == COUNT and stores.in_redis(0) == COUNT, 90)
    assert [o.letters for o in stores.observers.values()] == [[], [], []]
