"""Model work through everything that `memstream up` starts, against a scripted endpoint over HTTP (B7, E2, E3, N1)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Producer, TopicPartition

from memstream.settings import Settings
from memstream.stack.up import start
from memstream.workers.timer import send_tick
from schemas.events.memory import Extraction, JobResult
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from schemas.profile.model import PROFILES_DIR
from tests.endpoint import Scripted, serving
from tests.integration.conftest import BackgroundStack, started
from tests.patience import PATIENCE, joined, until
from tests.records import read_to_end
from tests.wide_limits import wide_text

pytestmark = pytest.mark.integration
SHORT = "\n[session]\nmodel_context_window = 400\nrecent_turns = 1\n"
"""The immigration profile with sessions so short that a test fills one."""
SUMMARY = "The user lives in Lisbon. 用户住在里斯本。"


FIRST = "我今年32岁，浙大计算机硕士毕业的现在在杭州做前端开发工作8年了年薪大概80万"
SECOND = "我对高才通B类非常感兴趣，希望尽快办理，时间越短越好"
SCENARIOS: dict[str, list[tuple[str, str, str, dict[str, Any], dict[str, Any]]]] = {
    FIRST: [
        ("fact", "用户32岁", "我今年32岁", {"age": 32}, {}),
        ("fact", "浙大计算机硕士毕业", "浙大计算机硕士毕业",
         {"education": "硕士", "university": "浙大", "major": "计算机"}, {}),
        ("fact", "从事前端开发工作8年", "做前端开发工作8年了",
         {"currentJobTitle": "前端开发", "totalYearsOfExperience": 8}, {}),
        ("fact", "年薪约80万", "年薪大概80万", {"annualIncome": 800_000}, {"approximate": True}),
        ("fact", "目前在杭州做前端开发", "现在在杭州做前端开发", {"currentLocation": "杭州"}, {}),
    ],
    SECOND: [
        ("intent", "对高才通B类非常感兴趣", "对高才通B类非常感兴趣", {"targetCategory": "TTPS"}, {"category": "TTPS"}),
        ("preference", "希望尽快办理", "希望尽快办理", {"immigrationTimeline": "尽快"}, {}),
    ],
}  # fmt: skip
"""What a model says to the seed's scenarios: kind, text, quotation, fields, what else."""


def statement(kind: str, text: str, quote: str, fields: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": kind, "text": text, "quote": quote, "fields": [{"name": n, "value": v} for n, v in fields.items()],
        "approximate": False, "inferred": False, "negated": False, "episode_type": None, "category": None, **more,
    }  # fmt: skip


NARRATIVE = {"en": "A person who settled in Lisbon.", "zh": "一位在里斯本安家的人。"}
REPORT = {"en": "The team agreed to close site 4.", "zh": "团队同意关闭4号中心。"}


def answer(request: dict[str, Any]) -> Any:
    """A model that reads where somebody lives, sums up, and words narratives and reports."""
    question = json.loads(request["messages"][-1]["content"])
    language = "zh" if "里斯本" in str(question) or "中心" in str(question) else "en"
    if "STATEMENTS" in question:
        return {"narrative": NARRATIVE[language]}
    if "DECISIONS" in question:
        return {"summary": REPORT[language]}
    if "CONVERSATION" in question:
        return {"summary": SUMMARY}
    stated = question["MESSAGE"]
    if "cello" in stated:
        return {"nothing": "of the form"}
    if stated in SCENARIOS:
        return {"candidates": [statement(*s) for s in SCENARIOS[stated]]}
    place = next((p for p in ("Lisbon", "里斯本") if p in stated), None)
    if place is None:
        return {"candidates": []}
    text = "User lives in Lisbon." if place == "Lisbon" else "用户住在里斯本。"
    entry = statement("fact", text, stated, {"currentLocation": place}, {})
    return {"candidates": [entry]}


@contextmanager
def in_background(endpoint: Scripted) -> Iterator[Scripted]:
    """The endpoint in a thread of its own: the test is not async."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with serving(endpoint):
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield endpoint
    finally:
        loop.call_soon_threadsafe(stop.set)
        joined(thread, "the endpoint to end")
        loop.close()


class Running:
    def __init__(self, url: str, endpoint: Scripted, stack: BackgroundStack) -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)
        self.endpoint = endpoint
        self.stack = stack

    def say(self, person: str, *texts: str) -> list[str]:
        """Turns of the user, and the reply that closes the interaction (D1). The ids of the user's."""
        now = datetime.now(UTC).isoformat()
        turns = [
            {"user_id": person, "session_id": f"{person}-s", "role": "user", "content": text, "occurred_at": now}
            for text in texts
        ]
        turns.append({**turns[-1], "role": "assistant", "content": f"I see. ({len(texts)}, {now})"})
        sent = self.http.post("/v1/turns", json={"turns": turns})
        assert sent.status_code == 202, sent.text
        return [str(i) for i in sent.json()["turn_ids"][:-1]]

    def answered(self, person: str, turn_id: str) -> Any:
        """The turn's outcome once the model has read it or was given up."""
        return self.until(f"/v1/turns/{turn_id}/outcome?user_id={person}", lambda b: b.get("model") is not None)

    def until(self, path: str, good: Callable[[Any], Any]) -> Any:
        message, logs = f"GET {path} to be as expected", self.stack.logs
        return until(
            message, lambda: self.http.get(path).json(), good, errors=(httpx.TransportError, KeyError), logs=logs
        )

    def ledger(self, person: str) -> list[Any]:
        p = partition(user("default", person), 8)
        found = read_to_end(self.stack.addresses.kafka, [TopicPartition(topics.LEDGER.name, p, 0)])
        events = [Codec().decode(topics.LEDGER.name, m.value()) for m in found]
        return [e for e in events if getattr(e, "user_id", "") == person]

    def extractions(self, person: str) -> list[Extraction]:
        """Of what the person said; the replies have theirs."""
        return [e for e in self.ledger(person) if isinstance(e, Extraction) and e.role == "user"]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch, in_background(Scripted([answer])) as endpoint:

        def begin(folder: Path, seconds: float) -> AbstractContextManager[Running]:
            return _running(folder, seconds, endpoint, patch)

        with started("a memstream with a model", begin) as caller:
            yield caller


@contextmanager
def _running(folder: Path, seconds: float, endpoint: Scripted, patch: pytest.MonkeyPatch) -> Iterator[Running]:
    profiles = folder / "profiles"
    profiles.mkdir()
    catalogue = (PROFILES_DIR / "immigration.toml").read_text(encoding="utf-8")
    text = wide_text(catalogue.replace('name = "immigration"', 'name = "short"', 1) + SHORT)
    (profiles / "short.toml").write_text(text, encoding="utf-8")
    for name, value in {
        "PROFILE": "short", "PROFILES_DIR": str(profiles), "MODEL_URL": endpoint.url, "MODEL_NAME": "scripted",
        "MODEL_KEY": "sk-secret-of-the-test", "MODEL_TIMEOUT_SECONDS": str(PATIENCE),
    }.items():  # fmt: skip
        patch.setenv(f"MEMSTREAM_{name}", value)
    with BackgroundStack(folder, seconds=seconds) as stack:
        settings = Settings(data_dir=folder, port=0, log_level="WARNING")
        url = stack.call(start(stack.stack, settings, lambda name, state: None), seconds)
        caller = Running(url, endpoint, stack)
        with closing(caller.http):
            yield caller
        message = "".join(p.read_text(errors="replace") for p in folder.rglob("*.log"))
        assert "sk-secret-of-the-test" not in message


def test_b7_n1_a_models_answer_becomes_memory_through_the_ledger(running: Running) -> None:
    """The rules do not read where the user settled."""
    [turn] = running.say("ann", "Last May I settled in Lisbon.")
    assert running.answered("ann", turn)["model"] == "read"
    path = "/v1/users/ann/memories?limit=50"
    body = running.until(path, lambda b: any(m["field"] == "currentLocation" for m in b["memories"]))
    [memory] = [m for m in body["memories"] if m["field"] == "currentLocation"]
    assert memory["value"] == "Lisbon"
    rules, record = running.extractions("ann")
    assert (rules.extractor, rules.model_asked) == ("rules", True)
    assert all(c.field != "currentLocation" for c in rules.sealed.candidates)
    assert (record.extractor, record.model) == ("model", "scripted-1")
    assert record.prompt_hash
    assert set(running.endpoint.keys) == {"Bearer sk-secret-of-the-test"}


def test_b8_d1_the_seeds_scenarios_by_a_model_that_sees_the_reply(running: Running) -> None:
    turns = [*running.say("chen", FIRST), *running.say("chen", SECOND)]
    assert [running.answered("chen", t)["model"] for t in turns] == ["read", "read"]
    memories = running.until("/v1/users/chen/memories?limit=50", lambda b: len(b["memories"]) >= 7)["memories"]
    assert len(memories) == 7
    values = {m["field"]: m["value"] for m in memories if m["field"]}
    for m in memories:
        values |= m["value"] if m["fields"] else {}
    assert values == {
        "age": 32, "education": "硕士", "university": "浙江大学", "major": "计算机", "currentJobTitle": "前端开发",
        "totalYearsOfExperience": 8, "annualIncome": 800_000, "currentLocation": "杭州", "targetCategory": "TTPS",
        "immigrationTimeline": "尽快",
    }  # fmt: skip
    assert [m["approximate"] for m in memories if m["field"] == "annualIncome"] == [True]
    assert [m["category"] for m in memories if m["field"] == "targetCategory"] == ["TTPS"]
    profile = running.http.get("/v1/users/chen/profile").json()
    missing = set(profile["completeness"]["missing_fields"])
    assert {"currentIndustry", "hasHongKongEmployer"} <= missing, "never said, so unset (B2)"
    requests = [json.loads(r["messages"][-1]["content"]) for r in running.endpoint.seen]
    assert all(a["REPLY"].startswith("I see.") for a in requests if a.get("MESSAGE") in SCENARIOS)


def test_b7_a_job_whose_worker_is_killed_is_run_again(running: Running) -> None:
    text = "I have lived in Lisbon since May."

    def first_is_slow(request: dict[str, Any]) -> Any:
        """By its text: jobs of earlier tests may ask meanwhile."""
        mine = json.loads(request["messages"][-1]["content"]).get("MESSAGE") == text
        return "slow" if mine and calls() == 1 else answer(request)

    def calls() -> int:
        """Those for this text: narratives of others are asked for too."""
        requests = [json.loads(r["messages"][-1]["content"]) for r in running.endpoint.seen]
        return sum(a.get("MESSAGE") == text for a in requests)

    running.endpoint.script = [first_is_slow]
    [turn] = running.say("dora", text)
    until("the job to reach the endpoint", calls, logs=running.stack.logs)
    path = "/v1/users/dora/memories?limit=50"
    running.until(path, lambda b: any(m["value"] == "Lisbon" for m in b["memories"]))
    assert calls() == 1, "memory while the endpoint holds the call"
    running.stack.kill("worker-jobs")
    assert running.answered("dora", turn)["model"] == "read"
    assert calls() >= 2, "asked again by its worker's next life"
    assert [e.extractor for e in running.extractions("dora")] == ["rules", "model"]


def test_b7_nothing_waits_for_a_model_that_holds_its_answer(running: Running) -> None:
    """In the order of events: the calls are under way while turns behind them become memory."""
    texts = {"eva": "I live in Lisbon with a cat.", "gil": "我今年32岁，住在杭州。"}

    def held(request: dict[str, Any]) -> Any:
        message = json.loads(request["messages"][-1]["content"]).get("MESSAGE")
        return "slow" if message in texts.values() else answer(request)

    running.endpoint.script = [held]
    for person, text in texts.items():
        running.say(person, text)
    for person in ("eva", "gil"):
        path = f"/v1/users/{person}/memories?limit=50"
        running.until(path, lambda b: any(m["field"] == "currentLocation" for m in b["memories"]))
    until("the calls to reach the endpoint", lambda: running.endpoint.now, lambda now: now >= 2)
    [turn] = running.say("eva", "I am 41 now.")
    running.until("/v1/users/eva/memories?limit=50", lambda b: any(m["value"] == 41 for m in b["memories"]))
    outcome = running.until(f"/v1/turns/{turn}/outcome?user_id=eva", lambda b: b.get("extracted_info"))
    assert (outcome["extracted_info"], running.endpoint.now >= 2) == ({"age": 41}, True)


@pytest.mark.parametrize(
    ("person", "text"), [("ida", "I am 32 and I play the cello."), ("艾达", "我今年32岁，会拉cello。")]
)
def test_b7_what_the_rules_read_stays_where_a_model_is_given_up(running: Running, person: str, text: str) -> None:
    [turn] = running.say(person, text)
    outcome = running.answered(person, turn)
    assert outcome["model"] == "gave up: not_of_the_form"
    assert outcome["extracted_info"]["age"] == 32
    assert [e.reason for e in running.extractions(person)] == [None, "not_of_the_form"]
    counted = 'memstream_model_gave_up_total{process="worker-jobs",reason="not_of_the_form"}'
    until("the metric", lambda: running.http.get("/metrics").text, lambda shown: counted in shown)


@pytest.mark.parametrize(
    ("person", "text"),
    [
        ("bob", "We spoke about the harbour, the tram and the old town again."),
        ("李雷", "我们又聊了港口、电车和老城区的事情。"),
    ],
)
def test_e2_e3_a_long_session_is_summed_up_and_goes_on(running: Running, person: str, text: str) -> None:
    for n in range(20):
        running.say(person, f"{text} ({n})")
    rows = running.until(f"/v1/sessions/{person}-s/checkpoints?user_id={person}", lambda b: bool(b.get("checkpoints")))[
        "checkpoints"
    ]
    assert (rows[-1]["query"], rows[-1]["answer"]) == ("[MEMORY_CHECKPOINT]", f"历史摘要: {SUMMARY}")
    assert (rows[-1]["extractive"], rows[-1]["model"]) == (False, "scripted-1")
    context = running.http.post(f"/v1/sessions/{person}-s/memory-context", json={"user_id": person}).json()
    assert context["mode"] == "SUMMARY_N"
    assert SUMMARY in context["history"]
    results = [e for e in running.ledger(person) if isinstance(e, JobResult)]
    assert results
    assert {(r.job, r.status, r.model) for r in results} == {("checkpoint", "done", "scripted-1")}


@pytest.mark.parametrize(
    ("language", "person", "text"), [("en", "fay", "I have settled in Lisbon."), ("zh", "范", "我已经在里斯本定居。")]
)
def test_b6_n1_a_narrative_in_a_models_words_comes_through_the_ledger(
    running: Running, language: str, person: str, text: str
) -> None:
    running.say(person, text)
    path = f"/v1/users/{person}/memories?limit=50"
    running.until(path, lambda b: any(m["field"] == "currentLocation" for m in b["memories"]))
    assert running.http.post(f"/v1/sessions/{person}-s/close", json={"user_id": person}).is_success
    body = running.until(f"/v1/users/{person}/profile", lambda b: b["narrative_written_by"] == "scripted-1")
    assert body["narrative_summary"] == NARRATIVE[language]
    [result] = [e for e in running.ledger(person) if isinstance(e, JobResult) and e.job == "narrative"]
    assert (result.status, result.model, bool(result.prompt_hash)) == ("done", "scripted-1", True)
    # What is said since is worded by rules until the next narrative.
    age = {"user_id": person, "kind": "fact", "field": "age", "text": "41", "value": 41}
    assert running.http.post("/v1/memories", json=age).is_success
    since = running.until(f"/v1/users/{person}/profile", lambda b: "41" in b["narrative_summary"])
    assert since["narrative_summary"] != NARRATIVE[language]


@pytest.mark.parametrize(("language", "text"), [("en", "We decided to close site 4."), ("zh", "我们决定关闭4号中心。")])
def test_a6_n1_a_weekly_report_in_a_models_words(running: Running, language: str, text: str) -> None:
    project, noon = f"trial_{language}", datetime.now(UTC).replace(hour=12, minute=0)
    then = noon - timedelta(days=14)  # a reply a minute before midnight would belong to the next week
    turn = {"user_id": f"pi_{language}", "session_id": "s", "role": "user", "content": text, "project_id": project,
            "occurred_at": then.isoformat()}  # fmt: skip
    reply = {**turn, "role": "assistant", "content": "Noted.", "occurred_at": (then + timedelta(minutes=1)).isoformat()}
    sent = running.http.post("/v1/turns", json={"turns": [turn, reply]})
    assert sent.status_code == 202
    producer = Producer({"bootstrap.servers": running.stack.addresses.kafka, "log_level": 0})

    def reworded(body: Any) -> bool:
        """The week is over: the first tick after its turns closes it."""
        assert send_tick(producer, datetime.now(UTC), 8) == 0
        return any(REPORT[language] in r["summary"] and r["metrics"]["turns"] == 2 for r in body["reports"])

    [report] = running.until(f"/v1/projects/{project}/reports", reworded)["reports"]
    assert report["metrics"]["decisions"] == 1, "the rules read it; the model, which read none, took nothing away"
    assert report["revision"] >= 2, "the report by rules stood before"
    requests = [json.loads(r["messages"][-1]["content"]) for r in running.endpoint.seen]
    *_, job = [a for a in requests if "DECISIONS" in a and text in str(a["CONVERSATION"])]
    assert [t["role"] for t in job["CONVERSATION"]] == ["user", "assistant"]


def test_e7_b7_calls_tokens_and_checkpoints_are_metrics(running: Running) -> None:
    running.say("cem", "I live in Lisbon, said once more.")
    wanted = 'outcome="prompt_tokens",process="worker-jobs",stage="jobs"'
    until(
        "tokens among the metrics",
        lambda: running.http.get("/metrics").text,
        lambda result: wanted in result,
        pause=0.5,
    )
