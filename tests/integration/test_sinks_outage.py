"""A store that is away: nobody else is delayed, and nothing is missing afterwards (N2, delivery rules)."""

from __future__ import annotations

import random
import threading
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
from tests.patience import PATIENCE, joined, until
from tests.unit.sinks.events import CODEC, memory, message, session, turn
from tests.unit.sinks.worker_contract import Seen

pytestmark = [pytest.mark.integration, pytest.mark.crash]
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
        """What one call may take. A busy machine that looks like an outage costs one more try, and nothing else."""
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
                joined(thread, "a sink's worker to stop")
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
            client = MilvusClient(**milvus_options(self.stack.addresses.milvus), timeout=PATIENCE)
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


def test_milvus_frozen_delays_nobody_else(stores: Stores) -> None:
    """It takes connections and answers nothing: the worst outage."""
    stores.milvus_seconds = 3.0
    with stores.running():
        first = stores.send(0)
        until("Milvus to have the first", lambda: stores.in_milvus(first), lambda n: n == COUNT)
        with stores.stack.frozen("milvus"):
            made = stores.send(COUNT)
            until("Postgres to have all", stores.in_postgres, lambda n: n == 4 * COUNT)
            until("Redis to have the second", lambda: stores.in_redis(COUNT), lambda n: n == COUNT)
            until("the sink to try again", lambda: len(stores.observers["milvus"].delays), lambda n: n >= 3)
        until("Milvus to have the second", lambda: stores.in_milvus(made), lambda n: n == COUNT)
        until("Milvus to have the first still", lambda: stores.in_milvus(first), lambda n: n == COUNT)
    assert [o.letters for o in stores.observers.values()] == [[], [], []]
    assert not any(header(h, "step") == b"sink-milvus" for _, _, h in stores.log.dead_letters())


@pytest.mark.parametrize("store", ["milvus", "postgres", "valkey", "kafka"])
def test_killed_server_costs_nothing(stores: Stores, store: str) -> None:
    """kill -9 in the middle of the writes; the supervisor brings it back."""
    with stores.running():
        first = stores.send(0)
        stores.stack.kill(store)
        second = stores.send(COUNT)
        until("Milvus to have all", lambda: stores.in_milvus([*first, *second]), lambda n: n == 2 * COUNT)
        until("Postgres to have all", stores.in_postgres, lambda n: n == 4 * COUNT)
        for part in (0, COUNT):
            until("Redis to have all", lambda part=part: stores.in_redis(part), lambda n: n == COUNT)  # type: ignore[misc]
    assert [o.letters for o in stores.observers.values()] == [[], [], []]
