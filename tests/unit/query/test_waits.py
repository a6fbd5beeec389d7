"""What a reader asks to wait for, and for how long: bounded, and nobody else's trouble (N3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from query.config import QueryConfig
from query.freshness import Place, ProgressWatch
from query.repo import hot
from query.repo.db import Database
from schemas import topics
from schemas.owner import partition, project
from schemas.progress import FreshnessToken, Written
from schemas.scope import OwnerScope

GOOD: Place = ("screen:conversation.history.v1", 1, "conversation.turns.v1/1")
BAD: Place = ("screen:conversation.history.v1", 2, "conversation.turns.v1/2")
READ = "/v1/turns/x?user_id=u"


def token(partition: int, project_partitions: tuple[int, ...] = ()) -> str:
    return str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=partition, offset=1,
                                          project_partitions=project_partitions)]))  # fmt: skip


@pytest.mark.parametrize("wait", ["0" * 9 + "9" * 400, "000000000600000", "-1", "1.5", "+5", "1_0", "999999999"])
async def test_n3_a_wait_is_bounded_however_it_is_written(client: httpx.AsyncClient, wait: str) -> None:
    answer = await client.get(READ, headers={"Memstream-Wait-Ms": wait})
    assert (answer.status_code, "Memstream-Wait-Ms" in answer.text) == (422, True)


@pytest.mark.parametrize("odd", [token(2**40), token(QueryConfig().partitions), token(0, (2**40,)), token(0, (-1,))])
async def test_n3_a_token_of_a_partition_that_there_is_not_is_refused(client: httpx.AsyncClient, odd: str) -> None:
    answer = await client.get(READ, headers={"Memstream-Wait-For": odd})
    assert (answer.status_code, "Memstream-Wait-For" in answer.text) == (422, True)


async def test_n3_a_look_that_fails_ends_its_own_waits_and_no_later_ones() -> None:
    async def fetch(places: list[Place]) -> Mapping[Place, int]:
        if BAD in places:
            raise RuntimeError
        return dict.fromkeys(places, 5)

    watch = ProgressWatch(fetch)
    async with asyncio.timeout(5):  # the wait itself would take a minute
        assert not await watch.wait({BAD: 1}, 60)
        assert await watch.wait({GOOD: 5}, 60)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("PATCH", "/v1/memories/m", {"user_id": "ann", "text": "It stays at 70."}),
    ("DELETE", "/v1/memories/m?user_id=ann", None),
])  # fmt: skip
async def test_n3_the_token_of_a_command_about_a_memory_names_the_projects_that_may_show_it(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: Any
) -> None:
    """Where Postgres cannot say which (as here, at first), the write goes on without."""
    shown = ("alpha", "beta")
    wanted = tuple(sorted({partition(project("default", p), QueryConfig().partitions) for p in shown}))
    for expected in ((), wanted):
        answer = await client.request(method, path, json=body)
        assert answer.status_code == 202
        [written] = FreshnessToken.parse(answer.json()["freshness_token"]).writes
        assert (written.topic, written.project_partitions) == (topics.LEDGER.name, expected)

        async def projects(db: Database, scope: OwnerScope, record_id: str) -> tuple[str, ...]:
            return shown if (scope.owner.id, record_id) == ("ann", "m") else ()

        monkeypatch.setattr(hot, "projects", projects)
