"""D10: days and weeks that a query names are those of the profile's time zone, as they are where memories are made."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.search.executor import Understood
from query.search.ranking.types import RankQuery
from query.search.request import Question
from schemas.profile.model import Profile
from schemas.security.scope import TenantScope


def deps_in(deps: Deps, zone: str, now: datetime) -> Deps:
    profile = Profile(name="test", version=1, time_zone=zone)
    return replace(deps, profile=profile, clock=lambda: now)


@pytest.mark.parametrize(
    ("zone", "now", "query", "since", "until"),
    [
        ("America/New_York", (2026, 11, 23, 1, 30), "What did we do today?", (2026, 11, 22, 5), (2026, 11, 23, 5)),
        ("Asia/Shanghai", (2026, 11, 22, 23, 30), "昨天我们做了什么?", (2026, 11, 21, 16), (2026, 11, 22, 16)),
        ("Asia/Shanghai", (2026, 11, 22, 23, 30), "上周我们做了什么?", (2026, 11, 15, 16), (2026, 11, 22, 16)),
        ("UTC", (2026, 11, 23, 1, 30), "What did we do today?", (2026, 11, 23), (2026, 11, 24)),
    ],
)  # fmt: skip
async def test_a_context_asks_for_the_profiles_days(
    deps: Deps, zone: str, now: tuple[int, ...], query: str, since: tuple[int, ...], until: tuple[int, ...]
) -> None:
    moment = datetime(*now, tzinfo=UTC)  # type: ignore[misc, arg-type]
    app = create_app(QueryConfig(), deps_in(deps, zone, moment))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        answer: dict[str, Any] = (await client.post("/v1/context", json={"query": query, "user_id": "ann"})).json()
    limits = answer["routing"]["metadata_filter"]["history"]
    wanted = [datetime(*since, tzinfo=UTC), datetime(*until, tzinfo=UTC)]  # type: ignore[misc, arg-type]
    assert [datetime.fromisoformat(limits[k]) for k in ("occurred_from", "occurred_to")] == wanted


async def test_the_ranking_reads_them_there_too(deps: Deps) -> None:
    now = datetime(2026, 11, 23, 1, 30, tzinfo=UTC)
    retriever = create_app(QueryConfig(), deps_in(deps, "America/New_York", now)).state.retriever
    vector = deps.embedder.embed(["today"])[0]
    question = Question("today", frozenset({"turn"}), 1, TenantScope("default", "test", frozenset()))
    serving = type("Serving", (), {"blind": False})()
    rank: RankQuery = retriever._probe(question, Understood(["today"], vector, vector), serving).rank
    assert rank.now is not None
    assert (rank.now, rank.now.day) == (now, 22)
