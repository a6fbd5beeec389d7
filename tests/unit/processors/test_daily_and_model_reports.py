"""The daily status (A4), and weekly reports in a model's words (A6, N1)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processors.ports import Models
from processors.project.rollup import MOST_UNITS, units
from processors.project.step import Project
from schemas.events.documents import Job, ProjectCommand, ProjectCommandBody, ReportResult, ReportResultBody
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import inline
from streams.runner import StepRunner
from tests.unit.processors.talk import Talk

MONDAY = datetime(2026, 11, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))


@pytest.fixture
def talk(models: Models) -> Talk:
    return Talk(models, load_profile("clinical_trial"), MONDAY, "proj_1")


async def set_hot(talk: Talk, key: str, value: Any, type: Any = "meta", at: datetime | None = None) -> None:
    command = ProjectCommand(
        tenant="acme", project_id="proj_1", command="put_hot", command_id=f"{key}-{value}", hot_type=type, key=key,
        accepted_at=at or talk.driver.now, sealed=ProjectCommandBody(value=value),
    )  # fmt: skip
    talk.driver.pipe(topics.PROJECT_EVENTS, command)
    await talk.driver.run()


def hot(talk: Talk, key: str) -> list[Any]:
    return [u.sealed.value for u in talk.updates("hot") if u.key == key]


async def test_a4_progress_follows_the_figures_once_a_day(talk: Talk) -> None:
    await set_hot(talk, "enrollment_target", 120)
    await talk.say("当前入组人数45人。")
    assert hot(talk, "progress") == []
    await talk.until(MONDAY + timedelta(hours=14, minutes=30))
    assert hot(talk, "progress") == [], "not before the local midnight"
    await talk.until(MONDAY + timedelta(hours=15, minutes=1))
    assert hot(talk, "progress") == [37.5]
    [result] = [u for u in talk.updates("hot") if u.key == "progress"]
    assert result.sources, "it cites what its figures came from"
    await talk.until(MONDAY + timedelta(days=3))
    assert hot(talk, "progress") == [37.5], "nothing changed, nothing is written"
    await talk.say("目前入组人数60人。")
    await talk.until(MONDAY + timedelta(days=5))
    assert hot(talk, "progress") == [37.5, 50]


async def test_a4_figures_that_come_in_late_change_what_follows(talk: Talk) -> None:
    await set_hot(talk, "enrollment_target", 120)
    await set_hot(talk, "enrolled_count", 45, "status")
    late = talk.driver.now + timedelta(hours=1)
    await talk.until(MONDAY + timedelta(days=3))
    assert hot(talk, "progress") == [37.5]
    await set_hot(talk, "enrolled_count", 60, "status", late)
    await talk.until(MONDAY + timedelta(days=5))
    assert hot(talk, "progress") == [37.5, 50]


async def test_a4_what_is_stated_later_than_its_figures_stands(talk: Talk) -> None:
    await set_hot(talk, "enrollment_target", 120)
    await set_hot(talk, "enrolled_count", 60, "status")
    talk.driver.advance(timedelta(hours=1))
    await set_hot(talk, "progress", "on hold", "status")
    await talk.until(MONDAY + timedelta(days=2))
    assert hot(talk, "progress") == ["on hold"]


@pytest.mark.parametrize(("statement", "summary"), [
    ("我们决定修改入选标准，年龄放宽到75岁。", "本周决定将入选年龄放宽到75岁。"),
    ("We decided to raise the age limit to 75.", "The age limit was raised to 75."),
])  # fmt: skip
async def test_a6_n1_a_models_summary_enters_the_report_of_the_revision_that_asked(
    talk: Talk, models: Models, statement: str, summary: str
) -> None:
    step = talk.driver.runners["project"].step
    assert isinstance(step, Project)
    own = Project(step._models, step._book, ask_model=True)
    runner = talk.driver.runners["project"]
    talk.driver.runners["project"] = StepRunner(
        own, runner._store, runner._producer, talk.driver.codec, runner._config, compute=inline
    )
    await talk.say(statement)
    await talk.until(MONDAY + timedelta(days=7))
    [requests] = [e for e in talk.driver.read(topics.JOBS) if isinstance(e, Job)]
    payload = requests.sealed.payload
    assert payload["turns"][0]["content"] == statement
    assert payload["revision"] == 1

    async def answer(revision_of: str, text: str) -> None:
        body = ReportResultBody(result={"summary": text, "revision": 1})
        result = ReportResult(
            tenant="acme", project_id="proj_1", job_id=revision_of, week_start=payload["week_start"], status="done",
            model="scripted-1", accepted_at=talk.driver.now, sealed=body,
        )  # fmt: skip
        talk.driver.pipe(topics.PROJECT_EVENTS, result)
        await talk.driver.run()

    await answer("of-another-revision", "nothing to do with it")
    await answer(requests.job_id, f"# {summary}\n- {summary}\n" + "很长。word " * 600)
    reports = talk.updates("report")
    assert [r.revision for r in reports] == [1, 2]
    assert (reports[0].sealed.value or {})["extractive"] is True
    new = reports[1]
    assert summary in new.sealed.text
    assert units(new.sealed.text) <= MOST_UNITS
    assert (new.sealed.value["extractive"], new.sealed.value["written_by"]) == (False, "scripted-1")
    assert new.sealed.value["decisions"] == reports[0].sealed.value["decisions"]
    assert new.sources == reports[0].sources
    await answer(requests.job_id, summary)
    assert len(talk.updates("report")) == 2, "an answer that comes twice counts once"
