"""An immigration client over three conversations (B), and preferences (D9), in Chinese and English."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.integration.scenario import World
from tests.integration.scenarios.days import NOW
from tests.patience import until

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def here(running: World) -> World:
    running.run_on("immigration")
    return running


def fields(here: World, who: str, **query: Any) -> dict[str, Any]:
    found = here.get(f"/v1/users/{who}/memories", limit=200, **query)["memories"]
    return {m["field"]: m["value"] for m in found if m["field"]}


CLIENT = {
    "zh": ("client_zh", "我今年32岁，浙大计算机硕士毕业的，现在在杭州做前端开发，工作8年了", "我对高才通很感兴趣",
           "我搬到上海了", "上海", "杭州", "32"),
    "en": ("client_en", "I am 32 years old and I live in Leeds. I work as a nurse.", "I want to apply for TTPS",
           "I live in York now", "York", "Leeds", "32"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_b5_b6_b9_n8_a_client_over_three_conversations(here: World, language: str) -> None:
    who, first, second, third, new, old, age = CLIENT[language]
    days = [NOW - timedelta(days=20), NOW - timedelta(days=10), NOW - timedelta(days=2)]
    here.say(who, first, at=days[0], session="one")
    here.call("POST", "/v1/sessions/one/close", {"user_id": who})
    body = here.until(f"/v1/users/{who}/profile", lambda b: bool(b["narrative_written_by"] and b["narrative_summary"]))
    assert age in body["narrative_summary"]
    here.say(who, second, at=days[1], session="two")
    request = {"query": "background and plans 背景和意向"}
    context = until(
        "facts and intents in the context", lambda: here.post(f"/v1/users/{who}/load-context", request),
        lambda found: {"FACT", "INTENT"} <= {m["type"] for m in found["memories"]}, logs=here.stack.logs,
    )  # fmt: skip
    assert context["total_memories"] >= 3
    assert all(m["importance"] in range(101) for m in context["memories"])
    assert context["user_profile_summary"]
    assert any(m["category"] == "TTPS" for m in context["memories"])
    here.say(who, third, at=days[2], session="three")
    here.post(f"/v1/users/{who}/summarize", {"session_id": "three"})
    now = here.get(f"/v1/users/{who}/profile")
    assert now["profile"]["basic"]["location"] == new
    then = here.get(f"/v1/users/{who}/profile", as_of=days[1].isoformat())
    assert then["profile"]["basic"]["location"] == old
    assert old in then["narrative_summary"]
    before = here.get(f"/v1/users/{who}/profile", as_of=(days[0] - timedelta(days=1)).isoformat())
    assert before["completeness"]["score"] == 0
    filled, missing = now["completeness"]["filled_fields"], now["completeness"]["missing_fields"]
    assert {"age", "location", "targetCategories"} <= set(filled)
    assert "nationality" in missing
    assert 0 < now["completeness"]["score"] < 100
    label = "国籍" if language == "zh" else "nationality"
    assert label in now["narrative_summary"], "what is missing is said"
    assert old not in now["narrative_summary"]
    assert fields(here, who, state="superseded")["currentLocation"] == old
    # The same by memories (N8): what was true on a day, and nothing that was said later.
    assert fields(here, who)["currentLocation"] == new
    known_then = fields(here, who, as_of=days[1].isoformat())
    assert (known_then["currentLocation"], "targetCategory" in known_then) == (old, True)
    assert fields(here, who, as_of=(days[1] - timedelta(days=1)).isoformat()).keys() >= {"age", "currentLocation"}
    assert "targetCategory" not in fields(here, who, as_of=(days[1] - timedelta(days=1)).isoformat())
    assert fields(here, who, as_of=(days[0] - timedelta(days=1)).isoformat()) == {}


@pytest.mark.parametrize(("who", "first", "second"), [("pref_zh", "zh", "en"), ("pref_en", "en", "zh")])
def test_d9_n8_preferences_by_scope_and_as_of(here: World, who: str, first: str, second: str) -> None:
    then = NOW - timedelta(days=5)
    for value, scope, at in ((first, "global", then), (second, "global", NOW), ("fr", "proj_9", NOW)):
        fields = {"kind": "preference", "field": "answer_tone", "text": f"answers in {value}", "value": value}
        here.post("/v1/memories", {"user_id": who, **fields, "scope": scope, "occurred_at": at.isoformat()})
    scoped = here.get(f"/v1/users/{who}/preferences", scope="proj_9")["preferences"]
    assert [(p["value"], p["effective"]) for p in scoped] == [("fr", True), (second, False)]
    before = here.get(f"/v1/users/{who}/preferences", as_of=(then + timedelta(days=1)).isoformat())["preferences"]
    assert [(p["value"], p["effective"]) for p in before] == [(first, True)]
