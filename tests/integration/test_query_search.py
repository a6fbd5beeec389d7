"""Search over real servers, in English and Chinese (A2, D11, D13, N8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from memstream.stack import Addresses
from query.search import retriever
from query.views.documents import ScopeDocuments
from schemas.log import topics
from schemas.log.owner import OwnerKind
from schemas.log.progress import FreshnessToken, Written
from schemas.security.scope import Permission, TenantScope
from schemas.storage.layouts import STAGE_OF_VIEW
from sinks.milvus.sink import MilvusSink
from sinks.protocol import Item, Mark, Message, SinkBatch
from tests.integration.conftest import BackgroundStack
from tests.integration.query_env import START, TENANT, Env, query_service
from tests.patience import eventually

pytestmark = pytest.mark.integration


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses) as env:
        yield env


def on(day: int) -> datetime:
    """A day of the month that begins with START."""
    return START + timedelta(days=day - 1)


async def search(env: Env, query: str, **over: Any) -> list[dict[str, Any]]:
    """Results once every store has answered."""
    results: list[dict[str, Any]] = (await env.post("/v1/search", {"query": query, **over}))["results"]
    return results


async def test_d13_words_and_meaning_find_turns_in_both_languages(env: Env) -> None:
    rows = env.rows
    rows.turn("d13", "s1", "My dog Rex broke his leg last week", speaker="Ann")
    rows.turn("d13", "s1", "I will fly to Lisbon in March")
    rows.turn("d13", "s2", "我女儿对花生过敏,上次去了急诊")
    rows.turn("d13", "s2", "周末打算去西湖骑车")
    assert (await search(env, "What happened to the dog?", user_id="d13"))[0]["text"].startswith("My dog Rex")
    best = (await search(env, "孩子对什么过敏?", user_id="d13", kinds=["turn"], explain=True))[0]
    assert "花生" in best["text"]
    assert best["kind"] == "turn"
    assert best["source_turn_ids"] == [best["id"]]
    assert {"bm25", "dense", "fused", "decay"} <= set(best["scores"])
    only = await search(env, "travel plans", user_id="d13", session_id="s1")
    assert {r["session_id"] for r in only} == {"s1"}
    assert await search(env, "What happened to the dog?", user_id="somebody else") == []


async def test_d13_the_fusion_is_chosen_by_a_header(env: Env) -> None:
    """RRF to the letter beside the default; one retriever alone for comparison; another word is refused."""
    env.rows.turn("rrf", "s1", "Rex the dog broke his leg")
    env.rows.turn("rrf", "s1", "Our puppy was hurt")
    env.rows.turn("rrf", "s2", "The stock market fell")

    async def ranked(mode: str) -> list[dict[str, Any]]:
        body = {"query": "Rex dog", "user_id": "rrf", "explain": True}
        answer = await env.post("/v1/search", body, {"Memstream-Ranking": mode})
        results: list[dict[str, Any]] = answer["results"]
        return results

    first = (await ranked("rrf"))[0]
    assert first["text"].startswith("Rex")
    assert first["score"] == 1.0  # first of both retrievers
    assert [r["text"] for r in await ranked("bm25")] == ["Rex the dog broke his leg"]
    dense = await ranked("dense")
    assert len(dense) > 1
    assert [r["score"] for r in dense] == pytest.approx([r["scores"]["dense"] for r in dense], abs=1e-5)
    assert await ranked("adaptive") == await search(env, "Rex dog", user_id="rrf", explain=True)
    body = {"query": "Rex", "user_id": "rrf"}
    refused = await env.client.post("/v1/search", json=body, headers={"Memstream-Ranking": "best"})
    assert refused.status_code == 422
    assert "Memstream-Ranking" in str(refused.json()["errors"])


async def test_a_search_sees_what_changed_since_the_last(env: Env) -> None:
    """N3: the copy in memory is never older than Postgres."""
    rows = env.rows
    rows.memory("fresh", "fact", "Works at Initech", record_id="fresh-job", field="employer")
    assert [r["text"] for r in await search(env, "employer", user_id="fresh")] == ["Works at Initech"]
    rows.memory("fresh", "fact", "Works at Globex", record_id="fresh-job", revision=2, field="employer")
    rows.memory("fresh", "fact", "Has a cat")
    assert {r["text"] for r in await search(env, "work cat", user_id="fresh")} == {"Works at Globex", "Has a cat"}
    removed = rows.memory("fresh", "fact", "", record_id="fresh-job", revision=3, op="delete", state="deleted")
    assert removed.revision == 3
    assert {r["text"] for r in await search(env, "work cat Globex", user_id="fresh")} == {"Has a cat"}


async def test_observed_memories_are_not_found(env: Env) -> None:
    """D4: below the threshold a memory is observed, not read."""
    env.rows.memory("d4", "preference", "Likes jazz", state="observed", field="music")
    assert await search(env, "music jazz", user_id="d4") == []


async def test_filters_and_as_of(env: Env) -> None:
    """N8: what was true when; filters by metadata, unknown ones named."""
    rows = env.rows
    old = rows.memory("n8s", "fact", "Lives in Paris", record_id="n8s-home", state="superseded", field="residence",
                      valid_from=START, valid_to=on(10), occurred_at=START)  # fmt: skip
    rows.memory("n8s", "fact", "Lives in Lyon", record_id="n8s-home", version=1, field="residence",
                valid_from=on(10), occurred_at=on(10))  # fmt: skip
    rows.memory("n8s", "fact", "Speaks French", field="language", category="skills")
    assert [r["text"] for r in await search(env, "lives in", user_id="n8s", filters={"field": "residence"})] == [
        "Lives in Lyon"
    ]
    then = await search(env, "where lives", user_id="n8s", as_of=on(5).isoformat())
    assert then[0]["text"] == old.sealed.text
    assert "Lives in Lyon" not in {r["text"] for r in then}
    rows.memory("n8s", "fact", "Allergic to peanuts", field="allergies", valid_from=START.replace(year=2019),
                occurred_at=on(10))  # fmt: skip
    earlier = await search(env, "allergic peanuts", user_id="n8s", as_of=START.replace(year=2020).isoformat())
    assert [r["text"] for r in earlier] == ["Allergic to peanuts"], "true then, told later"
    rows.memory("n8s", "episode", "Met Dr Shah", valid_from=on(3), valid_to=on(4),
                occurred_at=on(5))  # fmt: skip
    for day, seen in ((2, False), (3, True), (20, True)):
        when = on(day).isoformat()
        met = await search(env, "met Dr Shah", user_id="n8s", as_of=when, kinds=["episode"])
        assert [r["text"] for r in met] == ["Met Dr Shah"] * seen, "what happened stays so"
        listed = (await env.client.get("/v1/users/n8s/memories", params={"as_of": when, "kind": "episode"})).json()
        assert [m["text"] for m in listed["memories"]] == ["Met Dr Shah"] * seen
    bad = await env.client.post("/v1/search", json={"query": "x", "user_id": "n8s", "filters": {"colour": "red"}})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "filters.colour")


async def test_a2_a_project_is_searched_by_its_members_turns(env: Env) -> None:
    rows = env.rows
    rows.turn("pm1", "s1", "入组了第30名受试者", project_id="trial-9")
    rows.turn("pm2", "s1", "Drug supply was delayed by customs", project_id="trial-9")
    rows.turn("pm2", "s2", "I bought a bike")
    found = await search(env, "supply delay", project_id="trial-9")
    assert {r["user_id"] for r in found} <= {"pm1", "pm2"}
    assert found[0]["text"].startswith("Drug supply")
    assert all(r["details"]["project_id"] == "trial-9" for r in found)


async def test_a_whole_tenant_is_searched_through_milvus(env: Env, addresses: Addresses) -> None:
    with closing(MilvusSink(addresses.milvus)) as sink:
        turn = env.rows.turn("wt1", "s", "the zymurgy meeting is on Friday")
        sink.write(SinkBatch([Item(turn, Message("t", 0, 0, None, None, [], 0))]))
        found = await search(env, "zymurgy", kinds=["turn"], limit=1)
        assert [r["user_id"] for r in found] == ["wt1"]


async def test_d13_a_large_scope_is_searched_in_milvus_and_confirmed_in_postgres(addresses: Addresses) -> None:
    """Beyond the bound nothing is held in memory; a hit that Postgres does not confirm is not returned."""
    message = Message("t", 0, 0, None, None, [], 0)
    place = Mark(STAGE_OF_VIEW["turns"], 5, f"{topics.TURNS.name}/5")
    async with query_service(addresses, scope_bound=2) as env:
        sink = env.stack.enter_context(closing(MilvusSink(addresses.milvus)))
        texts = ["The kiln reached 1200 degrees", "My sister moved to Oslo", "窑炉的温度升到了1200度", "I like rye"]
        turns = [env.rows.turn("large", "s", text) for text in texts]
        sink.write(SinkBatch([Item(t, message) for t in turns], {place: 8}))
        found = await search(env, "How hot was the kiln?", user_id="large", kinds=["turn"], limit=2)
        assert found[0]["text"] == texts[0]
        assert (await search(env, "窑炉多少度?", user_id="large", kinds=["turn"]))[0]["text"] == texts[2]
        assert await search(env, "kiln", user_id="large", kinds=["turn"], session_id="other") == []
        env.execute("DELETE FROM views_g1.turns WHERE user_id = 'large' AND turn_id = %s", turns[0].turn_id)
        left = await search(env, "How hot was the kiln?", user_id="large", kinds=["turn"])
        assert texts[0] not in {r["text"] for r in left}
        token = str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=5, offset=7)]))
        late = str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=5, offset=8)]))
        env.rows.write(progress={place: 9})
        body = {"query": "kiln", "user_id": "large", "kinds": ["turn"]}
        await env.post("/v1/search", body, {"Memstream-Wait-For": token, "Memstream-Wait-Ms": "30000"})  # fresh
        headers = {"Memstream-Wait-For": late, "Memstream-Wait-Ms": "100"}
        answer = await env.client.post("/v1/search", json=body, headers=headers)
        assert answer.headers["Memstream-Fresh"] == "false"


async def test_d13_a_scope_that_comes_at_once_has_the_fingerprint_that_postgres_has(env: Env) -> None:
    """Else the second question would load it all again; a larger one does not come at once, and is found all the
    same."""
    texts = [f"Box {n} holds {word}" for n, word in enumerate(("apples", "nails", "letters", "rope"))]
    for text in texts:
        env.rows.turn("atonce", "s", text)
    env.rows.memory("atonce", "fact", "Box 9 is empty")
    scope = TenantScope(TENANT, "test", frozenset(Permission)).user("atonce")
    source = ScopeDocuments(env.app.state.db, scope)
    found = await source.whole(4)
    assert found is not None
    mark, (turns, memories) = found
    assert (mark.turns[0], mark.memories[0]) == (len(turns), len(memories)) == (4, 1)
    assert mark == await source.mark()
    assert await source.whole(3) is None
    held = env.app.state.retriever.cache
    before = held.size
    assert (await search(env, "Where are the nails?", user_id="atonce"))[0]["text"] == texts[1]
    assert held.size == (before[0] + 1, before[1] + 5), "the user; the tenant's knowledge is empty, so it is not held"
    env.rows.turn("atonce", "s", "The nails are in box 7 now")
    assert "box 7" in (await search(env, "Where are the nails now?", user_id="atonce"))[0]["text"]


@pytest.fixture
def copies_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the last minute answers for a day: no slow machine lets it grow too old meanwhile."""
    monkeypatch.setattr(retriever, "STALE_SECONDS", 86_400.0)


async def answering(env: Env, path: str, body: dict[str, Any], *late: str, holds: str = "") -> dict[str, Any]:
    """The answer once these stores are among those that are named as missing (none, if none are given), and it holds
    the word. Other stores may be late too, on a slow machine, and an open circuit asks again within a second."""

    async def ask() -> dict[str, Any]:
        answer = await env.client.post(path, json=body)
        return dict(answer.json()) if answer.status_code == 200 else {"error": answer.text}

    def good(answer: dict[str, Any]) -> bool:
        if "error" in answer:
            return False
        named = {d["store"] for d in answer["degraded"]}
        missing = named >= set(late) if late else not named
        return missing and holds in str(answer.get("results", answer.get("prompt")))

    return await eventually(f"POST {path} without {late or 'nothing'}, with {holds!r}", ask, good)


async def refused(env: Env, path: str, **params: str) -> dict[str, Any]:
    """What a read says that a store is missing for."""
    answer = await env.client.get(path, params=params)
    assert answer.status_code == 503, answer.text
    return dict(answer.json())


async def circuits(env: Env) -> dict[str, float]:
    """Store -> 1 while its circuit is open, as /metrics says."""
    lines = (await env.client.get("/metrics")).text.splitlines()
    return {
        store: float(line.rsplit(" ", 1)[1])
        for line in lines
        for store in ("postgres", "redis", "milvus")
        if line.startswith(f'memstream_circuit_open{{store="{store}"}}')
    }


async def test_d11_without_milvus_words_answer_and_it_is_named(running_stack: BackgroundStack) -> None:
    limits: dict[str, Any] = {"limits_as_shipped": True, "scope_bound": 1, "store_timeout": 0.5}
    async with query_service(running_stack.addresses, **limits) as env:
        env.rows.turn("nomilvus", "s", "The ferry leaves at noon")
        env.rows.turn("nomilvus", "s", "Nothing else matters")
        with running_stack.frozen("milvus"):
            body = {"query": "ferry", "user_id": "nomilvus", "kinds": ["turn"]}
            answer = await answering(env, "/v1/search", body, "milvus", holds="ferry")
        assert [r["text"] for r in answer["results"]] == ["The ferry leaves at noon"]


async def test_d11_while_postgres_and_redis_are_away_the_answer_says_so_and_holds_nothing_that_is_to_go(
    running_stack: BackgroundStack, copies_last: None
) -> None:
    """Their circuits open and close; what somebody had deleted meanwhile is in no answer, also of the last minute."""
    limits: dict[str, Any] = {"limits_as_shipped": True, "store_timeout": 0.3, "poll_seconds": 60}
    async with query_service(running_stack.addresses, **limits) as env:
        rows = env.rows
        for n in range(3):
            rows.turn("away", "s", f"The ferry {n} leaves at noon")
        kept = rows.memory("away", "fact", "Takes the ferry", field="ferry")
        goes = rows.memory("away", "fact", "Hates the ferry 讨厌渡轮", field="dislike")
        rows.turn("gone", "s", "The ferry is mine")
        body = {"query": "ferry 渡轮", "user_id": "away"}
        await answering(env, "/v1/search", body, holds=goes.record_id)
        assert len((await answering(env, "/v1/search", {**body, "user_id": "gone"}))["results"]) == 1
        with running_stack.frozen("postgres", "valkey"):
            await refused(env, "/v1/sessions/s", user_id="away")
            for path, params in ((f"/v1/memories/{goes.record_id}", {"user_id": "away"}), ("/v1/users/gone", {})):
                await _taken(env, path, params)

            async def opened() -> dict[str, float]:
                answer = await answering(env, "/v1/search", body, "postgres", holds=kept.record_id)
                assert goes.record_id not in str(answer["results"])
                assert (await refused(env, "/v1/users/away/memories"))["store"] == "postgres"
                await refused(env, "/v1/sessions/s", user_id="away")
                return await circuits(env)

            await eventually("open circuits", opened, lambda c: (c["postgres"], c["redis"]) == (1.0, 1.0))

            async def ask() -> list[dict[str, str]]:
                return list((await env.client.post("/v1/search", json=body)).json()["degraded"])

            left_alone = {"store": "postgres", "reason": "circuit open"}
            await eventually("a store that is left alone", ask, lambda named: left_alone in named)
            other = (await env.client.post("/v1/search", json={**body, "user_id": "gone"})).json()
            assert (other["results"], bool(other["degraded"])) == ([], True)
            request = {"query": "ferry", "user_id": "away"}
            context = await answering(env, "/v1/context", request, "postgres", holds="Takes the ferry")
            assert "Hates the ferry" not in context["prompt"]
        await answering(env, "/v1/search", body, holds="Takes the ferry")

        async def session() -> int:
            return (await env.client.get("/v1/sessions/s", params={"user_id": "away"})).status_code

        await eventually("a session to be looked for again", session, lambda status: status == 404)
        await eventually("a closed circuit", lambda: circuits(env), lambda c: c["postgres"] == 0.0)


async def _taken(env: Env, path: str, params: dict[str, str]) -> None:
    """A deletion is accepted by the broker, whatever stores are away."""

    async def ask() -> int:
        return (await env.client.delete(path, params=params)).status_code

    await eventually(f"DELETE {path} to be taken", ask, lambda status: status == 202)


async def test_d11_while_postgres_is_slow_the_last_minute_answers(addresses: Addresses, copies_last: None) -> None:
    """A lock holds up every read of the views, as a store that is over its budget does. Of a whole tenant there is no
    copy: the answer is empty, and says so."""
    async with query_service(addresses, limits_as_shipped=True, store_timeout=0.5) as env:
        turn = env.rows.turn("slowpg", "s", "The ferry leaves at noon")
        sink = env.stack.enter_context(closing(MilvusSink(addresses.milvus)))
        sink.write(SinkBatch([Item(turn, Message("t", 0, 0, None, None, [], 0))]))
        body = {"query": "ferry", "user_id": "slowpg", "kinds": ["turn"]}
        await answering(env, "/v1/search", body, holds="ferry")
        with psycopg.connect(env.dsn) as other:
            other.execute("LOCK TABLE views_g1.turns, views_g1.memories IN ACCESS EXCLUSIVE MODE")
            answer = await answering(env, "/v1/search", body, "postgres", holds="ferry")
            whole = await answering(env, "/v1/search", {"query": "ferry", "kinds": ["turn"]}, "postgres")
            listed = await refused(env, "/v1/users/slowpg/memories")
            request = {"query": "ferry", "user_id": "slowpg"}
            await answering(env, "/v1/context", request, "postgres", holds="The ferry leaves at noon")
            other.rollback()
        assert [r["text"] for r in answer["results"]] == ["The ferry leaves at noon"]
        assert whole["results"] == []
        assert listed["store"] == "postgres"
        await answering(env, "/v1/search", body)


async def test_a_library_that_knows_nothing_stays_behind_what_does(env: Env) -> None:
    rows = env.rows
    rows.memory("doc-9", "chunk", "At most 20 connections per client.", owner_kind=OwnerKind.DOCUMENT, key="1.2",
                attributes={"document_id": "doc-9", "hierarchy_info": {"h1": "Limits"}})  # fmt: skip
    rows.memory("lib", "fact", "从事前端开发工作", field="occupation", value="前端开发")
    rows.turn("lib", "s", "我在杭州做前端开发")
    found = await search(env, "前端开发", user_id="lib")
    assert [r["kind"] for r in found][:2] in (["fact", "turn"], ["turn", "fact"])
    known = await search(env, "How many connections per client?", user_id="lib")
    assert known[0]["kind"] == "chunk"


@pytest.mark.parametrize("bound", [20_000, 1])
async def test_n8_knowledge_as_of_a_time_is_that_of_the_version_that_stood_then(
    addresses: Addresses, bound: int
) -> None:
    """Held in memory and, beyond the bound, by its words. A version that was archived before it was kept until when it
    stood is not shown."""
    async with query_service(addresses, scope_bound=bound) as env:

        sink = env.stack.enter_context(closing(MilvusSink(addresses.milvus)))

        def put(version: str, text: str, since: int, until: int | None = None) -> None:
            chunk = env.rows.memory(
                f"asof-{bound}", "chunk", text, owner_kind=OwnerKind.DOCUMENT, key=version,
                record_id=f"asof-{bound}-{version}", state="archived" if until else "active",
                occurred_at=on(since), valid_to=on(until) if until else None,
            )  # fmt: skip
            sink.write(SinkBatch([Item(chunk, Message("t", 0, 0, None, None, [], 0))]))

        put("1", "The quota of the skiff is 20 litres.", 2, 9)
        put("2", "The quota of the skiff is 50 litres.", 9)
        put("0", "The quota of the skiff is 5 litres.", 1, 2)
        env.execute("UPDATE views_g1.memories SET valid_to = NULL WHERE record_id = %s", f"asof-{bound}-0")

        async def at(day: int | None) -> list[str]:
            limits = {"filters": {"document_id": f"asof-{bound}"}, "kinds": ["chunk"]}
            when = {} if day is None else {"as_of": on(day).isoformat()}
            found = await search(env, "quota of the skiff in litres", user_id="sailor", **limits, **when)
            return [str(r["details"]["key"]) for r in found]

        assert [await at(day) for day in (None, 1, 5, 20)] == [["2"], [], ["1"], ["2"]]
