"""What time ends (A1, C8): turns after their days, records by their class, deleted or moved to the archive first."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from pymilvus import MilvusClient

from schemas.profile.model import PROFILES_DIR
from schemas.storage.connections import milvus_options
from schemas.storage.layouts import MilvusLayout
from tests.integration.scenario import World
from tests.integration.scenarios.days import NOW

pytestmark = pytest.mark.integration
HISTORY = {
    "zh": ("我叫李雷，我是研究护士。", "我们决定把访视窗改为7天。", "我们决定每周开会。", "访视窗", "7天"),
    "en": ("My name is Ann, I am a study nurse.", "We decided to widen the visit window to 7 days.",
           "We decided to meet every week.", "visit window", "7 days"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a1_a2_a_turn_whose_days_are_over_is_gone_everywhere_and_its_citation_says_so(
    running: World, language: str
) -> None:
    running.run_on("clinical_trial")
    who, study, at = f"past_{language}", f"study_past_{language}", NOW - timedelta(days=31)
    name, window, meeting, query, shown = HISTORY[language]
    removed = running.say(who, name, at=at, session="old", project_id=study)
    running.say(who, window, at=at, session="old", project_id=study)
    kept = running.say(who, meeting, session="new", project_id=study)
    memories = running.get(f"/v1/users/{who}/memories", limit=50)["memories"]
    assert running.http.get(f"/v1/turns/{removed}", params={"user_id": who}).status_code == 404
    body = {"query": query, "project_id": study, "kinds": ["turn"]}
    assert [t["id"] for t in running.post("/v1/search", body)["results"]] == [kept]
    [old] = [m for m in memories if shown in m["text"]]
    [cited] = running.get(f"/v1/memories/{old['id']}")["source_turns"]
    assert (cited["content"], cited["expired"]) == ("expired", True)
    assert cited["turn_id"]
    assert cited["content_hash"]
    client = MilvusClient(**milvus_options(running.stack.addresses.milvus))

    def swept() -> bool:
        turns = running.sql("SELECT turn_id FROM views_g1.turns WHERE user_id = %s", who)
        sessions = running.sql("SELECT session_id FROM views_g1.sessions WHERE user_id = %s", who)
        vectors = client.query(
            MilvusLayout().turns, filter=f'user_id == "{who}"', output_fields=["id"], consistency_level="Strong"
        )
        return (turns, sessions, [r["id"] for r in vectors]) == ([(kept,)], [("new",)], [kept])

    running.tick_until("what is over to be swept", swept, datetime.now(UTC))
    client.close()
    with redis.Redis.from_url(running.stack.addresses.redis) as store:
        keys = store.keys(f"*{who}*old*")
        guards = [k for k in keys if b":wm:revision:" in k]
        # The guard against older revisions is a number; it ends by itself.
        assert all(0 < store.ttl(k) <= 30 * 86_400 for k in guards)
    assert [k for k in keys if k not in guards] == [], "Redis"


@pytest.fixture(scope="module")
def aging(running: World) -> World:
    """The health profile with classes that end within weeks: the seed's years are two thousand ticks away."""
    running.run_on("health")
    spec = {c["class"]: c for c in running.get("/v1/retention")["classes"]}
    assert (spec["feedback"]["days"], spec["diagnosis_history"]["days"]) == (730, 1826), "the seed's"
    profile: dict[str, Any] = tomllib.loads((PROFILES_DIR / "health.toml").read_text(encoding="utf-8"))
    profile |= {"name": "aging", "retention": {"turns_days": 30, "classes": {"feedback": 10, "diagnosis_history": 20},
                                               "on_expiry": {"diagnosis_history": "archive"}}}  # fmt: skip
    running.run_on_this(profile)
    running.relation_of("diagnosis_records", {"diagnosis": "flu"})
    return running


def test_c8_what_a_class_ends_stays_ended_and_is_reported(aging: World) -> None:
    who, path = "aging", "/v1/users/aging/feedback"
    aging.call("PUT", "/v1/store/items", {"namespace": ["diagnosis_history", who], "key": "diagnosis_1",
                                          "value": {"symptoms": ["咳嗽 cough"], "diagnosis": "flu 流感"}})  # fmt: skip
    aging.call("PUT", "/v1/store/items", {"namespace": ["memories", who], "key": "kept", "value": {"a": 1}})
    aging.post("/v1/feedback", {"user_id": who, "about": "bug", "comment": "slow"})
    rows = f"/v1/users/{who}/tables/diagnosis_records"
    [row] = aging.get(rows)["rows"]
    aging.get(path)
    # Ten days on the feedback is gone, and the diagnosis is not.
    aging.tick_until("the feedback to go", lambda: aging.get(path)["feedback"] == [], NOW + timedelta(days=11))
    assert aging.get(rows)["rows"] == [row]
    # Twenty days on the diagnosis is in the archive, and in no other place.
    aging.tick_until("the diagnosis to go", lambda: aging.get(rows)["rows"] == [], NOW + timedelta(days=21))
    for _ in range(2):  # run twice
        archived = aging.until(
            f"/v1/users/{who}/memories", lambda b: len(b["memories"]) == 1, state="archived", kind="table"
        )["memories"]
        assert archived[0]["value"]["diagnosis"] == "flu 流感"
        assert archived[0]["archived_at"]
        moved = aging.sql("SELECT kind, record->'value'->>'diagnosis' FROM views_g1.archive WHERE owner_id = %s", who)
        assert moved == [("table", "flu 流感")]
        held = aging.sql("SELECT text, value, attributes, embedding FROM views_g1.memories WHERE record_id = %s",
                         archived[0]["id"])  # fmt: skip
        assert held == [("", None, {}, b"")], "only ids, times and revision stay in the view"
        assert aging.sql("SELECT record_id FROM views_g1.diagnosis_records WHERE user_id = %s", who) == []
        searched = {"query": "cough 咳嗽", "user_id": who, "limit": 5}
        assert not [r for r in aging.post("/v1/search", searched)["results"] if "flu" in r["text"]]
        item = {"namespace": ["diagnosis_history", who], "key": "diagnosis_1"}
        assert aging.post("/v1/store/items/get", item)["item"] is None
        aging.tick(NOW + timedelta(days=21, hours=1))
    item = aging.post("/v1/store/items/get", {"namespace": ["memories", who], "key": "kept"})["item"]
    assert item is not None, "kept until the account goes"
    report = aging.until(  # told by the decisions, which the sink writes after the memories
        "/v1/retention", lambda b: {"archived", "expired"} <= {e["rule"] for e in b["ended"]}
    )
    assert {e["kind"] for e in report["ended"] if e["rule"] == "expired"} >= {"feedback"}
    assert sum(c["archived"] for c in report["classes"]) >= 1
    # The user may have what is archived deleted, too (C9).
    aging.call("DELETE", f"/v1/memories/{archived[0]['id']}", user_id=who)
    assert aging.get(f"/v1/users/{who}/memories", state="archived", kind="table")["memories"] == []
    assert aging.sql("SELECT 1 FROM views_g1.archive WHERE owner_id = %s", who) == []
