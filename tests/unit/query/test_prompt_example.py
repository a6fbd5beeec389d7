"""D17: the example prompt of the memory engine, in Chinese and English, from plain turns and one document: no call sets
a preference, a role or an anchor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from inference.tokens import token_counter
from processors.ports import Models, vectors
from query.deps import Deps
from query.prompt.endpoint import ContextIn, ContextRequest, _pieces
from query.prompt.intents import route
from query.prompt.layout import compose
from query.reading import profile_view
from query.reading.common import Context
from query.reading.users import profile_answer
from schemas.events.documents import Document, DocumentBody
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.profile.model import load_profile
from schemas.security.scope import TenantScope
from tests.unit.processors.talk import Talk
from tests.unit.query.conftest import NOW

TEAM = load_profile("engineering")
CANGQIONG, ATLAS = "proj_123_cangqiong", "atlas"
ANN = "ann"


@dataclass(frozen=True)
class Example:
    """`said`: turns of days ago, each with the project that it is said in. `chat`: the session of now."""

    said: tuple[tuple[str, str | None], ...]
    document: str
    chat: tuple[tuple[str, str], ...]
    query: str
    profile: tuple[str, ...]
    anchor: str
    history: str
    cited: tuple[str, ...]


EXAMPLES = {
    "zh": Example(
        (("时间都按东京时间算。", None), ("我喜欢简洁专业的沟通风格。", None), ("我是苍穹项目的技术负责人。", None),
         ("我是测试负责人。", ATLAS), ("我们决定采用 Redis 替代现有的本地缓存方案。", CANGQIONG),
         ("目前的本地缓存存在锁竞争问题。", CANGQIONG)),
        "# 缓存\n\n## 3 选型\n\n### 3.4 Redis\n\nRedis 在高并发场景下相比本地缓存，具有更好的吞吐。\n",
        (("user", "这次对话请用中文回答。"), ("user", "上次我们聊到哪了？"),
         ("assistant", "我们正在讨论“苍穹”项目的性能瓶颈。")),
        "我们上次关于苍穹项目的决策是什么？",
        ("- timezone: Asia/Tokyo", "- communication_tone: 简洁专业",
         '- project_roles: {"atlas": "测试负责人", "proj_123_cangqiong": "技术负责人"}'),
        "# Anchors\n- language_preference: respond_in_chinese",
        "User: 上次我们聊到哪了？\nAI: 我们正在讨论“苍穹”项目的性能瓶颈。",
        ("Redis 替代现有的本地缓存", "具有更好的吞吐", "锁竞争"),
    ),
    "en": Example(
        (("Please use Tokyo time.", None), ("I prefer a concise and professional tone.", None),
         ("I'm the lead engineer on Cangqiong.", None), ("I'm a reviewer here.", ATLAS),
         ("We decided to replace the local cache with Redis.", CANGQIONG),
         ("The local cache suffers from lock contention.", CANGQIONG)),
        "# Caching\n\n## 3 Choice\n\n### 3.4 Redis\n\nRedis has a better throughput than a local cache.\n",
        (("user", "Please answer in English in this conversation."), ("user", "Where did we leave off?"),
         ("assistant", "We are discussing the bottleneck of the project.")),
        "What did we decide about the cache of Cangqiong?",
        ("- timezone: Asia/Tokyo", "- communication_tone: concise and professional",
         '- project_roles: {"atlas": "reviewer", "proj_123_cangqiong": "lead engineer"}'),
        "# Anchors\n- language_preference: respond_in_english",
        "User: Where did we leave off?\nAI: We are discussing the bottleneck of the project.",
        ("replace the local cache with Redis", "better throughput", "lock contention"),
    ),
}  # fmt: skip


async def result_of(models: Models, e: Example) -> Talk:
    talk = Talk(models, TEAM, NOW - timedelta(days=4), whole=True)
    for text, project in e.said:
        talk.project = project
        talk.driver.advance(timedelta(minutes=1))
        await talk.say(text, session="meeting")
    body = DocumentBody(title="", markdown=e.document)
    talk.driver.pipe(topics.DOCUMENTS, Document(tenant="acme", document_id="tech_doc", version="1.2", sealed=body))
    talk.project = None
    await talk.until(NOW)
    for role, text in e.chat:
        talk.driver.advance(timedelta(minutes=1))
        await talk.say(text, role=role, session="now")
    return talk


def row(u: MemoryUpdate) -> dict[str, Any]:
    """As the view holds it."""
    return {**u.model_dump(exclude={"sealed"}), **u.sealed.model_dump()}


def newest(talk: Talk, *kinds: str) -> list[dict[str, Any]]:
    """What stands, newest first."""
    last = {u.row_key: u for kind in kinds for u in talk.updates(kind)}
    active = [u for u in last.values() if u.state == "active" and u.op == "upsert"]
    return [row(u) for u in sorted(active, key=lambda u: u.known_at, reverse=True)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_d17_the_example_prompt_comes_from_plain_turns(deps: Deps, models: Models, language: str) -> None:
    e = EXAMPLES[language]
    talk = await result_of(models, e)
    known = newest(talk, "fact", "preference", "intent", "pattern")
    tenant = TenantScope("acme", "test", frozenset())
    request = ContextRequest(
        ContextIn(query=e.query, user_id=ANN, session_id="now"), tenant, tenant.user(ANN), tenant.project(CANGQIONG),
        route(TEAM, e.query),
    )  # fmt: skip
    ctx = Context.__new__(Context)
    ctx.deps = replace(deps, profile=TEAM)
    session = [s for s in talk.driver.read(topics.SESSION_STATE) if isinstance(s, SessionState)][-1]
    assert session.session_id == "now"
    query = np.frombuffer(vectors(models.embedder, [e.query])[0], np.float16)
    found = newest(talk, "episode", "chunk")
    hits = [(r, float(np.dot(query, np.frombuffer(r["embedding"], np.float16)))) for r in found]
    hits.sort(key=lambda h: -h[1])
    body = {"mode": session.mode, "body": session.sealed.model_dump(mode="json")}
    prompt = compose(_pieces(request, body, {}, known, hits, ctx), e.query, 6_000, token_counter().count)

    heads = ["# System Instructions", "# User Profile", "# Anchors", "# Conversation History", "# Retrieved Memories",
             "# Current User Request"]  # fmt: skip
    places = [prompt.text.index(h) for h in heads]
    assert places == sorted(places), prompt.text
    profile = prompt.text[places[1] : places[2]]
    assert sorted(profile.strip().split("\n")[1:]) == sorted(e.profile), prompt.text
    assert e.anchor in prompt.text, prompt.text
    assert e.history in prompt.text, prompt.text
    assert all(part in prompt.text for part in e.cited), prompt.text
    assert "[Source: Semantic, doc_id: tech_doc_v1.2, section: " in prompt.text
    assert "3.4 Redis]" in prompt.text
    assert "[Source: Episodic, doc_id: " in prompt.text
    assert "- Decision: " in prompt.text
    assert prompt.text.endswith(f"User: {e.query}")

    shown = profile_answer(ctx, "acme", known)
    assert set(shown["profile"]["work"]["projectRole"]) == {CANGQIONG, ATLAS}
    before = {"field": "project_role", "scope": "global", "value": "architect"}
    [roles] = profile_view.by_project(TEAM, [*known, before])["project_role"]
    assert roles == {**shown["profile"]["work"]["projectRole"], "global": "architect"}, "said before, of no project"
    assert profile_view.by_project(TEAM, [before]) == {}
