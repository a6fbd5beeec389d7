"""What the gate keeps beside memories: structured tables, kept feedback, learned preferences, the narrative, and what
time ends (C2, C3, C6, C8, B6, B9)."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest

from processors.memory.rows import ENDED_COUNTS
from processors.ports import Models
from schemas.events.documents import Job
from schemas.events.memory import Feedback, FeedbackBody, Given, JobResult, JobResultBody, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.gate.bench import DAY, HOUR, GateBench, candidate, put, rows, study

HEALTH = load_profile("health")


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models, profile=HEALTH, ask_model=True)


def narrative(gate: GateBench) -> MemoryUpdate:
    [result] = [u for u in gate.active() if u.kind == "profile"]
    return result


async def worded(gate: GateBench, words: str) -> None:
    """A narrative in a model's words."""
    await gate.do("summarize")
    [job] = [j for j in gate.driver.read(topics.JOBS) if isinstance(j, Job)]
    await answer(gate, job, words)
    assert narrative(gate).sealed.text == words


async def answer(gate: GateBench, job: Job, words: str) -> None:
    result = JobResult(
        tenant="acme", user_id="ann", job_id=job.job_id, job="narrative", status="done", model="m",
        accepted_at=gate.driver.now, sealed=JobResultBody(result={"narrative": words}),
    )  # fmt: skip
    gate.pipe(result)
    await gate.run()


async def judge(gate: GateBench, name: str, **kw: Any) -> None:
    body = {k: kw.pop(k) for k in ("comment", "outcome", "traits") if k in kw}
    event = Feedback(
        tenant="acme", user_id="ann", feedback_id=name, accepted_at=gate.driver.now, sealed=FeedbackBody(**body), **kw
    )
    gate.pipe(event)
    await gate.run()


async def test_c2_updates_of_a_profile_are_partial_and_null_empties(gate: GateBench) -> None:
    await put(gate, "health_profile", "profile", age=45, allergies=["penicillin"], weight=70)
    await put(gate, "health_profile", "basic_info", weight=71.5, allergies=None)
    assert rows(gate) == {"profile": {"age": 45, "weight": 71.5}}
    assert rows(gate, "item")["profile"] == {"age": 45, "weight": 71.5}


@pytest.mark.parametrize("bad", [{"age": "forty"}, {"agee": 45}, {"user_id": "bob"}, {"age": True}])
async def test_c2_what_no_column_takes_is_refused_whole(gate: GateBench, bad: dict[str, Any]) -> None:
    assert await put(gate, "health_profile", "profile", height=170, **bad) == []
    assert gate.outcomes() == [("refused", "column")]


async def test_c3_a_diagnosis_is_whole_in_the_table_and_the_store_shows_what_a_search_needs(gate: GateBench) -> None:
    await put(
        gate, "diagnosis_history", "diagnosis_7", symptoms=["胸痛", "气短"], diagnosis="心绞痛", department="心内科",
        suggestions="心电图", timestamp="2025-01-15T10:30:00",
    )  # fmt: skip
    assert rows(gate)["diagnosis_7"]["suggestions"] == "心电图"
    item = rows(gate, "item")["diagnosis_7"]
    assert set(item) == {"symptoms", "diagnosis", "department", "timestamp"}
    assert item["timestamp"] == "2025-01-15T10:30:00+00:00"
    [found] = [u for u in gate.active() if u.kind == "item"]
    assert found.sealed.text == "胸痛, 气短; 心绞痛"
    assert found.sealed.embedding
    await gate.do("delete_item", namespace=("diagnosis_history", "ann"), key="diagnosis_7")
    assert rows(gate) == rows(gate, "item") == {}


async def test_c3_what_is_said_in_conversation_fills_the_columns_of_its_fields(gate: GateBench) -> None:
    await put(gate, "health_profile", "profile", weight=70)
    await gate.say(candidate("45岁", "age", 45))
    await gate.say(candidate("对青霉素过敏", "allergies", "青霉素"))
    await gate.say(candidate("对海鲜过敏", "allergies", "海鲜"))
    assert rows(gate)["profile"] == {"weight": 70, "age": 45, "allergies": ["青霉素", "海鲜"]}
    [fact] = gate.active("age")
    await gate.do("forget", fact.record_id)
    assert "age" not in rows(gate)["profile"]
    [row] = [u for u in gate.active() if u.kind == "table"]
    assert row.sources, "a column says which turns it came from"


async def test_c3_what_a_caller_wrote_stands_beside_what_is_said_later(gate: GateBench) -> None:
    await gate.say(candidate("allergic to penicillin", "allergies", "penicillin"))
    gate.driver.advance(HOUR)
    await put(gate, "health_profile", "profile", allergies=["peanuts"], weight=60)
    assert rows(gate)["profile"]["allergies"] == ["peanuts"], "a write is of the whole column"
    gate.driver.advance(HOUR)
    await gate.say(candidate("allergic to pollen", "allergies", "pollen"))
    assert rows(gate)["profile"] == {"allergies": ["peanuts", "pollen"], "weight": 60}
    await gate.say(candidate("allergic to penicillin", "allergies", "penicillin"))
    assert set(rows(gate)["profile"]["allergies"]) == {"peanuts", "pollen", "penicillin"}, "said again since"
    for value in ("pollen", "penicillin"):
        [fact] = [f for f in gate.active("allergies") if f.sealed.value == value]
        await gate.do("forget", fact.record_id)
    assert rows(gate)["profile"]["allergies"] == ["peanuts"]


async def test_c3_a_column_of_one_value_follows_what_is_later(gate: GateBench) -> None:
    await put(gate, "health_profile", "profile", weight=60)
    now = gate.driver.now
    await gate.say(candidate("70 kg", "weight", 70), at=now - 20 * DAY, accepted=now + HOUR)
    assert rows(gate)["profile"] == {"weight": 60}
    await gate.say(candidate("71 kg", "weight", 71), at=now + HOUR)
    assert rows(gate)["profile"] == {"weight": 71}
    [fact] = gate.active("weight")
    await gate.do("forget", fact.record_id)
    assert rows(gate)["profile"] == {"weight": 60}, "what was written is there still"
    await put(gate, "health_profile", "profile", weight=None)
    assert rows(gate)["profile"] == {}
    await gate.say(candidate("72 kg", "weight", 72), at=now + 3 * HOUR)
    assert rows(gate)["profile"] == {"weight": 72}


async def test_c3_a_write_replaces_also_what_is_dated_ahead(gate: GateBench) -> None:
    now = gate.driver.now
    await gate.say(candidate("70 kg", "weight", 70), at=now + 8 * HOUR, accepted=now)
    await put(gate, "health_profile", "profile", weight=60)
    await gate.say(candidate("170 cm", "height", 170), candidate("70 kg", "weight", 70), at=now + HOUR)
    assert rows(gate)["profile"]["weight"] == 60


async def test_c3_a_row_from_before_writes_were_told_apart_keeps_what_a_caller_wrote(gate: GateBench) -> None:
    await put(gate, "health_profile", "profile", allergies=["peanuts"])
    owners = [rows_ for table in gate.store.rows.values() for rows_ in table.values()]
    kept = [(o, n, orjson.loads(raw)) for o in owners for n, raw in o.items() if b'"written"' in raw]
    assert kept
    for owner, name, row in kept:
        del row["u"]["sealed"]["attributes"]
        owner[name] = orjson.dumps(row)
    gate.restart()
    gate.driver.advance(HOUR)
    await gate.say(candidate("allergic to pollen", "allergies", "pollen"))
    assert rows(gate)["profile"]["allergies"] == ["peanuts", "pollen"]


async def test_c2_rows_of_a_user_are_bounded(models: Models) -> None:
    tables = tuple(t.model_copy(update={"max_rows": 2}) for t in HEALTH.tables)
    gate = GateBench(models, profile=HEALTH.model_copy(update={"tables": tables}))
    for n in range(3):
        await put(gate, "diagnosis_history", f"diagnosis_{n}", diagnosis="flu")
    await put(gate, "diagnosis_history", "diagnosis_1", diagnosis="cold")
    assert sorted(k or "" for k in rows(gate)) == ["diagnosis_0", "diagnosis_1"]
    assert rows(gate)["diagnosis_1"]["diagnosis"] == "cold"
    assert ("refused", "table_full") in gate.outcomes()


@pytest.mark.parametrize("named", ["diagnosis_7", "7"])
async def test_c6_feedback_on_a_suggestion_stands_in_its_row_once(gate: GateBench, named: str) -> None:
    await put(gate, "diagnosis_history", "diagnosis_7", diagnosis="angina")
    for _ in range(2):
        fields = {"rating": "good", "comment": "clear", "adopted": True, "outcome": "improved"}
        await judge(gate, "f1", record_id=named, **fields)
    row = rows(gate)["diagnosis_7"]
    assert (row["feedback"], row["feedback_comment"], row["adopted"], row["outcome"]) == (
        "helpful", "clear", True, "improved",
    )  # fmt: skip
    [kept] = [u for u in gate.view.values() if u.kind == "feedback"]
    assert kept.sealed.value["rating"] == "good"
    assert kept.sealed.text == "clear"


@pytest.mark.parametrize("about", ["function", "performance", "suggestion", "bug"])
async def test_c6_ratings_and_reports_are_kept(gate: GateBench, about: Any) -> None:
    await judge(gate, "f1", about=about, feature="血压记录", score=0, comment="call me at 13812345678")
    [kept] = [u for u in gate.view.values() if u.kind == "feedback"]
    assert (kept.category, kept.sealed.value["feature"], kept.sealed.value["score"]) == (about, "血压记录", 0)
    assert "13812345678" not in kept.sealed.text
    assert kept.expires_at == kept.known_at + timedelta(days=730)
    [result] = gate.decisions
    assert (result.record_id, result.reason.outcome, result.reason.rule) == (
        kept.record_id,
        "kept",
        f"about_{about}",
    ), "N5"


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"rating": "good"}, ("skipped", "names_no_memory")),
        ({"rating": "good", "traits": {"examination_detail": "详细"}}, ("kept", "about_answer")),
        ({"rating": "bad", "about": "suggestion", "record_id": "nowhere"}, ("kept", "about_suggestion")),
    ],
)
async def test_n5_feedback_that_names_nothing_that_stands_has_an_outcome_once(
    gate: GateBench, fields: dict[str, Any], outcome: tuple[str, str]
) -> None:
    for _ in range(2):
        await judge(gate, "f1", **fields)
    results = [(d.reason.outcome, d.reason.rule) for d in gate.decisions if d.kind == "feedback"]
    assert results == [outcome], "what a trait teaches is decided beside it"
    assert len([u for u in gate.view.values() if u.kind == "feedback"]) == 1


async def test_c6_d4_a_trait_that_is_adopted_becomes_a_preference_and_one_turned_down_goes(gate: GateBench) -> None:
    trait = {"traits": {"examination_detail": "详细"}}
    await judge(gate, "f1", rating="good", **trait)
    [begun] = [u for u in gate.view.values() if u.field == "examination_detail"]
    assert (begun.state, begun.confidence, begun.source) == ("observed", Decimal("0.6"), "inferred")
    await judge(gate, "f2", adopted=True, **trait)
    [active] = gate.active("examination_detail")
    assert (active.confidence, active.source) == (Decimal("0.8"), "confirmed")
    await judge(gate, "f3", rating="bad", **trait)
    assert gate.active("examination_detail") == []
    await judge(gate, "f4", comment="希望引用最新的医学指南", rating="neutral")
    assert [u.sealed.value for u in gate.view.values() if u.field == "guideline_references"] == ["最新"]


async def test_c6_d4_what_was_stated_outright_is_not_changed_by_a_liking(gate: GateBench) -> None:
    await gate.do("remember", kind="preference", field="examination_detail", text="brief", value="简短")
    await judge(gate, "f1", rating="good", traits={"examination_detail": "详细", "no_such_field": 1})
    assert gate.values("examination_detail") == ["简短"]
    assert {("refused", "explicit_stands"), ("refused", "unknown_trait")} <= set(gate.outcomes())


async def test_c6_d4_another_trait_takes_over_after_contradictions(gate: GateBench) -> None:
    for n in range(2):
        await judge(gate, f"a{n}", adopted=True, traits={"response_language": "zh"})
    assert gate.values("response_language") == ["zh"]
    await judge(gate, "b0", rating="good", traits={"response_language": "en"})
    assert gate.values("response_language") == []
    found = [u for u in gate.view.values() if u.field == "response_language" and u.state == "observed"]
    assert [u.sealed.value for u in found] == ["en"]


async def test_b6_b9_a_narrative_is_written_when_a_conversation_ends_at_most_twice(gate: GateBench) -> None:
    await gate.say(candidate("45岁", "age", 45), language="zh")
    await gate.do("summarize", session_id="s1")
    [result] = [u for u in gate.active() if u.kind == "profile"]
    assert result.sealed.text.startswith("45岁。")
    assert "尚未收集" in result.sealed.text
    assert result.sealed.attributes == {"written_by": "rules"}
    await gate.do("summarize", session_id="s1")
    assert gate.outcomes()[-1] == ("skipped", "nothing_new")
    for n, height in enumerate((170, 171)):
        await gate.say(candidate(f"身高{height}", "height", height), language="zh")
        await gate.do("summarize", session_id="s1")
        [result] = [u for u in gate.active() if u.kind == "profile"]
        assert result.revision == 2, n
    assert gate.outcomes()[-1] == ("skipped", "twice_a_conversation")


async def test_b6_a_session_may_have_any_name(gate: GateBench) -> None:
    """One that is named `ended` took the place of the counts of ended records: their revisions began anew."""
    [episode] = await gate.say(candidate("Bought a red kayak"))
    await gate.say(candidate("45岁", "age", 45), language="zh")
    await gate.do("forget", episode.record_id)
    before = [row for rows in gate.rows().values() for key, row in rows.items() if key == ENDED_COUNTS.key]
    await gate.do("summarize", session_id="ended")
    await gate.do("summarize", session_id="ended")
    after = [row for rows in gate.rows().values() for key, row in rows.items() if key == ENDED_COUNTS.key]
    assert after == before == [b"[1,0]"]


async def test_c9_b6_a_deleted_statement_leaves_the_narrative(gate: GateBench) -> None:
    [age] = [u for u in await gate.say(candidate("45 years old", "age", 45)) if u.field == "age"]
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.do("summarize")
    await gate.do("forget", age.record_id)
    [result] = [u for u in gate.active() if u.kind == "profile"]
    assert "45" not in result.sealed.text
    assert "Leeds" in result.sealed.text
    [home] = gate.active("residence")
    await gate.do("forget", home.record_id)
    assert [u for u in gate.active() if u.kind == "profile"] == []


@pytest.mark.parametrize(("plan", "other"), [("Wants to apply for it", "Lives in Leeds"), ("想申请", "住在杭州")])
async def test_b4_b6_what_is_withdrawn_leaves_the_narrative_at_once(gate: GateBench, plan: str, other: str) -> None:
    await gate.say(candidate(other, "residence", other[-5:]))
    await gate.say(candidate(plan, "plan", "it", kind="intent"))
    await gate.do("summarize", session_id="s1")
    [result] = [u for u in gate.active() if u.kind == "profile"]
    assert plan in result.sealed.text
    await gate.say(candidate("Not any more", "plan", "it", kind="intent", negated=True))
    assert gate.active("plan") == []
    [left] = [u for u in gate.active() if u.kind == "profile"]
    assert plan not in left.sealed.text
    assert other in left.sealed.text
    assert left.reason.rule == "statement_withdrawn"
    await gate.say(candidate("Not there any more", "residence", other[-5:], negated=True))
    assert [u for u in gate.active() if u.kind == "profile"] == [], "nothing is known"


async def test_b4_b6_what_is_not_believed_any_more_leaves_the_narrative(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    [age] = [u for u in await gate.say(candidate("Is 45 years old", "age", 45)) if u.field == "age"]
    await gate.do("summarize")
    await gate.feedback(age.record_id, correction="Not so.")
    assert gate.active("age") == []
    [result] = [u for u in gate.active() if u.kind == "profile"]
    assert "45" not in result.sealed.text


async def test_b4_b6_what_a_newer_reading_is_less_sure_of_leaves_the_narrative(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.say(candidate("Is 45 years old", "age", 45), turn="t")
    await gate.do("summarize")
    unsure = candidate("Is 45 years old", "age", 45, source="inferred", confidence="0.2")
    await gate.say(unsure, turn="t", version=2)
    assert gate.active("age") == []
    assert "45" not in narrative(gate).sealed.text


async def test_b4_b6_d16_what_late_feedback_lowers_leaves_the_narrative(gate: GateBench) -> None:
    """It came before its answer told what it was given."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    [age] = [u for u in await gate.say(candidate("Is 45 years old", "age", 45)) if u.field == "age"]
    await gate.do("summarize")
    await gate.feedback(correction="Not 45 years old", context_id="c1")
    gate.pipe(
        Given(
            tenant="acme", user_id="ann", context_id="c1", record_ids=(age.record_id,), accepted_at=gate.driver.now
        )
    )  # fmt: skip
    await gate.run()
    assert gate.active("age") == []
    assert "45" not in narrative(gate).sealed.text


async def test_b4_b6_one_of_several_fields_that_is_withdrawn_leaves_the_narrative(gate: GateBench) -> None:
    await gate.say(study("MIT", "BSc", "physics"))
    await gate.do("summarize")
    await gate.say(candidate("No longer physics", "major", "physics", negated=True))
    assert (gate.values("major"), gate.values("university")) == ([], ["MIT"])
    assert "physics" not in narrative(gate).sealed.text
    assert "MIT" in narrative(gate).sealed.text


async def test_b4_b6_what_never_stood_in_the_narrative_leaves_it_alone(gate: GateBench) -> None:
    """Observed all along, or said of somebody else."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    unsure = candidate("Is 45 years old", "age", 45, source="inferred", confidence="0.2")
    [age] = [u for u in await gate.say(unsure) if u.field == "age"]
    assert age.state == "observed"
    await gate.say(candidate("User's wife is 32", "age", 32, attributes={"about": "wife"}))
    await worded(gate, "They live in Leeds.")
    await gate.feedback(age.record_id, correction="Not so.")
    wife = candidate("Not any more", "age", 32, attributes={"about": "wife"}, negated=True)
    await gate.say(wife)
    assert narrative(gate).sealed.text == "They live in Leeds."


async def test_b4_b6_what_is_withdrawn_leaves_a_models_words_though_the_rules_had_left_it_out(gate: GateBench) -> None:
    """The rules' text is cut, so it is the same without it."""
    long = " ".join(["Lives in Leeds"] * 90)
    await gate.say(candidate(long[:1_190], "residence", "Leeds"))
    await gate.say(candidate("Wants to apply for it", "plan", "it", kind="intent"))
    await worded(gate, "They live in Leeds and want to apply.")
    await gate.say(candidate("Not any more", "plan", "it", kind="intent", negated=True))
    result = narrative(gate)
    assert result.sealed.attributes == {"written_by": "rules"}
    assert "apply" not in result.sealed.text


async def test_b4_b6_a_model_that_was_shown_what_is_withdrawn_is_not_taken(gate: GateBench) -> None:
    long = " ".join(["Lives in Leeds"] * 90)
    await gate.say(candidate(long[:1_190], "residence", "Leeds"))
    await gate.say(candidate("Wants to apply for it", "plan", "it", kind="intent"))
    await gate.do("summarize")
    [job] = [j for j in gate.driver.read(topics.JOBS) if isinstance(j, Job)]
    await gate.say(candidate("Not any more", "plan", "it", kind="intent", negated=True))
    await answer(gate, job, "They live in Leeds and want to apply.")
    assert "apply" not in narrative(gate).sealed.text
    assert gate.outcomes()[-1] == ("skipped", "narrative_changed_since")


async def test_b6_b9_a_newer_value_leaves_the_narrative_to_the_next_summary(gate: GateBench) -> None:
    """It is written at most twice a conversation: what was said since, readers word themselves."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.do("summarize", session_id="s1")
    gate.later(DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    [result] = [u for u in gate.active() if u.kind == "profile"]
    assert "Leeds" in result.sealed.text
    assert any(u.known_at > result.known_at for u in gate.active("residence"))


@pytest.mark.parametrize(("zone", "taken"), [("Asia/Tokyo", True), ("Mars/Olympus", False), (9, False)])
async def test_c5_the_users_zone_comes_from_their_preferences(gate: GateBench, zone: Any, taken: bool) -> None:
    await put(gate, "memories", "preferences", timezone=zone, language="zh-CN")
    kept = [v for rows in gate.rows().values() for k, v in rows.items() if k == "h/zone"]
    assert kept == ([b'"Asia/Tokyo"'] if taken else [])
