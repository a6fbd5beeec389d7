"""A user, a session or a project of a tenant erased mid-stream, over the whole topology without servers (C9, N6)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from processors.memory.changes import judge
from schemas.events.erasure import Erasure
from schemas.events.memory import CHANGED_ON, MemoryUpdate
from schemas.log import topics
from tests.unit.topology.erasure_bench import Bench


async def test_c9_an_erased_user_leaves_state_and_compacted_topics_and_others_keep_theirs(bench: Bench) -> None:
    report = bench.report("trial-7")
    assert report is not None
    assert "quillback" in report.sealed.text, "there was something to take out"
    bench.erase("ann")
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    stays = bench.held()
    # The ledger and project.events are kept by key: the eraser nulls what was there before (memstream/eraser.py).
    assert {p.split("/")[0] for p in stays} <= {topics.LEDGER.name, topics.PROJECT_EVENTS.name}
    report = bench.report("trial-7")
    assert report is not None
    assert report.op == "upsert"
    assert report.reason.rule == "erased"
    assert "review" in report.sealed.text
    assert "quillback" not in str(report.model_dump())
    assert "ann" not in report.sealed.value["metrics"]["turns_by_user"]
    assert any("杭州" in str(u.sealed.value) for u in bench.memories("bob"))


async def test_n6_the_erasure_reaches_every_view_topic_with_what_was_found(bench: Bench) -> None:
    bench.erase("ann")
    await bench.driver.run()
    seen = {t.name: [e for e in bench.driver.read(t) if isinstance(e, Erasure)] for t in topics.CATALOGUE[:7]}
    assert [e.stage for e in seen[topics.HISTORY.name]] == ["screen"]
    assert [e.stage for e in seen[topics.SESSION_STATE.name]] == ["session"]
    assert sorted(e.stage for e in seen[topics.UPDATES.name]) == ["gate"] + ["project"] * 8
    gate = next(e for e in seen[topics.UPDATES.name] if e.stage == "gate")
    assert gate.found["records"] >= 3
    assert sum(e.found.get("hot", 0) for e in seen[topics.UPDATES.name]) >= 1


async def test_c9_a_session_takes_its_memories_and_leaves_the_others(bench: Bench) -> None:
    bench.erase("ann", "s2")
    await bench.driver.run()
    words = {w for found in (v for p, v in bench.held().items() if p.startswith("state")) for w in found}
    assert not words & {"琥珀巷", "quillback"}
    assert {"zebrawood", "Kurrajong"} <= words
    bench.say("ann", "我搬到上海了。", "s2")
    await bench.driver.run()
    assert any("上海" in u.sealed.text for u in bench.memories("ann"))
    assert not bench.driver.dead_letters()


LEFT = pytest.mark.parametrize(("erased", "left"), [("s8", "User is on the search team"), ("s7", "moved across")])


def moves_teams(bench: Bench) -> None:
    bench.say("cleo", "I'm on the search team.", "s7")
    bench.say("cleo", "btw I've moved across to platform since the reorg, still reporting to Odalys", "s8")


def active_rows(bench: Bench) -> list[MemoryUpdate]:
    return [u for u in bench.memories("cleo") if u.state == "active" and u.kind == "episode"]


@LEFT
async def test_c9_what_is_left_names_no_memory_of_an_erased_session(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, erased: str, left: str
) -> None:
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)  # words alone mark, and nothing ends
    moves_teams(bench)
    await bench.driver.run()
    assert [len(u.conflicts_with) for u in active_rows(bench)] == [1, 1], "each names the other"
    bench.erase("cleo", erased)
    await bench.driver.run()
    # The other's null is a deletion of its key: `memories` shows what was written before it.
    [active] = [u for u in bench.memories("cleo") if u.kind == "episode" and left in u.sealed.text]
    assert active.conflicts_with == ()
    assert CHANGED_ON not in active.sealed.attributes


@LEFT
async def test_c9_what_an_erased_session_had_ended_holds_again(bench: Bench, erased: str, left: str) -> None:
    moves_teams(bench)
    await bench.driver.run()
    assert ["moved across" in u.sealed.text for u in active_rows(bench)] == [True], "the earlier one has ended"
    bench.erase("cleo", erased)
    await bench.driver.run()
    [active] = [u for u in active_rows(bench) if left in u.sealed.text]
    assert (active.valid_to, active.conflicts_with) == (None, ())
    assert not bench.driver.dead_letters()


async def test_c9_a_tenant_goes_owner_by_owner_and_nothing_of_before_comes_back(bench: Bench) -> None:
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    bench.driver.advance(timedelta(minutes=1))
    whole = Erasure(tenant="acme", erasure_id="e", scope="tenant", accepted_at=bench.driver.now, everywhere=True)
    for p in range(8):
        bench.driver.pipe_raw(topics.TURNS, p, bench.driver.codec.value(whole))
    await bench.driver.run()
    part: dict[str, Any] = {"tenant": "acme", "erasure_id": "e", "accepted_at": bench.driver.now, "part": True}
    for name in ("trial-7", "other"):
        bench.driver.pipe(topics.PROJECT_EVENTS, Erasure(**part, scope="project", project_id=name))
    await bench.driver.run()
    for name in ("ann", "bob"):
        bench.driver.pipe(topics.TURNS, Erasure(**part, scope="user", user_id=name))
    await bench.driver.run()
    left = [(o, k) for rows in bench.store.rows.values() for o, r in rows.items() for k in r if k != "deny"]
    assert [place for place in left if not place[0].startswith("@")] == []
    bench.driver.pipe(topics.TURNS, old)
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state")]
    assert not bench.driver.dead_letters()
