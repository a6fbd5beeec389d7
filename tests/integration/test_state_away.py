"""A Postgres that is killed under the state store: told as StoreAway, and nothing half done (N2)."""

from __future__ import annotations

import pytest
from psycopg_pool import AsyncConnectionPool, PoolClosed

from processors.step import Reads
from schemas import migrations
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import OutboxRow, PartitionCommit, Position, StoreAway, Write
from tests.integration.conftest import BackgroundStack

STEP = "away"


def batch(number: int) -> PartitionCommit:
    write = Write("acme/user/ann", "n", str(number).encode())
    row = OutboxRow(number, 0, "t", 0, b"k", b"v", [])
    return PartitionCommit(STEP, 0, number or None, Position(number + 1), [write], [row])


async def test_n2_a_killed_store_is_away_and_then_goes_on_where_it_stood(running_stack: BackgroundStack) -> None:
    dsn = running_stack.addresses.postgres
    migrations.upgrade(dsn)
    async with AsyncConnectionPool(dsn, min_size=1, max_size=1, kwargs={"autocommit": True}, open=False) as pool:
        store = PostgresStateStore(pool)
        await store.commit([batch(0)])
        running_stack.kill("postgres")
        with pytest.raises(StoreAway):
            await store.commit([batch(1)])
        position, outbox = await store.position(STEP, 0)
        assert (position.next_offset, [r.offset for r in outbox]) == (1, [0])
        await store.commit([batch(1)])
        assert await store.load(STEP, {0: [Reads("acme/user/ann")]}) == {0: {"acme/user/ann": {"n": b"1"}}}
    with pytest.raises(PoolClosed):  # not away: nobody is to wait for it
        await store.position(STEP, 0)
