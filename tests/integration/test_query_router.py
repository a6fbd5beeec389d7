"""What a question's own words do to its answer, over HTTP (D10, D12): times, projects and decisions as filters, a
record's number, and an imagined answer from a scripted endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from memstream.stack import Addresses
from schemas.profile.model import load_profile
from tests.dates import fixed
from tests.endpoint import Scripted, serving
from tests.integration.query_env import Env, query_service
from tests.patience import PATIENCE

pytestmark = pytest.mark.integration
CANGQIONG = "proj_123_cangqiong"
NOW = fixed(2026, 11, 18, 12)
"""The service's clock: far from the ends of a month, which is another one in the profile's time zone by then."""
LAST_MONTH = NOW.replace(day=1) - timedelta(days=10)


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses, load_profile("engineering"), clock=lambda: NOW) as env:
        yield env


async def ask(env: Env, user: str, query: str, **over: Any) -> dict[str, Any]:
    """A context once every store has answered."""
    return await env.post("/v1/context", {"query": query, "user_id": user, **over})


def shown(got: dict[str, Any]) -> list[str]:
    """Ids of what was retrieved, best first."""
    return [c["id"] for s in got["sections"] if s["name"] == "retrieved_memories" for c in s["citations"]]


@pytest.mark.parametrize(
    ("user", "query", "texts"),
    [
        ("rt_en", "What did I say about the office move last month?", "The office move is planned for floor {}"),
        ("rt_zh", "上个月我怎么说的办公室搬迁?", "办公室搬迁计划在{}楼"),
    ],
)
async def test_d10_last_month_is_a_filter_over_what_happened(env: Env, user: str, query: str, texts: str) -> None:
    old, then, now = (
        env.rows.turn(user, f"s{n}", texts.format(n), occurred_at=at, turn_id=f"{user}-{n}")
        for n, at in enumerate((LAST_MONTH - timedelta(days=70), LAST_MONTH, NOW))
    )
    got = await ask(env, user, query)
    assert shown(got)[0] == then.turn_id
    assert {old.turn_id, now.turn_id} <= set(shown(got)), "what a filter leaves out comes after, not never"
    [why] = [b for b in got["because"] if b.get("filter") == "occurred"]
    assert why["words"][0].casefold() in query.casefold()


async def test_d10_decisions_of_a_project_that_is_named_by_its_alias(env: Env) -> None:
    user = "rt_cq"
    kept: dict[str, str] = {}
    for name, text, kind, project in (
        ("wanted", "苍穹项目决定使用 Redis 做缓存", "decision", CANGQIONG),
        ("task", "苍穹项目要写 Redis 缓存的文档", "task", CANGQIONG),
        ("other", "另一个项目决定使用 Memcached 做缓存", "decision", "proj_other"),
    ):
        event = env.rows.memory(user, "episode", text, episode_type=kind, project_id=project)
        kept[event.record_id] = name
    got = await ask(env, user, "苍穹项目的决策是什么?缓存用什么?")
    found = [kept[i] for i in shown(got) if i in kept]
    assert found[0] == "wanted"
    assert "other" not in found, "of another project"
    fields = {k: b["words"] for b in got["because"] for k in ("project", "filter", "intent") if k in b}
    assert fields["project"] == ["苍穹"]
    assert fields["filter"] == ["决策"]
    assert got["intents"][0] == "recall_decision"


@pytest.mark.parametrize("query", ["记录 12 现在怎么样了?", "How is record-12 doing?", "RECORD_12 status"])
async def test_d10_a_records_number_reads_that_record_and_no_other(addresses: Addresses, query: str) -> None:
    async with query_service(addresses, load_profile("clinical_trial")) as env:
        for number, step in (("12", "second query sent 第二次质疑"), ("1", "closed 已关闭"), ("112", "not begun")):
            for key in (f"record-{number}", f"记录{number}"):
                env.rows.memory("rt_rec", "item", "", value={"step": f"{step} {key}"}, key=key,
                                record_id=f"rt_rec-{key}", namespace=("state", "rt_rec"))  # fmt: skip
        got = await ask(env, "rt_rec", query, intent="QC_TASK")
        first = got["prompt"].split("# Retrieved Memories")[1].split("[Source")[1]
        assert "second query sent" in first
        assert "12" in str([b for b in got["because"] if "intent" not in b])


async def test_d12_an_imagined_answer_finds_what_the_question_does_not_say(addresses: Addresses) -> None:
    """The endpoint writes what an answer might say; it is searched with and shown only where one asks to explain."""
    imagined = "My bicycle is a red one that I bought in Hangzhou 我在杭州买了一辆红色自行车"
    scripted = Scripted([lambda request: {"passage": imagined}])
    async with serving(scripted):
        model = OpenAiCompatible(EndpointConfig(scripted.url, "scripted-1", tries=1))
        async with query_service(addresses, hyde=model, hyde_seconds=PATIENCE) as env:
            answer = "我在杭州买了一辆红色的自行车"
            env.rows.turn("hyde", "s", answer)
            for n in range(6):
                env.rows.turn("hyde", "s", f"What do I own, and which colour would you paint wall {n}?")
            question = "What colour is the thing that I bought and own?"
            body: dict[str, Any] = {"query": question, "user_id": "hyde", "kinds": ["turn"], "explain": True}
            found = await env.post("/v1/search", body)
            assert found["hypothesis"] == imagined
            plain = await env.post("/v1/search", {**body, "explain": False})
            assert "hypothesis" not in plain
            assert [r["id"] for r in plain["results"]] == [r["id"] for r in found["results"]]
            assert imagined not in str(plain)
            dense = {r["text"]: r["scores"]["dense"] for r in found["results"]}
            words = await env.post("/v1/search", body, {"Memstream-Ranking": "bm25"})
            assert "hypothesis" not in words, "words alone need no imagined vector"
            got = await ask(env, "hyde", body["query"])
            assert imagined not in got["prompt"]
            assert len(scripted.seen) == 1, "asked once for a question"
            assert [m["role"] for m in scripted.seen[0]["messages"]] == ["system", "user"]
        async with query_service(addresses) as env:
            without = await env.post("/v1/search", body)
            alone = {r["text"]: r["scores"]["dense"] for r in without["results"]}
        assert dense[answer] > alone[answer] + 0.1, "nearer by what was imagined"
        scripted.script[:] = [503]
        async with query_service(addresses, hyde=model, hyde_seconds=PATIENCE) as env:
            left = (await env.client.post("/v1/search", json=body)).json()
            assert {"store": "model", "reason": "unreachable"} in left["degraded"]
            assert {r["text"]: r["scores"]["dense"] for r in left["results"]} == pytest.approx(alone)
        await model.close()
