"""Hot memory and reports follow what a user corrects, forgets, or has remembered for the project (A5, C9, D9)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processors.ports import Models
from schemas.events.memory import MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import BoundsSpec, load_profile
from tests.unit.processors.talk import Talk

MONDAY = datetime(2026, 11, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
STATEMENTS = {
    "en": (
        "We decided to raise the age limit to 75.", "I prefer reports as tables.", "Enrolled so far 60.",
        "We decided to raise the age limit to 70.", "Enrolled so far 62.",
    ),
    "zh": (
        "我们决定把年龄上限提高到75岁。", "我希望周报用表格。", "当前入组人数60人。",
        "我们决定把年龄上限提高到70岁。", "当前入组人数62人。",
    ),
}  # fmt: skip


@pytest.fixture
def talk(models: Models) -> Talk:
    return Talk(models, load_profile("clinical_trial"), MONDAY, "trial-7")


async def command(talk: Talk, name: Any, memory_id: str | None = None, *, user: str = "ann", **kw: Any) -> None:
    body = MemoryCommandBody(text=kw.pop("text", None), value=kw.pop("value", None))
    talk.driver.advance(timedelta(minutes=5))
    talk.driver.pipe(topics.LEDGER, MemoryCommand(
        tenant="acme", user_id=user, command=name, command_id=f"{name}/{talk.driver.now}", memory_id=memory_id,
        accepted_at=talk.driver.now, sealed=body, **kw,
    ))  # fmt: skip
    await talk.driver.run()


def memory(talk: Talk, words: str) -> str:
    found = [u for k in ("episode", "preference") for u in talk.updates(k) if words in u.sealed.text]
    return found[-1].record_id


def hot(talk: Talk) -> dict[str, Any]:
    """Key -> value of what stands, as a sink holds it."""
    newest: dict[str, MemoryUpdate] = {}
    for u in talk.updates("hot"):
        if u.record_id not in newest or u.revision > newest[u.record_id].revision:
            newest[u.record_id] = u
    return {str(u.key): u.sealed.value for u in newest.values() if u.state == "active"}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a5_c9_hot_memory_and_the_report_follow_a_correction_and_a_deletion(talk: Talk, language: str) -> None:
    decided, prefers, enrolled, corrected, recounted = STATEMENTS[language]
    await talk.say(decided)
    await talk.say(prefers)
    await talk.say(enrolled, user="bob", session="s2")
    assert sum("75" in str(v) for v in hot(talk).values()) == 1
    assert {"report_format", "enrolled_count"} <= hot(talk).keys()
    await command(talk, "correct", memory(talk, "75"), text=corrected)
    for preference in {u.record_id for u in talk.updates("preference")}:
        await command(talk, "forget", preference)
    await command(talk, "correct", memory(talk, "60"), user="bob", text=recounted)
    assert hot(talk) == {"eligibility": corrected, "enrolled_count": 62}
    await talk.until(MONDAY + timedelta(days=7))
    report = talk.updates("report")[-1]
    assert corrected in report.sealed.text
    assert not [w for w in ("75", "60", "table", "表格") if w in report.sealed.text]
    assert [d["text"] for d in report.sealed.value["decisions"]] == [corrected]


@pytest.mark.parametrize("text", ["We have enrolled 45 patients so far", "目前已入组45例"])
async def test_a4_how_many_are_enrolled_so_far_is_hot_memory(talk: Talk, text: str) -> None:
    await talk.say(text)
    assert hot(talk) == {"enrolled_count": 45}


async def test_c9_a_report_that_was_closed_is_written_again(talk: Talk) -> None:
    await talk.say(STATEMENTS["en"][0])
    await talk.until(MONDAY + timedelta(days=7))
    assert "75" in talk.updates("report")[-1].sealed.text
    await command(talk, "forget", memory(talk, "75"))
    await talk.until(MONDAY + timedelta(days=7, hours=1))
    report = talk.updates("report")[-1]
    assert (report.revision, "75" in str(report.sealed)) == (2, False)


async def test_c9_a_report_whose_texts_have_expired_does_not_hand_it_down(talk: Talk) -> None:
    problem = "The lab results of the site in Leeds are missing since Tuesday."
    await talk.say(problem)
    await talk.say(STATEMENTS["en"][0])
    await talk.say("We need to send the amended consent form by 20 November.")
    await talk.until(MONDAY + timedelta(days=7))
    await talk.until(MONDAY + timedelta(days=40))
    for record in {u.record_id for u in talk.updates("episode")}:
        await command(talk, "forget", record)
    await talk.until(MONDAY + timedelta(days=40, hours=1))
    assert not [w for w in ("75", "consent") if w in str(talk.updates("report")[-1].sealed)]


async def test_a5_what_somebody_else_has_said_since_stays(talk: Talk) -> None:
    await talk.say("Enrolled so far 60.")
    talk.driver.advance(timedelta(hours=1))
    await talk.say("Enrolled so far 65.", user="bob", session="s2")
    await command(talk, "correct", memory(talk, "60"), text="Enrolled so far 61.")
    assert hot(talk) == {"enrolled_count": 65}
    await command(talk, "forget", memory(talk, "61"))
    assert hot(talk) == {"enrolled_count": 65}
    await command(talk, "forget", memory(talk, "65"), user="bob")
    assert hot(talk) == {}


async def test_c8_hot_memory_follows_what_retention_ends_and_the_report_stays(models: Models) -> None:
    profile = load_profile("clinical_trial")
    kept = profile.retention.model_copy(update={"classes": {"episode": 3, "preference": 20}})
    talk = Talk(models, profile.model_copy(update={"retention": kept}), MONDAY, "trial-7")
    (decided, prefers, enrolled, _, _), half = STATEMENTS["en"], timedelta(hours=12)
    await talk.say(decided)
    await talk.say(prefers)
    await talk.say(enrolled)
    await talk.until(MONDAY + timedelta(days=2), half)
    await talk.say("Enrolled so far 62.", user="bob", session="s2")  # his days begin later, and he said it last
    await talk.until(MONDAY + timedelta(days=4), half)
    assert hot(talk).keys() == {"report_format", "enrolled_count"}
    assert hot(talk)["enrolled_count"] == 62
    left = [u for u in talk.updates("hot") if u.op == "delete"]
    assert [(u.reason.gate, u.reason.rule) for u in left] == [("retention", "expired")]
    await talk.until(MONDAY + timedelta(days=7), half)
    assert hot(talk).keys() == {"report_format"}
    assert "75" in talk.updates("report")[-1].sealed.text, "reports have a retention of their own"


async def test_a4_what_followed_from_a_forgotten_figure_leaves_with_it(talk: Talk) -> None:
    await talk.say("The enrolment target is 120.", user="bob", session="s2")
    await talk.say("Enrolled so far 60.")
    await talk.until(MONDAY + timedelta(days=1))
    assert hot(talk) == {"enrollment_target": 120, "enrolled_count": 60, "progress": 50}
    await command(talk, "forget", memory(talk, "Enrolled so far 60"))
    await talk.until(MONDAY + timedelta(days=1, minutes=10))
    assert hot(talk) == {"enrollment_target": 120}
    await talk.say("Enrolled so far 30.")
    await talk.until(MONDAY + timedelta(days=2))
    assert hot(talk)["progress"] == 25


async def test_a5_what_a_correction_wrote_follows_the_next_one(talk: Talk) -> None:
    await talk.say("We decided to raise the age limit to 75.")
    await command(talk, "correct", memory(talk, "75"), text="Age limit: 70.")
    await command(talk, "correct", memory(talk, "70"), text="Age limit: 72.")
    assert list(hot(talk).values()) == ["Age limit: 72."]
    talk.driver.restart()
    await command(talk, "forget", memory(talk, "72"))
    assert hot(talk) == {}


async def test_d9_a_preference_remembered_for_a_project_is_in_its_hot_memory(talk: Talk) -> None:
    fields = {"kind": "preference", "field": "report_format", "text": "Reports as charts", "value": "charts"}
    await command(talk, "remember", scope="trial-7", project_id="trial-7", **fields)
    assert hot(talk) == {"report_format": "charts"}
    [kept] = talk.updates("preference")
    assert kept.scope == "trial-7"
    await command(talk, "correct", kept.record_id, value="lists")
    assert hot(talk) == {"report_format": "lists"}
    await command(talk, "remember", project_id="trial-7", **fields)  # of the user, not of the project
    assert hot(talk) == {"report_format": "lists"}
    await command(talk, "forget", kept.record_id)
    assert hot(talk) == {}


@pytest.mark.parametrize("words", ["Reports as charts", "报告用图表"])
async def test_d9_scope_project_is_that_of_the_project_named(talk: Talk, words: str) -> None:
    fields = {"kind": "preference", "field": "report_format", "text": words, "value": words}
    await command(talk, "remember", scope="project", project_id="trial-7", **fields)
    assert hot(talk) == {"report_format": words}
    assert [u.scope for u in talk.updates("preference")] == ["trial-7"]
    await command(talk, "remember", scope="project", **fields)  # which one?
    assert len(talk.updates("preference")) == 1
    reason = talk.decisions("preference")[-1].reason
    assert (reason.outcome, reason.rule) == ("refused", "scope_without_project")


@pytest.mark.parametrize(("texts", "stand"), [
    (("特殊受试者07号怀孕了。", "特殊患者：03号对青霉素过敏。", "特殊受试者07号已退组。"),
     {"special_patients:07": "特殊受试者07号已退组", "special_patients:03": "特殊患者：03号对青霉素过敏"}),
    (("Special patient 12 is pregnant.", "Special patient 7 is allergic to penicillin.",
      "Special patient 12 left the study."),
     {"special_patients:12": "Special patient 12 left the study",
      "special_patients:7": "Special patient 7 is allergic to penicillin"}),
])  # fmt: skip
async def test_a4_special_patients_stand_beside_each_other(talk: Talk, texts: tuple[str, ...], stand: Any) -> None:
    for text in texts:
        await talk.say(text)
        talk.driver.advance(timedelta(minutes=1))
    assert {k: v for k, v in hot(talk).items() if k.startswith("special")} == stand
    await command(talk, "forget", memory(talk, texts[1].rstrip("。.")))
    assert len([k for k in hot(talk) if k.startswith("special")]) == 1


async def test_a4_a_special_patient_without_a_number_is_told_too(talk: Talk) -> None:
    await talk.say("特殊患者：张三的血压不稳定。")
    assert hot(talk) == {"special_patients": "特殊患者：张三的血压不稳定"}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a5_what_leaves_to_make_room_leaves_hot_memory(models: Models, language: str) -> None:
    """The user's list has it no more; nobody could correct it there."""
    profile = load_profile("clinical_trial").model_copy(update={"bounds": BoundsSpec(memories=1)})
    talk = Talk(models, profile, MONDAY, "trial-7")
    decided = {
        "en": ("We decided to buy a second freezer.", "We decided to move the visits to Fridays."),
        "zh": ("我们决定再买一台冰柜。", "我们决定把访视改到每周五。"),
    }[language]
    word = {"en": "freezer", "zh": "冰柜"}[language]
    await talk.say(decided[0])
    assert [v for v in hot(talk).values() if word in str(v)]
    talk.driver.advance(timedelta(days=1))
    await talk.say(decided[1])
    assert [u.reason.rule for u in talk.updates("episode") if u.op == "delete"] == ["made_room"]
    assert [v for v in hot(talk).values() if word in str(v)] == []
    assert len(hot(talk)) == 1, "the one that came in stands"
