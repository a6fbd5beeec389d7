"""Figures, reports and narratives that follow from what was erased (C9)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from processors.ports import Models
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.memory import MemoryCommand, MemoryUpdate
from schemas.log import topics
from tests.unit.topology.erasure_bench import Bench


async def test_c9_a_project_only_of_the_erased_user_loses_its_report(bench: Bench) -> None:
    bench.say("ann", "We decided to buy zebrawood for the shelf.", "s3", "solo")
    await bench.driver.run()
    at = bench.driver.now
    bench.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="solo", command="report", command_id="c9", accepted_at=at),
    )
    await bench.driver.run()
    before = bench.report("solo")
    bench.erase("ann")
    await bench.driver.run()
    after = bench.report("solo")
    assert before is not None
    assert after is not None
    assert (before.op, after.op) == ("upsert", "delete")
    assert after.revision == before.revision + 1


async def _study(models: Models, *said: tuple[str, str, str]) -> Bench:
    """What users say of one study, and the day after it."""
    b = Bench(models, "clinical_trial")
    for who, session, text in said:
        b.say(who, text, session, "trial-7")
    await b.driver.run()
    await _next_day(b)
    return b


async def _next_day(b: Bench) -> None:
    b.driver.advance(timedelta(days=1))
    b.driver.tick()
    await b.driver.run()
    assert not b.driver.dead_letters()


def _hot(b: Bench) -> dict[str | None, Any]:
    newest: dict[str, MemoryUpdate] = {}
    for e in b.driver.read(topics.UPDATES):
        if isinstance(e, MemoryUpdate) and e.kind == "hot":
            newest[e.record_id] = e
    return {e.key: e.sealed.value for e in newest.values() if e.op == "upsert"}


async def test_c9_a_figure_that_follows_from_an_erased_users_goes_with_it(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    assert _hot(b) == {"enrollment_target": 120, "enrolled_count": 45, "progress": 37.5}
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120}
    await _next_day(b)
    assert _hot(b) == {"enrollment_target": 120}
    tables = [t for (step, _), t in b.store.rows.items() if step == "project"]
    assert tables
    places = [(o, k) for t in tables for o, rows in t.items() for k, v in rows.items() if b"37.5" in bytes(v)]
    assert not places
    b.say("bob", "目前已入组60例。", "s1", "trial-7")
    await b.driver.run()
    await _next_day(b)
    assert _hot(b)["progress"] == 50, "it comes back with figures of others"


async def test_c9_a_figure_of_before_is_made_anew_where_the_erased_users_was_replaced(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.say("bob", "目前已入组60例。", "s1", "trial-7")
    await b.driver.run()
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120, "enrolled_count": 60}, "37.5 and 120 told 45"
    b.driver.tick()
    await b.driver.run()
    assert _hot(b)["progress"] == 50


async def test_c9_a_session_takes_the_figures_that_follow_from_it_and_no_others(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.erase("ann", "s2")
    await b.driver.run()
    assert _hot(b)["progress"] == 37.5
    b.erase("ann", "s1")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120}


async def test_c9_a_figure_that_somebody_else_stated_stays(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="trial-7", command="put_hot", command_id="c1", hot_type="status", key="progress",
            accepted_at=b.driver.now, sealed=ProjectCommandBody(value="on hold"),
        ),
    )  # fmt: skip
    await b.driver.run()
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120, "progress": "on hold"}


def _narrative(bench: Bench) -> MemoryUpdate:
    """The newest that stands on the topic; a null would fail here."""
    found = [e for e in bench.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "profile"]
    return found[-1]


async def test_c9_a_session_leaves_the_narrative_with_what_was_said_in_it(bench: Bench) -> None:
    bench.say("cid", "I live in Kurrajong.", "s1")
    bench.say("cid", "My favourite wood is zebrawood.", "s2")
    await bench.driver.run()
    bench.driver.pipe(
        topics.LEDGER,
        MemoryCommand(tenant="acme", user_id="cid", command_id="c1", command="summarize", accepted_at=bench.driver.now),
    )
    await bench.driver.run()
    before = _narrative(bench)
    assert "zebrawood" in before.sealed.text
    assert "Kurrajong" in before.sealed.text
    bench.erase("cid", "s2")
    await bench.driver.run()
    after = _narrative(bench)
    assert after.revision > before.revision
    assert "zebrawood" not in str(after.sealed)
    assert "Kurrajong" in after.sealed.text
    bench.erase("cid", "s1")
    await bench.driver.run()
    assert _narrative(bench).op == "delete"
    assert not bench.driver.dead_letters()
