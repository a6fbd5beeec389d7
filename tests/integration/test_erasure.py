"""Two users who share a project, sealed; one is erased. Everything over HTTP and the command line's own code, and
then the probe looks into every store, topic and file (C7, C9, N6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from memstream.erasure.probe import Probe
from memstream.erasure.report import ReportError, verify
from memstream.settings import Settings
from tests.integration.scenario import World, world

pytestmark = [pytest.mark.integration, pytest.mark.timeout(500)]
PLANTED = ("zebrawood", "琥珀巷十七号")
SAID = (
    ("ann", "My favourite wood is zebrawood.", None), ("ann", "我住在琥珀巷十七号，我喜欢喝茶。", None),
    ("ann", "We decided to ship the build on Friday.", "trial-7"),
    ("bob", "We decided to hold the review on Monday.", "trial-7"), ("bob", "我住在杭州。", None),
)  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMSTREAM_ENCRYPTION", "sealed")
        patch.setenv("MEMSTREAM_TICK_SECONDS", "5")
        with world() as running:
            yield running


def post(here: World, who: str, text: str, project: str | None, n: int) -> None:
    turn: dict[str, Any] = {
        "user_id": who, "session_id": f"{who}-s", "turn_id": f"{who}-{n}", "role": "user", "content": text,
        "occurred_at": datetime.now(UTC).isoformat(),
    }  # fmt: skip
    here.post("/v1/turns", {"turns": [turn | ({"project_id": project} if project else {})]})


def settings(here: World) -> Settings:
    a = here.stack.addresses
    return Settings(
        kafka=a.kafka, postgres=SecretStr(a.postgres), redis=SecretStr(a.redis), milvus=a.milvus,
        data_dir=here.stack.stack.supervisor.folder.path,
    )  # fmt: skip


def test_c9_n6_an_erased_user_is_found_nowhere_and_the_other_keeps_all(here: World) -> None:
    for n, (who, text, project) in enumerate(SAID):
        post(here, who, text, project, n)
    assert here.get("/v1/users/ann/memories")["memories"]
    assert here.post("/v1/search", {"query": "zebrawood", "user_id": "ann"})["results"]
    bobs = here.get("/v1/users/bob/memories")["memories"]
    with psycopg.connect(here.stack.addresses.postgres) as conn:
        assert conn.execute("SELECT count(*) FROM trust.data_keys WHERE owner = 'default/user/ann'").fetchone() == (1,)

    erasure = here.call("DELETE", "/v1/users/ann")["erasure_id"]
    done = here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", seconds=120)
    report = done["report"]
    assert report["removed"]["postgres/1"]["turns"] == 3
    assert report["keys_destroyed"] == 1
    assert {r["topic"] for r in report["remains"]} >= {"conversation.turns.v1", "conversation.history.v1"}
    verify(report)
    with pytest.raises(ReportError):
        verify({**report, "removed": {}})

    assert here.get("/v1/users/ann/memories")["memories"] == []
    assert here.post("/v1/search", {"query": "zebrawood", "user_id": "ann"})["results"] == []
    assert here.get("/v1/users/bob/memories")["memories"] == bobs

    given = settings(here)
    with psycopg.connect(given.postgres.get_secret_value(), autocommit=True) as conn:
        conn.execute("VACUUM FULL")
    probe = Probe(given, PLANTED)
    found = [p for part in (probe.postgres, probe.redis, probe.milvus, probe.kafka) for p in part()]
    leaks = {place for place, raw in found if probe.hits(raw)}
    assert not leaks


def test_n6_who_returns_is_remembered_anew(here: World) -> None:
    post(here, "ann", "I live in Leeds.", None, 99)
    texts = [m["text"] for m in here.get("/v1/users/ann/memories")["memories"]]
    assert [t for t in texts if "Leeds" in t]
    assert here.http.get("/v1/dead-letters").json()["dead_letters"] == []
