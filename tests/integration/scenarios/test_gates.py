"""The gates through everything that `memstream up` starts, on the immigration profile: what becomes memory, and why.

One user a test; the memory-manager seed's scenarios with the values of DETAILS B8, and an English twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from schemas.profile.model import load_profile
from tests.integration.scenario import World
from tests.integration.scenarios.test_end_to_end import Service
from tests.patience import until

pytestmark = pytest.mark.integration
NOW = datetime.now(UTC).replace(microsecond=0)
FIRST = "我今年32岁，浙大计算机硕士毕业的现在在杭州做前端开发工作8年了年薪大概80万"
SECOND = "我对高才通B类非常感兴趣，希望尽快办理，时间越短越好"
FIRST_EN = "I'm 32 and I live in Leeds. I have 8 years of experience. I earn about 80k a year."
SECOND_EN = "I want to apply for the Top Talent Pass."
VALUES = {
    "age": 32, "education": "硕士", "university": "浙江大学", "major": "计算机", "currentJobTitle": "前端开发",
    "totalYearsOfExperience": 8, "annualIncome": 800_000, "currentLocation": "杭州",
}  # fmt: skip


@pytest.fixture(scope="module")
def service(running: World) -> Iterator[Service]:
    running.run_on("immigration")
    with closing(Service(str(running.http.base_url), running.stack)) as caller:
        yield caller


def say(service: Service, user: str, n: int, content: str, role: str = "user", **more: Any) -> str:
    turn_id = f"{user}-{n}"
    at = (NOW - timedelta(hours=2) + timedelta(minutes=n)).isoformat()
    service.say(user, content, turn_id, role=role, occurred_at=at, **more)
    return turn_id


def outcome(service: Service, user: str, turn_id: str) -> dict[str, Any]:
    return service.get(f"/v1/turns/{turn_id}/outcome?user_id={user}")


def memories(service: Service, user: str, **query: str) -> list[dict[str, Any]]:
    request = "&".join(f"{k}={v}" for k, v in {"limit": "200", **query}.items())
    found: list[dict[str, Any]] = service.get(f"/v1/users/{user}/memories?{request}")["memories"]
    return found


def of_field(service: Service, user: str, field: str, **query: str) -> dict[str, Any]:
    [found] = [m for m in memories(service, user, **query) if field in (m["field"], *(m["fields"] or []))]
    return found


def until_known(service: Service, user: str, turn_id: str) -> dict[str, Any]:
    """A turn that waited for its reply: its outcome is there once the reply has gone through."""
    message = f"decisions about {turn_id}"
    return until(message, lambda: outcome(service, user, turn_id), lambda found: found["decisions"])


def test_b8_b1_b2_b3_b9_the_first_scenario(service: Service) -> None:
    turn = say(service, "chen", 1, FIRST)
    say(service, "chen", 2, "感谢您分享这些信息！您的背景很不错...", "assistant")
    result = outcome(service, "chen", turn)
    assert result["extracted_info"] == VALUES
    assert result["saved_count"] == 5
    assert {(m["memoryType"], m["field"]) for m in result["saved_memories"]} == {
        ("FACT", "age"), ("FACT", "education+university+major"), ("FACT", "currentJobTitle+totalYearsOfExperience"),
        ("FACT", "annualIncome"), ("FACT", "currentLocation"),
    }  # fmt: skip
    assert result["skipped_fields"] == []
    income = of_field(service, "chen", "annualIncome")
    assert (income["approximate"], income["importance"], income["source_turn_ids"]) == (True, 0.7, [turn])
    again = outcome(service, "chen", say(service, "chen", 3, "我今年32岁"))
    assert (again["saved_count"], again["skipped_fields"]) == (0, ["age"])
    vague = outcome(service, "chen-2", say(service, "chen-2", 1, "我大概三十多岁"))
    assert vague["extracted_info"] == {"age": "30+"}


def test_b3_a_message_is_read_in_one_call_and_what_the_caller_holds_is_skipped(service: Service) -> None:
    at = (NOW - timedelta(hours=1)).isoformat()
    fields = {
        "userMessage": FIRST, "assistantMessage": "感谢您分享这些信息！您的背景很不错...", "session_id": "one-call",
        "existingInfo": {"age": 32, "major": "法律"}, "interaction_id": "one-call-1", "occurred_at": at,
    }  # fmt: skip
    body = service.post("/v1/users/one/save-info", fields)
    assert (body["action"], body["pending"]) == ("save_info", False)
    assert body["extracted_info"] == {k: v for k, v in VALUES.items() if k != "age"}
    assert (body["saved_count"], body["skipped_fields"]) == (4, ["age"])
    assert "age" not in {m["field"] for m in memories(service, "one")}
    again = service.post("/v1/users/one/save-info", {**fields, "interaction_id": "one-call-2", "existingInfo": {}})
    assert again["extracted_info"] == {"age": 32}
    assert set(again["skipped_fields"]) == VALUES.keys() - {"age"}


def test_b8_b5_the_second_scenario(service: Service) -> None:
    say(service, "dai", 1, FIRST)
    say(service, "dai", 2, SECOND)
    loaded = service.post("/v1/users/dai/load-context", {"query": "用户的基本背景和移民意向"})
    by_type = {(m["type"], m["importance"], m["category"]) for m in loaded["memories"]}
    assert by_type == {("FACT", 70, None), ("INTENT", 80, "TTPS"), ("PREFERENCE", 60, None)}
    results = [m["content"] for m in loaded["memories"] if "杭州" not in m["content"]]
    assert len(results) == 6, "the seed's six; the place is the seventh, which its first scenario has"
    assert loaded["total_memories"] == 7


def test_b8_b6_the_third_scenario(service: Service) -> None:
    say(service, "eva", 1, FIRST)
    say(service, "eva", 2, SECOND)
    answer = service.get("/v1/users/eva/profile")
    profile = answer["profile"]
    assert (profile["basic"]["age"], profile["basic"]["location"]) == (32, "杭州")
    assert (profile["career"]["jobTitle"], profile["career"]["yearsOfExperience"]) == ("前端开发", 8)
    assert profile["immigration"]["targetCategories"] == ["TTPS"]
    assert (profile["career"]["annualIncome"], answer["approximate"]) == (800_000, ["annualIncome"]), "about (B2)"
    prompt = service.post("/v1/context", {"user_id": "eva", "query": "你好"})["prompt"]
    assert "- annualIncome: 年薪约80万" in prompt
    completeness = answer["completeness"]
    filled = {"age", "education", "university", "major", "location", "jobTitle", "yearsOfExperience", "annualIncome",
              "targetCategories", "timeline"}  # fmt: skip
    assert set(completeness["filled_fields"]) == filled
    missing = {"nationality", "maritalStatus", "hasChildren", "languageSkills", "hasHongKongEmployer",
               "hasTechBackground", "investmentAmount", "currentIndustry"}  # fmt: skip
    assert set(completeness["missing_fields"]) == missing, "the seed's, and the industry, which was never said (B2)"
    weighed = [f for f in load_profile("immigration").fields if f.path is not None and f.weight]
    assert len(weighed) == len(filled) + len(missing)
    assert completeness["score"] == round(100 * len(filled) / len(weighed)) == 56, "B6's formula"


def test_b8_the_scenarios_in_english(service: Service) -> None:
    result = outcome(service, "fay", say(service, "fay", 1, FIRST_EN))
    assert result["extracted_info"] == {
        "age": 32, "currentLocation": "Leeds", "totalYearsOfExperience": 8, "annualIncome": 80_000,
    }  # fmt: skip
    assert of_field(service, "fay", "annualIncome")["approximate"] is True
    wants = outcome(service, "fay", say(service, "fay", 2, SECOND_EN))
    assert [(m["memoryType"], m["category"]) for m in wants["saved_memories"]] == [("INTENT", "TTPS")]


@pytest.mark.parametrize(("old", "new"), [("我住在杭州", "我现在住在上海"), ("I live in Leeds", "I live in York now")])
def test_b4_n5_a_new_value_replaces_the_old_one_which_stays_in_history(service: Service, old: str, new: str) -> None:
    user = f"gu-{len(old)}"
    first, second = say(service, user, 1, old), say(service, user, 2, new)
    now = of_field(service, user, "currentLocation")
    assert (now["reason"]["outcome"], now["reason"]["rule"]) == ("superseding", "field_changed")
    whole = service.get(f"/v1/memories/{now['id']}")
    assert [v["state"] for v in whole["history"]] == ["active", "superseded"]
    assert {t["turn_id"] for t in whole["source_turns"]} == {first, second}
    assert {d["reason"]["outcome"] for d in whole["decisions"]} == {"kept", "superseding"}


def test_d1_what_was_recalled_is_never_learned_and_a_yes_confirms(service: Service) -> None:
    context = "The user is 55 and lives in Rome. 用户55岁"
    say(service, "hal", 1, "What do you know about me?", recalled=[{"id": "m1", "text": context}])
    say(service, "hal", 2, "You told me a lot.", "assistant", llm_context=context)
    assert [m for m in memories(service, "hal") if m["field"] in ("age", "currentLocation")] == []
    request = say(service, "hal", 3, "So I live in Leeds now, right?")
    say(service, "hal", 4, "Yes, since May.", "assistant")
    assert until_known(service, "hal", request)["extracted_info"] == {"currentLocation": "Leeds"}
    request = say(service, "hal", 5, "我今年32岁，对吧？")
    say(service, "hal", 6, "是的，没错。", "assistant")
    assert until_known(service, "hal", request)["extracted_info"] == {"age": 32}


def test_d2_b1_an_interaction_is_one_extraction_of_atoms(service: Service) -> None:
    body = {
        "user_id": "ivy", "session_id": "s", "interaction_id": "int-1", "timestamp": NOW.isoformat(),
        "user_query": "我们决定用 Redis 做缓存。我喜欢喝绿茶。", "ai_response": "好的，用户32岁。",
    }  # fmt: skip
    service.post("/v1/interactions", body)
    kinds = {(m["kind"], m["episode_type"]) for m in memories(service, "ivy")}
    assert kinds == {("episode", "decision"), ("preference", None)}


@pytest.mark.parametrize("text", ["We decided to move the trial to Oslo in spring.", "我们决定春天把试验搬到奥斯陆。"])
def test_d3_what_is_said_again_is_one_memory_with_both_turns(service: Service, text: str) -> None:
    user = f"jo-{len(text)}"
    first = say(service, user, 1, text)
    [before] = memories(service, user, kind="episode")
    second = say(service, user, 2, text.lower())
    [after] = memories(service, user, kind="episode")
    assert (after["id"], after["source_turn_ids"]) == (before["id"], [first, second])
    assert after["importance"] == pytest.approx(before["importance"] + 0.05)


@pytest.mark.parametrize(
    ("text", "correction"), [("I live in Leeds.", "I left Leeds long ago."), ("我住在杭州。", "我早就不在杭州了。")]
)
def test_d4_d16_d7_feedback_that_names_only_a_context_reaches_what_it_gave(
    service: Service, text: str, correction: str
) -> None:
    user = f"kim-{len(text)}"
    say(service, user, 1, f"{text} I am 41." if text.isascii() else f"{text}我41岁。")
    before = of_field(service, user, "currentLocation")
    age = of_field(service, user, "age")
    request = {"query": "Where do I live? 我住在哪里？", "user_id": user}
    context = service.post("/v1/context", request)
    assert before["id"] in {c["id"] for s in context["sections"] for c in s["citations"]}
    service.post("/v1/feedback", {"user_id": user, "context_id": context["context_id"], "rating": "good"})
    rated = of_field(service, user, "currentLocation")
    assert rated["importance"] > before["importance"]
    say(service, user, 2, "OK.", "assistant", context_id=context["context_id"], interaction_id=f"{user}-int")
    renewed = of_field(service, user, "age")
    assert renewed["last_accessed_at"] > age["last_accessed_at"]
    service.post("/v1/feedback", {"user_id": user, "interaction_id": f"{user}-int", "correction": correction})
    doubted = of_field(service, user, "currentLocation", state="observed")
    assert (doubted["confidence"], doubted["reason"]["rule"]) == (0.6, "corrected")
    assert of_field(service, user, "age")["confidence"] == 1.0
    again = service.post("/v1/context", request)
    assert doubted["id"] not in {c["id"] for s in again["sections"] for c in s["citations"]}, "observed is not read"


def test_d16_feedback_on_an_interaction_may_come_with_it(service: Service) -> None:
    say(service, "lou", 1, "I live in Leeds.")
    known = of_field(service, "lou", "currentLocation")
    service.post("/v1/search", {"query": "home", "user_id": "lou", "interaction_id": "lou-int"})
    body = {
        "user_id": "lou", "session_id": "s", "interaction_id": "lou-int", "timestamp": NOW.isoformat(),
        "user_query": "Where is my home?", "ai_response": "In Leeds.", "user_feedback": {"rating": "good"},
    }  # fmt: skip
    service.post("/v1/interactions", body)
    assert of_field(service, "lou", "currentLocation")["importance"] > known["importance"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("My key is sk-proj-abcdefghijklmnopqrstuvwxyz123456ABCDEFGHIJ and I am 41.", "sk-proj"),
        ("我的密码是Hunter2-Hunter2!，我41岁。", "Hunter2"),
    ],
)
def test_d5_a_turn_with_a_credential_teaches_nothing(service: Service, text: str, secret: str) -> None:
    user = f"max-{len(text)}"
    turn = say(service, user, 1, text)
    result = outcome(service, user, turn)
    assert result["saved_count"] == 0
    assert [d["reason"]["rule"] for d in result["decisions"]] == ["credential"]
    assert secret not in str(service.get(f"/v1/turns/{turn}?user_id={user}"))


@pytest.mark.parametrize(("text", "again"), [("I am 41.", "I am 42."), ("我41岁。", "我42岁。")])
def test_n4_a_forgotten_value_is_not_learned_from_old_text(service: Service, text: str, again: str) -> None:
    user = f"ned-{len(text)}"
    say(service, user, 5, text)
    age = of_field(service, user, "age")
    service.delete(f"/v1/memories/{age['id']}?user_id={user}")
    old = say(service, user, 1, text)
    assert outcome(service, user, old)["decisions"][0]["reason"]["gate"] == "feedback"
    assert memories(service, user) == []
    service.say(user, again, f"{user}-new", occurred_at=datetime.now(UTC).isoformat())
    assert of_field(service, user, "age")["value"] == 42


@pytest.mark.parametrize(
    ("text", "again"),
    [("Ana is allergic to peanuts", "ana is allergic to Peanuts."), ("喜欢喝茶", "喜欢喝茶。")],
)
def test_d3_what_is_remembered_twice_stands_once_and_either_id_leads_to_it(
    service: Service, text: str, again: str
) -> None:
    user = f"pia-{len(text)}"
    body = {"user_id": user, "kind": "fact", "text": text}
    first, second = (service.post("/v1/memories", {**body, "text": t})["memory_id"] for t in (text, again))
    [kept] = memories(service, user)
    assert (kept["id"], kept["text"], kept["source"], kept["also"]) == (first, text, "explicit", [second])
    assert kept["importance"] == pytest.approx(0.75)
    answer_body = service.get(f"/v1/memories/{second}")
    assert answer_body["id"] == first
    assert [d["reason"]["outcome"] for d in answer_body["decisions"]] == ["merged", "kept"]
    service.delete(f"/v1/memories/{second}?user_id={user}")
    assert memories(service, user) == []
    for removed in (first, second):
        assert service.http.get(f"/v1/memories/{removed}").status_code == 404


def test_a_remembered_value_of_many_has_the_id_that_was_answered(service: Service) -> None:
    for value in ("chess", "tennis"):
        body = {"user_id": "oda", "kind": "fact", "text": f"Enjoys {value}", "field": "hobby", "value": value}
        memory_id = service.post("/v1/memories", body)["memory_id"]
        assert service.get(f"/v1/memories/{memory_id}")["value"] == value
    assert len(memories(service, "oda")) == 2


def test_d8_a_command_about_a_memory_that_never_was_is_404_and_a_deletion_that_is_repeated_is_not(
    service: Service,
) -> None:
    say(service, "uma", 1, "I am 41.")
    age = of_field(service, "uma", "age")
    unknown, change = "/v1/memories/none-such", {"user_id": "uma", "text": "I am 42."}
    request = (
        lambda: service.http.delete(f"{unknown}?user_id=uma"), lambda: service.http.patch(unknown, json=change),
        lambda: service.http.delete(f"/v1/memories/{age['id']}?user_id=somebody-else"),
    )  # fmt: skip
    for call in request:
        # Accepted as long as a write may be on its way.
        answer = until("404 of an id that never was", call, lambda found: found.status_code != 202)
        assert answer.status_code == 404, answer.text
    service.delete(f"/v1/memories/{age['id']}?user_id=uma")
    assert memories(service, "uma") == []
    again = service.http.delete(f"/v1/memories/{age['id']}?user_id=uma")
    assert (again.status_code, again.json()["found"]) == (202, False)
