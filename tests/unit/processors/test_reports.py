"""Weekly project reports through the topology (A6, A7, A1's retention, N5), English and Chinese."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from processors.ports import Models
from processors.project.rollup import bounds, shortened, units, week_of
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import Profile, load_profile
from tests.unit.processors.talk import Talk

SHANGHAI = ZoneInfo("Asia/Shanghai")
MONDAY = datetime(2026, 11, 2, tzinfo=SHANGHAI)
WEEK = timedelta(days=7)
EARLY = timedelta(hours=2)
PROFILE = Profile(name="study", version=1, time_zone="Asia/Shanghai")

STATEMENTS = {
    "en": (
        ("The lab results of patient P-102 are missing since Tuesday.", "ann"),
        ("We decided to move the screening visits to Fridays.", "ann"),
        ("We need to send the amended consent form to the ethics board by 20 November.", "bob"),
        ("The missing lab results of P-102 were corrected by the site.", "bob"),
    ),
    "zh": (
        ("患者P-102的化验结果从周二起一直缺失。", "ann"),
        ("我们决定把筛选访视改到每周五。", "ann"),
        ("我们需要在11月20日之前把修订后的知情同意书提交给伦理委员会。", "bob"),
        ("P-102缺失的化验结果已由中心补录。", "bob"),
    ),
}
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def talk_of(models: Models, start: datetime = MONDAY + timedelta(hours=9)) -> Talk:
    return Talk(models, PROFILE, start, "proj_iit")


async def a_week(talk: Talk, language: str) -> list[str]:
    names = []
    for text, user in STATEMENTS[language]:
        names.append(await talk.say(text, user=user, session=f"s-{user}"))
        talk.driver.advance(timedelta(hours=20))
    return names


def value(u: MemoryUpdate) -> Any:
    return u.sealed.value


@LANGUAGES
async def test_a6_monday_closes_the_week_that_ended(models: Models, language: str) -> None:
    talk = talk_of(models)
    names = await a_week(talk, language)
    await talk.until(MONDAY + WEEK - timedelta(minutes=1))
    await talk.until(MONDAY + WEEK + timedelta(minutes=30))
    assert talk.updates("report") == [], "stragglers have an hour"
    await talk.until(MONDAY + WEEK + EARLY)
    [report] = talk.updates("report")
    result = value(report)
    assert (result["week_start"], result["week_end"]) == ("2026-11-02", "2026-11-08")
    assert (result["metrics"]["turns"], result["metrics"]["users"]) == (4, 2)
    assert result["metrics"]["turns_by_user"] == {"ann": 2, "bob": 2}
    assert [d["source_turn_ids"] for d in result["decisions"]] == [[names[1]]]
    assert [t["source_turn_ids"] for t in result["open_tasks"]] == [[names[2]]]
    [problem] = result["problems"]
    assert (problem["turn_id"], problem["solved_by"]) == (names[0], names[3])
    assert result["metrics"]["solved"] == 1
    assert sum(result["metrics"]["memories"].values()) >= 2
    assert result["extractive"] is True
    assert set(names) >= {s.turn_id for s in report.sources} >= {names[0], names[1], names[2]}, "N5"
    assert report.language == language
    text = report.sealed.text
    assert {"en": "## Decisions", "zh": "## 决策"}[language] in text
    assert {"en": "Extractive", "zh": "摘录"}[language] in text
    assert {"en": "Fridays", "zh": "每周五"}[language] in text
    assert units(text) <= 500
    await talk.until(MONDAY + WEEK + EARLY + timedelta(days=2))
    assert len(talk.updates("report")) == 1, "closed once"


async def test_a6_three_weeks_of_two_users_are_a_report_each_and_a_silent_week_none(models: Models) -> None:
    talk = talk_of(models)
    await a_week(talk, "zh")
    await talk.until(MONDAY + WEEK + EARLY)
    await talk.until(MONDAY + 2 * WEEK + timedelta(hours=9))
    await a_week(talk, "en")
    await talk.until(MONDAY + 3 * WEEK + EARLY)
    assert [value(r)["week_start"] for r in talk.updates("report")] == ["2026-11-02", "2026-11-16"]
    assert [r.language for r in talk.updates("report")] == ["zh", "en"]
    assert len({r.record_id for r in talk.updates("report")}) == 2


async def test_a6_sunday_night_belongs_to_the_week_in_the_projects_zone(models: Models) -> None:
    """Sunday 23:30 in Shanghai is 15:30 UTC; Monday 00:10 there is still Sunday in UTC."""
    talk = talk_of(models, MONDAY + timedelta(days=6, hours=23, minutes=30))
    await talk.say("The last patient of the week came in.")
    await talk.until(MONDAY + WEEK + timedelta(minutes=10))
    await talk.say("The first patient of the new week came in.")
    await talk.until(MONDAY + 2 * WEEK + EARLY, timedelta(days=1))
    assert [(value(r)["week_start"], value(r)["metrics"]["turns"]) for r in talk.updates("report")] == [
        ("2026-11-02", 1),
        ("2026-11-09", 1),
    ]


@LANGUAGES
async def test_a6_late_turns_amend_the_report_once_a_tick(models: Models, language: str) -> None:
    talk = talk_of(models)
    await a_week(talk, language)
    await talk.until(MONDAY + WEEK + EARLY)
    late = {"en": "We decided to pause site 7.", "zh": "我们决定暂停7号中心。"}[language]
    for n in range(3):
        await talk.say(f"{late} ({n})", MONDAY + timedelta(days=4, hours=n))
    assert len(talk.updates("report")) == 1, "only ticks write"
    await talk.until(talk.driver.now + timedelta(minutes=1))
    first, second = talk.updates("report")
    assert (second.record_id, second.revision) == (first.record_id, first.revision + 1)
    assert second.reason.rule == "late_turns"
    assert value(second)["metrics"]["turns"] == 7
    assert value(second)["metrics"]["late_turns"] == 3
    assert value(second)["metrics"]["decisions"] > value(first)["metrics"]["decisions"]


async def test_a6_while_late_turns_come_in_the_report_is_written_every_ten_minutes(models: Models) -> None:
    talk = talk_of(models)
    await a_week(talk, "en")
    await talk.until(MONDAY + WEEK + EARLY)
    for n in range(25):
        await talk.say(f"We decided to pause site {n}.", MONDAY + timedelta(days=4, minutes=n))
        await talk.until(talk.driver.now + timedelta(minutes=1))
    await talk.until(talk.driver.now + timedelta(minutes=10))
    closed, *late = talk.updates("report")
    assert value(closed)["metrics"]["late_turns"] == 0
    assert [value(report)["metrics"]["late_turns"] for report in late] == [1, 11, 21, 25]
    await talk.until(talk.driver.now + timedelta(minutes=30), timedelta(minutes=1))
    assert len(talk.updates("report")) == 5, "nothing new"


async def test_a6_after_the_texts_are_gone_a_late_turn_still_amends(models: Models) -> None:
    """Texts are held for 30 days (A1), the aggregates for 60: what the report said stands."""
    talk = talk_of(models)
    await talk.say("We need to order new blood pressure cuffs by Friday.", session="s-bob")
    await talk.say("The new blood pressure cuffs were delivered, that is done.", session="s-bob")
    await a_week(talk, "en")
    await talk.until(MONDAY + WEEK + EARLY)
    await talk.until(MONDAY + timedelta(days=50))
    late = await talk.say("We decided to close the site in Leeds.", MONDAY + timedelta(days=3))
    await talk.until(talk.driver.now + timedelta(minutes=1))
    first, second = talk.updates("report")
    assert value(second)["metrics"]["turns"] == 7
    assert len(value(first)["open_tasks"]) == 1, "what was ordered is done"
    assert value(second)["open_tasks"] == value(first)["open_tasks"]
    assert value(second)["problems"] == value(first)["problems"]
    assert "Leeds" in second.sealed.text
    assert "Fridays" in second.sealed.text
    assert late in {s.turn_id for s in second.sources}


async def test_a6_later_than_sixty_days_is_counted_as_too_late(models: Models) -> None:
    talk = talk_of(models)
    await a_week(talk, "en")
    await talk.until(MONDAY + WEEK + EARLY)
    await talk.until(MONDAY + WEEK + timedelta(days=60, minutes=1))
    name = await talk.say("We decided to close the site in Leeds.", MONDAY + timedelta(days=3))
    await talk.until(talk.driver.now + timedelta(hours=3))
    assert len(talk.updates("report")) == 1
    [late] = [d for d in talk.decisions("report") if d.reason.rule == "too_late_for_report"]
    assert (late.turn_id, late.reason.outcome) == (name, "skipped")


async def test_a6_on_demand_the_week_so_far_and_monday_closes_it(models: Models) -> None:
    talk = talk_of(models)
    await talk.ask_report()
    assert talk.updates("report") == []
    assert [d.reason.rule for d in talk.decisions("report")] == ["no_turns"]
    await talk.say("We decided to move the screening visits to Fridays.")
    await talk.ask_report()
    await talk.ask_report()
    [now] = talk.updates("report")
    assert (now.reason.rule, value(now)["closed"]) == ("asked_for", False)
    assert [d.reason.rule for d in talk.decisions("report")] == ["no_turns", "asked_for", "nothing_new"]
    await talk.until(MONDAY + WEEK + EARLY)
    closed = talk.updates("report")[-1]
    assert (closed.record_id, closed.revision, value(closed)["closed"]) == (now.record_id, 2, True)


@pytest.mark.slow
@LANGUAGES
async def test_a6_a_report_keeps_its_length_and_its_state_its_bound(models: Models, language: str) -> None:
    talk = talk_of(models)
    for n in range(150):
        text = {
            "en": f"We decided that visit {n} is moved to room {n + 3} because the scanner number {n} is broken.",
            "zh": f"我们决定把第{n}次访视改到{n + 3}号房间，因为{n}号扫描仪出了故障，需要换一台新的。",
        }[language]
        await talk.say(text, MONDAY + timedelta(hours=9, minutes=n))
    await talk.until(MONDAY + WEEK + EARLY)
    [report] = talk.updates("report")
    assert 250 <= units(report.sealed.text) <= 500
    assert value(report)["metrics"]["turns"] == 150
    assert value(report)["metrics"]["texts_left_out"] == 30
    assert len(report.sources) <= 50


@LANGUAGES
async def test_a7_a_report_is_found_by_what_it_is_about(models: Models, language: str) -> None:
    talk = talk_of(models)
    await a_week(talk, language)
    await talk.until(MONDAY + WEEK + EARLY)
    [report] = talk.updates("report")
    vector = np.frombuffer(report.sealed.embedding, dtype=np.float16).astype(np.float32)
    assert abs(float(np.linalg.norm(vector)) - 1) < 0.01
    near, far = {
        "en": ("missing lab results", "a recipe for banana bread"),
        "zh": ("化验结果缺失", "香蕉面包怎么做"),
    }[language]
    scores = models.embedder.embed([near, far]) @ vector
    assert scores[0] > 0.3 > scores[1]
    assert set(models.terms(near)) <= set(report.sealed.terms)


async def test_a6_a_restart_changes_nothing(models: Models) -> None:
    """N2: what is decided from rows read again is what is decided from the cache."""
    reports = []
    for restart in (False, True):
        talk = talk_of(models)
        for text, user in STATEMENTS["en"]:
            await talk.say(text, user=user)
            if restart:
                talk.driver.restart(rewind=1)
        await talk.until(MONDAY + WEEK + EARLY)
        reports.append([(r.record_id, r.revision, r.sealed) for r in talk.updates("report")])
    assert reports[0] == reports[1]


def test_a6_a_week_of_a_clock_change_ends_at_local_midnight() -> None:
    start, end = bounds(date(2026, 10, 19), "Europe/London")
    assert end - start == timedelta(days=7, hours=1)
    assert week_of(end, "Europe/London") == date(2026, 10, 26)
    assert week_of(end - timedelta(seconds=1), "Europe/London") == date(2026, 10, 19)
    assert start == datetime(2026, 10, 18, 23, tzinfo=UTC)


def test_a6_units_are_words_or_chinese_characters() -> None:
    assert units("Move visit 3 to room-4.") == 5
    assert units("把第3次访视改到4号") == 10
    assert shortened("one two three four", 3) == "one two…"
    assert shortened("一二三四", 4) == "一二三四"


@LANGUAGES
async def test_a6_e3_turns_of_one_moment_stand_in_the_order_of_the_log(models: Models, language: str) -> None:
    """A message and its reply often carry one time; their ids sort the other way round."""
    talk = talk_of(models)
    (problem, _), _, _, (solved, _) = STATEMENTS[language]
    at = talk.driver.now
    await talk.say(problem, at, turn_id="x:user")
    await talk.say(solved, at, role="assistant", turn_id="x:assistant")
    await talk.say(STATEMENTS[language][1][0], at, turn_id="b")
    freezer = {"en": "We decided to buy a second freezer.", "zh": "我们决定再买一台冰柜。"}[language]
    await talk.say(freezer, at, turn_id="a")
    await talk.until(MONDAY + WEEK + EARLY)
    [report] = talk.updates("report")
    [found] = value(report)["problems"]
    assert (found["turn_id"], found["solved_by"]) == ("x:user", "x:assistant")
    assert [d["source_turn_ids"] for d in value(report)["decisions"]] == [["b"], ["a"]]


@pytest.mark.parametrize(
    ("first", "then", "shown"),
    [("I live in Leeds.", "I live in York.", "York"), ("我住在杭州。", "我住在苏州。", "苏州")],
)
async def test_b4_of_two_values_of_one_moment_the_later_in_the_log_stands(
    models: Models, first: str, then: str, shown: str
) -> None:
    talk = Talk(models, load_profile("general"), MONDAY)
    for text, turn_id in ((first, "b"), (then, "a")):
        await talk.say(text, MONDAY, turn_id=turn_id)
    newest = {(u.record_id, u.version): u for u in talk.updates("fact") if u.field == "residence"}
    [active] = [u for u in newest.values() if u.state == "active"]
    assert shown in active.sealed.text
    assert [s.turn_id for s in active.sources] == ["a"]


@LANGUAGES
async def test_a6_a_problem_that_two_tell_is_one_and_solved_once(models: Models, language: str) -> None:
    problem, solution = STATEMENTS[language][0][0], STATEMENTS[language][3][0]
    talk = talk_of(models)
    await talk.say(problem, user="ann", session="s-ann")
    await talk.say(problem, user="bob", session="s-bob")
    await talk.say(solution, user="bob", session="s-bob")
    await talk.until(MONDAY + WEEK + EARLY)
    [report] = talk.updates("report")
    metrics = value(report)["metrics"]
    assert (metrics["problems"], metrics["solved"]) == (1, 1)
    assert len(value(report)["problems"]) == 1


@pytest.mark.parametrize(
    ("broken", "mended"),
    [("The scanner does not work.", "The scanner was repaired."), ("扫描仪坏了。", "扫描仪修复了。"),
     ("The old pump stopped working.", "The old pump is fixed.")],
)  # fmt: skip
async def test_a6_what_does_not_work_is_a_problem(models: Models, broken: str, mended: str) -> None:
    talk = talk_of(models)
    await talk.say(broken, session="s-ann")
    await talk.say(mended, session="s-ann")
    await talk.until(MONDAY + WEEK + EARLY)
    [problem] = value(talk.updates("report")[0])["problems"]
    assert (problem["text"], problem["solution"]) == (broken.rstrip(".。"), mended.rstrip(".。"))
