"""Figures, reports and narratives that follow from what was erased (C9)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

import pytest

from processors.erasure import project_rows
from processors.ports import Models
from schemas.events.documents import Job, ProjectCommand, ProjectCommandBody, ReportResult, ReportResultBody
from schemas.events.memory import JobResult, JobResultBody, MemoryCommand, MemoryCommandBody, MemoryUpdate
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


@pytest.mark.parametrize(("session", "goes"), [(None, True), ("s1", True), ("s9", False)])
async def test_c9_a_report_is_written_again_also_where_the_texts_of_the_user_have_expired(
    models: Models, session: str | None, goes: bool
) -> None:
    """A text leaves the week's state with its turn, after 30 days, and the report stands: what it quotes of the user
    stood on. A session that was not in the week changes nothing of it."""
    b = Bench(models)
    b.say("bob", "We decided to hold the review on Monday.", "s1", "trial-7")
    b.say("ann", "The quillback connector fails with a timeout.", "s1", "trial-7")
    b.say("ann", "Good morning to all of you.", "s9")
    await b.driver.run()
    for days in (8, 35):
        b.driver.advance(timedelta(days=days))
        b.driver.tick()
        await b.driver.run()
    before = b.report("trial-7")
    assert before is not None
    assert "quillback" in str(before.sealed)
    assert not [p for p in b.held() if p.startswith("state project") and "|" in p and "report" not in p]
    b.erase("ann", session)
    await b.driver.run()
    after = b.report("trial-7")
    assert after is not None
    assert ("quillback" not in str(after.sealed)) is goes
    assert after.revision == before.revision + goes
    assert not b.driver.dead_letters()


@pytest.mark.parametrize(("session", "days", "goes"), [("s9", 8, False), ("s1", 8, True), ("s9", 43, True)])
async def test_c9_a_week_that_names_no_sessions_is_written_again_only_where_the_session_may_be_in_it(
    models: Models, monkeypatch: pytest.MonkeyPatch, session: str, days: int, goes: bool
) -> None:
    """A row of before named none, nor does one of a week with many: each erased session had all of these reports
    written again, young ones, too, whose texts all say of which session they are."""
    monkeypatch.setattr(project_rows, "NAMED_SESSIONS", 0)
    b = Bench(models)
    b.say("bob", "We decided to hold the review on Monday.", "s1", "trial-7")
    b.say("ann", "The quillback connector fails with a timeout.", "s1", "trial-7")
    b.say("ann", "Good morning to all of you.", "s9")
    await b.driver.run()
    for more in (8, days - 8):
        b.driver.advance(timedelta(days=more))
        b.driver.tick()
        await b.driver.run()
    before = b.report("trial-7")
    assert before is not None
    b.erase("ann", session)
    await b.driver.run()
    after = b.report("trial-7")
    assert after is not None
    assert after.revision == before.revision + goes
    b.erase("ann")
    await b.driver.run()
    after = b.report("trial-7")
    assert after is not None
    assert "quillback" not in str(after.sealed)
    assert not b.driver.dead_letters()


async def test_c9_a_models_words_on_a_week_leave_the_log_with_a_user_who_spoke_in_it(models: Models) -> None:
    """The answer names no user, and the log keeps it: what a model had written of a user stood there for good."""
    b = Bench(models, ask_model=True)
    b.say("bob", "We decided to hold the review on Monday.", "s1", "trial-7")
    b.say("ann", "The quillback connector fails with a timeout.", "s1", "trial-7")
    await b.driver.run()
    b.driver.advance(timedelta(days=8))
    b.driver.tick()
    await b.driver.run()
    [job] = [e for e in b.driver.read(topics.JOBS) if isinstance(e, Job) and e.job == "report"]

    def answer(words: str) -> None:
        result = ReportResult(
            tenant="acme", project_id="trial-7", job_id=job.job_id, week_start=str(job.sealed.payload["week_start"]),
            status="done", model="m", sealed=ReportResultBody(result={"summary": words}),
        )  # fmt: skip
        b.driver.pipe(topics.PROJECT_EVENTS, result)

    def stand() -> list[str]:
        logs = [log for (topic, _), log in b.driver.log.partitions.items() if topic == topics.PROJECT_EVENTS.name]
        newest = [v or b"" for log in logs for v in {m.key: m.value for m in log}.values()]
        return [w for w in ("first words", "second words", "late words") if any(w.encode() in v for v in newest)]

    answer("The quillback failed: first words.")
    await b.driver.run()
    report = b.report("trial-7")
    assert report is not None
    assert "first words" in report.sealed.text
    assert stand() == ["first words"], "what the report has stays"
    answer("The quillback failed: second words.")
    await b.driver.run()
    assert stand() == ["first words"], "what it has not goes"
    b.erase("ann")
    await b.driver.run()
    answer("The quillback failed: late words.")
    await b.driver.run()
    assert stand() == []
    report = b.report("trial-7")
    assert report is not None
    assert "words" not in report.sealed.text
    assert not b.driver.dead_letters()


async def _study(models: Models, *texts: tuple[str, str, str]) -> Bench:
    """What users say of one study, and the day after it."""
    b = Bench(models, "clinical_trial")
    for who, session, text in texts:
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


@pytest.mark.parametrize(
    ("erased", "session", "left"),
    [
        ("bob", None, {"principal_investigator": "李主任"}), ("bob", "s1", {"principal_investigator": "李主任"}),
        ("bob", "s9", {"principal_investigator": "王主任"}), ("ann", None, {}),
    ],
)  # fmt: skip
async def test_c9_what_a_user_proposes_goes_with_the_user_and_with_the_value(
    models: Models, erased: str, session: str | None, left: dict[str, Any]
) -> None:
    """Of a value and what talk says instead, `_hot` shows the last that was written."""
    b = await _study(models)
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="trial-7", command="put_hot", command_id="c1", hot_type="meta", user_id="ann",
            key="principal_investigator", accepted_at=b.driver.now, sealed=ProjectCommandBody(value="李主任"),
        ),
    )  # fmt: skip
    b.driver.advance(timedelta(minutes=5))
    b.say("bob", "PI是王主任。", "s1", "trial-7")
    await b.driver.run()
    assert _hot(b) == {"principal_investigator": "王主任"}
    b.erase(erased, session)
    await b.driver.run()
    assert _hot(b) == left
    held = [k for table in b.store.rows.values() for rows in table.values() for k in rows if k.startswith("prop/")]
    assert bool(held) is ("王主任" in left.values())
    assert not b.driver.dead_letters()


@pytest.mark.parametrize("session", [None, "s2"])
async def test_c9_a_decision_beside_another_under_one_key_goes_with_its_user(
    models: Models, session: str | None
) -> None:
    b = await _study(
        models, ("ann", "s1", "我们决定访视窗口放到正负5天。"), ("bob", "s2", "我们决定访视改到周三上午。")
    )
    assert [str(key).split(":")[0] for key in _hot(b)] == ["visit_window"] * 2
    b.erase("bob", session)
    await b.driver.run()
    assert [*_hot(b).values()] == ["团队决定访视窗口放到正负5天"]
    tables = [t for (step, _), t in b.store.rows.items() if step == "project"]
    rows = [k + bytes(v).decode() for t in tables for owned in t.values() for k, v in owned.items()]
    assert not [r for r in rows if "周三" in r]
    assert not b.driver.dead_letters()


def _narrative(bench: Bench) -> MemoryUpdate:
    """The newest that stands on the topic; a null would fail here."""
    found = [e for e in bench.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "profile"]
    return found[-1]


@pytest.mark.parametrize("answered", ["before", "after"])
async def test_c9_a_model_s_narrative_of_an_erased_session_does_not_stand(models: Models, answered: str) -> None:
    """A model is given more statements than the rules have room for: where the rules' words stayed the same, so did the
    model's, and an answer that came later was taken."""
    b = Bench(models, ask_model=True)

    def remember(name: str, kind: Literal["fact", "preference"], text: str, session: str) -> None:
        command = MemoryCommand(
            tenant="acme", user_id="cid", session_id=session, command="remember", command_id=name, kind=kind,
            accepted_at=b.driver.now, sealed=MemoryCommandBody(text=text),
        )  # fmt: skip
        b.driver.pipe(topics.LEDGER, command)

    for n, city in enumerate(("Lisbon", "Porto", "Braga", "Faro", "Évora", "Sines", "Tavira", "Beja")):
        trip = f"User has spent the summer of {2010 + n} in {city}, with a tent, two bicycles, a camera, a large map"
        books = f"{n + 3} books about the history of the old town of {city} by the sea"
        remember(f"c{n}", "fact", f"{trip} and {books}", "s1")
    remember("wood", "preference", "User likes zebrawood", "s2")
    await b.driver.run()
    command = MemoryCommand(
        tenant="acme", user_id="cid", command_id="sum", command="summarize", accepted_at=b.driver.now
    )
    b.driver.pipe(topics.LEDGER, command)
    await b.driver.run()
    [job] = [e for e in b.driver.read(topics.JOBS) if isinstance(e, Job)]
    assert "zebrawood" in str(job.sealed), "the model is told"
    assert "zebrawood" not in _narrative(b).sealed.text, "the rules have no room"
    answer = JobResult(
        tenant="acme", user_id="cid", job_id=job.job_id, job="narrative", status="done", model="m",
        asked_at=job.accepted_at, sealed=JobResultBody(result={"narrative": "They like zebrawood."}),
    )  # fmt: skip
    for moment in ("before", "after"):
        if moment == answered:
            b.driver.pipe(topics.LEDGER, answer)
        await b.driver.run()
        assert ("zebrawood" in _narrative(b).sealed.text) is (moment == answered == "before")
        if moment == "before":
            b.erase("cid", "s2")
            await b.driver.run()
            assert "zebrawood" not in _narrative(b).sealed.text
    logs = [log for (topic, _), log in b.driver.log.partitions.items() if topic == topics.LEDGER.name]
    active = [v for log in logs for v in {m.key: m.value for m in log}.values() if b"They like zebrawood" in (v or b"")]
    assert len(active) == (answered == "before"), "the eraser takes what was there; what comes late has a null at once"
    assert not b.driver.dead_letters()


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
