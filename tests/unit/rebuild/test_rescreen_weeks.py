"""A6, D5: what a project's weeks hold, and the reports that quote it, under a policy that was tightened."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from schemas.events.documents import ProjectCommand
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from streams.driver import TopologyDriver
from tests.unit.rebuild.test_rescreen import NOW, a_pass, stored, text_of, turn_of, under
from tests.unit.rebuild.test_rescreen_parts import state_of

WEEK = timedelta(days=7)
VALUES = ("Siemens", "13812345678", "202-555-0143")
STATEMENTS = (
    "We decided to buy the pumps from Siemens in Ghent.", "我们决定由13812345678联系供应商。",
    "The sensor does not work. The hotline 202-555-0143 does not answer.", "The old seal was replaced yesterday.",
)  # fmt: skip


def policy(action: PiiAction) -> Profile:
    plain = load_profile("general")
    return plain.model_copy(update={"pii": {**plain.pii, "PHONE_NUMBER": action, "ORGANIZATION": action}})


async def later(d: TopologyDriver, by: timedelta) -> None:
    d.advance(by)
    d.tick()
    await d.run()
    assert d.dead_letters() == []


async def tell(d: TopologyDriver, week: int) -> None:
    for n, text in enumerate(STATEMENTS):
        turn = turn_of(week * 7 * 24 * 60 + n, text)
        d.pipe(topics.TURNS, turn.model_copy(update={"project_id": "p"}))
    await d.run()


def reports(d: TopologyDriver) -> dict[str, MemoryUpdate]:
    return {str(e.key): e for e in stored(d) if isinstance(e, MemoryUpdate) and e.kind == "report"}


def figures(report: MemoryUpdate) -> Any:
    value: Any = report.sealed.value
    return value["metrics"], value["closed"], [p["turn_id"] for p in value["problems"]], report.sources


@pytest.fixture
async def weeks_driver(models: Models) -> TopologyDriver:
    """A week that is closed, and one whose report somebody asked for, under a policy that lets everything pass."""
    d = under(models, policy(PiiAction.ALLOW))
    await tell(d, 0)
    await later(d, WEEK)
    await tell(d, 1)
    d.advance(timedelta(hours=1))
    d.pipe(topics.PROJECT_EVENTS, ProjectCommand(
        tenant="t", project_id="p", command="report", command_id="ask", accepted_at=d.now,
    ))  # fmt: skip
    await d.run()
    assert d.dead_letters() == []
    assert [reports(d)[week].reason.rule for week in ("2026-11-02", "2026-11-09")] == ["week_closed", "asked_for"]
    assert all(value in text_of([report]) for value in VALUES for report in reports(d).values())
    return d


async def test_d5_reports_and_weeks_hold_nothing_that_policy_masks_now(
    weeks_driver: TopologyDriver, models: Models
) -> None:
    before = reports(weeks_driver)
    tight = policy(PiiAction.MASK)
    d = under(models, tight, weeks_driver)
    found = a_pass(d, models, ProfileBook(tight))
    assert (found.records["report"], found.left) == (2, Counter())
    await d.run()
    assert d.dead_letters() == []
    held, after = state_of(d), reports(d)
    for value in VALUES:
        assert value not in held
        assert value not in text_of(after.values())
    for week, report in after.items():
        assert report.reason.rule == "rescreened"
        assert report.revision == before[week].revision + 1
        assert figures(report) == figures(before[week]), "only words have changed"
        assert "<ORGANIZATION>" in report.sealed.text
        assert "The old seal" in report.sealed.text
        assert report.sealed.embedding != before[week].sealed.embedding
    assert not a_pass(d, models, ProfileBook(tight)).records
    await d.run()
    assert reports(d) == after, "screened again, nothing is written"
    await later(d, WEEK)
    closed = reports(d)["2026-11-09"]
    assert (closed.reason.rule, figures(closed)[1]) == ("week_closed", True)
    assert not any(value in text_of([closed]) for value in VALUES)


async def test_d5_an_open_week_that_nobody_asked_for_is_told_masked(models: Models) -> None:
    d = under(models, policy(PiiAction.ALLOW))
    await tell(d, 0)
    tight = policy(PiiAction.MASK)
    d = under(models, tight, d)
    d.now = NOW + timedelta(hours=1)
    a_pass(d, models, ProfileBook(tight))
    await d.run()
    assert reports(d) == {}
    assert not any(value in state_of(d) for value in VALUES)
    await later(d, WEEK)
    text = text_of(reports(d).values())
    assert "<ORGANIZATION>" in text
    assert not any(value in text for value in VALUES)


async def test_d5_a_report_whose_week_is_held_no_more_is_named(weeks_driver: TopologyDriver, models: Models) -> None:
    await later(weeks_driver, timedelta(days=90))
    tight = policy(PiiAction.MASK)
    d = under(models, tight, weeks_driver)
    assert a_pass(d, models, ProfileBook(tight)).left == {"report": 2}
