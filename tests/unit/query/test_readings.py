"""C6: readings judged against what is usual for the user and against those before; feedback by function."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.prompt import pieces
from query.reading.complaints import by_function
from query.reading.reading_verdicts import usual_of
from query.views import memories, retention, structured
from query.views import readings as view
from schemas.profile.model import load_profile
from tests.unit.query.conftest import NOW

HEALTH = load_profile("health")


def row(value: Any, day: int, *fields: str, **over: Any) -> dict[str, Any]:
    """A reading of so many days ago."""
    at = NOW - timedelta(days=day)
    return {
        "record_id": "-".join(fields), "version": 100 - day, "field": fields[0] if len(fields) == 1 else None,
        "fields": list(fields) if len(fields) > 1 else [], "value": value, "text": f"{value}", "approximate": False,
        "attributes": {}, "reason": {"rule": "field_changed"}, "state": "active" if day == 0 else "superseded",
        "valid_from": at, "occurred_at": at, "known_at": at, "language": "en", "kind": "fact", "scope": "global",
        "sources": [{"turn_id": f"t{day}"}], **over,
    }  # fmt: skip


def pressure(high: int, low: int, day: int, **over: Any) -> dict[str, Any]:
    return row({"bp_systolic": high, "bp_diastolic": low}, day, "bp_systolic", "bp_diastolic", **over)


BASELINE = row({"baseline_bp_systolic": 125, "baseline_bp_diastolic": 80}, 0, "baseline_bp_systolic",
               "baseline_bp_diastolic")  # fmt: skip
WRITTEN = {"category": "health_profiles", "value": {"baseline_bp_systolic": 135}, "attributes": {}}
READ = [
    pressure(150, 84, 0), pressure(126, 82, 1), pressure(128, 80, 2), pressure(124, 78, 3),
    pressure(190, 99, 4, reason={"rule": "corrected", "gate": "command"}),
    pressure(180, 98, 5, version=40), pressure(130, 81, 6, version=41, attributes={"replaces": 180}),
    pressure(170, 97, 7, attributes={"about": "Li"}), row(88, 8, "bp_diastolic", reason={"rule": "fields_left"}),
]  # fmt: skip


async def question_of(
    deps: Deps, monkeypatch: pytest.MonkeyPatch, rows: list[Any], written: list[Any], **params: Any
) -> httpx.Response:
    async def read(db: Any, scope: Any, names: Any, now: Any) -> list[Any]:
        return [r for r in rows if set(names) & {r["field"], *r["fields"]}]

    async def active(db: Any, scope: Any, names: Any, now: Any) -> list[Any]:
        assert now == NOW
        return [r for r in await read(db, scope, names, now) if r["state"] == "active"]

    async def table(*_: Any) -> list[Any]:
        return written

    monkeypatch.setattr(view, "of_fields", read)
    monkeypatch.setattr(memories, "current_of_fields", active)
    monkeypatch.setattr(structured, "rows", table)
    app = create_app(QueryConfig(), replace(deps, profile=HEALTH))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.get("/v1/users/u/readings", params=params)


@pytest.mark.parametrize(
    ("rows", "written", "verdict", "baseline", "history"),
    [
        ([*READ, BASELINE], [], "above", (125, 25, "above"), (127, 23, "above", 4)),
        ([*READ, BASELINE], [WRITTEN], "usual", (135, 15, "usual"), (127, 23, "above", 4)),
        (READ, [], "above", None, (127, 23, "above", 4)),
        (READ[:3], [], None, None, None),
    ],
)
async def test_c6_a_reading_is_judged_against_the_baseline_and_its_own_history(
    deps: Deps, monkeypatch: pytest.MonkeyPatch, rows: list[Any], written: list[Any], verdict: str | None,
    baseline: Any, history: Any,
) -> None:  # fmt: skip
    answer = await question_of(deps, monkeypatch, rows, written, field="bp_systolic")
    newest, *before = answer.json()["readings"]
    assert (newest["value"], newest["unit"], newest["verdict"]) == (150, "mmHg", verdict)
    assert (newest["baseline"] and tuple(newest["baseline"].values())) == baseline
    assert (newest["history"] and tuple(newest["history"].values())) == history
    taken = [r["value"] for r in before]
    assert taken == [126, 128, 124, 130][: len(taken)], "what was corrected, withdrawn or another's is no reading"


async def test_c6_a_reading_that_retention_has_ended_is_not_read() -> None:
    seen = SimpleNamespace(sql="", params={})

    class Held:
        async def of_owner(self, scope: Any, statement: Any, **params: Any) -> list[Any]:
            seen.sql, seen.params = str(statement), params
            return []

    db: Any = Held()
    scope: Any = SimpleNamespace()
    await view.of_fields(db, scope, ["weight"], NOW)
    assert "expires_at > %(now)s" in seen.sql
    assert seen.params == {"names": ["weight"], "now": NOW, "limit": view.MANY}


async def test_c6_readings_of_all_fields_and_of_one_that_is_none(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    both = (await question_of(deps, monkeypatch, [pressure(120, 80, 0), row(81.5, 1, "weight")], [])).json()["readings"]
    assert [(r["field"], r["value"]) for r in both] == [("bp_systolic", 120), ("bp_diastolic", 80), ("weight", 81.5)]
    refused = await question_of(deps, monkeypatch, [], [], field="age")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "field")


@pytest.mark.parametrize(
    ("language", "text", "printed"),
    [
        ("en", "Ann's blood pressure is 142/88 (2 November 2026)",
         "- bp_systolic, bp_diastolic: Ann's blood pressure is 142/88 (2 November 2026) "
         "(systolic pressure: usually 125, 17 above; diastolic pressure: usually 80, as usual)"),
        ("zh", "血压142/88（2026年11月2日）",
         "- bp_systolic, bp_diastolic: 血压142/88（2026年11月2日）（收缩压平时125，高出17；舒张压平时80，与平时相近）"),
    ],
)  # fmt: skip
def test_c6_a_prompt_says_how_a_reading_lies_to_the_usual(language: str, text: str, printed: str) -> None:
    reading = pressure(142, 88, 0, text=text, language=language)
    result, _ = pieces.profile(HEALTH, [reading, BASELINE], frozenset(), usual_of(HEALTH, [reading, BASELINE], []))
    assert printed in [p.text for p in result]


def test_c6_what_is_of_its_time_keeps_it_in_a_prompt() -> None:
    result, _ = pieces.profile(HEALTH, [row("headache", 0, "symptoms", text="Ann has a headache (since 2 May 2026)")])
    assert [p.text for p in result] == ["- symptoms: Ann has a headache (since 2 May 2026)"]


def judged(user: str, about: str, text: str, **value: Any) -> dict[str, Any]:
    return {"owner_id": user, "category": about, "text": text, "value": value, "known_at": NOW, "record_id": user}


GIVEN = [
    judged("a", "bug", "导出太慢，又崩溃了", feature="export", score=1),
    judged("b", "bug", "导出总是失败", feature="export", score=2),
    judged("c", "bug", "导出按钮没反应，我叫王芳", feature="export"),
    judged("c", "bug", "The export crashes", feature="export"),
    judged("d", "function", "Readings are easy to enter", feature="readings", rating="good", score=5),
    judged("e", "function", "too many taps", feature="readings", rating="bad", score=2),
]


def test_c6_complaints_of_several_users_are_told_by_function() -> None:
    export, entering = by_function(GIVEN)
    assert (export["about"], export["feature"], export["count"], export["users"]) == ("bug", "export", 4, 3)
    assert (export["mean_score"], export["problems"]) == (1.5, [{"word": "导出", "users": 3}])
    assert (entering["good"], entering["bad"], entering["mean_score"], entering["problems"]) == (1, 1, 3.5, [])


async def test_c6_of_many_functions_the_first_are_told(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    async def of_all(*_: Any) -> list[Any]:
        return [judged(f"u{n}", "bug", "", feature=f"f{n:03}") for n in range(201)]

    monkeypatch.setattr(retention, "feedback_of_all", of_all)
    app = create_app(QueryConfig(), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = (await client.get("/v1/feedback/summary")).json()
    assert (answer["count"], answer["truncated"]) == (201, True)
    assert [f["feature"] for f in answer["functions"]] == [f"f{n:03}" for n in range(200)]


async def test_c6_operators_read_feedback_over_all_users(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = SimpleNamespace(asked=None)

    async def of_all(db: Any, scope: Any, about: Any, since: Any, now: Any, limit: int) -> list[Any]:
        seen.asked = (about, now - since, limit)
        return GIVEN

    monkeypatch.setattr(retention, "feedback_of_all", of_all)
    app = create_app(QueryConfig(), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = (await client.get("/v1/feedback/summary", params={"days": 30, "about": "bug"})).json()
    assert seen.asked == ("bug", timedelta(days=30), 10_001)
    assert (answer["count"], answer["users"], answer["truncated"]) == (6, 5, False)
    assert [f["feature"] for f in answer["functions"]] == ["export", "readings"]
