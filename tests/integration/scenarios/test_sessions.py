"""Short-term memory (E), in Chinese and English. Summaries by a model: test_model_work.py."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
import redis

from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from schemas.storage.layouts import RedisLayout
from tests.integration.scenario import PARTITIONS, World
from tests.integration.scenarios.days import NOW
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.integration


@pytest.fixture
def here(running: World) -> World:
    return running


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
    request = {"user_id": who, "query": "?", "model_context_window": 100, "token_threshold_ratio": 0.1}
    context = here.post(f"/v1/sessions/{who}/memory-context", request)
    assert context["should_checkpoint_summary"]
    assert context["history"].startswith(f"Ann: {texts[0]}")
    here.post(f"/v1/sessions/{who}/checkpoint", {"user_id": who, "summary": "dizzy 头晕", "recent_turns": 1})
    [past] = here.get(f"/v1/sessions/{who}/checkpoints", user_id=who)["checkpoints"]
    assert (past["query"], past["answer"]) == ("[MEMORY_CHECKPOINT]", "历史摘要: dizzy 头晕")
    rows = here.sql("SELECT message_id, query, answer, create_by FROM views_g1.ai_message WHERE conversation_id = %s "
                    "ORDER BY create_time", who)  # fmt: skip
    assert [r[1:] for r in rows] == [(*texts, who), (past["query"], past["answer"], "memstream")], "the seed's table"
    assert rows[1][0] == past["message_id"]
    value = here.get(f"/v1/sessions/{who}", user_id=who)
    assert value["message_context"]["mode"] == "SUMMARY_N"
    assert value["message_context"]["checkpoint_message_id"] == past["message_id"]
    lose(here, who)
    lost = here.get(f"/v1/sessions/{who}", user_id=who)
    assert lost["message_context"] == value["message_context"], "served from Postgres (E6)"
    assert lost["global_state"]["current_intent"] == "triage"
    here.call("DELETE", f"/v1/sessions/{who}?user_id={who}")
    fresh = here.get(f"/v1/sessions/{who}", user_id=who)
    assert fresh["message_context"]["window_messages"] == []
    assert fresh["flow_context"]["turn_count"] == 0


def test_e1_e5_a_written_turn_says_the_mode_and_messages_are_listed(here: World) -> None:
    who = "written"
    first = {"user_id": who, "user_query": "我最近感觉头晕", "agent_response": "请多休息。", "interaction_id": "w1"}
    body = here.post(f"/v1/sessions/{who}/turns", first)
    assert (body["conversation_id"], body["mode"]) == (who, "FULL_HISTORY")
    assert body["updated_at"] > NOW.timestamp() - 86_400
    here.post(f"/v1/sessions/{who}/checkpoint", {"user_id": who, "summary": "头晕", "recent_turns": 1})
    second = {"user_id": who, "user_query": "Is it high blood pressure?", "interaction_id": "w2"}
    body = here.post(f"/v1/sessions/{who}/turns", second)
    assert (body["mode"], body["turn_ids"]) == ("SUMMARY_N", ["w2:user"])
    page = here.get(f"/v1/sessions/{who}/messages", user_id=who, limit=2)
    rest = here.get(f"/v1/sessions/{who}/messages", user_id=who, limit=2, cursor=page["cursor"])
    assert [(m["role"], m["content"]) for m in (*page["messages"], *rest["messages"])] == [
        ("user", first["user_query"]), ("assistant", first["agent_response"]), ("user", second["user_query"]),
    ]  # fmt: skip
    assert rest["cursor"] is None
    opened = here.get(f"/v1/sessions/{who}/messages", user_id=who, segment="open")
    assert [m["message_id"] for m in opened["messages"]] == ["w2:user"]


def lose(here: World, who: str) -> None:
    owner = user("default", who)
    with redis.Redis.from_url(here.stack.addresses.redis) as store:
        assert store.delete(RedisLayout().session(owner, who), RedisLayout().revision(owner, who))


def test_e6_a_session_that_redis_lost_is_brought_back_by_its_sink(here: World) -> None:
    who = "returning"
    here.say(who, "Hello 你好", session=who)
    value = here.get(f"/v1/sessions/{who}", user_id=who)
    key = RedisLayout().session(user("default", who), who)
    lose(here, who)
    assert here.get(f"/v1/sessions/{who}", user_id=who) == value

    def back(result: Any) -> bool:
        with redis.Redis.from_url(here.stack.addresses.redis) as store:
            held = store.get(key)
            return held is not None and json.loads(held)["message_context"] == result["message_context"]

    here.until(f"/v1/sessions/{who}", back, user_id=who)


def test_e5_a_session_written_before_there_were_checkpoints_is_read_as_full_history(here: World) -> None:
    """The record as it was written then: without mode, segment and checkpoint."""
    who = "older"
    window = [{"role": "user", "content": "old 旧", "timestamp": NOW.isoformat(), "turn_id": "t1"}]
    event = SessionState.model_validate(
        {"tenant": "default", "user_id": who, "session_id": who, "revision": 1, "updated_at": NOW.isoformat(),
         "sealed": {"window": window}}
    )  # fmt: skip
    encoded = Codec().encode(event, "test", "an older writer")
    body = json.loads(encoded.value or b"")
    for name in ("mode", "checkpoint_message_id", "segment", "segment_start", "segment_tokens", "status"):
        body.pop(name, None)
    place = partition(event.owner, PARTITIONS)
    headers: list[tuple[str, str | bytes | None]] = list(encoded.headers)
    here.producer.produce(topics.SESSION_STATE.name, json.dumps(body), encoded.key, place, headers=headers)
    assert here.producer.flush(PATIENCE) == 0
    value = here.until(f"/v1/sessions/{who}", lambda b: True, user_id=who)
    assert (value["message_context"]["mode"], value["message_context"]["checkpoint_message_id"]) == ("FULL_HISTORY", "")
    assert value["message_context"]["window_messages"] == [{"role": "user", "content": "old 旧"}]
    context = here.post(f"/v1/sessions/{who}/memory-context", {"user_id": who})
    assert (context["mode"], context["should_checkpoint_summary"]) == ("FULL_HISTORY", False)


def test_e8_two_writers_to_one_session_lose_nothing(here: World) -> None:
    def turn(n: int) -> dict[str, Any]:
        return {"user_id": "pair", "session_id": "pair", "role": "user", "content": f"message {n}",
                "occurred_at": NOW.isoformat()}  # fmt: skip

    def ten(k: int) -> None:
        for n in range(10):
            written = {"turns": [turn(10 * k + n)]}
            until(
                "a turn to be taken", lambda: here.http.post("/v1/turns", json=written),  # noqa: B023 - called here
                lambda a: a.status_code == 202, errors=(httpx.TransportError,),
            )  # fmt: skip

    with ThreadPoolExecutor(2) as two:  # it raises what they raise
        list(two.map(ten, range(2)))
    here.post("/v1/turns", {"turns": [turn(99)]})
    value = here.get("/v1/sessions/pair", user_id="pair")
    assert value["flow_context"]["turn_count"] == 21


def test_e7_session_figures_are_metrics(here: World) -> None:
    here.say("measured", "Hello.", session="measured")
    here.post("/v1/sessions/measured/memory-context", {"user_id": "measured"})
    message = here.http.get("/metrics").text
    for name in ("memstream_session_token_ratio_count", "memstream_session_read_seconds_count"):
        assert [line for line in message.splitlines() if line.startswith(name) and not line.endswith(" 0.0")], name
