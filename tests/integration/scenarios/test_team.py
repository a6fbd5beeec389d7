"""An engineering team with decisions and documents (D), in Chinese and English."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.scenario import World
from tests.integration.scenarios.days import NOW

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def here(running: World) -> World:
    running.run_on("engineering")
    return running


@dataclass(frozen=True)
class Team:
    who: str
    project: str
    """As written; the Chinese team's is one that the profile knows by an alias."""
    said: tuple[str, str]
    decided: str
    anchor: str
    chat: tuple[str, str]
    query: str
    document: str
    title: str
    text: str
    added: str
    asked: str
    found: str


TEAMS = {
    "zh": Team(
        "阿泽", "proj_123_cangqiong",
        ("我们决定采用 Redis 替代现有的本地缓存方案。", "目前的本地缓存存在锁竞争问题。"), "Redis 替代现有的本地缓存",
        "respond_in_chinese", ("上次我们聊到哪了？", "我们正在讨论“苍穹”项目的性能瓶颈。"),
        "我们上次关于苍穹项目的决策是什么？", "tech_doc", "缓存",
        "# 缓存\n\n## 3 选型\n\n### 3.4 Redis\n\nRedis 在高并发场景下相比本地缓存，具有更好的吞吐。\n\n"
        "```\n# no heading\n```\n",
        "\n## 4 容量\n\n每个会话二十条。\n", "每个会话多少条", "二十条",
    ),
    "en": Team(
        "zoe", "proj_456_firmament",
        ("We decided to replace the local cache with Redis.", "The local cache suffers from lock contention."),
        "replace the local cache with Redis", "respond_in_english",
        ("Where did we leave off?", "We are discussing the bottleneck of the project."),
        "What did we decide about the cache?", "tech_doc_en", "Caching",
        "# Caching\n\n## 3 Choice\n\n### 3.4 Redis\n\nUnder high concurrency Redis has a better throughput than a "
        "local cache.\n\n```\n# no heading\n```\n",
        "\n## 4 Capacity\n\nTwenty messages for each session.\n", "How many messages for each session?",
        "Twenty messages",
    ),
}  # fmt: skip


def prompt_of(here: World, t: Team, language: str, document: dict[str, Any]) -> str:
    """What the team's agent is given, days after the meeting."""
    at, session = NOW - timedelta(days=3), f"now_{language}"
    for n, text in enumerate(t.said):
        here.say(t.who, text, at=at + timedelta(minutes=n), session="meeting", project_id=t.project)
    here.post("/v1/documents", document)
    here.post("/v1/sessions", {"user_id": t.who, "session_id": session})
    anchors = {"language_preference": t.anchor}
    here.call("PUT", f"/v1/sessions/{session}/anchors", {"user_id": t.who, "anchors": anchors})
    here.post("/v1/memories", {"user_id": t.who, "kind": "preference", "field": "communication_tone",
                               "text": "concise and professional", "value": "concise and professional"})  # fmt: skip
    here.say(t.who, t.chat[0], session=session, project_id=t.project)
    here.say(t.who, t.chat[1], session=session, role="assistant", project_id=t.project)
    request = {"user_id": t.who, "session_id": session, "project_id": t.project, "query": t.query}
    prompt: str = here.post("/v1/context", request)["prompt"]
    return prompt


@pytest.mark.parametrize("language", ["zh", "en"])
def test_d6_d8_d17_a_team_with_decisions_and_documents(here: World, language: str) -> None:
    t = TEAMS[language]
    document = {"document_id": t.document, "version": "1.2", "title": t.title, "markdown": t.text}
    with here.own_time():  # behind a week's end a tick writes its report, which is shown in place of the turns (A8)
        prompt = prompt_of(here, t, language, document)
    heads = ["# System Instructions", "# User Profile", "# Anchors", "# Conversation History", "# Retrieved Memories",
             "# Current User Request"]  # fmt: skip
    places = [prompt.index(h) for h in heads]
    assert places == sorted(places), prompt
    assert "- communication_tone: concise and professional" in prompt
    assert f"- language_preference: {t.anchor}" in prompt
    assert f"AI: {t.chat[1]}" in prompt
    assert "[Source: Episodic, doc_id: " in prompt
    assert t.decided in prompt
    assert prompt.count(t.said[1].rstrip(".。")) == 1, "the memory stands for its turn"
    assert prompt.endswith(f"User: {t.query}")
    decisions = here.get(f"/v1/projects/{t.project}/hot-memory")["decisions"]
    assert [t.decided in str(d["value"]) for d in decisions] == [True], "A4: a decision of a project is hot memory"
    # A new version archives the old one in one step; unchanged parts are found under the new one (D8).
    here.post("/v1/documents", {**document, "version": "1.3", "markdown": t.text + t.added})
    found = here.post("/v1/search", {"query": t.asked, "kinds": ["chunk"], "limit": 5})["results"]
    assert t.found in found[0]["text"]
    assert {r["details"]["key"].split("/")[0] for r in found} == {"1.3"}, "of neither team's document an older one"
    seeds_tables_of(here, t)


def seeds_tables_of(here: World, t: Team) -> None:
    """The same by SQL, under the seed's names and columns (D7, D8, D9)."""
    [event] = here.sql(
        "SELECT content_text, session_id, importance_score, metadata->>'project_id', source_interaction_id, "
        "content_embedding_id LIKE event_id || '/%%' FROM {v}.episodic_events "
        "WHERE user_id = %s AND event_type = 'decision'", t.who,
    )  # fmt: skip
    assert t.decided in event[0]
    assert event[1:] == ("meeting", 0.5, t.project, None, True)
    chunks = here.sql(
        "SELECT document_version, status, source_metadata->>'title', hierarchy_info->>'h2' FROM {v}.knowledge_chunks "
        "WHERE document_id = %s ORDER BY 1, 4", t.document,
    )  # fmt: skip
    assert {(version, status) for version, status, *_ in chunks} == {("1.2", "archived"), ("1.3", "active")}
    assert {title for _, _, title, _ in chunks} == {t.title}
    assert [c[3][0] for c in chunks] == ["3", "3", "4"]
    preference = here.sql(
        "SELECT preference_value, scope, source, confidence, created_at <= last_updated_at FROM {v}.user_preferences "
        "WHERE user_id = %s AND preference_key = 'communication_tone'", t.who,
    )  # fmt: skip
    assert preference == [("concise and professional", "global", "explicit", 1, True)]


RENEWED = {
    "zh": ("renew_zh", "我们决定周五发布测试版。", "按之前的决定：周五。", "测试版"),
    "en": ("renew_en", "We decided to ship the beta on Friday.", "As decided: Friday.", "beta"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_d7_a_memory_that_the_model_was_given_is_renewed(here: World, language: str) -> None:
    who, statement, reply, word = RENEWED[language]
    here.say(who, statement, at=NOW - timedelta(days=4), session="a")
    [before] = [m for m in here.get(f"/v1/users/{who}/memories", limit=50)["memories"] if word in m["text"]]
    turn = {"user_id": who, "session_id": "b", "role": "assistant", "content": reply,
            "occurred_at": NOW.isoformat(), "recalled": [{"id": before["id"], "text": before["text"]}]}  # fmt: skip
    here.post("/v1/turns", {"turns": [turn]})
    [after] = [m for m in here.get(f"/v1/users/{who}/memories", limit=50)["memories"] if m["id"] == before["id"]]
    assert after["last_accessed_at"] > before["last_accessed_at"]
