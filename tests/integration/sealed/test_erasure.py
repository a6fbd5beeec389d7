"""Two users who share a project, sealed; one is erased. Everything over HTTP and the command line's own code, and
then the probe looks into every store, topic and file (C7, C9, N6)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from memstream.erasure.compact import Compaction
from memstream.erasure.probe import OPENED, Probe
from memstream.erasure.report import ReportError, verify
from memstream.keyring.wiring import sealing_of
from memstream.settings import Settings
from schemas.events.turns import TurnBody, TurnEvent
from schemas.profile.model import load_profile
from tests.integration.scenario import World
from tests.pages import Shell, blocks, printed, steps
from tests.patience import PATIENCE, until

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
PLANTED = ("zebrawood", "琥珀巷十七号")
STATEMENTS = (
    ("ann", "My favourite wood is zebrawood.", None), ("ann", "我住在琥珀巷十七号，我喜欢喝茶。", None),
    ("ann", "We decided to ship the build on Friday.", "trial-7"),
    ("bob", "We decided to hold the review on Monday.", "trial-7"), ("bob", "我住在杭州。", None),
)  # fmt: skip


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


def dead_letters(here: World) -> list[str]:
    """Ids of those that are open."""
    return [str(letter["id"]) for letter in here.http.get("/v1/dead-letters").json()["dead_letters"]]


def test_c7_stores_hold_none_of_what_was_said_and_readers_see_all(here: World) -> None:
    for n, text in enumerate(("My favourite stone is moldavite.", "我喜欢翡翠胡同。", "I work as a cooper.")):
        post(here, "cat", text, None, n)
    post(here, "cat", "We decided to paint the hall moldavite green.", "hall-9", 7)
    here.call("PUT", "/v1/store/memories/cat/k", {"value": {"of": "moldavite"}})
    here.call("PUT", "/v1/projects/hall-9/hot-memory/status/phase", {"value": "翡翠胡同 is measured", "user_id": "cat"})

    words = ("moldavite", "翡翠胡同", "cooper")  # the last token is that of a command, which no turn is behind
    found = here.until("/v1/users/cat/memories", lambda b: all(word in str(b) for word in words))
    assert [m for m in found["memories"] if "moldavite" in m["text"]]
    for query, word in (("Which stone?", "moldavite"), ("翡翠胡同", "翡翠胡同")):
        hits = here.post("/v1/search", {"query": query, "user_id": "cat"})["results"]
        assert [h for h in hits if word in h["text"]], query
    prompt = here.post("/v1/context", {"query": "moldavite", "user_id": "cat", "session_id": "cat-s"})["prompt"]
    assert "moldavite" in prompt
    assert "cooper" in str(here.get("/v1/users/cat/profile"))
    for _ in range(2):  # from Postgres; then from Redis, which has been asked to hold it
        assert "翡翠胡同" in str(here.get("/v1/sessions/cat-s", user_id="cat"))
        here.until("/v1/projects/hall-9/hot-memory", lambda b: "moldavite" in str(b) and "翡翠胡同" in str(b))
    assert "moldavite" in str(here.get("/v1/store/memories/cat/k"))
    turn = here.get("/v1/turns/cat-0", user_id="cat")
    assert "moldavite" in str(turn)

    with closing(Probe(settings(here), ("moldavite", "翡翠胡同", "cooper"))) as probe:
        tables = [p for p in probe.postgres() if p[0].startswith(("postgres views_", "postgres stream."))]
        held = [*tables, *probe.redis(), *probe.milvus()]
        assert {place for place, raw in held if probe.hits(raw) and not place.endswith(OPENED)} == set()
        assert any(b"hot_memory:hall-9" in raw for _, raw in held), "Redis holds the snapshot"
        assert {"postgres views_g1.turns (opened)", "redis (opened)"} <= {p for p, raw in held if probe.hits(raw)}


def test_c9_n6_an_erased_user_is_found_nowhere_and_the_other_keeps_all(here: World, sh: Shell) -> None:
    """At the end the erased user returns, and is remembered anew."""
    letters = dead_letters(here)
    for n, (who, text, project) in enumerate(STATEMENTS):
        post(here, who, text, project, n)
    assert here.get("/v1/users/ann/memories")["memories"]
    assert here.post("/v1/search", {"query": "zebrawood", "user_id": "ann"})["results"]
    bobs = here.get("/v1/users/bob/memories")["memories"]
    with psycopg.connect(here.stack.addresses.postgres) as conn:
        assert conn.execute("SELECT count(*) FROM trust.data_keys WHERE owner = 'default/user/ann'").fetchone() == (1,)

    with closing(Probe(settings(here), PLANTED)) as probe:
        assert {p for p in probe.everything() if p.startswith("kafka")}, "what can still be opened is seen"

    erasure = here.call("DELETE", "/v1/users/ann")["erasure_id"]
    done = here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", calm=120)
    report = done["report"]
    assert report["removed"]["postgres/1"]["turns"] == 3
    assert report["keys_destroyed"] == 1
    assert {r["topic"] for r in report["remains"]} >= {"conversation.turns.v1", "conversation.history.v1"}
    assert {r["topic"]: r["readable"] for r in report["remains"]}["conversation.turns.v1"] == 0, "the key is gone"
    verify(report)
    with pytest.raises(ReportError):
        verify({**report, "removed": {}})

    assert here.get("/v1/users/ann/memories")["memories"] == []
    assert here.post("/v1/search", {"query": "zebrawood", "user_id": "ann"})["results"] == []
    assert here.get("/v1/users/bob/memories")["memories"] == bobs

    (access,) = report["accesses"]
    assert (access["operation"], access["principal"]) == ("DELETE /v1/users/{user_id}", "local")

    given = settings(here)
    with psycopg.connect(given.postgres.get_secret_value(), autocommit=True) as conn:
        row = conn.execute("SELECT hash, owner FROM audit.accesses WHERE access_id = %s", (erasure,)).fetchone()
    assert row == (bytes.fromhex(access["hash"]), None), "the chain's entry, without the name"
    [(look, statement)] = steps(blocks("docs/erasure.md", "console")[1])
    assert all(word in look for word in PLANTED)
    shown = sh.run(look)
    assert printed(statement, shown), shown
    here.until("/readyz", lambda body: body["status"] == "ready")
    assert here.post("/v1/search", {"query": "杭州", "user_id": "bob"})["results"]

    post(here, "ann", "I live in Leeds.", None, 99)
    texts = [m["text"] for m in here.get("/v1/users/ann/memories")["memories"]]
    assert [t for t in texts if "Leeds" in t]
    assert dead_letters(here) == letters


def test_n6_an_erasure_ends_while_its_user_talks_on(here: World) -> None:
    """Who talks on has rows in the steps' state all the time: they kept the key from being destroyed for ever."""
    post(here, "eve", "My hobby is origami.", None, 1)
    here.until("/v1/users/eve/memories", lambda b: "origami" in str(b))
    here.stack.pause("eraser")  # so that it looks when she has said something again
    try:
        erasure = here.call("DELETE", "/v1/users/eve")["erasure_id"]
        here.until("/v1/users/eve/memories", lambda b: b["memories"] == [])
        time.sleep(2)  # the cut-off of a sealed user lies 1.5 seconds behind
        post(here, "eve", "My hobby is falconry.", None, 2)
        here.until("/v1/users/eve/memories", lambda b: "falconry" in str(b))
    finally:
        here.stack.resume("eraser")
    report = here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", calm=120)["report"]
    assert report["keys_destroyed"] == 1
    assert report["since"] > 0
    verify(report)
    texts = str(here.get("/v1/users/eve/memories"))
    assert "falconry" in texts
    assert "origami" not in texts


def command(here: World, *words: str) -> None:
    results = [sys.executable, "-m", "memstream", *words, "--data", str(here.stack.stack.data_dir)]
    done = subprocess.run(results, capture_output=True, text=True, timeout=3 * PATIENCE, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)


async def restarted(here: World) -> None:
    """All that reads or shows, side by side."""
    names = ("worker-screen-1", "worker-memory", "sink-postgres", "sink-milvus", "sink-redis", "query")
    await asyncio.gather(*(here.stack.stack.supervisor.restart(name) for name in names))


def test_n6_what_was_erased_stays_away_through_archive_replay_rebuild_regate_and_restart(here: World) -> None:
    word = "hoopoe"
    general = load_profile("general").model_dump(mode="json", exclude_defaults=True)
    kept = {"classes": {"preference": 1}, "on_expiry": {"preference": "archive"}}
    here.run_on_this({**general, "name": "archiving", "version": 1, "retention": kept})
    when = datetime.now(UTC) - timedelta(days=3)
    statement = TurnEvent(
        tenant="default", user_id="dan", session_id="dan-s", turn_id="dan-0", role="user", occurred_at=when,
        accepted_at=when, sealed=TurnBody(content=f"My favourite bird is {word}."),
    )  # fmt: skip
    with closing(sealing_of(settings(here))) as sealing:
        here.write(statement, codec=sealing.codec)
    before = dead_letters(here)
    post(here, "dan", f"I said another thing of the {word}.", None, 0)  # the same id: a dead letter
    until("a dead letter", lambda: dead_letters(here), lambda open_now: len(open_now) == len(before) + 1)
    [letter] = set(dead_letters(here)) - set(before)
    archived = "SELECT 1 FROM views_g1.archive WHERE owner_id = 'dan'"
    here.tick_until("the archive", lambda: here.sql(archived) != [], datetime.now(UTC) - timedelta(minutes=10))
    with closing(Probe(settings(here), (word,))) as probe:
        found = {place.removesuffix(OPENED).split(" ")[0] for place in probe.everything()}
    assert {"postgres", "kafka"} <= found

    erasure = here.call("DELETE", "/v1/users/dan")["erasure_id"]
    here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", calm=120)
    assert here.sql(archived) == []

    for words in (("dlq", "replay", letter), ("rebuild", "all", "--drop-old"), ("reprocess", "gate", "--apply")):
        command(here, *words)
    here.stack.call(restarted(here))
    here.until("/readyz", lambda body: body["status"] == "ready")
    post(here, "bob", "I like walking.", None, 77)
    assert "walking" in str(here.get("/v1/users/bob/memories")), "the sealed views go on after it"

    given = settings(here)
    with closing(Probe(given, (word,))) as probe:
        assert [d.left for d in Compaction(given).everything()] == [""] * 4
        assert probe.everything() == {}
    assert word not in str(here.get("/v1/users/dan/memories"))
