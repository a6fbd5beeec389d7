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
from query.search.embedders import Servings
from query.views.db import LATE, Database, SystemStatement, within
from tests.patience import PATIENCE


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


class Stalling(Hanging):
    """A server that answers until it is told to stall."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go.set()

    def stall(self) -> None:
        self.let_go.clear()

    async def execute(self, *_: Any) -> None:
        await self.let_go.wait()


async def test_d11_a_part_that_an_answer_can_do_without_waits_for_the_budget_and_its_failure_counts() -> None:
    pool, circuit = Stalling(), Circuit(failures=3, clock=Clock())
    db = Database(pool, 0.0, PATIENCE, circuit=circuit)  # type: ignore[arg-type]
    assert (await db.live()).numbers["postgres"] == 1
    pool.stall()
    for _ in range(3):
        with pytest.raises(ProblemError) as late, within(0.01):
            await db.of_system(COUNT)
        assert late.value.extra["reason"] == LATE
    assert not is_open(circuit), "a reader's patience is no failure of the store"
    pool.let_go.set()
    await asyncio.wait(db._left)
    pool.stall()
    soon = Database(pool, 0.0, 0.05, circuit=circuit)  # type: ignore[arg-type]
    for _ in range(3):
        with pytest.raises(ProblemError), within(0.01):
            await soon.of_system(COUNT)
    if soon._left:
        await asyncio.wait(soon._left)
    await asyncio.sleep(0)
    assert is_open(circuit), "no answer within the store's time-out is"


async def test_d11_an_answer_that_comes_after_the_budget_keeps_the_circuit_closed() -> None:
    pool, circuit = Stalling(), Circuit(failures=2, clock=Clock())
    db = Database(pool, 0.0, 5.0, circuit=circuit)  # type: ignore[arg-type]
    await db.live()
    pool.stall()
    circuit.failed()
    with pytest.raises(ProblemError), within(0.01):
        await db.of_system(COUNT)
    pool.let_go.set()
    await asyncio.wait(db._left)
    await asyncio.sleep(0)
    circuit.failed()
    assert not is_open(circuit)


async def test_d11_one_look_at_what_is_read_is_waited_for_within_the_budget_once() -> None:
    pool = Stalling()
    db = Database(pool, 0.0, 5.0, circuit=Circuit(clock=Clock()))  # type: ignore[arg-type]
    servings = Servings(db, object(), None)  # type: ignore[arg-type]
    pool.stall()
    first = asyncio.create_task(_within(0.01, servings))
    await asyncio.sleep(0.1)
    assert not first.done(), "what was never read may take longer"
    pool.let_go.set()
    assert (await first).generations["postgres"] == 1
    pool.stall()
    request = pool.asked
    first_ones = await asyncio.gather(*(_within(0.4, servings) for _ in range(5)))
    async with asyncio.timeout(PATIENCE / 2):  # who comes later does not wait anew
        later = await _within(PATIENCE, servings)
    for serving in (*first_ones, later):
        assert serving.generations["postgres"] == 1, "as it last said"
    assert pool.asked == request + 1
    pool.let_go.set()


async def _within(seconds: float, servings: Servings) -> Any:
    with within(seconds):
        return await servings.now()
