"""The domains as data: what the seeds' systems need stands in profiles/*.toml, and no word of it in code (A4, A8, A9,
C2, C3, C5, C7, C8, C11, D2, D10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from processors.ports import Models
from query.prompt.intents import route
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import PROFILES_DIR, Profile, load_profile
from tests.unit.processors.talk import Talk

NAMES = sorted(p.stem for p in PROFILES_DIR.glob("*.toml"))
START = datetime(2026, 11, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
ROOT = PROFILES_DIR.parent
CODE = ("schemas", "processors", "inference", "streams", "sinks", "query", "memstream")


def talk_of(models: Models, name: str, project: str | None = None) -> Talk:
    return Talk(models, load_profile(name), START, project)


def hot(talk: Talk) -> dict[tuple[str | None, str | None], MemoryUpdate]:
    return {(u.category, u.key): u for u in talk.updates("hot")}


def facts(talk: Talk) -> dict[str | None, object]:
    found = [u for kind in ("fact", "preference", "intent") for u in talk.updates(kind) if u.state == "active"]
    return {u.field: u.sealed.value for u in found if u.field}


def test_every_seed_has_its_profile() -> None:
    assert {"clinical_trial", "immigration", "health", "engineering", "general"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_in_both_languages(name: str) -> None:
    profile = load_profile(name)
    assert all({"en", "zh"} <= f.label.keys() for f in profile.fields if f.path and f.weight)
    assert all({"en", "zh"} <= label.keys() for label in profile.habits.labels.values())


@pytest.mark.parametrize("name", NAMES)
def test_a8_d10_examples_of_an_intent_are_routed_to_it(name: str) -> None:
    profile = load_profile(name)
    for intent in profile.intents:
        for example in intent.examples:
            routed = route(profile, example).intents
            assert routed, example
            assert routed[0].name == intent.name, example


def test_a8_a9_what_the_intents_of_a_study_add() -> None:
    profile = load_profile("clinical_trial")
    intents = {i.name: i for i in profile.intents}
    assert set(intents) == {"QC_TASK", "QA_QUERY", "PROTOCOL_QA"}
    assert (intents["QA_QUERY"].reports, intents["QA_QUERY"].history_turns) == (2, 3)
    assert set(intents["QA_QUERY"].kinds) == {"report", "turn"}, "reports and turns, not all kinds"
    assert intents["QC_TASK"].state is True
    assert intents["PROTOCOL_QA"].knowledge > 0
    assert {i.budget_tokens for i in intents.values()} == {2_000}
    assert load_profile("engineering").budget_tokens == 6_000


def test_no_domain_name_stands_in_code() -> None:
    names: set[str] = set()
    for profile in map(load_profile, NAMES):
        names |= {i.name for i in profile.intents} | {t.name for t in profile.tables} | {p.id for p in profile.projects}
        names |= {c.name for t in profile.tables for c in t.columns if c.sensitive}
        names |= {n for n in profile.namespaces if "_" in n}
    for path in (p for folder in CODE for p in (ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert not [n for n in names if f'"{n}"' in text or f"'{n}'" in text], path.name


@pytest.mark.parametrize(
    ("texts", "target"),
    [
        (("入组目标是120。", "目前已入组45人。", "我们决定修改入选标准，年龄放宽到75岁。"), 120),
        (
            (
                "The enrollment target is 120.",
                "The enrolled count is 45.",
                "We decided to widen the inclusion criteria to 75 years.",
            ),
            120,
        ),
    ],
)
async def test_a4_what_is_said_becomes_hot_memory_under_the_profiles_keys(
    models: Models, texts: tuple[str, ...], target: int
) -> None:
    talk = talk_of(models, "clinical_trial", "proj_iit")
    for text in texts:
        await talk.say(text)
    kept = hot(talk)
    assert kept["meta", "enrollment_target"].sealed.value == target
    assert kept["status", "enrolled_count"].sealed.value == 45
    assert kept["decision", "eligibility"].priority == 8
    assert all(u.sources for u in kept.values()), "N5"


async def test_a6_a_study_of_two_users_over_three_weeks(models: Models) -> None:
    talk = talk_of(models, "clinical_trial", "proj_iit")
    weeks = [
        (("ann", "目前已入组45人。"), ("bob", "12号的化验结果缺失。"), ("ann", "12号缺失的化验结果已补录。")),
        (("bob", "We decided to move the visits to Fridays."), ("ann", "The ethics board has approved the amendment.")),
        (("ann", "我们决定修改入选标准，年龄放宽到75岁。"), ("bob", "我明天把周报发给伦理委员会。")),
    ]
    for n, utterance in enumerate(weeks):
        for user, text in utterance:
            await talk.say(text, user=user)
            talk.driver.advance(timedelta(hours=5))
        await talk.until(START + (n + 1) * timedelta(days=7) - timedelta(hours=7))
    reports = talk.updates("report")
    values = [r.sealed.value for r in reports if isinstance(r.sealed.value, dict)]
    assert [v["week_start"] for v in values] == ["2026-11-02", "2026-11-09", "2026-11-16"]
    assert [v["metrics"]["users"] for v in values] == [2, 2, 2]
    assert [v["metrics"]["decisions"] for v in values] == [0, 1, 1]
    assert [v["metrics"]["solved"] for v in values] == [1, 0, 0]
    assert [r.language for r in reports] == ["zh", "en", "zh"]
    assert (reports[0].profile, reports[0].profile_version) == ("clinical_trial", 1)


def test_c2_c7_the_tables_of_the_seed() -> None:
    profile = load_profile("health")
    tables = {t.name: t for t in profile.tables}
    one, many = tables["health_profiles"], tables["diagnosis_records"]
    assert {c.name for c in one.columns} >= {
        "age", "gender", "height", "weight", "blood_type", "allergies", "medical_history", "family_history",
        "medications", "baseline_bp_systolic", "baseline_bp_diastolic", "health_goals", "drug_allergies",
    }  # fmt: skip
    assert {c.name for c in many.columns} >= {
        "session_id", "department", "symptoms", "diagnosis", "suggestions", "feedback", "feedback_comment", "adopted",
        "outcome",
    }  # fmt: skip
    assert (one.unique, one.namespace, one.key) == (True, "health_profile", "profile")
    assert (many.unique, many.namespace, many.key) == (False, "diagnosis_history", "diagnosis_{id}")
    assert many.indexes == {"idx_user_department": ("user_id", "department"), "idx_created_at": ("created_at",)}
    assert set(many.store_columns) == {"symptoms", "diagnosis", "department", "created_at"}, "C3"
    for table in (one, many):
        columns = {c.name: c.sensitive for c in table.columns}
        assert all(columns[n] for n in ("allergies", "medical_history", "symptoms", "diagnosis") if n in columns)
    assert {f.name for f in profile.fields if f.sensitive} >= {"allergies", "medical_history", "medications"}


def test_c8_how_long_a_class_is_kept() -> None:
    classes = load_profile("health").retention.classes
    assert classes["diagnosis_history"] == pytest.approx(5 * 365.25, abs=1)
    assert classes["feedback"] == 2 * 365
    assert not {"preference", "fact", "health_profile", "memories", "patterns"} & classes.keys()


@pytest.mark.parametrize(
    ("text", "history", "medication"),
    [
        ("我45岁，男，有高血压，平时吃降压药。", "高血压", "降压药"),
        ("I'm 45 years old, I have high blood pressure and I take amlodipine.", "hypertension", "amlodipine"),
    ],
)
async def test_c11_what_a_patient_says_fills_the_health_profile(
    models: Models, text: str, history: str, medication: str
) -> None:
    talk = talk_of(models, "health")
    await talk.say(text)
    kept = facts(talk)
    assert (kept["age"], kept["medical_history"], kept["medications"]) == (45, history, medication)


@pytest.mark.parametrize(
    "texts",
    [
        ("我希望给出详细的检查建议。", "我希望引用最新的医学指南。", "请列出多个诊断可能性。"),
        (
            "Please always give me detailed examination advice.",
            "Please always cite the latest medical guidelines.",
            "Please always give me several possible diagnoses.",
        ),
    ],
)
async def test_c11_a_doctors_three_preferences_are_learned(models: Models, texts: tuple[str, ...]) -> None:
    talk = talk_of(models, "health")
    for text in texts:
        await talk.say(text, user="dr")
    assert {"examination_detail", "guideline_references", "alternative_diagnoses"} <= facts(talk).keys()


async def test_c5_c11_the_intent_of_a_measurement_is_a_habit(models: Models) -> None:
    talk = talk_of(models, "health")
    for n in range(6):
        await talk.until(START.replace(hour=8) + timedelta(days=n, minutes=n))
        await talk.say("记录血压 128/82", intent="BP_RECORD")
    results = [u for u in talk.updates("pattern") if u.key == "time/BP_RECORD"][-1]
    assert (results.state, results.sealed.text) == ("active", "通常在08:00测量血压")


@pytest.mark.parametrize("text", ["苍穹项目决定采用Redis作为缓存。", "We decided on Redis for the Cangqiong cache."])
async def test_d2_a_projects_name_is_its_id(models: Models, text: str) -> None:
    talk = talk_of(models, "engineering")
    await talk.say(text)
    [kept] = talk.updates("hot")
    assert (kept.owner_id, kept.category, kept.key) == ("proj_123_cangqiong", "decision", "cache")
    assert "Redis" in str(kept.sealed.value)
    profile: Profile = load_profile("engineering")
    assert route(profile, "我们上次关于苍穹项目的决策是什么？").project_id == "proj_123_cangqiong"


@pytest.mark.parametrize(
    ("reaches", "written"), [(None, True), (("proj_123_cangqiong", "p2"), True), (("p2",), False), ((), False)]
)
@pytest.mark.parametrize("text", ["苍穹项目决定采用Redis作为缓存。", "We decided on Redis for the Cangqiong cache."])
async def test_c7_a_projects_name_writes_to_it_only_where_the_caller_reaches_it(
    models: Models, text: str, reaches: tuple[str, ...] | None, written: bool
) -> None:
    """What the key may not name as `project_id`, a text may not name either."""
    talk = talk_of(models, "engineering")
    at = talk.driver.now
    turn = TurnEvent(
        tenant="acme", user_id="mallory", session_id="s1", turn_id="t1", role="user", occurred_at=at, accepted_at=at,
        reaches=reaches, sealed=TurnBody(content=text),
    )  # fmt: skip
    talk.driver.pipe(topics.TURNS, turn)
    await talk.driver.run()
    assert bool(talk.updates("hot")) is written
    assert [u.project_id for u in talk.updates("episode")] == ["proj_123_cangqiong" if written else None]
