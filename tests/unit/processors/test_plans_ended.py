"""Plans that are given up leave the profile and its completeness (B4, B6): turns in, the structured profile out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from processors.ports import Models
from processors.reader.rules.protocol import values_of
from query.reading.profile_view import build, values_by_field
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import extract
from tests.unit.processors.talk import Talk

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
IMMIGRATION, HEALTH = load_profile("immigration"), load_profile("health")


async def after(models: Models, profile: Profile, *turns: str) -> dict[str, Any]:
    """The structured profile behind turns of a day each."""
    talk = Talk(models, profile, START)
    for n, text in enumerate(turns):
        talk.driver.advance(timedelta(days=1))
        await talk.say(text, session=f"s{n}")
    last = {u.record_id: u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
    kinds = {"fact", "intent", "preference"}
    rows = [
        {**u.model_dump(exclude={"sealed"}), **u.sealed.model_dump()}
        for u in last.values()
        if u.state == "active" and u.kind in kinds
    ]
    return build(profile, values_by_field(rows))


@pytest.mark.parametrize(
    ("plan", "given_up"),
    [
        ("I'd like to apply for QMAS.", "I no longer want to apply for QMAS."),
        ("I want to apply for TTPS.", "Turns out I'm dropping the TTPS application."),
        ("I plan to apply for QMAS.", "I've decided against QMAS after all."),
        ("I want to apply for CIES.", "We're not going for CIES any more."),
        ("I want to apply for TTPS.", "I've abandoned the idea of applying for TTPS."),
        ("I want to apply for CIES.", "I don't intend to apply for CIES any longer."),
        ("I'm planning to apply for GEP.", "GEP is off the table for me."),
        ("我打算申请优才。", "优才的事我决定放弃了。"),
        ("我准备走高才通。", "高才通我不打算走了。"),
        ("我想申请优才。", "我不想申请优才了。"),
        ("我打算投资移民。", "投资移民我们不考虑了。"),
        ("我想申请优才。", "我取消了优才的申请。"),
        ("我打算申请专才。", "专才计划作废了。"),
    ],
)
async def test_b4_b6_a_plan_that_is_given_up_leaves_the_profile_and_its_score(
    models: Models, plan: str, given_up: str
) -> None:
    before = await after(models, IMMIGRATION, plan)
    assert len(before["profile"]["immigration"]["targetCategories"]) == 1
    profile = await after(models, IMMIGRATION, plan, given_up)
    assert profile["profile"].get("immigration", {}).get("targetCategories") in (None, [])
    assert profile["completeness"]["score"] < before["completeness"]["score"]
    assert "targetCategory" in profile["completeness"]["missing_fields"]


async def test_b4_of_a_plan_with_its_time_only_what_is_given_up_ends(models: Models) -> None:
    plan = "I'm 34. I plan to apply for QMAS next year."
    before = (await after(models, IMMIGRATION, plan))["profile"]
    profile = (await after(models, IMMIGRATION, plan, "I've decided against QMAS."))["profile"]
    assert before["immigration"]["timeline"] == profile["immigration"]["timeline"] == "next year"
    assert profile["basic"]["age"] == 34
    assert not profile["immigration"].get("targetCategories")


@pytest.mark.parametrize(
    ("goal", "given_up"), [("I want to quit smoking.", "I don't want to quit smoking any more."),
                           ("我想戒烟。", "戒烟的事算了。")],
)  # fmt: skip
async def test_b4_a_goal_that_is_given_up_ends(models: Models, goal: str, given_up: str) -> None:
    assert (await after(models, HEALTH, goal))["profile"]["goals"]["healthGoals"]
    assert not (await after(models, HEALTH, goal, given_up))["profile"].get("goals", {}).get("healthGoals")


@pytest.mark.parametrize(
    ("text", "stopped"),
    [
        ("I take metformin.", "My doctor took me off metformin."), ("我在吃氨氯地平。", "医生让我把氨氯地平停掉了。"),
        ("我在吃阿司匹林。", "我把阿司匹林停了。"),
    ],
)  # fmt: skip
async def test_b4_a_medicine_that_is_stopped_ends(models: Models, text: str, stopped: str) -> None:
    assert (await after(models, HEALTH, text))["profile"]["history"]["medications"]
    assert not (await after(models, HEALTH, text, stopped))["profile"].get("history", {}).get("medications")


@pytest.mark.parametrize(
    "text",
    [
        "My sister has decided against TTPS.", "I haven't given up on TTPS.", "I'm not sure about the TTPS documents.",
        "I'm not going to apply for TTPS until May.", "I don't want to apply for TTPS on my own.",
        "Have we given up on TTPS?", "我妹妹不申请高才通了。", "我不想放弃高才通。", "高才通的材料我不想弄了。",
        "我不想一个人申请高才通。", "要是不考虑高才通了呢？",
    ],
)  # fmt: skip
def test_b4_what_gives_up_no_plan_ends_none(text: str) -> None:
    denied = [values_of(c) for c in extract(text, IMMIGRATION) if c.negated]
    assert not [v for v in denied if "targetCategory" in v]
