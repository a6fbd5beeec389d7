"""The seeds' systems as profiles of one running memstream: turns in on the log, stores and query out, in Chinese and
English. Time passes by accepted_at and ticks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest
import redis
from pymilvus import MilvusClient

from processors.rollup import MOST_UNITS, units
from schemas.owner import user
from schemas.stores import MilvusLayout, RedisLayout
from tests.integration.scenario import World, world

pytestmark = [pytest.mark.integration, pytest.mark.timeout(500)]
ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime.now(UTC)
TODAY = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
MONDAY = TODAY - timedelta(days=TODAY.weekday() + 21)
"""Of the week that began three weeks before this one."""


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world() as running:
        yield running


def fields(here: World, who: str, state: str = "active") -> dict[str, Any]:
    found = here.get(f"/v1/users/{who}/memories", state=state, limit=200)["memories"]
    return {m["field"]: m["value"] for m in found if m["field"]}


# -- a patient with readings and diagnoses (C) ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def clinic(here: World) -> World:
    here.run_on("health")
    return here


def sql(here: World, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(here.stack.addresses.postgres) as conn:
        return conn.execute(query).fetchall()  # type: ignore[call-overload,no-any-return]


PATIENT = {
    "zh": ("pat_zh", "我今年45岁，有高血压，正在吃降压药。", "我最近胸痛，帮我诊断一下",
           ["- 年龄：45", "- 性别：男", "- 过敏史：未知", "高血压", "降压药"]),
    "en": ("pat_en", "I am 45 years old. I have high blood pressure and I take amlodipine.",
           "I have had chest pain lately, please diagnose me",
           ["- age: 45", "- gender: male", "unknown", "hypertension", "amlodipine"]),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_c11_1_c2_c3_chest_pain_is_asked_about_with_the_health_profile(clinic: World, language: str) -> None:
    who, said, query, shown = PATIENT[language]
    gender = "男" if language == "zh" else "male"
    clinic.say(who, said)
    clinic.call("PUT", "/v1/store/items", {"namespace": ["health_profile", who], "key": "basic_info",
                                           "value": {"gender": gender, "weight": 70}})  # fmt: skip
    clinic.call("PATCH", f"/v1/users/{who}/tables/health_profiles/profile", {"weight": 71.5})
    row = clinic.get(f"/v1/users/{who}/tables/health_profiles/profile")["row"]
    assert (row["age"], row["gender"], row["weight"], row["allergies"]) == (45, gender, 71.5, None)
    assert row["source_turn_ids"], "what was said names its turn"
    item = clinic.post("/v1/store/items/get", {"namespace": ["health_profile", who], "key": "profile"})["item"]
    assert item["value"]["weight"] == 71.5, "both are views of one log (C3)"
    prompt = clinic.post("/v1/context", {"user_id": who, "query": query})["prompt"]
    for part in shown:
        assert part in prompt, prompt
    found = sql(clinic, f"SELECT age, gender, weight, allergies FROM views_g1.health_profiles WHERE user_id = '{who}'")  # noqa: S608
    assert found == [(45, gender, 71.5, None)], "a relational table with the seed's columns (C2)"


def test_c2_bad_columns_are_refused_with_their_name(clinic: World) -> None:
    bad = clinic.http.patch("/v1/users/pat_zh/tables/health_profiles/profile", json={"agee": 4})
    assert bad.status_code == 422
    assert bad.json()["errors"][0]["field"] == "agee"
    value = {"namespace": ["health_profile", "pat_zh"], "key": "profile", "value": {"age": "old"}}
    worse = clinic.http.put("/v1/store/items", json=value)
    assert (worse.status_code, worse.json()["errors"][0]["field"]) == (422, "value.age")
    assert clinic.http.get("/v1/users/pat_zh/tables/nowhere").status_code == 404


CASES = {
    "zh": (("胸痛 气短", "心绞痛", "痊愈"), ("胸口疼痛", "胃食管反流", "无效"), ("手臂皮疹", "湿疹", None),
           "胸口痛，喘不上气"),
    "en": (("chest pain, short of breath", "angina", "recovered"), ("chest pain after meals", "reflux", "worse"),
           ("rash on the arm", "eczema", None), "pain in the chest and short of breath"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_c6_c2_cases_like_this_one_those_that_went_well_first(clinic: World, language: str) -> None:
    who = f"cases_{language}"
    *cases, query = CASES[language]
    for n, (symptoms, diagnosis, _) in enumerate(cases):
        key = f"diagnosis_{n}"
        value = {"symptoms": [symptoms], "diagnosis": diagnosis, "department": "心内科", "suggestions": "ECG",
                 "timestamp": (NOW - timedelta(days=30 - n)).isoformat()}  # fmt: skip
        clinic.call("PUT", "/v1/store/items", {"namespace": ["diagnosis_history", who], "key": key, "value": value})
    for n, (_, _, outcome) in enumerate(cases):
        if outcome:
            told = {"user_id": who, "record_id": f"diagnosis_{n}", "outcome": outcome, "comment": "ok",
                    "rating": "helpful" if n == 0 else "not_helpful", "adopted": n == 0, "score": 5 - n}  # fmt: skip
            clinic.post("/v1/feedback", told)
    rows = clinic.get(f"/v1/users/{who}/tables/diagnosis_records")["rows"]
    assert [r["id"] for r in rows] == ["2", "1", "0"], "newest first"
    assert (rows[2]["feedback"], rows[2]["adopted"], rows[1]["feedback"]) == ("helpful", True, "not_helpful")
    similar = clinic.post(f"/v1/users/{who}/tables/diagnosis_records/similar", {"query": query})["cases"]
    assert similar[0]["id"] == "0"
    assert [c["went"] for c in similar] == sorted((c["went"] for c in similar), reverse=True)
    assert similar[-1]["went"] == -1
    item = clinic.post("/v1/store/items/get", {"namespace": ["diagnosis_history", who], "key": "diagnosis_0"})["item"]
    assert set(item["value"]) == {"symptoms", "diagnosis", "department", "timestamp"}
    kept = clinic.get(f"/v1/users/{who}/feedback")["feedback"]
    assert [f["rating"] for f in kept] == ["bad", "good"]
    assert all(f["expires_at"] for f in kept), "C8: two years"


def test_c5_c11_2_c11_3_habits_of_a_patient(clinic: World) -> None:
    who = "habits"
    for n in range(10, 0, -1):
        at = TODAY - timedelta(days=n) + timedelta(hours=8, minutes=n % 3)
        clinic.say(who, "记录血压 128/82", at=at, session=f"d{n}", metadata={"action": "measure_bp"})
    for n in range(5, 0, -1):
        visit = {"action": "book", "department": "心内科", "doctor": "张医生"}
        at = TODAY - timedelta(days=n) + timedelta(hours=15)
        clinic.say(who, "我想预约复诊", at=at, session=f"v{n}", metadata=visit)
    asked = (TODAY + timedelta(hours=8, minutes=30)).isoformat()
    found = clinic.get(f"/v1/users/{who}/patterns", at=asked)["patterns"]
    [habit] = [p for p in found if p["pattern"] == "time/measure_bp"]
    assert (habit["time"], habit["at"]["minutes_late"], habit["at"]["overdue"]) == ("08:00", 30, True)
    assert habit["support"] >= 5
    usual = {p["key"]: p["value"] for p in found if p["type"] == "usual"}
    assert (usual["department"], usual["doctor"]) == ("心内科", "张医生")
    clinic.tick(TODAY + timedelta(hours=8, minutes=45))
    told = clinic.until(
        f"/v1/users/{who}/patterns",
        lambda b: any(p["pattern"] == "time/measure_bp" and p["overdue"] for p in b["patterns"]),
    )
    [reminder] = [p for p in told["patterns"] if p["pattern"] == "time/measure_bp"]
    assert "08:00" in reminder["text"]
    assert "08:45" in reminder["text"]


def test_c11_4_c6_d4_a_doctors_three_preferences_are_learned_and_applied(clinic: World) -> None:
    style = {"examination_detail": "详细", "guideline_references": "最新", "alternative_diagnoses": "多个"}
    for n in range(3):
        told = {"user_id": "cases_zh", "record_id": "diagnosis_0", "rating": "good", "adopted": True, "by": "dr_zhang",
                "traits": style, "comment": f"第{n}次"}  # fmt: skip
        clinic.post("/v1/feedback", told)
        held = clinic.get("/v1/users/dr_zhang/preferences")["preferences"]
        assert bool(held) == (n > 0), "0.6 is observed, 0.8 is read (D4)"
    assert {p["key"]: (p["value"], p["source"]) for p in held} == {k: (v, "confirmed") for k, v in style.items()}
    prompt = clinic.post("/v1/context", {"user_id": "dr_zhang", "query": "头晕怎么诊断？"})["prompt"]
    for name, value in style.items():
        assert f"- {name}: {value}" in prompt
    assert clinic.get("/v1/users/cases_zh/preferences")["preferences"] == [], "the doctor is who is learned of"


@pytest.mark.parametrize("about", ["function", "performance", "suggestion", "bug"])
def test_c6_ratings_suggestions_and_bug_reports_are_kept(clinic: World, about: str) -> None:
    told = {"user_id": "critic", "about": about, "feature": "血压记录", "score": 2, "comment": "导出太慢"}
    clinic.post("/v1/feedback", told)
    [kept] = clinic.get("/v1/users/critic/feedback", about=about)["feedback"]
    assert (kept["feature"], kept["score"], kept["comment"]) == ("血压记录", 2, "导出太慢")


def test_c8_what_a_class_ends_stays_ended_and_is_reported(clinic: World) -> None:
    who = "aging"
    clinic.call("PUT", "/v1/store/items", {"namespace": ["diagnosis_history", who], "key": "diagnosis_1",
                                           "value": {"diagnosis": "flu"}})  # fmt: skip
    clinic.call("PUT", "/v1/store/items", {"namespace": ["memories", who], "key": "kept", "value": {"a": 1}})
    clinic.post("/v1/feedback", {"user_id": who, "about": "bug", "comment": "slow"})
    assert clinic.get(f"/v1/users/{who}/feedback")["feedback"]
    spec = {c["class"]: c for c in clinic.get("/v1/retention")["classes"]}
    assert (spec["feedback"]["days"], spec["diagnosis_history"]["days"]) == (730, 1826)
    later = NOW + timedelta(days=731)
    path = f"/v1/users/{who}/feedback"
    for _ in range(120):  # the ticks of a batch open a month of days together
        clinic.tick(later)
        if clinic.get(path)["feedback"] == []:
            break
        time.sleep(0.3)
    assert clinic.get(path)["feedback"] == []
    assert clinic.get(f"/v1/users/{who}/tables/diagnosis_records")["rows"], "five years are not over"
    item = clinic.post("/v1/store/items/get", {"namespace": ["memories", who], "key": "kept"})["item"]
    assert item is not None, "kept until the account goes"
    clinic.until(  # told by the decisions, which the sink writes after the memories
        "/v1/retention", lambda b: any(e["kind"] == "feedback" and e["rule"] == "expired" for e in b["ended"])
    )
    clinic.tick(later)  # run twice
    assert clinic.get(path)["feedback"] == []


# -- an immigration client over three conversations (B) -------------------------------------------------------------


CLIENT = {
    "zh": ("client_zh", "我今年32岁，浙大计算机硕士毕业的，现在在杭州做前端开发，工作8年了", "我对高才通很感兴趣",
           "我搬到上海了", "上海", "杭州", "32"),
    "en": ("client_en", "I am 32 years old and I live in Leeds. I work as a nurse.", "I want to apply for TTPS",
           "I live in York now", "York", "Leeds", "32"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_b5_b6_b9_n8_a_client_over_three_conversations(here: World, language: str) -> None:
    who, first, second, third, new, old, age = CLIENT[language]
    if here.get("/v1/tenant/profile")["name"] != "immigration":
        here.run_on("immigration")
    days = [NOW - timedelta(days=20), NOW - timedelta(days=10), NOW - timedelta(days=2)]
    here.say(who, first, at=days[0], session="one")
    here.call("POST", "/v1/sessions/one/close", {"user_id": who})
    told = here.until(f"/v1/users/{who}/profile", lambda b: bool(b["narrative_written_by"] and b["narrative_summary"]))
    assert age in told["narrative_summary"]
    here.say(who, second, at=days[1], session="two")
    context = here.post(f"/v1/users/{who}/load-context", {"query": "background and plans 背景和意向"})
    assert context["total_memories"] >= 3
    types = {m["type"] for m in context["memories"]}
    assert {"FACT", "INTENT"} <= types
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
    assert fields(here, who, "superseded")["currentLocation"] == old


@pytest.mark.parametrize(("who", "first", "second"), [("pref_zh", "zh", "en"), ("pref_en", "en", "zh")])
def test_d9_n8_preferences_by_scope_and_as_of(here: World, who: str, first: str, second: str) -> None:
    then = NOW - timedelta(days=5)
    for value, scope, at in ((first, "global", then), (second, "global", NOW), ("fr", "proj_9", NOW)):
        said = {"kind": "preference", "field": "answer_tone", "text": f"answers in {value}", "value": value}
        here.post("/v1/memories", {"user_id": who, **said, "scope": scope, "occurred_at": at.isoformat()})
    scoped = here.get(f"/v1/users/{who}/preferences", scope="proj_9")["preferences"]
    assert [(p["value"], p["effective"]) for p in scoped] == [("fr", True), (second, False)]
    before = here.get(f"/v1/users/{who}/preferences", as_of=(then + timedelta(days=1)).isoformat())["preferences"]
    assert [(p["value"], p["effective"]) for p in before] == [(first, True)]


# -- a clinical project over three weeks with two users (A) ---------------------------------------------------------


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
    if here.get("/v1/tenant/profile")["name"] != "clinical_trial":
        here.run_on("clinical_trial")
    for key, value in (("enrollment_target", 120), ("project_name", name)):
        here.call("PUT", f"/v1/projects/{name}/hot-memory/meta/{key}", {"value": value, "priority": 9})
    week = [MONDAY + timedelta(weeks=n, hours=10) for n in range(3)]
    told = (("dr_li", one, week[0]), ("dr_li", problem, week[0] + timedelta(hours=1)),
            ("nurse", solved, week[0] + timedelta(days=1)), ("dr_li", decision, week[1]),
            ("nurse", later, week[2]))  # fmt: skip
    for who, text, at in told:
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
    status = here.until(
        f"/v1/projects/{name}/hot-memory", lambda b: any(e["key"] == "progress" for e in b["status"])
    )["status"]  # fmt: skip
    assert {e["key"]: e["value"] for e in status}["progress"] == 50


def test_a1_a2_a_turn_whose_days_are_over_is_gone_everywhere_and_its_citation_says_so(here: World) -> None:
    if here.get("/v1/tenant/profile")["name"] != "clinical_trial":
        here.run_on("clinical_trial")
    who, at = "past_user", NOW - timedelta(days=31)
    gone = here.say(who, "我叫李雷，我是研究护士。", at=at, session="old", project_id="study_past")
    here.say(who, "我们决定把访视窗改为7天。", at=at, session="old", project_id="study_past")
    kept = here.say(who, "我们决定每周开会。", session="new", project_id="study_past")
    memories = here.get(f"/v1/users/{who}/memories", limit=50)["memories"]
    assert here.http.get(f"/v1/turns/{gone}", params={"user_id": who}).status_code == 404
    body = {"query": "访视窗", "project_id": "study_past", "kinds": ["turn"]}
    assert [t["id"] for t in here.post("/v1/search", body)["results"]] == [kept]
    [old] = [m for m in memories if "7天" in m["text"]]
    [cited] = here.get(f"/v1/memories/{old['id']}")["source_turns"]
    assert (cited["content"], cited["expired"]) == ("expired", True)
    assert cited["turn_id"]
    assert cited["content_hash"]
    here.tick(datetime.now(UTC))
    for _ in range(100):
        time.sleep(0.1)
        held = sql(here, f"SELECT turn_id FROM views_g1.turns WHERE user_id = '{who}'")  # noqa: S608 - a constant
        if held == [(kept,)]:
            break
    assert held == [(kept,)], "Postgres"
    assert sql(here, f"SELECT session_id FROM views_g1.sessions WHERE user_id = '{who}'") == [("new",)]  # noqa: S608
    client = MilvusClient(here.stack.addresses.milvus)
    only = {"filter": f'user_id == "{who}"', "output_fields": ["id"], "consistency_level": "Strong"}
    for n in range(60):  # the sink sweeps Milvus once a minute of ticks
        here.tick(datetime.now(UTC) + timedelta(minutes=2 * n))
        rows = client.query(MilvusLayout().turns, **only)
        if len(rows) == 1:
            break
        time.sleep(0.5)
    assert [r["id"] for r in rows] == [kept], "Milvus"
    client.close()
    with redis.Redis.from_url(here.stack.addresses.redis) as store:
        keys = store.keys(f"*{who}*old*")
        guards = [k for k in keys if b":wm:revision:" in k]
        # The guard against older revisions is a number; it ends by itself.
        assert all(0 < store.ttl(k) <= 30 * 86_400 for k in guards)
    assert [k for k in keys if k not in guards] == [], "Redis"


def test_a5_hot_memory_is_never_stale_after_a_change(here: World) -> None:
    path = "/v1/projects/study_zh/hot-memory"
    for value in range(5):
        here.call("PUT", f"{path}/status/enrolled_count", {"value": value, "priority": 8})
        status = here.get(path)["status"]
        assert {e["key"]: e["value"] for e in status}["enrolled_count"] == value


# -- an engineering team (D) ----------------------------------------------------------------------------------------


def test_d6_d8_d17_a_team_with_decisions_and_documents(here: World) -> None:
    here.run_on("engineering")
    who, name = "阿泽", "proj_123_cangqiong"
    at = NOW - timedelta(days=3)
    here.say(who, "我们决定采用 Redis 替代现有的本地缓存方案。", at=at, session="meeting", project_id=name)
    here.say(who, "目前的本地缓存存在锁竞争问题。", at=at + timedelta(minutes=1), session="meeting", project_id=name)
    said = "Redis 在高并发场景下相比本地缓存，具有更好的吞吐。"
    text = f"# 缓存\n\n## 3 选型\n\n### 3.4 Redis\n\n{said}\n\n```\n# no heading\n```\n"
    document = {"document_id": "tech_doc", "version": "1.2", "title": "缓存", "markdown": text}
    here.post("/v1/documents", document)
    here.post("/v1/sessions", {"user_id": who, "session_id": "now"})
    anchors = {"language_preference": "respond_in_chinese"}
    here.call("PUT", "/v1/sessions/now/anchors", {"user_id": who, "anchors": anchors})
    here.post("/v1/memories", {"user_id": who, "kind": "preference", "field": "communication_tone",
                               "text": "concise and professional", "value": "concise and professional"})  # fmt: skip
    here.say(who, "上次我们聊到哪了？", session="now", project_id=name)
    here.say(who, "我们正在讨论“苍穹”项目的性能瓶颈。", session="now", role="assistant", project_id=name)
    query = "我们上次关于苍穹项目的决策是什么？"
    answer = here.post("/v1/context", {"user_id": who, "session_id": "now", "project_id": name, "query": query})
    prompt = answer["prompt"]
    heads = ["# System Instructions", "# User Profile", "# Anchors", "# Conversation History", "# Retrieved Memories",
             "# Current User Request"]  # fmt: skip
    places = [prompt.index(h) for h in heads]
    assert places == sorted(places), prompt
    assert "- communication_tone: concise and professional" in prompt
    assert "- language_preference: respond_in_chinese" in prompt
    assert "AI: 我们正在讨论" in prompt
    assert "[Source: Episodic, doc_id: " in prompt
    assert "Redis 替代现有的本地缓存" in prompt
    assert prompt.endswith(f"User: {query}")
    # A new version archives the old one in one step; unchanged parts are found under the new one (D8).
    here.post("/v1/documents", {**document, "version": "1.3", "markdown": text + "\n## 4 容量\n\n每个会话二十条。\n"})
    found = here.post("/v1/search", {"query": "每个会话多少条", "kinds": ["chunk"], "limit": 5})["results"]
    assert "二十条" in found[0]["text"]
    assert {r["details"]["key"].split("/")[0] for r in found} == {"1.3"}


def test_d7_a_memory_that_the_model_was_given_is_renewed(here: World) -> None:
    here.say("renew", "We decided to ship the beta on Friday.", at=NOW - timedelta(days=4), session="a")
    [before] = [m for m in here.get("/v1/users/renew/memories", limit=50)["memories"] if "beta" in m["text"]]
    turn = {"user_id": "renew", "session_id": "b", "role": "assistant", "content": "As decided: Friday.",
            "occurred_at": NOW.isoformat(), "recalled": [{"id": before["id"], "text": before["text"]}]}  # fmt: skip
    here.post("/v1/turns", {"turns": [turn]})
    [after] = [m for m in here.get("/v1/users/renew/memories", limit=50)["memories"] if m["id"] == before["id"]]
    assert after["last_accessed_at"] > before["last_accessed_at"]


# -- sessions (E) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "texts"), [
    ("sess_zh", ("我最近感觉头晕，应该怎么办？", "请问您有高血压吗？")),
    ("sess_en", ("I feel dizzy.", "Is it high blood pressure?")),
])  # fmt: skip
def test_e1_e2_e3_e4_e5_e6_a_session_from_beginning_to_reset(here: World, who: str, texts: tuple[str, str]) -> None:
    here.post("/v1/sessions", {"user_id": who, "session_id": who})
    here.say(who, texts[0], session=who, speaker="Ann")
    here.say(who, texts[1], session=who, role="assistant")
    here.call("PATCH", f"/v1/sessions/{who}", {"user_id": who, "current_agent_key": "triage",
              "global_state": {"current_intent": "triage"}, "user_snapshot": {"name": "Ann"}})  # fmt: skip
    value = here.get(f"/v1/sessions/{who}", user_id=who)
    assert value["meta"]["conversation_id"] == who
    assert value["flow_context"] == {"current_agent_key": "triage", "last_bot_message": texts[1], "turn_count": 1}
    assert value["message_context"]["mode"] == "FULL_HISTORY"
    assert value["message_context"]["window_messages"][0] == {"role": "user", "content": texts[0], "speaker": "Ann"}
    assert value["global_state"]["current_intent"] == "triage"
    asked = {"user_id": who, "query": "?", "model_context_window": 100, "token_threshold_ratio": 0.1}
    context = here.post(f"/v1/sessions/{who}/memory-context", asked)
    assert context["should_checkpoint_summary"]
    assert context["history"].startswith(f"Ann: {texts[0]}")
    here.post(f"/v1/sessions/{who}/checkpoint", {"user_id": who, "summary": "dizzy 头晕", "recent_turns": 1})
    [past] = here.get(f"/v1/sessions/{who}/checkpoints", user_id=who)["checkpoints"]
    assert (past["query"], past["answer"]) == ("[MEMORY_CHECKPOINT]", "历史摘要: dizzy 头晕")
    value = here.get(f"/v1/sessions/{who}", user_id=who)
    assert value["message_context"]["mode"] == "SUMMARY_N"
    assert value["message_context"]["checkpoint_message_id"] == past["message_id"]
    owner = user("default", who)
    with redis.Redis.from_url(here.stack.addresses.redis) as store:
        store.delete(RedisLayout().session(owner, who), RedisLayout().revision(owner, who))
    lost = here.get(f"/v1/sessions/{who}", user_id=who)
    assert lost["message_context"] == value["message_context"], "served from Postgres (E6)"
    assert lost["global_state"]["current_intent"] == "triage"
    here.call("DELETE", f"/v1/sessions/{who}?user_id={who}")
    fresh = here.get(f"/v1/sessions/{who}", user_id=who)
    assert fresh["message_context"]["window_messages"] == []
    assert fresh["flow_context"]["turn_count"] == 0


def test_e8_two_writers_to_one_session_lose_nothing(here: World) -> None:
    def turn(n: int) -> dict[str, Any]:
        return {"user_id": "pair", "session_id": "pair", "role": "user", "content": f"message {n}",
                "occurred_at": NOW.isoformat()}  # fmt: skip

    def ten(k: int) -> None:
        for n in range(10):
            here.http.post("/v1/turns", json={"turns": [turn(10 * k + n)]})

    threads = [threading.Thread(target=ten, args=(k,)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    here.post("/v1/turns", {"turns": [turn(99)]})
    value = here.get("/v1/sessions/pair", user_id="pair")
    assert value["flow_context"]["turn_count"] == 21


def test_e7_session_figures_are_metrics(here: World) -> None:
    told = here.http.get("/metrics").text
    assert "memstream_session_token_ratio" in told or "token_ratio" in told
