"""A patient with readings and diagnoses, and a doctor (C): the health profile, in Chinese and English."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.integration.scenario import World
from tests.integration.scenarios.days import NOW, TODAY

pytestmark = pytest.mark.integration
LANGUAGES = pytest.mark.parametrize("language", ["zh", "en"])


@pytest.fixture(scope="module")
def clinic(running: World) -> World:
    running.run_on("health")
    running.relation_of("diagnosis_records", {"diagnosis": "flu"})
    return running


PATIENT = {
    "zh": ("pat_zh", "我今年45岁，有高血压，正在吃降压药。", "我最近胸痛，帮我诊断一下",
           ["- 年龄：45", "- 性别：男", "- 过敏史：未知", "高血压", "降压药"]),
    "en": ("pat_en", "I am 45 years old. I have high blood pressure and I take amlodipine.",
           "I have had chest pain lately, please diagnose me",
           ["- age: 45", "- gender: male", "unknown", "hypertension", "amlodipine"]),
}  # fmt: skip


@LANGUAGES
def test_c11_1_c2_c3_chest_pain_is_asked_about_with_the_health_profile(clinic: World, language: str) -> None:
    who, statement, query, shown = PATIENT[language]
    gender = "男" if language == "zh" else "male"
    clinic.say(who, statement)
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
    found = clinic.sql("SELECT age, gender, weight, allergies FROM views_g1.health_profiles WHERE user_id = %s", who)
    assert found == [(45, gender, 71.5, None)], "a relational table with the seed's columns (C2)"


@pytest.mark.parametrize(("who", "text", "query", "shown"), [
    ("allergic_zh", "我今年45岁，男，有高血压，在吃降压药，对青霉素过敏", "我最近胸痛，帮我诊断一下",
     "- 过敏史：青霉素"),
    ("allergic_en", "I am allergic to peanuts and penicillin.", "I have chest pain, please diagnose me",
     "- allergic to: peanuts, penicillin"),
])  # fmt: skip
def test_c2_c11_an_allergy_to_a_drug_is_an_allergy(
    clinic: World, who: str, text: str, query: str, shown: str
) -> None:
    """Who asks for a diagnosis is never told "unknown" of it, however it was said."""
    clinic.say(who, text)
    prompt = clinic.post("/v1/context", {"user_id": who, "query": query})["prompt"]
    assert shown in prompt, prompt


def test_c2_bad_columns_are_refused_with_their_name(clinic: World) -> None:
    bad = clinic.http.patch("/v1/users/pat_bad/tables/health_profiles/profile", json={"agee": 4})
    assert bad.status_code == 422
    assert bad.json()["errors"][0]["field"] == "agee"
    value = {"namespace": ["health_profile", "pat_bad"], "key": "profile", "value": {"age": "old"}}
    worse = clinic.http.put("/v1/store/items", json=value)
    assert (worse.status_code, worse.json()["errors"][0]["field"]) == (422, "value.age")
    assert clinic.http.get("/v1/users/pat_bad/tables/nowhere").status_code == 404


CASES = {
    "zh": (("胸痛 气短", "心绞痛", "痊愈"), ("胸口疼痛", "胃食管反流", "无效"), ("手臂皮疹", "湿疹", None),
           "胸口痛，喘不上气"),
    "en": (("chest pain, short of breath", "angina", "recovered"), ("chest pain after meals", "reflux", "worse"),
           ("rash on the arm", "eczema", None), "pain in the chest and short of breath"),
}  # fmt: skip


@LANGUAGES
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
            fields = {"user_id": who, "record_id": f"diagnosis_{n}", "outcome": outcome, "comment": "ok",
                    "rating": "helpful" if n == 0 else "not_helpful", "adopted": n == 0, "score": 5 - n}  # fmt: skip
            clinic.post("/v1/feedback", fields)
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


READINGS = {
    "zh": ("habits_zh", "记录血压 128/82", "我想预约复诊", "心内科", "张医生"),
    "en": ("habits_en", "Record my blood pressure, 128/82", "I would like to book a follow-up", "cardiology",
           "Dr Zhang"),
}  # fmt: skip


@LANGUAGES
def test_c5_c11_2_c11_3_habits_of_a_patient(clinic: World, language: str) -> None:
    with clinic.own_time():
        _habits_are_learned_and_missed(clinic, *READINGS[language])


def _habits_are_learned_and_missed(
    clinic: World, who: str, reading: str, booking: str, department: str, doctor: str
) -> None:
    for n in range(10, 0, -1):
        at = TODAY - timedelta(days=n) + timedelta(hours=8, minutes=n % 3)
        clinic.say(who, reading, at=at, session=f"d{n}", metadata={"action": "measure_bp"}, wait=False)
    for n in range(5, 0, -1):
        visit = {"action": "book", "department": department, "doctor": doctor}
        at = TODAY - timedelta(days=n) + timedelta(hours=15)
        clinic.say(who, booking, at=at, session=f"v{n}", metadata=visit, wait=n == 1)
    request = (TODAY + timedelta(hours=8, minutes=30)).isoformat()
    found = clinic.get(f"/v1/users/{who}/patterns", at=request)["patterns"]
    [habit] = [p for p in found if p["pattern"] == "time/measure_bp"]
    assert (habit["time"], habit["at"]["minutes_late"], habit["at"]["overdue"]) == ("08:00", 30, True)
    assert habit["support"] >= 5
    assert habit["confidence"] > 0.7
    usual = {p["key"]: p["value"] for p in found if p["type"] == "usual"}
    assert (usual["department"], usual["doctor"]) == (department, doctor)
    clinic.tick(TODAY + timedelta(hours=8, minutes=45))
    body = clinic.until(
        f"/v1/users/{who}/patterns",
        lambda b: any(p["pattern"] == "time/measure_bp" and p["overdue"] for p in b["patterns"]),
    )
    [reminder] = [p for p in body["patterns"] if p["pattern"] == "time/measure_bp"]
    assert "08:00" in reminder["text"]
    assert "08:45" in reminder["text"]


DOCTORS = {
    "zh": ("dr_zh", {"examination_detail": "详细", "guideline_references": "最新", "alternative_diagnoses": "多个"},
           "头晕怎么诊断？"),
    "en": ("dr_en", {"examination_detail": "detailed", "guideline_references": "latest",
                     "alternative_diagnoses": "several"}, "How is dizziness diagnosed?"),
}  # fmt: skip


@LANGUAGES
def test_c11_4_c6_d4_a_doctors_three_preferences_are_learned_and_applied(clinic: World, language: str) -> None:
    doctor, style, query = DOCTORS[language]
    patient = f"seen_by_{doctor}"
    clinic.call("PUT", "/v1/store/items", {"namespace": ["diagnosis_history", patient], "key": "diagnosis_0",
                                           "value": {"diagnosis": "flu"}})  # fmt: skip
    for n in range(3):
        fields = {"user_id": patient, "record_id": "diagnosis_0", "rating": "good", "adopted": True, "by": doctor,
                "traits": style, "comment": f"{n}"}  # fmt: skip
        clinic.post("/v1/feedback", fields)
        held = clinic.get(f"/v1/users/{doctor}/preferences")["preferences"]
        assert bool(held) == (n > 0), "0.6 is observed, 0.8 is read (D4)"
    assert {p["key"]: (p["value"], p["source"]) for p in held} == {k: (v, "confirmed") for k, v in style.items()}
    prompt = clinic.post("/v1/context", {"user_id": doctor, "query": query})["prompt"]
    for name, value in style.items():
        assert f"- {name}: {value}" in prompt
    assert clinic.get(f"/v1/users/{patient}/preferences")["preferences"] == [], "the doctor is who is learned of"


@pytest.mark.parametrize("about", ["function", "performance", "suggestion", "bug"])
def test_c6_ratings_suggestions_and_bug_reports_are_kept(clinic: World, about: str) -> None:
    fields = {"user_id": "critic", "about": about, "feature": "血压记录", "score": 2, "comment": "导出太慢"}
    clinic.post("/v1/feedback", fields)
    [kept] = clinic.get("/v1/users/critic/feedback", about=about)["feedback"]
    assert (kept["feature"], kept["score"], kept["comment"]) == ("血压记录", 2, "导出太慢")
