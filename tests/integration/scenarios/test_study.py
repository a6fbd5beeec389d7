"""A clinical project over three weeks with two users (A), in Chinese and English."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from processors.project.rollup import MOST_UNITS, units
from tests.integration.scenario import World
from tests.integration.scenarios.days import MONDAY, this_week

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def here(running: World) -> Iterator[World]:
    """Time stands but for the tests' own ticks: a tick between two turns of a past week would close it between them."""
    running.run_on("clinical_trial")
    with running.own_time():
        yield running


STUDY = {
    "zh": ("study_zh", "当前入组人数45人。", "12号的化验结果一直缺失。", "12号缺失的化验结果已补录。",
           "我们决定修改入选标准，年龄放宽到75岁。", "目前入组人数60人。", "化验结果缺失怎么解决的？", "75"),
    "en": ("study_en", "Currently enrolled 45 patients.", "The lab results of record 12 are missing.",
           "The missing lab results of record 12 were filled in.", "We decided to raise the age limit to 75.",
           "Enrolled so far 60 patients.", "How were the missing lab results solved?", "75"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a3_a4_a6_a7_a8_a_study_over_three_weeks_with_two_users(here: World, language: str) -> None:
    name, one, problem, solved, decision, later, query, limit = STUDY[language]
    for key, value in (("enrollment_target", 120), ("project_name", name)):
        here.call("PUT", f"/v1/projects/{name}/hot-memory/meta/{key}", {"value": value, "priority": 9})
    week = [MONDAY + timedelta(weeks=n, hours=10) for n in range(3)]
    result = (("dr_li", one, week[0]), ("dr_li", problem, week[0] + timedelta(hours=1)),
            ("nurse", solved, week[0] + timedelta(days=1)), ("dr_li", decision, week[1]),
            ("nurse", later, week[2]))  # fmt: skip
    for who, text, at in result:
        here.say(f"{who}_{language}", text, at=at, session=f"{who}-{at:%d}", project_id=name)
    hot = here.get(f"/v1/projects/{name}/hot-memory")
    assert {e["key"]: e["value"] for e in hot["meta"]}["enrollment_target"] == 120
    assert {e["key"]: e["value"] for e in hot["status"]}["enrolled_count"] == 60
    assert any(limit in str(e["value"]) for e in hot["decisions"])
    here.tick(datetime.now(UTC))
    path = f"/v1/projects/{name}/reports"
    reports = here.until(path, lambda b: len(b["reports"]) >= 3)["reports"]
    first = min(reports, key=lambda r: r["week_start"])
    assert first["week_start"] == MONDAY.date().isoformat()
    assert first["week_end"] == (MONDAY + timedelta(days=6)).date().isoformat()
    assert first["metrics"]["users"] == 2
    assert first["metrics"]["solved"] >= 1
    assert all(units(r["summary"]) <= MOST_UNITS for r in reports)
    found = here.post("/v1/search", {"query": query, "project_id": name, "kinds": ["report"], "limit": 3})["results"]
    assert found[0]["id"] == first["id"], "A7"
    turns = here.post("/v1/search", {"query": query, "project_id": name, "kinds": ["turn"], "limit": 5})["results"]
    assert turns
    assert all(t["details"]["project_id"] == name for t in turns), "A2"
    context = here.post("/v1/context", {"user_id": f"dr_li_{language}", "project_id": name, "query": query})
    assert context["tokens"] <= 2000
    assert limit in context["prompt"], "hot memory is always in (A8)"
    assert first["id"] in str(context["sections"]), "and the report of that week"
    # A late turn amends the report of its week (A6).
    here.say(f"nurse_{language}", decision, at=week[0] + timedelta(days=2), session="late", project_id=name)
    here.tick(datetime.now(UTC))
    here.until(path, lambda b: any(r["id"] == first["id"] and r["revision"] > first["revision"] for r in b["reports"]))
    # The daily update of what follows from other figures (A4).
    here.tick(datetime.now(UTC) + timedelta(days=1, hours=1))
    here.until(
        f"/v1/projects/{name}/hot-memory",
        lambda b: [e["value"] for e in b["status"] if e["key"] == "progress"] == [50],
    )  # fmt: skip
    # The same by SQL, under the seed's names and columns (A1, A3, A6).
    held = here.sql("SELECT type, value FROM {v}.project_memory WHERE project_id = %s AND key = 'progress'", name)
    assert held == [("status", 50)]
    [report] = here.sql(
        "SELECT week_end - week_start, extract(isodow FROM week_start)::int, summary, metrics->>'users', "
        "jsonb_typeof(key_events), length(embedding) > 0 FROM {v}.weekly_reports WHERE id = %s", first["id"],
    )  # fmt: skip
    assert (report[:2], report[3:]) == ((6, 1), ("2", "array", True)), "Monday to Sunday"
    assert limit in report[2], "as amended"
    here.say(f"dr_li_{language}", query, session="asked", project_id=name)
    [turn] = here.sql(
        "SELECT role, content, expires_at - created_at FROM {v}.conversation_history "
        "WHERE project_id = %s AND created_at > now() - interval '1 hour'", name,
    )  # fmt: skip
    assert turn == ("user", query, timedelta(days=30))


def test_a5_hot_memory_is_never_stale_after_a_change(here: World) -> None:
    path = "/v1/projects/study_hot/hot-memory"
    for value in range(5):
        here.call("PUT", f"{path}/status/enrolled_count", {"value": value, "priority": 8})
        status = here.get(path)["status"]
        assert {e["key"]: e["value"] for e in status}["enrolled_count"] == value


def test_a6_a_week_that_is_asked_for_on_demand_tells_what_there_is_so_far(here: World) -> None:
    for project in ("study_demand", "study_demand_again"):
        week = this_week()
        here.say("pi", "We decided to close site 4.", session=project, project_id=project)
        here.post(f"/v1/projects/{project}/reports")
        if week == this_week():  # a week that ends in between leaves the next one nothing to tell
            break
    [report] = here.get(f"/v1/projects/{project}/reports")["reports"]
    assert "site 4" in report["summary"]
    assert report["metrics"]["turns"] == 1
