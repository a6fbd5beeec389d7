"""Every answer to a read says whether it is fresh (CONTRACT "Reading")."""

from __future__ import annotations

import httpx
import pytest

from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written

TOKEN = str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=0, offset=7)]))


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/pipeline", "/v1/dead-letters", "/v1/dead-letters/0:1"])
async def test_operators_reads_say_whether_they_are_fresh(client: httpx.AsyncClient, path: str) -> None:
    """Postgres, which knows how far the views are, is away here."""
    plain = await client.get(path)
    assert plain.headers["Memstream-Fresh"] == "true"
    waited = await client.get(path, headers={"Memstream-Wait-For": TOKEN, "Memstream-Wait-Ms": "0"})
    assert waited.headers["Memstream-Fresh"] == "false"
    wrong = await client.get(path, headers={"Memstream-Wait-For": "no token"})
    assert wrong.status_code == 422
