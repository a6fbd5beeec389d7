"""The state store in Postgres, held to the contract that the in-memory one keeps (N2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
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
from streams.state.protocol import StaleOwner, Write
from tests.unit.streams.state_contract import StateStoreContract, row

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
