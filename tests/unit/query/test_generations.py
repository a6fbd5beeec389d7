"""Which generation a statement reads (N1): the live one, or the one that a request stays with."""

from __future__ import annotations

from typing import Any

from psycopg_pool import AsyncConnectionPool

from query.views.db import Database, Row, TenantStatement
from schemas.security.scope import TenantScope

STATEMENT = TenantStatement("SELECT 1 FROM {v}.turns WHERE tenant = %(tenant)s")


class Recorded(Database):
    """Answers that a generation is live, and keeps what is asked of views."""

    def __init__(self, live: int) -> None:
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool("", open=False)
        super().__init__(pool, generation_seconds=0.0, timeout=1.0)
        self.generation_now = live
        self.asked: list[str] = []

    async def _ask(self, query: bytes, values: dict[str, Any], tenant: str | None) -> list[Row]:
        if b"ops.live_views" in query:
            return [{"store": "postgres", "generation": self.generation_now, "embedder": ""}]
        self.asked.append(query.decode().split('"')[1])
        return []


async def test_a_request_stays_with_the_generations_whose_vectors_it_compares() -> None:
    db, tenant = Recorded(3), TenantScope("acme", "test", frozenset())
    numbers = (await db.live()).numbers
    db.generation_now = 4
    with db.reading(numbers):
        await db.of_tenant(tenant, STATEMENT)
    await db.of_tenant(tenant, STATEMENT)
    assert db.asked == ["views_g3", "views_g4"]
