"""A store that fails is left alone, and asked again (D11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from redis.exceptions import ConnectionError as RedisAway

from query.circuit import OPEN, Circuit, Circuits
from query.errors import ProblemError
from query.reading import cache
from query.repo.db import Database, SystemStatement


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def is_open(circuit: Circuit) -> bool:
    return circuit.is_open


def test_d11_a_circuit_opens_after_failures_in_a_row_and_closes_with_an_answer() -> None:
    clock = Clock()
    circuit = Circuit(failures=3, seconds=5.0, clock=clock)
    for _ in range(2):
        circuit.failed()
    circuit.succeeded()
    for _ in range(2):
        circuit.failed()
    assert circuit.lets_through()
    assert not is_open(circuit)
    circuit.failed()
    assert is_open(circuit)
    assert not circuit.lets_through()
    clock.now = 5.0
    assert circuit.lets_through(), "one call tries"
    assert not circuit.lets_through(), "and the others wait for it"
    circuit.failed()
    clock.now = 9.9
    assert not circuit.lets_through()
    clock.now = 10.0
    assert circuit.lets_through()
    circuit.succeeded()
    assert not is_open(circuit)
    assert circuit.lets_through()


class Pool:
    """Connections that do not come while it is `away`; counts who asked."""

    def __init__(self) -> None:
        self.away, self.asked = True, 0

    @asynccontextmanager
    async def connection(self, timeout: float) -> AsyncIterator[Any]:  # noqa: ASYNC109 - as the pool has it
        self.asked += 1
        if self.away:
            raise psycopg.OperationalError("gone")
        yield self

    def cursor(self, **_: Any) -> Pool:
        return self

    async def execute(self, *_: Any) -> None:
        pass

    async def fetchall(self) -> list[dict[str, Any]]:
        return []


COUNT = SystemStatement("SELECT 1", shared=True)


async def test_d11_an_open_circuit_asks_postgres_nothing_until_it_answers_a_ping() -> None:
    pool, clock = Pool(), Clock()
    circuit = Circuit(failures=3, seconds=1.0, clock=clock)
    db = Database(pool, 1.0, 1.0, circuit=circuit)  # type: ignore[arg-type]
    reasons = []
    for _ in range(5):
        with pytest.raises(ProblemError) as away:
            await db.of_system(COUNT)
        reasons.append((away.value.extra["store"], away.value.extra["reason"]))
    assert reasons == [("postgres", "unreachable")] * 3 + [("postgres", OPEN)] * 2
    assert pool.asked == 3
    with pytest.raises(ProblemError):
        await db.ping()
    assert pool.asked == 4, "the background look asks in any case"
    pool.away = False
    with pytest.raises(ProblemError):
        await db.of_system(COUNT)
    await db.ping()
    assert await db.of_system(COUNT) == []
    assert not is_open(circuit)


async def test_d11_a_reader_closes_the_circuit_when_the_look_is_late() -> None:
    pool, clock = Pool(), Clock()
    db = Database(pool, 1.0, 1.0, circuit=Circuit(failures=1, seconds=1.0, clock=clock))  # type: ignore[arg-type]
    with pytest.raises(ProblemError):
        await db.of_system(COUNT)
    pool.away, clock.now = False, 1.0
    assert await db.of_system(COUNT) == []
    assert await db.of_system(COUNT) == []


class Snapshots:
    """Redis; counts who asked."""

    def __init__(self) -> None:
        self.away, self.asked = True, 0

    async def mget(self, keys: tuple[str, ...]) -> list[bytes | None]:
        self.asked += 1
        if self.away:
            raise RedisAway("gone")
        return [None for _ in keys]


async def test_d11_an_open_circuit_asks_redis_nothing() -> None:
    clock, store = Clock(), Snapshots()
    circuits = Circuits(redis=Circuit(failures=3, seconds=1.0, clock=clock))
    ctx: Any = SimpleNamespace(circuits=circuits, deps=SimpleNamespace(redis=store))
    reasons = []
    for _ in range(5):
        with pytest.raises(ProblemError) as away:
            await cache.read(ctx, "k")
        reasons.append(away.value.extra["reason"])
    assert reasons == ["unreachable"] * 3 + [OPEN] * 2
    assert circuits.open() == {"milvus": False, "postgres": False, "redis": True}
    store.away, clock.now = False, 1.0
    assert await cache.read(ctx, "k") == [None]
    assert circuits.open()["redis"] is False
    assert store.asked == 4


class Hanging(Pool):
    """Connects; the server never answers, and does not take a cancellation either."""

    def __init__(self) -> None:
        super().__init__()
        self.away, self.let_go = False, asyncio.Event()

    async def execute(self, *_: Any) -> None:
        while not self.let_go.is_set():
            with suppress(asyncio.CancelledError):
                await self.let_go.wait()


async def test_d11_a_postgres_that_hangs_holds_nobody_beyond_the_timeout() -> None:
    """psycopg waits for the server to take a cancellation; the reader does not."""
    pool = Hanging()
    circuit = Circuit(failures=3, clock=Clock())
    db = Database(pool, 1.0, 0.01, circuit=circuit)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(ProblemError) as away:
            await db.of_system(COUNT)
        assert away.value.extra["reason"] == "unreachable"
    # A caller with a shorter patience: no failure of the store.
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await db.of_system(COUNT)
    assert not is_open(circuit)
    with pytest.raises(ProblemError):
        await db.of_system(COUNT)
    assert is_open(circuit)
    pool.let_go.set()
    await asyncio.wait(db._left)
    await asyncio.sleep(0)
    assert not db._left
