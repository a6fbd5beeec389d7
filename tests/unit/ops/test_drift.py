"""Drift of reading on the operators' page: per 100 turns, beside the week before, with the bounds of the alert."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from query.auth.boundary import OpenDoor
from query.ops import drift as drifting
from query.ops.drift import Figure, drift
from query.pipeline.state import Pipeline
from schemas.heartbeat import Heartbeat
from schemas.reading_stats import KEPT_DAYS, ReadingStats, in_buckets
from tests.unit.ops.states import NOW, service

RULES = Path(__file__).resolve().parents[3] / "docker" / "prometheus" / "alerts.yaml"


def read(turns: int, version: int = 5, reader: str = "rules", **more: Any) -> ReadingStats:
    return ReadingStats(language="en", profile="general", reader=reader, version=version, turns=turns, **more)


def picture(*processes: dict[int, ReadingStats]) -> Pipeline:
    """Each: days ago -> what was read then."""
    beats = {
        f"worker-{n}": Heartbeat(
            started_at="x",
            reading_days={(NOW - timedelta(days=ago)).date().isoformat(): (s,) for ago, s in days.items()},
        )
        for n, days in enumerate(processes)
    }
    return Pipeline(NOW, heartbeats={name: (NOW, beat) for name, beat in beats.items()})


def figures(p: Pipeline, row: int = 0) -> dict[str, Figure]:
    return {f.name: f for f in drift(p)["rows"][row]["figures"]}


def test_today_and_yesterday_of_all_processes_stand_beside_the_seven_days_before_them() -> None:
    usual = read(200, outcomes={"kept": 100, "observed": 20}, lost={"person": 8, "thing": 2})
    now = read(100, outcomes={"kept": 20, "observed": 10}, lost={"person": 25})
    yesterday = read(300, outcomes={"kept": 60, "observed": 30}, lost={"thing": 75})
    p = picture({**dict.fromkeys(range(2, 9), usual), 0: now}, {1: yesterday, 9: read(9999)})
    found = drift(p)
    assert figures(p) == {
        "kept": Figure("kept", 20.0, 50.0, off=True), "observed": Figure("observed", 10.0, 10.0, off=False),
        "refused": Figure("refused", 0.0, 0.0, off=False),
        "lost references": Figure("lost references", 25.0, 5.0, off=True),
        "mean reading": Figure("mean reading", None, None, off=False, digits=2),
    }  # fmt: skip
    assert (found["off"], found["days_known"]) == (2, 7)
    assert (found["rows"][0]["turns"], found["rows"][0]["turns_before"]) == ("400", "1.4 k")
    assert found["lost"] == [("en", "thing", 75), ("en", "person", 25)]


@pytest.mark.parametrize(
    ("kept", "is_off"), [(30, False), (29, True), (70, False), (71, True), (50, False)]
)
def test_what_is_forty_percent_off_is_marked(kept: int, is_off: bool) -> None:
    p = picture({0: read(200, outcomes={"kept": 2 * kept}), 3: read(500, outcomes={"kept": 250})})
    assert figures(p)["kept"].off is is_off


@pytest.mark.parametrize(
    ("turns", "before", "share", "is_off"),
    [
        (200, 500, 0.5, True), (199, 500, 0.5, False), (200, 499, 0.5, False),
        (200, 500, 0.248, False), (200, 500, 0.252, True),
    ],
)  # fmt: skip
def test_a_quiet_system_and_what_is_rare_say_nothing(turns: int, before: int, share: float, is_off: bool) -> None:
    """49 or 51 are awaited, and none came."""
    p = picture({0: read(turns), 3: read(before, outcomes={"kept": round(before * share)})})
    assert figures(p)["kept"].off is is_off


def test_a_new_version_is_compared_with_all_of_its_reader_and_with_no_other_reader() -> None:
    week = read(700, outcomes={"kept": 350})
    p = picture({0: read(300, 6, outcomes={"kept": 60}), 3: week}, {1: read(50), 4: read(700, reader="model")})
    found = drift(p)
    assert [(r["reader"], r["version"], r["turns_before"]) for r in found["rows"]] == [
        ("rules", 5, "700"), ("rules", 6, "700"),
    ]  # fmt: skip
    assert figures(p, 1)["kept"] == Figure("kept", 20.0, 50.0, off=True)


def test_the_mean_reading_is_of_the_candidates_that_have_one() -> None:
    now = read(400, readings=in_buckets([0.4] * 60), reading_total=24.0)
    week = read(800, readings=in_buckets([0.8] * 100), reading_total=80.0)
    mean = figures(picture({0: now, 3: week}))["mean reading"]
    assert (mean.shown, mean.compared, mean.off) == ("0.40", "0.80, -50 %", True)
    few = now.model_copy(update={"readings": in_buckets([0.4] * 49), "reading_total": 19.6})
    assert not figures(picture({0: few, 3: week}))["mean reading"].off


@pytest.mark.parametrize(
    ("figure", "shown", "compared"),
    [
        (Figure("kept", 20.0, 50.0, off=True), "20.0", "50.0, -60 %"),
        (Figure("kept", 20.04, 0.0, off=True), "20.0", "0.0"),
        (Figure("kept", 20.0, None, off=False), "20.0", "not known"),
        (Figure("kept", None, 1.0, off=False), "–", "1.0"),
    ],
)
def test_a_figure_says_what_it_is_compared_with(figure: Figure, shown: str, compared: str) -> None:
    assert (figure.shown, figure.compared) == (shown, compared)


def test_the_page_and_the_alert_have_the_same_bounds() -> None:
    rules = RULES.read_text(encoding="utf-8")
    assert set(re.findall(r"week_before (>|<) ([\d.]+)", rules)) == {
        (">", str(1 + drifting.OFF)), ("<", str(1 - drifting.OFF)),
    }  # fmt: skip
    assert set(re.findall(r"read_turns:week_before >= (\d+)", rules)) == {str(drifting.LEAST_TURNS_BEFORE)}
    least = {str(drifting.LEAST_TURNS), str(100 * drifting.LEAST_COUNT)}
    assert set(re.findall(r"read_turns:day >= (\d+)", rules)) == least
    assert set(re.findall(r"\[1w\][^)]*\)+ >= (\d+)", rules)) == {str(drifting.LEAST_COUNT)}
    assert drifting.NOW_DAYS + drifting.WEEK_DAYS == KEPT_DAYS


@pytest.mark.slow
async def test_the_page_shows_them_and_says_what_it_does_not_know() -> None:
    texts = {}
    week = {3: read(700, outcomes={"kept": 350})}
    shown = {"empty": picture(), "new": picture({0: read(300)}), "drift": picture({**week, 0: read(300, 6)})}
    for name, state in shown.items():
        app = service("empty")
        app.state.authenticator = OpenDoor("default")
        app.state.monitor.current = state
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            page = (await http.get("/ops")).text
        texts[name] = re.sub(r"\s+", " ", page[page.index('id="p-drift"') : page.index('id="p-stores"')])
    assert "No turn was read since yesterday." in texts["empty"]
    assert "of which no day is known yet" in texts["new"]
    assert "not known" in texts["new"]
    assert "pill warn" not in texts["new"]
    assert '<span class="pill warn">1 off</span>' in texts["drift"]
    assert "of which 1 of 7 days had turns or are known" in texts["drift"]
    assert '<td class="n warn-text">0.0<br><span class="warn-text">50.0, -100 %</span></td>' in texts["drift"]
    assert "<td>rules 6</td>" in texts["drift"]
