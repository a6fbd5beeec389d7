"""N1: doing it again on one running memstream, by the commands that an operator types, while more is said and asked."""

from __future__ import annotations

import io
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

import psutil
import psycopg
import pytest
from psycopg import sql
from pymilvus import MilvusClient

from inference.e5 import MultilingualE5Small
from memstream.workers.models import default_embedder
from processors.reader.rules.protocol import Reading, TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import Profile, load_profile
from schemas.storage import generations
from schemas.storage.connections import milvus_options
from schemas.storage.layouts import MilvusLayout
from tests.integration.rebuild_env import (
    COMMANDS,
    STILL,
    archive,
    archived,
    command,
    found,
    live,
    load,
    query,
    rows,
    run,
    values,
)
from tests.integration.scenario import World, world
from tests.pages import blocks, every_block, printed
from tests.patience import until
from tests.wide_limits import wide_values

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
STATEMENTS = (
    "I live in Leeds.",
    "My cat is called Biscuit.",
    "I work as a nurse.",
    "我喜欢打网球。",
    "We chose Kafka.",
)
PAGE = "".join(blocks("docs/operations-rebuild.md", "sh")).splitlines()
TYPED = [shlex.split(line, comments=True)[1:] for line in PAGE]
REBUILD, REEMBED, LOOK, APPLY, DRY, RESCREEN, WOULD, REDATE, LOOK_READ, READ = TYPED
"""The page's commands, in its order: those that these tests type."""


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world() as running:
        for who in STILL:
            for text in STATEMENTS:
                running.say(who, text)
        assert values(running, "ann", "residence") == ["Leeds"]
        archive(running, "bea", "就诊于达喀尔 Dakar")
        yield running


def writers(number: int, store: str, folder: str) -> list[psutil.Process]:
    """Processes that write a generation of this stack."""
    out = []
    for p in psutil.process_iter(["cmdline"]):
        words = p.info["cmdline"] or []
        if words[-3:] == [store, "--generation", str(number)] and folder in str(_environ(p)):
            out.append(p)
    return out


def _environ(p: psutil.Process) -> dict[str, str]:
    try:
        return p.environ()
    except psutil.Error:
        return {}


def test_n1_a_wiped_store_comes_back_equal_under_load_though_the_rebuild_is_killed(here: World) -> None:
    tables = ("turns", "memories", "sessions", "decisions", "archive")
    before = {t: rows(here, 1, t) for t in tables}
    assert all(before.values())
    with load(here) as writer:
        query(here, "TRUNCATE " + ", ".join(f"views_g1.{t}" for t in tables))
        assert archived(here, "bea") == []
        refused = run(here, "rebuild", "postgres", code=1)
        assert {d["what"] for d in refused[0]["comparison"]["different"]} == {"extra"}, "no yardstick, and so not read"
        assert live(here)["postgres"] == (1, "")

        run(here, "rebuild", "drop", "postgres")
        killed = subprocess.Popen(command(here, "rebuild", "postgres", "--repair"), stderr=subprocess.DEVNULL)
        building = "SELECT 1 FROM ops.generations WHERE state = 'building' AND store = 'postgres'"
        until("the rebuild to begin", lambda: query(here, building))
        killed.send_signal(signal.SIGSTOP)  # it does not come to its end before its writer is seen
        folder = str(here.stack.stack.data_dir)
        for process in until("the writer", lambda: writers(3, "postgres", folder)):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        killed.kill()
        killed.wait()
        assert live(here)["postgres"] == (1, "")
        [done] = run(here, "rebuild", "postgres", "--repair")
    assert (done["generation"], done["switched"]) == (3, True), "the second command went on with what the first began"
    assert writer.sent > 10
    assert live(here)["postgres"] == (3, "")
    for table in tables:
        assert rows(here, 3, table) == before[table], table
    found(here, "Where do I live?", "ann", "Leeds")
    assert done["comparison"]["rows"]["archive"] == {"reference": 1, "new": 1}
    assert archived(here, "bea") == ["就诊于达喀尔 Dakar"], "what time ended is read again (C8)"
    run(here, "rebuild", "drop", "postgres")
    here.say("cem-2", "I live in Hull.")
    assert values(here, "cem-2", "residence") == ["Hull"], "the writer of what is read goes on"


def test_n1_n4_a_regate_brings_back_nothing_that_was_corrected_or_erased(here: World) -> None:
    for who in ("cora", "gone", "mira"):
        here.say(who, "I live in Leeds.")
        here.say(who, "I live in York now.")
    [york] = [m for m in here.get("/v1/users/cora/memories")["memories"] if m["field"] == "residence"]
    here.call("PATCH", f"/v1/memories/{york['id']}", {"user_id": "cora", "value": "Hull", "text": "Lives in Hull"})
    assert values(here, "cora", "residence") == ["Hull"]
    erasure = here.call("DELETE", "/v1/users/gone")["erasure_id"]
    here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", calm=120)
    assert run(here, *LOOK)["differences"] == [], "the same gate decides the same"

    wide = load_profile("general").model_dump(mode="json", exclude_defaults=True)
    [place] = [f for f in wide["fields"] if f["name"] == "residence"]
    place["many"] = True
    here.call("PUT", "/v1/tenant/profile", {"profile": wide_values({**wide, "name": "wide", "version": 1})})
    with load(here) as writer:
        shown = run(here, "reprocess", "gate")
        assert {(d["what"], d["field"]) for d in shown["differences"]} == {
            ("added", "residence"), ("retired", "residence"),
        }  # fmt: skip
        assert shown["left"] == {"deleted": 1, "rejected": 1, "the_users_own": 1}, "the first is what time ended"
        assert values(here, "mira", "residence") == ["York"], "looking changes nothing"
        done = run(here, *APPLY)
    assert done["still_there"] == []
    assert not writer.failed
    assert values(here, "mira", "residence") == ["Leeds", "York"]
    assert values(here, "cora", "residence") == ["Hull", "Leeds"], "York was corrected"
    assert values(here, "gone", "residence") == []


def test_n1_the_embedding_model_is_changed_under_load(here: World) -> None:
    refused = run(here, "reembed", "glove", code=2)
    assert "expected use, e5" in refused
    number = live(here)["postgres"][0]
    use, e5 = default_embedder(), MultilingualE5Small()
    with load(here) as writer:
        done = run(here, *REEMBED)
        here.say("ann", "I moved to Hull last week.")
        found(here, "Where did I move?", "ann", "Hull")
    assert not writer.failed, "no read failed or lost a store while the models changed"
    assert [(o["store"], o["switched"]) for o in done] == [("postgres", True), ("milvus", True)]
    assert {s: m for s, (_, m) in live(here).items()} == {"postgres": "e5", "milvus": "e5", "redis": ""}
    new = live(here)["postgres"][0]
    for generation, model in ((number, use.model_id), (new, e5.model_id)):
        models = query(here, f"SELECT DISTINCT model_id FROM views_g{generation}.turns")  # noqa: S608
        assert models == [(model,)]
    client: Any = MilvusClient(**milvus_options(here.stack.addresses.milvus))
    layout = MilvusLayout(live(here)["milvus"][0])
    [row] = client.query(layout.turns, filter="", limit=1, output_fields=["dense"])
    assert len(row["dense"]) == e5.dimensions
    client.close()
    # A whole tenant is searched in Milvus: by vectors alone, in the other language.
    request = {"query": "在哪里工作，职业是什么", "limit": 50}
    until(
        "the nurse, by vectors alone",
        lambda: here.http.post("/v1/search", json=request, headers={"Memstream-Ranking": "dense"}).json(),
        lambda hits: not hits.get("degraded", ["no answer"]) and "nurse" in str(hits["results"]),
    )  # fmt: skip
    assert "hold the vectors of e5 already" in run(here, "reembed", "e5", code=2)

    # The way back is one row for both stores, and forth again.
    for to, model in ((1, ""), (layout.generation, "e5")):
        words = command(here, "rebuild", "switch", "milvus", "--to", str(to))[3:]
        COMMANDS.main(args=words, prog_name="memstream", standalone_mode=False)
        assert {m for s, (_, m) in live(here).items() if s != "redis"} == {model}
        found(here, "Where did I move?", "ann", "Hull")


def test_n1_all_stores_are_rebuilt_and_the_old_ones_are_gone(here: World) -> None:
    before = live(here)
    run(here, "rebuild", "drop", "postgres")
    run(here, "rebuild", "drop", "milvus")
    with load(here) as writer:
        done = run(here, "rebuild", "all", "--drop-old")
    assert all(o["switched"] and o["dropped_old"] and o["comparison"]["agrees"] for o in done)
    assert not writer.failed
    after = live(here)
    assert {s: n for s, (n, _) in after.items()} == {o["store"]: o["generation"] for o in done}
    assert {s: m for s, (_, m) in after.items()} == {s: m for s, (_, m) in before.items()}, "the model is kept"
    assert len(run(here, "rebuild", "status")) == 3
    found(here, "Where do I live?", "bea", "Leeds")
    assert archived(here, "bea") == ["就诊于达喀尔 Dakar"]


def test_n1_d5_a_tenants_own_policy_reaches_what_is_stored(here: World) -> None:
    """The service's profile stays as it is: only the tenant's own is tightened."""
    plain = load_profile("general").model_dump(mode="json", exclude_defaults=True)
    phone = "202-555-0143"

    def stored() -> list[str]:
        number = live(here)["postgres"][0]
        text = sql.SQL("SELECT content FROM {}.turns WHERE user_id = 'tess'").format(sql.Identifier(f"views_g{number}"))
        with psycopg.connect(here.stack.addresses.postgres) as conn:
            return [content for (content,) in conn.execute(text)]

    here.run_on_this({**plain, "name": "open", "version": 1, "pii": {"PHONE_NUMBER": "allow"}})
    here.say("tess", f"My phone number is {phone}.")
    assert phone in str(stored())
    here.run_on_this({**plain, "name": "tight", "version": 1, "pii": {"PHONE_NUMBER": "mask"}})
    seen = run(here, *DRY)
    assert seen["entities"]["PHONE_NUMBER:mask"] >= 1
    done = run(here, *RESCREEN)
    assert done["still_there"] == {}
    assert phone not in str(stored())
    assert "<PHONE_NUMBER>" in str(stored())


def test_c8_a_tenants_new_days_reach_what_stands(here: World) -> None:
    plain = load_profile("general").model_dump(mode="json", exclude_defaults=True)
    spaces = [*load_profile("general").namespaces, "scratch"]
    item = {"namespace": ["scratch", "tim"], "key": "k", "value": {"a": 1}}

    def shown() -> Any:
        return here.post("/v1/store/items/get", {"namespace": item["namespace"], "key": "k"})["item"]

    here.run_on_this({**plain, "name": "lasting", "version": 1, "namespaces": spaces})
    here.call("PUT", "/v1/store/items", item)
    until("the item", shown)
    short = {"classes": {"scratch": 0.00001}}
    here.run_on_this({**plain, "name": "short", "version": 1, "namespaces": spaces, "retention": short})
    assert run(here, *WOULD)["classes"] == {"scratch": 1}
    assert shown(), "nothing is changed yet"
    done = run(here, *REDATE)
    assert (done["classes"], done["still_there"]) == ({"scratch": 1}, {})
    assert not shown()
    here.run_on_this({**plain, "name": "open", "version": 2})


def test_n1_n4_a_newer_reader_restates_what_an_older_one_read(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command in this process has the newer version; the gate that runs decides what it reads."""
    here.say("rhea", "I live in Leeds.")
    here.say("rhea", "I work as a nurse.")
    assert values(here, "rhea", "residence") == ["Leeds"]
    [home] = [m for m in here.get("/v1/users/rhea/memories")["memories"] if m["field"] == "residence"]
    here.call("PATCH", f"/v1/memories/{home['id']}", {"user_id": "rhea", "value": "Hull", "text": "Lives in Hull"})
    assert values(here, "rhea", "residence") == ["Hull"]
    assert run(here, *LOOK_READ, "--user", "rhea")["older"] == 0
    read = RuleExtractor.read

    def without_work(rules: RuleExtractor, turn: TurnView, profile: Profile) -> Reading:
        return Reading([]) if "nurse" in turn.content else read(rules, turn, profile)

    monkeypatch.setattr(RuleExtractor, "version", RuleExtractor.version + 1)
    monkeypatch.setattr(RuleExtractor, "read", without_work)
    shown = run(here, *LOOK_READ, "--user", "rhea")
    assert (shown["turns"], shown["older"], shown["left"]["rejected"]) == (2, 2, 1)
    assert [(m["what"], m["field"]) for m in shown["memories"] if m["what"] != "kept"] == [("retired", "occupation")]
    assert values(here, "rhea", "occupation") == ["nurse"], "looking changes nothing"
    assert run(here, *READ, "--user", "rhea")["still_there"] == 0
    assert values(here, "rhea", "occupation") == []
    assert values(here, "rhea", "residence") == ["Hull"], "Leeds was corrected"
    assert run(here, *LOOK_READ, "--user", "rhea")["older"] == 0


def test_n1_one_at_a_time_and_never_the_live_one(here: World) -> None:
    with psycopg.connect(here.stack.addresses.postgres, autocommit=True) as other:
        assert generations.drive(other, "rebuild/redis")
        assert generations.drive(other, "regate")
        assert "another command is rebuilding redis" in run(here, "rebuild", "redis", code=2)
        assert "another regate runs" in run(here, "reprocess", "gate", code=2)
        number = live(here)["redis"][0]
        with pytest.raises(generations.GenerationError, match="is live"):
            generations.mark(other, "redis", number, "dropping")


def test_n1_a_rebuild_says_what_the_page_shows_and_its_bar_is_full(here: World) -> None:
    page = [b.text for b in every_block() if b.page == "docs/operations-rebuild.md" and b.language == "text"]
    bar, *rest = page[0].splitlines()
    output, seen = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(seen):
        COMMANDS.main(args=command(here, *REBUILD)[3:], prog_name="memstream", standalone_mode=False)
    assert printed(rest, output.getvalue()), output.getvalue()
    assert printed([bar], seen.getvalue()), seen.getvalue()
    count = re.search(r"(\d+)/(\d+) generation", seen.getvalue())
    assert count is not None
    assert count[1] == count[2]
    run(here, "rebuild", "drop", "postgres")
