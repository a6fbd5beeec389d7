"""N1: views made anew from the log, by the real sink processes, while more is written."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
import redis
from confluent_kafka import Producer
from psycopg import sql
from pydantic import SecretStr

from memstream.rebuild.driver import Options, Outcome, Rebuild
from memstream.rebuild.errors import RebuildError
from memstream.rebuild.stores import store
from memstream.settings import Settings
from memstream.stack import Addresses
from schemas import generations, migrations
from schemas.codec import Event
from schemas.owner import partition
from schemas.stores import RedisLayout, postgres_schema
from sinks.clock import utc_now
from tests.integration.query_env import prepare
from tests.unit.sinks.events import CODEC, decision, memory, session, topic_of, turn

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]


class Quiet:
    """Progress that nobody looks at."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, store: str, what: str) -> None:
        self.steps.append(what)

    def left(self, store: str, total: int, left: int, seconds: float | None) -> None:
        assert 0 <= left <= total


@dataclass
class World:
    """A tenant and a database of its own on the session's servers; generations are numbered from a number that no
    other test uses, so that its collections and keys are its own."""

    addresses: Addresses
    settings: Settings
    first: int
    tenant: str
    now: datetime = field(default_factory=utc_now)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def dsn(self) -> str:
        return self.settings.postgres.get_secret_value()

    def sink(self, name: str) -> None:
        env = {
            **os.environ, "MEMSTREAM_KAFKA": self.addresses.kafka, "MEMSTREAM_POSTGRES": self.dsn,
            "MEMSTREAM_REDIS": self.addresses.redis, "MEMSTREAM_MILVUS": self.addresses.milvus,
            "MEMSTREAM_INSTANCE": f"{self.tenant}-{name}", "OMP_NUM_THREADS": "1",
        }  # fmt: skip
        self.processes[name] = subprocess.Popen([sys.executable, "-m", "memstream", "sink", name], env=env)

    def send(self, *events: Event) -> None:
        producer = Producer({"bootstrap.servers": self.addresses.kafka, "linger.ms": 5})
        for n, event in enumerate(events):
            encoded = CODEC.encode(event, "test", f"{n}")
            at = partition(event.owner, 8)  # type: ignore[union-attr]
            producer.produce(topic_of(event), encoded.value, encoded.key, at, headers=list(encoded.headers))
        producer.flush(30)

    def events(self, start: int, count: int) -> list[Event]:
        """Turns, memories with two versions of some, sessions and decisions of a few users."""
        out: list[Event] = []
        for n in range(start, start + count):
            user = {"tenant": self.tenant, "user_id": f"u{n % 5}"}
            out.append(turn(n, **user, accepted_at=self.now, expires_at=self.now + timedelta(days=30)))
            for revision in range(1, 2 + n % 2):
                out.append(memory(n, revision, owner_id=user["user_id"], **user, text=f"text {n} of {revision}"))
            out.append(session(n % 7, n + 1, **user, updated_at=self.now))
            out.append(decision(n, tenant=self.tenant, owner_id=user["user_id"], accepted_at=self.now))
        return out

    def execute(self, query: str) -> Any:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            cursor = conn.execute(query)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else None

    def rows(self, generation: int, table: str) -> Any:
        """The rows of our tenant, whole."""
        names = f"{postgres_schema(generation)}.{table}"
        return self.execute(f"SELECT to_jsonb(t) FROM {names} t WHERE tenant = '{self.tenant}' ORDER BY t::text")  # noqa: S608

    def rebuild(self, name: str, **options: Any) -> Outcome:
        made = store(self.settings, name)
        with psycopg.connect(self.dsn, autocommit=True) as conn, closing(made.contents):
            return Rebuild(self.settings, made, Quiet(), Options(**{"stall_seconds": 240.0, **options})).run(conn)

    def live(self, name: str) -> int:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            return generations.live(conn, name).number


@pytest.fixture(scope="module")
def world(addresses: Addresses) -> Iterator[World]:
    prepare(addresses)
    number = random.randrange(10_000, 10**8)
    name = f"rebuild_{number}"
    with psycopg.connect(addresses.postgres, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    dsn = psycopg.conninfo.make_conninfo(addresses.postgres, dbname=name)
    migrations.upgrade(dsn)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("UPDATE ops.generations SET generation = %s", (number,))
        conn.execute("UPDATE ops.live_views SET generation = %s", (number,))
    settings = Settings(
        kafka=addresses.kafka, postgres=SecretStr(dsn), redis=SecretStr(addresses.redis), milvus=addresses.milvus
    )
    world = World(addresses, settings, number, f"rebuild-{number}")
    try:
        world.send(*world.events(0, 60))
        yield world
    finally:
        for process in world.processes.values():
            process.terminate()
        for process in world.processes.values():
            process.wait(60)


def _until(condition: Callable[[], bool], seconds: float = 200.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.2)


def test_n1_a_wiped_postgres_comes_back_equal_while_more_is_written(world: World) -> None:
    world.sink("postgres")
    views = postgres_schema(world.first)
    _until(lambda: world.execute(f"SELECT to_regclass('{views}.turns')")[0][0] is not None)
    _until(lambda: len(world.rows(world.first, "decisions")) == 60)
    tables = ("turns", "memories", "sessions", "decisions")
    before = {table: world.rows(world.first, table) for table in tables}
    assert len(before["turns"]) == 60
    world.execute(f"TRUNCATE {views}.turns, {views}.memories, {views}.sessions, {views}.decisions")

    stop = threading.Event()
    sent = 60

    def load() -> None:
        nonlocal sent
        while not stop.is_set():
            world.send(*world.events(sent, 5))
            sent += 5
            stop.wait(0.2)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        damaged = world.rebuild("postgres")
        assert not damaged.switched, "a live generation that lacks rows is no yardstick"
        assert damaged.comparison.different["turns", "extra"] == 60
        done = world.rebuild("postgres", repair=True)
    finally:
        stop.set()
        thread.join()
    assert done.generation == damaged.generation, "the second command went on with what the first had built"
    assert done.switched, done.comparison.as_json()
    assert world.live("postgres") == done.generation
    for table in ("turns", "memories", "decisions"):
        after = world.rows(done.generation, table)
        assert [row for row in before[table] if row not in after] == [], table
    _until(lambda: len(world.rows(done.generation, "decisions")) == sent)

    # What was read is dropped; the process that wrote it goes on as the writer of the live one.
    made = store(world.settings, "postgres")
    with psycopg.connect(world.dsn, autocommit=True) as conn, closing(made.contents):
        Rebuild(world.settings, made, Quiet(), Options(stall_seconds=120)).drop(conn, world.first)
    world.send(*world.events(sent, 5))
    _until(lambda: len(world.rows(done.generation, "decisions")) == sent + 5)
    assert world.processes["postgres"].poll() is None


def test_n1_redis_and_milvus_come_back_equal_and_the_old_ones_are_gone(world: World) -> None:
    client: Any = redis.Redis.from_url(world.addresses.redis)
    for name in ("redis", "milvus"):
        world.sink(name)
        done = world.rebuild(name)
        # Nothing stood before the sink had read the log: both generations are built from it side by side.
        assert done.switched, done.comparison.as_json()
        view = "sessions" if name == "redis" else "turns"
        wanted, held = done.comparison.rows[view]
        assert wanted == held > 0
        made = store(world.settings, name)
        with psycopg.connect(world.dsn, autocommit=True) as conn, closing(made.contents):
            Rebuild(world.settings, made, Quiet(), Options(stall_seconds=120)).drop(conn, world.first)
            assert made.contents.buckets(world.first) == {}
            assert made.contents.buckets(done.generation)
    assert list(client.scan_iter(f"{RedisLayout(world.first).prefix}*")) == []
    client.close()


def test_n1_one_rebuild_of_a_store_at_a_time(world: World) -> None:
    with psycopg.connect(world.dsn, autocommit=True) as other:
        assert generations.drive(other, "rebuild/redis")
        with pytest.raises(RebuildError, match="another command is rebuilding redis"):
            world.rebuild("redis")


def test_n1_the_live_generation_is_not_dropped(world: World) -> None:
    made = store(world.settings, "postgres")
    live = world.live("postgres")
    with (
        psycopg.connect(world.dsn, autocommit=True) as conn, closing(made.contents),
        pytest.raises(generations.GenerationError, match="is live"),
    ):  # fmt: skip
        Rebuild(world.settings, made, Quiet(), Options()).drop(conn, live)
