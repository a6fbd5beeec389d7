"""A project's own time zone (A6), and a zone that changes while its weeks run: no report is lost, and no turn counted
twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processors.ports import Models
from processors.reader.step import view_of
from query.prompt.intents import route
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.memory import MemoryCommand, MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.profile.model import Profile, ProjectSpec, load_profile
from tests.unit.processors.talk import Talk

NEW_YORK, TOKYO = "America/New_York", "Asia/Tokyo"
MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
"""Midnight in UTC: 09:00 in Tokyo, Sunday 19:00 in New York."""
WEEK, HOUR = timedelta(days=7), timedelta(hours=1)


def profile(zone: str | None, version: int = 1, *, default: str = "UTC") -> Profile:
    own = () if zone is None else (ProjectSpec(id="trial-7", time_zone=zone),)
    return Profile(name="study", version=version, time_zone=default, projects=own)


def result_of(u: MemoryUpdate) -> tuple[str, int, bool]:
    value: Any = u.sealed.value
    return value["week_start"], value["metrics"]["turns"], value["closed"]


def active_rows(talk: Talk) -> list[tuple[str, int, bool]]:
    """What a sink holds: the newest revision of each report."""
    newest = {u.record_id: u for u in sorted(talk.updates("report"), key=lambda u: u.revision)}
    return sorted(result_of(u) for u in newest.values())


async def test_a6_a_projects_weeks_are_those_of_its_own_zone(models: Models) -> None:
    talk = Talk(models, profile(NEW_YORK, default="Asia/Shanghai"), MONDAY + WEEK + 4.5 * HOUR, "trial-7")
    await talk.say("The last patient of the week came in.")
    talk.driver.advance(HOUR)
    await talk.say("The first patient of the new week came in.")
    await talk.until(MONDAY + WEEK + 5.9 * HOUR)
    assert talk.updates("report") == [], "an hour after midnight there, for stragglers"
    await talk.until(MONDAY + WEEK + 6.1 * HOUR)
    [first] = talk.updates("report")
    assert result_of(first) == ("2026-11-02", 1, True)
    assert first.valid_from == datetime(2026, 11, 2, tzinfo=ZoneInfo(NEW_YORK))
    await talk.until(MONDAY + 2 * WEEK + 6.1 * HOUR)
    assert active_rows(talk) == [("2026-11-02", 1, True), ("2026-11-09", 1, True)]


async def test_a6_another_project_keeps_the_profiles_zone(models: Models) -> None:
    talk = Talk(models, profile(NEW_YORK), MONDAY + WEEK - HOUR, "other")
    await talk.say("The last patient of the week came in.")
    await talk.until(MONDAY + WEEK + 1.1 * HOUR)
    assert active_rows(talk) == [("2026-11-02", 1, True)]


async def test_a6_on_demand_is_of_the_week_in_the_projects_zone(models: Models) -> None:
    talk = Talk(models, profile(NEW_YORK), MONDAY + WEEK + 2 * HOUR, "trial-7")
    await talk.say("The last patient of the week came in.")
    await talk.ask_report()
    assert active_rows(talk) == [("2026-11-02", 1, False)]


async def test_a6_a_late_turn_is_late_by_the_projects_zone(models: Models) -> None:
    talk = Talk(models, profile(NEW_YORK), MONDAY + WEEK + 4 * HOUR, "trial-7")
    await talk.say("The last patient of the week came in.")
    await talk.until(MONDAY + WEEK + 7 * HOUR)
    await talk.say("One more of Sunday night.", MONDAY + WEEK + 4.5 * HOUR)
    await talk.until(MONDAY + WEEK + 8 * HOUR)
    [_, amended] = talk.updates("report")
    assert (result_of(amended), amended.reason.rule) == (("2026-11-02", 2, True), "late_turns")


@pytest.mark.parametrize(("before", "after"), [(TOKYO, NEW_YORK), (NEW_YORK, TOKYO), (None, NEW_YORK), (TOKYO, None)])
async def test_a6_a_zone_that_changes_in_the_week_loses_and_doubles_nothing(
    models: Models, before: str | None, after: str | None
) -> None:
    talk = Talk(models, profile(before), MONDAY + timedelta(days=3), "trial-7")
    await talk.say("We decided to move the visits to Fridays.")
    talk.changes(profile(after, 2))
    await talk.until(MONDAY + WEEK + timedelta(days=1, hours=1), HOUR)
    assert [result_of(u) for u in talk.updates("report")] == [("2026-11-02", 1, True)], "once, when it had ended"
    end = datetime(2026, 11, 9, tzinfo=ZoneInfo(after or "UTC"))
    assert talk.updates("report")[0].known_at >= end + HOUR


async def test_a6_a_week_that_was_closed_and_goes_on_elsewhere_is_closed_again(models: Models) -> None:
    """Closed at 01:00 in Tokyo, where in New York its Sunday has half a day to go."""
    talk = Talk(models, profile(TOKYO), MONDAY + WEEK - 10 * HOUR, "trial-7")
    await talk.say("Of Sunday in Tokyo.")
    await talk.until(MONDAY + WEEK - 7.5 * HOUR)
    await talk.say("Of Monday in Tokyo.")
    assert active_rows(talk) == [("2026-11-02", 1, True)]
    talk.changes(profile(NEW_YORK, 2))
    await talk.say("Of Sunday in New York.")
    await talk.until(MONDAY + WEEK, HOUR)
    assert active_rows(talk) == [("2026-11-02", 1, True)], "nothing before it has ended there, too"
    await talk.until(MONDAY + WEEK + 7 * HOUR, HOUR)
    assert active_rows(talk) == [("2026-11-02", 2, True)]
    await talk.until(MONDAY + 2 * WEEK + 7 * HOUR, timedelta(days=1))
    assert active_rows(talk) == [("2026-11-02", 2, True), ("2026-11-09", 1, True)]


async def test_a6_asked_for_again_after_the_change_it_is_closed_in_the_end(models: Models) -> None:
    talk = Talk(models, profile(TOKYO), MONDAY + WEEK - 10 * HOUR, "trial-7")
    await talk.say("Of Sunday in Tokyo.")
    await talk.until(MONDAY + WEEK - 7.5 * HOUR)
    talk.changes(profile(NEW_YORK, 2))
    await talk.ask_report()
    assert active_rows(talk) == [("2026-11-02", 1, False)]
    await talk.until(MONDAY + WEEK + 7 * HOUR, HOUR)
    assert active_rows(talk) == [("2026-11-02", 1, True)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_c9_what_is_forgotten_leaves_the_week_that_holds_it_whatever_the_zone_is_now(
    models: Models, language: str
) -> None:
    fields = {"en": "We decided to move the visits to Fridays.", "zh": "我们决定把访视改到每周五。"}[language]
    words = {"en": "the visits to Fridays", "zh": "把访视改到每周五"}[language]
    other = {"en": "The freezer was cleaned by the site.", "zh": "中心清洁了冰箱。"}[language]
    talk = Talk(models, profile(TOKYO), MONDAY + WEEK - 8 * HOUR, "trial-7")
    await talk.say(fields)
    await talk.say(other)
    talk.changes(profile(NEW_YORK, 2))
    [memory] = [u for u in talk.updates("episode") if words in u.sealed.text]
    talk.driver.advance(HOUR)
    talk.driver.pipe(topics.LEDGER, MemoryCommand(
        tenant="acme", user_id="ann", command="forget", command_id="f1", memory_id=memory.record_id,
        accepted_at=talk.driver.now,
    ))  # fmt: skip
    await talk.driver.run()
    await talk.until(MONDAY + 2 * WEEK + 7 * HOUR, timedelta(days=1))
    [report] = [u for u in talk.updates("report") if result_of(u)[2]]
    assert result_of(report)[0] == "2026-11-09", "of the Monday that it was in Tokyo"
    assert words not in report.sealed.text
    assert report.sealed.value["decisions"] == []


async def test_a4_the_daily_status_is_made_after_midnight_in_the_projects_zone(models: Models) -> None:
    clinical = load_profile("clinical_trial")
    mine = clinical.model_copy(update={"projects": (ProjectSpec(id="trial-7", time_zone=NEW_YORK),)})
    talk = Talk(models, mine, MONDAY + 18 * HOUR, "trial-7")
    figures: Any = (("enrollment_target", 120, "meta"), ("enrolled_count", 60, "status"))
    for key, value, kind in figures:
        talk.driver.pipe(topics.PROJECT_EVENTS, ProjectCommand(
            tenant="acme", project_id="trial-7", command="put_hot", command_id=key, hot_type=kind, key=key,
            accepted_at=talk.driver.now, sealed=ProjectCommandBody(value=value),
        ))  # fmt: skip
    await talk.driver.run()
    await talk.until(MONDAY + 28 * HOUR)
    assert not [u for u in talk.updates("hot") if u.key == "progress"], "23:00 there"
    await talk.until(MONDAY + 29.5 * HOUR)
    assert [u.sealed.value for u in talk.updates("hot") if u.key == "progress"] == [50]


def test_d10_days_that_a_query_names_are_those_of_its_project() -> None:
    """Monday 02:00 in UTC is Sunday in New York: its last week is the one before."""
    now = MONDAY + WEEK + 2 * HOUR
    named = Profile(
        name="study", version=1, projects=(ProjectSpec(id="trial-7", aliases=("Aurora",), time_zone=NEW_YORK),)
    )
    since = []
    for query, project in (
        ("What happened last week?", None), ("What happened last week?", "trial-7"), ("Aurora 项目上周怎么样？", None)
    ):  # fmt: skip
        filters = route(named, query, now=now, project_id=project).filters
        assert filters is not None
        assert filters.occurred_from is not None
        since.append(filters.occurred_from)
    there = datetime(2026, 10, 26, tzinfo=ZoneInfo(NEW_YORK))
    assert since == [MONDAY, there, there]


async def test_n8_a_turn_of_a_project_names_days_of_its_zone(models: Models) -> None:
    talk = Talk(models, profile(NEW_YORK), MONDAY + 2 * HOUR, "trial-7")
    await talk.say("We meet tomorrow.")
    [turn] = [e for e in talk.driver.read(topics.HISTORY) if isinstance(e, ScreenedTurn)]
    assert view_of(turn, profile(NEW_YORK)).time_zone == NEW_YORK
