"""Suspects in Postgres, held to the contract of those in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from memstream.stack import Addresses
from schemas.migrations import upgrade
from schemas.storage import postgres_connections
from streams.state.suspects import PostgresSuspects
from streams.suspects import Suspect, Suspects
from tests.unit.streams.suspects_contract import Age, SuspectsContract

pytestmark = pytest.mark.integration


class TestPostgresSuspects(SuspectsContract):
    @pytest.fixture
    async def suspects(self, addresses: Addresses) -> AsyncIterator[Suspects]:
        upgrade(addresses.postgres)
        async with postgres_connections.pool(addresses.postgres, min_size=1, max_size=2) as pool:
            yield PostgresSuspects(addresses.postgres, pool)

    @pytest.fixture
    def step(self) -> str:
        return f"step-{uuid4().hex[:8]}"

    @pytest.fixture
    def age(self, addresses: Addresses, step: str) -> Age:
        def older(days: float) -> None:
            with postgres_connections.connect(addresses.postgres, autocommit=True) as conn:
                conn.execute(
                    "UPDATE stream.suspects SET noted_at = noted_at - make_interval(secs => %s) WHERE step = %s",
                    (days * 86_400, step),
                )

        return older


def test_a_store_that_is_away_keeps_no_process_alive() -> None:
    pool = postgres_connections.pool("host=127.0.0.1 port=1", min_size=1, max_size=1)
    suspects = PostgresSuspects("host=127.0.0.1 port=1 user=x dbname=x", pool)
    assert not suspects.note([Suspect("gate", "memory.ledger.v1", 0, 1, 0)])
