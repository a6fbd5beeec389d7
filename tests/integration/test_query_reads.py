"""Reads of the materialised state over real servers (K4, N5, B3, B5, B6, D9, E4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from memstream.stack import Addresses
from query.reading import users
from schemas.events.memory import Reason
from schemas.events.sessions import SessionBody, SessionState
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written
from schemas.profile.model import load_profile
from schemas.storage.layouts import STAGE_OF_VIEW, RedisLayout
from sinks.protocol import Mark
from sinks.redis.session import connect
from tests.integration.query_env import START, TENANT, Env, query_service
from tests.patience import eventually

pytestmark = pytest.mark.integration


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses) as env:
        yield env


async def test_a1_a_turn_is_read_by_id_and_only_by_its_user(env: Env) -> None:
    turn = env.rows.turn("r1", "s1", "我住在杭州,做前端开发", speaker="小明")
    got = await env.client.get(f"/v1/turns/{turn.turn_id}", params={"user_id": "r1"})
    assert got.status_code == 200
    assert got.json()["content"] == "我住在杭州,做前端开发"
    assert got.json()["speaker"] == "小明"
    other = await env.client.get(f"/v1/turns/{turn.turn_id}", params={"user_id": "r2"})
    assert other.status_code == 404


async def test_a1_an_expired_turn_is_gone(env: Env) -> None:
    turn = env.rows.turn("r1", "s1", "old news", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    got = await env.client.get(f"/v1/turns/{turn.turn_id}", params={"user_id": "r1"})
    assert got.status_code == 404


async def test_b3_the_outcome_counts_memories_and_joins_fields(env: Env) -> None:
    turn = env.rows.turn("b3", "s1", "我今年32岁,浙大计算机硕士")
    env.rows.decision(turn, 0, "fact", "用户32岁", "kept", field="age", value=32)
    several = {"education": "硕士", "university": "浙江大学", "major": "计算机"}
    env.rows.decision(
        turn, 1, "fact", "浙江大学计算机硕士", "kept", fields=("education", "university", "major"), value=several
    )
    env.rows.decision(turn, 2, "fact", "目前在杭州", "skipped", field="currentLocation", value="杭州")
    env.rows.decision(turn, 3, "episode", "电话是<PHONE_NUMBER>", "masked", record_id=None)
    got = (await env.client.get(f"/v1/turns/{turn.turn_id}/outcome", params={"user_id": "b3"})).json()
    assert got["extracted_info"] == {"age": 32, **several}
    assert got["saved_count"] == 2
    assert [m["field"] for m in got["saved_memories"]] == ["age", "education+university+major"]
    assert got["saved_memories"][0]["memoryType"] == "FACT"
    assert got["skipped_fields"] == ["currentLocation"]


async def test_c9_the_outcome_of_a_turn_holds_no_words_of_what_was_forgotten(env: Env) -> None:
    turn = env.rows.turn("c9", "s1", "I live in Leeds and like rowing")
    results = [("home", "fact", "lives in Leeds", {"field": "currentLocation", "value": "Leeds"}),
            ("sport", "preference", "likes rowing", {"field": "likes", "value": "rowing"})]  # fmt: skip
    for n, (name, kind, text, field) in enumerate(results):
        env.rows.memory("c9", kind, text, record_id=f"c9-{name}", version=1, **field)
        env.rows.decision(turn, n, kind, text, "kept", record_id=f"c9-{name}", version=1, **field)

    async def outcome() -> dict[str, Any]:
        got: dict[str, Any] = (
            await env.client.get(f"/v1/turns/{turn.turn_id}/outcome", params={"user_id": "c9"})
        ).json()
        return got

    assert [m["content"] for m in (await outcome())["saved_memories"]] == ["lives in Leeds", "likes rowing"]
    env.rows.memory("c9", "fact", "", record_id="c9-home", version=1, revision=2, op="delete", state="deleted")
    after = await outcome()
    assert [m["content"] for m in after["saved_memories"]] == ["likes rowing"]
    assert (after["saved_count"], after["extracted_info"]) == (1, {"likes": "rowing"})
    assert [d["reason"]["outcome"] for d in after["decisions"]] == ["kept", "kept"]


async def test_n5_a_memory_says_why_and_from_where(env: Env) -> None:
    active = env.rows.turn("n5", "s1", "I moved to Lyon")
    removed = env.rows.turn("n5", "s1", "I live in Paris", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    env.rows.memory(
        "n5", "fact", "Lives in Paris", record_id="n5-home", version=0, state="superseded", sources=[removed],
        valid_from=removed.occurred_at, valid_to=active.occurred_at, field="residence", value="Paris",
    )  # fmt: skip
    env.rows.memory(
        "n5", "fact", "Lives in Lyon", record_id="n5-home", version=1, sources=[active], field="residence",
        valid_from=active.occurred_at, value="Lyon",
        reason=Reason(outcome="superseding", gate="dedupe", rule="newer"),
    )  # fmt: skip
    env.rows.decision(active, 0, "fact", "Lives in Lyon", "superseding", record_id="n5-home", field="residence")
    got = (await env.client.get("/v1/memories/n5-home")).json()
    assert got["text"] == "Lives in Lyon"
    assert got["reason"]["outcome"] == "superseding"
    assert [h["text"] for h in got["history"]] == ["Lives in Lyon", "Lives in Paris"]
    assert got["decisions"][0]["turn_id"] == active.turn_id
    texts = {t["turn_id"]: t["content"] for t in got["source_turns"]}
    assert texts == {active.turn_id: "I moved to Lyon", removed.turn_id: "expired"}
    assert (await env.client.get("/v1/memories/none")).status_code == 404


async def test_d3_an_id_told_for_the_same_said_again_leads_to_what_stands(env: Env) -> None:
    env.rows.memory("d3", "fact", "Likes tea", record_id="d3-first", also=("d3-second", "d3-third"))
    got = (await env.client.get("/v1/memories/d3-third")).json()
    assert (got["id"], got["text"], got["also"]) == ("d3-first", "Likes tea", ["d3-second", "d3-third"])
    assert (await env.client.get("/v1/memories/d3-fourth")).status_code == 404


async def test_n8_memories_as_of_and_pages(env: Env) -> None:
    for i in range(5):
        env.rows.memory("n8", "episode", f"episode {i}")
    first = (await env.client.get("/v1/users/n8/memories", params={"limit": 3})).json()
    rest = (await env.client.get("/v1/users/n8/memories", params={"limit": 3, "cursor": first["cursor"]})).json()
    assert [m["text"] for m in first["memories"] + rest["memories"]] == [f"episode {i}" for i in (4, 3, 2, 1, 0)]
    assert rest["cursor"] is None
    early = env.rows.written[1].occurred_at.isoformat()  # type: ignore[union-attr]
    then = (await env.client.get("/v1/users/n8/memories", params={"as_of": early})).json()
    assert [m["text"] for m in then["memories"]] == ["episode 1", "episode 0"]
    bad = await env.client.get("/v1/users/n8/memories", params={"cursor": "AAAA"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "cursor")


async def test_b6_the_profile_and_how_complete_it_is(env: Env) -> None:
    env.rows.memory("b6", "fact", "用户32岁", field="age", value=32)
    env.rows.memory("b6", "fact", "在杭州", field="residence", value="杭州")
    got = (await env.client.get("/v1/users/b6/profile")).json()
    assert got["profile"]["basic"] == {"age": 32, "location": "杭州"}
    complete = got["completeness"]
    assert set(complete["filled_fields"]) == {"age", "location"}
    weights = {f.name: f.weight for f in load_profile("general").fields if f.path is not None}
    assert complete["score"] == round(100 * (weights["age"] + weights["residence"]) / sum(weights.values()))
    assert set(complete["missing_fields"]) == {n for n, w in weights.items() if w} - {"age", "residence"}
    assert "用户32岁" in got["narrative_summary"]


async def test_b5_b6_a_user_of_many_memories_is_read_whole(env: Env, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "MANY", 3)
    env.rows.memory("many", "fact", "Is 32", field="age", value=32, known_at=START)
    for n in range(7):
        env.rows.memory("many", "intent", f"Plans trip {n}")
    got = (await env.client.get("/v1/users/many/profile")).json()
    assert got["profile"]["basic"]["age"] == 32
    loaded = (await env.client.post("/v1/users/many/load-context", json={"query": "how old", "limit": 20})).json()
    assert (loaded["total_memories"], len({m["id"] for m in loaded["memories"]})) == (8, 8)
    body = (await env.client.get("/v1/users/many/profile", params={"as_of": "2100-01-01T00:00:00Z"})).json()
    assert body["profile"]["basic"]["age"] == 32


async def test_b6_d9_what_holds_in_one_project_is_not_the_users(env: Env) -> None:
    env.rows.memory("sc", "fact", "Is 32", field="age", value=32)
    env.rows.memory("sc", "fact", "Is 90 in the play", field="age", value=90, scope="proj_9")
    body = (await env.client.get("/v1/users/sc/profile")).json()
    assert body["profile"]["basic"]["age"] == 32
    assert "90" not in body["narrative_summary"]


async def test_d9_preferences_in_the_order_that_wins(env: Env) -> None:
    def preference(value: str, scope: str, source: str) -> None:
        env.rows.memory("d9", "preference", value, field="tone", value=value, scope=scope, source=source)

    preference("inferred", "global", "inferred")
    preference("explicit", "global", "explicit")
    preference("of the project", "p1", "inferred")
    preference("confirmed", "global", "confirmed")
    got = (await env.client.get("/v1/users/d9/preferences", params={"scope": "p1"})).json()["preferences"]
    assert [p["value"] for p in got] == ["of the project", "explicit", "confirmed", "inferred"]
    assert [p["effective"] for p in got] == [True, False, False, False]


async def test_n3_a_read_waits_for_its_write(env: Env) -> None:
    token = str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=3, offset=41)]))
    soon, headers = ({"Memstream-Wait-For": token, "Memstream-Wait-Ms": ms} for ms in ("50", "30000"))
    stale = await env.client.get("/v1/users/n3/memories", headers=soon)
    assert (stale.status_code, stale.headers["Memstream-Fresh"]) == (200, "false")
    env.rows.write(progress={Mark(STAGE_OF_VIEW["memories"], 3, f"{topics.TURNS.name}/3"): 42})
    await env.get("/v1/users/n3/memories", headers=headers)  # fresh
    # The turn view is another stage, which has not said so; a document was never awaited there.
    turn = await env.client.get("/v1/turns/none?user_id=n3", headers=soon)
    assert (turn.status_code, turn.headers["Memstream-Fresh"]) == (404, "false")
    plain = await env.client.get("/v1/users/n3/memories")
    assert plain.headers["Memstream-Fresh"] == "true"
    bad = await env.client.get("/v1/users/n3/memories", headers={"Memstream-Wait-For": "no token"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "Memstream-Wait-For")


async def test_e3_a_session_reads_in_the_order_of_the_log_though_all_is_of_one_moment(env: Env) -> None:
    """Ids and times say nothing of it: a chat service may stamp a message and its reply alike."""
    texts = [("z", "user", "first 第一"), ("m", "assistant", "second 第二"), ("a", "user", "third 第三")]
    for turn_id, role, text in texts:
        env.rows.turn("order", "s", text, role=role, turn_id=turn_id, occurred_at=START)
    answer = await env.client.post("/v1/sessions/s/memory-context", json={"user_id": "order"})
    history = answer.json()["full_history"]
    places = [history.index(text) for _, _, text in texts]
    assert places == sorted(places)
    assert answer.json()["mode"] == "FULL_HISTORY"


async def test_e2_turns_are_carried_from_where_the_checkpoint_carried_them(env: Env) -> None:
    """E4 agrees with the stream: fewer than were asked for where they had no room, and none where none was carried."""
    texts = [env.rows.turn("carry", "c", f"turn {i}", role="user" if i % 2 == 0 else "assistant") for i in range(6)]
    late = env.rows.turn("carry", "c", "since then")

    async def shown(revision: int, carried_from: int | None, recent_turns: int = 8) -> list[str]:
        body = SessionBody(summary="They talked.", carried_from=carried_from)
        env.rows.session(
            SessionState(
                tenant=TENANT, user_id="carry", session_id="c", revision=revision, updated_at=START, turn_count=4,
                mode="SUMMARY_N", checkpoint_message_id="m", segment=1, segment_start=late.position, sealed=body,
            )
        )  # fmt: skip
        request = {"user_id": "carry", "recent_turns": recent_turns}
        answer = (await env.client.post("/v1/sessions/c/memory-context", json=request)).json()
        return [x.partition(": ")[2] for x in answer["full_history"].splitlines()[1:]]

    assert await shown(1, texts[4].position) == ["turn 4", "turn 5", "since then"]
    assert await shown(2, late.position) == ["since then"]
    assert await shown(3, texts[0].position, 2) == ["turn 2", "turn 3", "turn 4", "turn 5", "since then"]
    assert len(await shown(4, None)) == 7, "of before it was kept: as many as were asked for"


@pytest.mark.parametrize("status", ["open", "idle", "closed"])
async def test_e6_a_session_that_redis_has_not_is_asked_for_again(env: Env, addresses: Addresses, status: Any) -> None:
    state = SessionState(
        tenant=TENANT, user_id="e6", session_id=f"lost-{status}", revision=1, updated_at=START, status=status
    )
    env.rows.session(state)
    with closing(connect(addresses.redis)) as client:

        async def read() -> list[bytes]:
            """The wishes after a read: one that Redis is too slow to take is made by the next reader."""
            found = await env.client.get(f"/v1/sessions/{state.session_id}", params={"user_id": "e6"})
            assert found.status_code == 200
            return cast("list[bytes]", client.lrange(RedisLayout().wanted, 0, -1))

        wish = RedisLayout.want_session(state.owner, state.session_id)
        await eventually("the wish for the session", read, lambda wishes: wish in wishes)
