"""The state store in Postgres, held to the contract that the in-memory one keeps (N2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from memstream.stack import Addresses
from processors.step import Reads
from schemas.migrations import upgrade
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import FORMER_LEADERS, KEPT_SECONDS, StaleOwner, Write
from tests.unit.streams.state_contract import StateStoreContract, row
from tests.unit.streams.test_state_memory import follow

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def dsn(addresses: Addresses) -> str:
    upgrade(addresses.postgres)
    return addresses.postgres


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[AsyncConnectionPool[AsyncConnection[TupleRow]]]:
    async with AsyncConnectionPool(dsn, min_size=1, max_size=6, kwargs={"autocommit": True}, open=False) as pool:
        yield pool


class TestPostgresStateStore(StateStoreContract):
    @pytest.fixture
    def store(self, pool: AsyncConnectionPool[AsyncConnection[TupleRow]]) -> PostgresStateStore:
        return PostgresStateStore(pool)

    @pytest.fixture
    def step(self) -> str:
        return f"step-{uuid4().hex[:8]}"

    async def test_n2_a_commit_cut_short_leaves_nothing(self, store: PostgresStateStore, step: str, dsn: str) -> None:
        """The server refuses the rows after the offset has moved: the offset moves back."""
        await store.commit([self.commit(step, None, 1, outbox=(row(0),))])
        with pytest.raises(psycopg.Error):
            await store.commit([self.commit(step, 1, 2, Write("o", "nul\x00", b"1"))])
        position, outbox = await store.position(step, 0)
        assert position.next_offset == 1
        assert outbox == [row(0)]
        await store.commit([self.commit(step, 1, 2, Write("o", "k", b"1"))])
        with pytest.raises(StaleOwner):
            await store.commit([self.commit(step, 1, 2, Write("o", "k", b"2"))])
        assert await store.load(step, {0: [Reads("o")]}) == {0: {"o": {"k": b"1"}}}

    async def test_c1_of_former_leaders_the_newest_are_remembered(
        self, store: PostgresStateStore, step: str, dsn: str
    ) -> None:
        await follow(store, step, 100)
        await follow(store, f"{step}-other", 3)
        with psycopg.connect(dsn) as conn:
            rows = "SELECT epoch FROM stream.former_leaders WHERE step = %s ORDER BY epoch"
            found = [epoch for (epoch,) in conn.execute(rows, (step,))]
            others = [epoch for (epoch,) in conn.execute(rows, (f"{step}-other",))]
        assert found == list(range(99 - FORMER_LEADERS - 1, 99))
        assert others == [0, 1]

    async def test_c1_an_outbox_is_kept_for_longer_than_the_brokers_take_to_flush(
        self, store: PostgresStateStore, step: str, dsn: str
    ) -> None:
        lies = {("t", 3): (1, 2)}
        for n in range(3):
            await store.commit([replace(self.commit(step, n or None, n + 1, outbox=(row(n),)), delivered=lies)])
        with psycopg.connect(dsn) as conn:
            moved = "UPDATE stream.outboxes SET kept_at = now() - make_interval(secs => %s) WHERE step = %s"
            conn.execute(f"{moved} AND next_offset = 1", (KEPT_SECONDS + 1, step))
            conn.execute(f"{moved} AND next_offset = 2", (KEPT_SECONDS - 20, step))
        await store.commit([replace(self.commit(step, 3, 4, outbox=(row(3),)), delivered=lies)])
        assert [k.next_offset for k in await store.kept(step, 0)] == [2, 3]
