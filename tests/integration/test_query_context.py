"""Context, hot memory and store items over real servers, in English and Chinese (A5, A8, A9, B5, C1, D15)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import orjson
import pytest

from inference.tokens import token_counter
from memstream.stack import Addresses
from query.search.request import Question
from schemas.events.session_value import session_value
from schemas.events.sessions import SessionBody, SessionState, WindowMessage
from schemas.log.owner import OwnerKind
from schemas.profile.model import load_profile
from schemas.security.scope import Permission, TenantScope
from schemas.storage.layouts import RedisLayout
from tests.integration.query_env import START, TENANT, Env, embedder, query_service

pytestmark = pytest.mark.integration


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses) as env:
        yield env


async def _furnish(env: Env) -> None:
    rows = env.rows
    turn = rows.turn("ctx", "old", "会议决定采用 Redis 替代现有的本地缓存方案", project_id="proj_cq")
    rows.memory("ctx", "episode", "会议决定采用 Redis 替代现有的本地缓存方案", episode_type="decision",
                project_id="proj_cq", sources=[turn])  # fmt: skip
    rows.memory("ctx", "fact", "用户32岁", field="age", value=32)
    rows.memory("ctx", "preference", "简洁专业", field="communication_tone", value="concise and professional")
    rows.memory("proj_cq", "hot", "cache: redis", owner_kind=OwnerKind.PROJECT, category="decision", key="cache",
                value="Redis", priority=5, project_id="proj_cq")  # fmt: skip
    window = tuple(
        WindowMessage(role=r, content=c, timestamp=START, turn_id=f"w{i}")  # type: ignore[arg-type]
        for i, (r, c) in enumerate([("user", "上次我们聊到哪了?"), ("assistant", "我们正在讨论性能瓶颈。")])
    )
    rows.session(
        SessionState(
            tenant=TENANT, user_id="ctx", session_id="now", revision=1, updated_at=START, turn_count=1,
            sealed=SessionBody(window=window, anchors={"language_preference": "respond_in_chinese"}),
        )
    )  # fmt: skip


async def test_d15_the_context_in_the_seeds_layout_with_its_sources(env: Env) -> None:
    await _furnish(env)
    body = {"query": "我们上次关于缓存的决策是什么?", "user_id": "ctx", "session_id": "now", "project_id": "proj_cq"}
    got = await env.post("/v1/context", body)
    prompt = got["prompt"]
    headings = [line for line in prompt.splitlines() if line.startswith("# ")]
    assert headings == [
        "# System Instructions", "# User Profile", "# Anchors", "# Conversation History", "# Retrieved Memories",
        "# Current User Request",
    ]  # fmt: skip
    for text in ("- age: 32", "- communication_tone: concise and professional", "- cache: Redis",
                 "- language_preference: respond_in_chinese", "User: 上次我们聊到哪了?", "AI: 我们正在讨论性能瓶颈。",
                 "- Decision: 会议决定采用 Redis", "[Source: Episodic, doc_id: "):  # fmt: skip
        assert text in prompt
    assert prompt.endswith("# Current User Request\nUser: 我们上次关于缓存的决策是什么?")
    assert got["context_id"]
    cited = {c["kind"] for s in got["sections"] for c in s["citations"]}
    assert {"fact", "preference", "episode", "hot"} <= cited


async def test_d15_what_stands_first_is_the_same_bytes_whatever_language_asks(env: Env) -> None:
    await _furnish(env)
    given = {"user_id": "ctx", "session_id": "now", "project_id": "proj_cq"}
    prompts = [
        (await env.post("/v1/context", {"query": q, **given}))["prompt"]
        for q in ("Which cache did we decide on?", "我们决定用哪种缓存?", "今天怎么样", "How old am I?")
    ]
    assert len({p.split("# Retrieved Memories")[0].split("# Current User Request")[0] for p in prompts}) == 1
    assert "## 关键决策" in prompts[0]


async def test_d13_chat_leans_on_what_was_said_before_it_and_a_question_does_not(env: Env) -> None:
    """The message itself, already stored as the newest turn, is not its own context."""
    rows = env.rows
    user = rows.turn("chat", "now", "我家的猫最近总是不吃东西").user_id
    rows.turn(user, "now", "它是不是生病了?要不要带它去看兽医", role="assistant")
    rows.turn(user, "now", "好烦啊,心里一直放不下")
    retriever, tenant = env.app.state.retriever, TenantScope(TENANT, "test", frozenset(Permission))
    owner = tenant.user(user)
    before = await retriever.said_before(owner, "now", "好烦啊,心里一直放不下")
    stored = [embedder().embed([t])[0] for t in ("我家的猫最近总是不吃东西", "它是不是生病了?要不要带它去看兽医")]
    assert [float(v @ s) for v, s in zip(before, stored, strict=True)] == pytest.approx([1, 1], abs=1e-3)
    assert len(await retriever.said_before(owner, "now", "今天就这样吧")) == 3
    assert await retriever.said_before(owner, "now", "我上周去了哪里?") == ()
    assert await retriever.said_before(owner, "elsewhere", "好烦啊") == ()
    rows.memory(user, "episode", "猫得过肠胃炎,兽医开了药")
    rows.memory(user, "episode", "和朋友吵架以后很难过")
    request = Question("好烦啊,心里一直放不下", frozenset({"episode"}), 2, tenant, owner)
    leaning = await retriever.search(replace(request, said_before=before))
    assert leaning.hits[0][0]["text"].startswith("猫得过肠胃炎")
    alone = await retriever.search(request)
    assert alone.hits[0][0]["text"].startswith("和朋友吵架")


async def test_d15_a_request_that_was_stored_before_it_was_asked_is_told_once(env: Env) -> None:
    """In the window, and without a session among the hits."""
    request = "我们决定用哪种缓存?"
    turn = env.rows.turn("once", "s", request)
    env.rows.turn("once", "s0", "缓存决定用 Redis")
    window = (WindowMessage(role="user", content=request, timestamp=START, turn_id=turn.turn_id),)
    env.rows.session(
        SessionState(tenant=TENANT, user_id="once", session_id="s", revision=1, updated_at=START, turn_count=1,
                     sealed=SessionBody(window=window))
    )  # fmt: skip
    for session in ({"session_id": "s"}, {}):
        got = await env.post("/v1/context", {"query": request, "user_id": "once", **session})
        assert got["prompt"].count(request) == 1
        assert "缓存决定用 Redis" in got["prompt"]


def _session_of(user: str, revision: int, *messages: str) -> SessionState:
    """A session of these messages, written a moment ago."""
    window = tuple(WindowMessage(role="user", content=c, timestamp=START, turn_id=f"t-{c}") for c in messages)
    return SessionState(tenant=TENANT, user_id=user, session_id="s", revision=revision, turn_count=len(messages),
                        updated_at=datetime.now(UTC), sealed=SessionBody(window=window))  # fmt: skip


async def _in_redis(env: Env, state: SessionState) -> None:
    layout, redis = RedisLayout(), env.app.state.deps.redis
    await redis.set(layout.session(state.owner, "s"), orjson.dumps(session_value(state)))
    await redis.set(layout.revision(state.owner, "s"), state.revision)


async def test_n3_a_sessions_last_turns_stand_in_the_context_before_postgres_has_them(env: Env) -> None:
    body = {"query": "What next?", "user_id": "ahead", "session_id": "s"}
    env.rows.session(_session_of("ahead", 1, "one", "two"))
    await _in_redis(env, _session_of("ahead", 2, "one", "two", "three"))
    got = await env.post("/v1/context", body)
    (history,) = [s for s in got["sections"] if s["name"] == "conversation_history"]
    assert history["text"].splitlines()[1:] == ["User: one", "User: two", "User: three"]
    assert [c["id"] for c in history["citations"]] == ["t-one", "t-two"]
    env.rows.session(_session_of("ahead", 3, "one", "two", "three", "four"))
    assert "User: four" in (await env.post("/v1/context", body))["prompt"]


async def test_n3_a_session_that_postgres_does_not_have_yet_is_told_unless_it_was_erased(env: Env) -> None:
    body = {"query": "What next?", "user_id": "new", "session_id": "s"}
    await _in_redis(env, _session_of("new", 1, "first words"))
    assert "User: first words" in (await env.post("/v1/context", body))["prompt"]
    assert (await env.client.get("/v1/sessions/s", params={"user_id": "new"})).status_code == 200
    env.execute(
        "INSERT INTO trust.erasures (erasure_id, tenant, scope, user_id, accepted_at) VALUES (%s, %s, 'user', %s, %s)",
        str(uuid4()), TENANT, "new", datetime.now(UTC) + timedelta(seconds=1),
    )  # fmt: skip
    assert "first words" not in (await env.post("/v1/context", body))["prompt"]
    assert (await env.client.get("/v1/sessions/s", params={"user_id": "new"})).status_code == 404


@pytest.mark.parametrize("budget", [1, 30, 90, 150, 400])
async def test_a9_the_budget_is_never_exceeded(env: Env, budget: int) -> None:
    await _furnish(env)
    body = {"query": "缓存", "user_id": "ctx", "session_id": "now", "project_id": "proj_cq", "budget_tokens": budget}
    got = await env.post("/v1/context", body)
    counted = [s for s in got["sections"] if s["name"] not in ("system_instructions", "current_user_request")]
    text = "\n\n".join(s["text"] for s in counted)
    frame = [s["text"] for s in got["sections"] if s not in counted]
    count = token_counter(load_profile("general").encoding).count
    assert got["tokens"] == count(got["prompt"]) <= max(budget, count("\n\n".join(frame)))
    assert text in got["prompt"]
    assert got["dropped"] > 0 or budget == 400


async def test_a5_hot_memory_is_read_in_order_and_by_group(env: Env) -> None:
    def hot(key: str, type_: str, priority: int) -> None:
        env.rows.memory("a5", "hot", key, owner_kind=OwnerKind.PROJECT, category=type_, key=key, value=key,
                        priority=priority, project_id="a5")  # fmt: skip

    given = [("low", "status", 1), ("high", "status", 9), ("newer", "status", 1), ("pi", "meta", 0)]
    for key, type_, priority in given:
        hot(key, type_, priority)
    got = (await env.client.get("/v1/projects/a5/hot-memory")).json()
    assert [e["key"] for e in got["status"]] == ["high", "newer", "low"]
    assert [e["key"] for e in got["meta"]] == ["pi"]
    assert got["decisions"] == got["preferences"] == []


async def test_b5_load_context_mixes_relevance_and_importance(env: Env) -> None:
    env.rows.memory("b5", "fact", "用户32岁", importance=0.7, field="age", value=32)
    env.rows.memory("b5", "intent", "对高才通B类非常感兴趣", importance=0.8, category="TTPS")
    env.rows.memory("b5", "preference", "希望尽快办理", importance=0.6)
    got = await env.post("/v1/users/b5/load-context", {"query": "他对高才通感兴趣吗?"})
    assert got["total_memories"] == 3
    assert got["memories"][0]["type"] == "INTENT"
    assert got["memories"][0]["importance"] == 80
    assert got["memories"][0]["category"] == "TTPS"
    assert "用户32岁" in got["user_profile_summary"]


async def test_c1_store_items_are_read_searched_and_listed(env: Env) -> None:
    def put(namespace: tuple[str, ...], key: str, value: dict[str, Any], text: str = "") -> None:
        env.rows.memory(namespace[1], "item", text, namespace=namespace, key=key, value=value)

    put(("memories", "c1"), "preferences", {"language": "zh-CN", "font": 12}, "language zh-CN font 12")
    put(("patterns", "c1"), "usage", {"hour": 8}, "hour 8")
    put(("memories", "c1b"), "preferences", {"language": "en"}, "language en")
    post = env.client.post
    got = (await post("/v1/store/items/get", json={"namespace": ["memories", "c1"], "key": "preferences"})).json()
    assert got["item"]["value"]["language"] == "zh-CN"
    alias = (await env.client.get("/v1/store/memories/c1/preferences")).json()
    assert alias == got
    none = (await post("/v1/store/items/get", json={"namespace": ["memories", "c1"], "key": "none"})).json()
    assert none == {"item": None}
    wanted = {"namespace_prefix": ["memories"], "filter": {"font": {"$gt": 3}}}
    found = (await post("/v1/store/search", json=wanted)).json()
    assert [i["namespace"] for i in found["items"]] == [["memories", "c1"]]
    request = {"namespace_prefix": ["memories", "c1"], "query": "language"}
    scored = (await post("/v1/store/search", json=request)).json()
    assert scored["items"][0]["score"] > 0
    names = (await post("/v1/store/namespaces", json={"prefix": ["*", "c1"]})).json()["namespaces"]
    assert names == [["memories", "c1"], ["patterns", "c1"]]
