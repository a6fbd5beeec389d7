"""H6: connections to Postgres, and its circuit, while one tenant's queries are slow."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from query.circuit import OPEN, Circuit, TenantCircuits
from query.errors import ProblemError
from query.views.db import BUSY, Database, SystemStatement, TenantStatement
from query.views.shares import PLACES, Shares
from schemas.security.scope import Permission, TenantScope
from tests.patience import PATIENCE

READ = TenantStatement("SELECT 1 FROM turns WHERE tenant = %(tenant)s")
OF_ALL = SystemStatement("SELECT 1", shared=True)
SOON = 0.5


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Held:
    """Queries that hold a place until they are told to end."""

    def __init__(self, shares: Shares) -> None:
        self._shares, self.inside = shares, Counter[str]()
        self._ends: list[tuple[str, asyncio.Event]] = []
        self.order: list[str] = []

    def ask(self, tenant: str) -> asyncio.Task[None]:
        async def hold() -> None:
            async with self._shares.of(tenant):
                end = asyncio.Event()
                self.inside[tenant] += 1
                self.order.append(tenant)
                self._ends.append((tenant, end))
                await end.wait()
            self.inside[tenant] -= 1

        return asyncio.create_task(hold())

    async def end(self, tenant: str) -> None:
        place = next(p for p in self._ends if p[0] == tenant)
        self._ends.remove(place)
        place[1].set()
        await settle()


async def test_h6_one_tenant_takes_half_of_the_places_and_the_next_ones_find_some() -> None:
    held = Held(Shares(10))
    tasks = [held.ask("busy") for _ in range(50)]
    await settle()
    assert held.inside["busy"] == 5
    tasks += [held.ask("second") for _ in range(50)]
    await settle()
    assert held.inside["second"] == 3
    tasks += [held.ask("third"), held.ask("fourth")]
    await settle()
    assert (held.inside["third"], held.inside["fourth"]) == (1, 1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_h6_a_place_that_gets_free_is_the_one_of_who_has_fewest() -> None:
    held = Held(Shares(4))
    tasks = [held.ask("a") for _ in range(6)] + [held.ask("b") for _ in range(6)] + [held.ask("c") for _ in range(2)]
    await settle()
    assert held.inside == Counter({"a": 2, "b": 1, "c": 1})
    await held.end("a")
    assert held.inside["a"] == 1, "its share is smaller while others are there"
    await held.end("a")
    assert held.order[-1] == "a"
    assert sum(held.inside.values()) <= 4
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_places_of_who_left_are_free_again() -> None:
    shares = Shares(2)
    held = Held(shares)
    tasks = [held.ask("a") for _ in range(3)]
    await settle()
    for task in reversed(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (shares._free, shares._waiting, shares._used) == (2, {}, Counter())
    first, second = held.ask("a"), held.ask("a")
    await settle()
    held._ends[-1][1].set()
    await asyncio.sleep(0)
    second.cancel()  # it was let in a moment ago
    await asyncio.gather(first, second, return_exceptions=True)
    assert (shares._free, shares._waiting, shares._used) == (2, {}, Counter())


class Connection:
    def __init__(self, pool: Pool) -> None:
        self._pool, self._tenant = pool, ""

    def cursor(self, **_: Any) -> Connection:
        return self

    async def execute(self, query: Any, values: Any = ()) -> None:
        if isinstance(values, tuple) and values:
            self._tenant = values[0]
        elif self._tenant in self._pool.slow:
            await asyncio.sleep(PATIENCE)

    async def fetchall(self) -> list[dict[str, Any]]:
        return []


class Pool:
    """As many connections as there are places for tenants; the queries of `slow` tenants do not end by themselves."""

    def __init__(self) -> None:
        self.slow: set[str] = {"slow"}
        self.error: psycopg.Error | None = None
        self._free = asyncio.Semaphore(PLACES)

    @asynccontextmanager
    async def connection(self, timeout: float) -> AsyncIterator[Connection]:  # noqa: ASYNC109 - as the pool has it
        if self.error is not None:
            raise self.error
        async with self._free:
            yield Connection(self)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def database(pool: Pool, circuit: Circuit | None = None, clock: Clock | None = None) -> Database:
    db = Database(pool, 1.0, SOON, circuit=circuit)  # type: ignore[arg-type]
    still = clock or Clock()
    db._tenants = TenantCircuits(lambda: Circuit(clock=still))
    return db


def scope(tenant: str) -> TenantScope:
    return TenantScope(tenant, "key:k", frozenset({Permission.READ}))


async def reason(db: Database, tenant: str) -> str | None:
    """Why a tenant's read is not answered; None where it is."""
    try:
        await db.of_tenant(scope(tenant), READ)
    except ProblemError as exc:
        return str(exc.extra["reason"])
    return None


async def test_h6_slow_queries_of_one_tenant_neither_hold_up_nor_shut_out_another() -> None:
    """Eight of them took every connection, and three that timed out opened the circuit for all."""
    circuit = Circuit()
    pool = Pool()
    db = database(pool, circuit)
    slow = [asyncio.create_task(reason(db, "slow")) for _ in range(20)]
    await settle()
    assert [await reason(db, "quick") for _ in range(5)] == [None] * 5
    result = Counter(await asyncio.gather(*slow))
    assert set(result) == {"unreachable", BUSY}, "its own wait behind each other"
    assert not circuit.is_open
    assert await reason(db, "quick") is None
    assert await reason(db, "slow") == OPEN, "its circuit is open"
    await db.of_system(OF_ALL)


async def test_h6_a_tenant_that_is_answered_again_is_let_through() -> None:
    pool, clock = Pool(), Clock()
    db = database(pool, clock=clock)
    await asyncio.gather(*(reason(db, "slow") for _ in range(5)))
    assert await reason(db, "slow") == OPEN
    pool.slow.clear()
    clock.now = 60.0
    assert [await reason(db, "slow") for _ in range(3)] == [None] * 3


async def test_h6_a_tenant_that_is_shut_out_takes_not_the_one_try_of_all() -> None:
    pool, clock = Pool(), Clock()
    circuit = Circuit(clock=clock)
    db = database(pool, circuit, Clock())
    await asyncio.gather(*(reason(db, "slow") for _ in range(5)))
    for _ in range(3):
        circuit.failed()
    clock.now = 60.0
    assert await reason(db, "slow") == OPEN
    assert await reason(db, "quick") is None, "the try was left to who may ask"


async def test_d11_a_postgres_that_is_gone_shuts_out_all() -> None:
    pool, circuit = Pool(), Circuit()
    pool.error = psycopg.OperationalError("gone")
    db = database(pool, circuit)
    assert [await reason(db, t) for t in ("a", "b", "c", "d")] == ["unreachable"] * 3 + [OPEN]
    assert circuit.is_open


async def test_h6_a_query_that_the_server_cancels_is_its_tenants() -> None:
    circuit, pool = Circuit(), Pool()
    db = database(pool, circuit)

    pool.error = psycopg.errors.QueryCanceled("canceling statement due to statement timeout")
    assert [await reason(db, "slow") for _ in range(4)] == ["unreachable"] * 3 + [OPEN]
    assert not circuit.is_open
