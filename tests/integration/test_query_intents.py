"""The context by intent, with the shipped profile that names them (A8, A9, D10)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from inference.tokens import token_counter
from memstream.stack import Addresses
from schemas.events.sessions import SessionBody, SessionState, WindowMessage
from schemas.log.owner import OwnerKind
from schemas.profile.model import load_profile
from tests.integration.query_env import TENANT, Env, query_service

pytestmark = pytest.mark.integration
PROFILE = load_profile("clinical_trial")
QUERY = "最近受试者入组的进展怎么样?"
REPORTS = ["本周受试者入组进展顺利,新入组五名", "上月受试者入组的进展较慢,筛选失败两名", "食堂更换了供应商"]
TURNS = ["最近受试者入组的进展:第30名已入组", "受试者入组进展今天又慢了", "入组进展要写进受试者日志", "明天开会"]


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses, PROFILE) as env:
        yield env
    # Documents belong to the whole tenant: every search of the session's other tests would find them.
    async with await psycopg.AsyncConnection.connect(addresses.postgres) as conn:
        await conn.execute("DELETE FROM views_g1.memories WHERE owner_kind = 'document'")


def furnish(env: Env, name: str, reports: list[str]) -> None:
    """A user and a project of one name."""
    rows = env.rows
    rows.memory(name, "hot", "enrolled", owner_kind=OwnerKind.PROJECT, category="status", key="enrolled",
                value="30/100", priority=9, project_id=name)  # fmt: skip
    for text in reports:
        rows.memory(name, "report", text, owner_kind=OwnerKind.PROJECT, project_id=name)
    for text in TURNS:
        rows.turn(name, "old", text, project_id=name)
    rows.memory(name, "episode", "入组的受试者都喜欢下午来访", project_id=name)
    rows.memory(name, "item", "", value={"step": "second query sent"}, key="record-12", namespace=("state", name))
    rows.memory(name, "item", "", value={"step": "closed"}, key="record-1", namespace=("state", name))


async def ask(env: Env, name: str, query: str, **over: Any) -> dict[str, Any]:
    body = {"query": query, "user_id": name, "project_id": name, **over}
    got = await env.post("/v1/context", body)
    assert "- enrolled: 30/100" in got["prompt"]  # hot memory always
    return got


def cited(got: dict[str, Any]) -> list[str]:
    return [c["kind"] for s in got["sections"] if s["name"] == "retrieved_memories" for c in s["citations"]]


async def test_a8_qa_query_adds_the_two_best_reports_and_they_suffice(env: Env) -> None:
    furnish(env, "qa2", REPORTS)
    got = await ask(env, "qa2", QUERY)
    assert got["intents"][0] == "QA_QUERY"
    assert cited(got) == ["report", "report"]
    assert REPORTS[2] not in got["prompt"]


@pytest.mark.parametrize("reports", [REPORTS[:1], []])
async def test_a8_where_reports_do_not_suffice_the_three_best_turns_are_added(env: Env, reports: list[str]) -> None:
    name = f"qa-{len(reports)}"
    furnish(env, name, [*reports, "Gluten"])
    got = await ask(env, name, QUERY)
    assert cited(got) == ["report"] * len(reports) + ["turn"] * 3
    assert "明天开会" not in got["prompt"]
    assert "Gluten" not in got["prompt"]  # below the stated similarity


async def test_a8_the_three_best_turns_are_those_that_the_session_does_not_show_already(env: Env) -> None:
    furnish(env, "window", [])
    texts = [env.rows.turn("window", "now", f"最近受试者入组的进展怎么样,{n}", project_id="window") for n in range(4)]
    window = tuple(WindowMessage(role="user", content=t.sealed.content, timestamp=t.occurred_at, turn_id=t.turn_id)
                   for t in texts)  # fmt: skip
    env.rows.session(
        SessionState(tenant=TENANT, user_id="window", session_id="now", revision=1, updated_at=texts[-1].occurred_at,
                     turn_count=len(texts), sealed=SessionBody(window=window))
    )  # fmt: skip
    got = await ask(env, "window", QUERY, session_id="now")
    assert cited(got) == ["turn"] * 3
    assert all(text in got["prompt"] for text in TURNS[:3])
    assert "明天开会" not in got["prompt"]


async def test_a8_qc_task_adds_the_state_of_the_record_that_is_named(env: Env) -> None:
    furnish(env, "qc", REPORTS)
    got = await ask(env, "qc", "请质控 Record 12 的数据")
    assert got["intents"][0] == "QC_TASK"
    assert "second query sent" in got["prompt"].split("# Retrieved Memories")[1].split("[Source")[1]
    assert set(cited(got)) == {"item"}
    assert cited(got).count("item") == len({c["id"] for s in got["sections"] for c in s["citations"]}) - 1  # hot


async def test_a8_protocol_qa_adds_passages_of_the_knowledge_base(env: Env) -> None:
    furnish(env, "proto", REPORTS)
    env.rows.memory("protocol", "chunk", "入选标准:年龄18到65岁,签署知情同意书", owner_kind=OwnerKind.DOCUMENT,
                    key="2", attributes={"ordinal": 3, "hierarchy_info": {"h1": "方案", "h2": "入选标准"}})  # fmt: skip
    got = await ask(env, "proto", "方案里入选标准是什么?")
    assert got["intents"][0] == "PROTOCOL_QA"
    assert set(cited(got)) == {"chunk"}
    assert "[Source: Semantic, doc_id: protocol_v2, section: 方案 > 入选标准]" in got["prompt"]


async def test_d10_the_nearest_example_claims_a_query_without_keywords(env: Env) -> None:
    furnish(env, "near", REPORTS)
    got = await ask(env, "near", "Please look over record 12 for errors")
    assert got["intents"][0] == "QC_TASK"
    assert {b.get("example") for b in got["because"]} >= {"请质控12号受试者的记录"}
    assert set(cited(got)) == {"item"}
    assert (await ask(env, "near", "我喜欢吃面条"))["intents"] == []


async def test_a8_an_unknown_intent_searches_all_kinds(env: Env) -> None:
    furnish(env, "unknown", REPORTS)
    got = await ask(env, "unknown", "受试者入组", intent="NEVER_HEARD_OF")
    assert got["intents"] == []
    assert {"report", "turn", "episode"} <= set(cited(got))


async def test_a8_an_intent_that_finds_nothing_searches_all_kinds_unless_the_caller_names_it(env: Env) -> None:
    furnish(env, "nothing", [])
    query = "方案里受试者入组的标准是什么?"  # knowledge, of which there is none
    got = await ask(env, "nothing", query)
    assert got["intents"][0] == "PROTOCOL_QA"
    assert {"fallback": "PROTOCOL_QA", "words": []} in got["because"]
    assert {"turn", "episode"} <= set(cited(got))
    request = await ask(env, "nothing", query, intent="PROTOCOL_QA")
    assert cited(request) == []
    assert not [b for b in request["because"] if "fallback" in b]


async def test_a9_the_profiles_budget_holds_and_the_requests_goes_before_it(env: Env) -> None:
    """An oversized Chinese report is passed over; what comes after it still gets in."""
    furnish(env, "budget", ["受试者入组进展的详细说明。" * 900, REPORTS[0]])
    count = token_counter(PROFILE.encoding).count
    for budget in (None, 80, 120, 6_000):
        got = await ask(env, "budget", QUERY, **({} if budget is None else {"budget_tokens": budget}))
        frame = [s for s in got["sections"] if s["name"] in ("system_instructions", "current_user_request")]
        least = count("\n\n".join(s["text"] for s in frame))
        assert got["tokens"] == count(got["prompt"]) <= max(budget or 2_000, least)
        if budget is None:
            assert cited(got) == ["report"]
            assert got["dropped"] == 1
