"""What the steps say of habits and weeks, written by the real sink and read over HTTP (A6, A7, C5, C11)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memstream.stack import Addresses
from schemas.profile.model import load_profile
from tests.dates import fixed_monday
from tests.integration.query_env import TENANT, Env, models, query_service
from tests.unit.processors.talk import Talk

pytestmark = pytest.mark.integration
ZONE = ZoneInfo("Asia/Shanghai")
MONDAY = fixed_monday(2026, 11, 2, zone=ZONE)


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses, load_profile("health")) as env:
        yield env


def store(env: Env, talk: Talk, kind: str) -> None:
    for u in talk.updates(kind):
        env.rows.write(u.model_copy(update={"tenant": TENANT}))


async def patterns(env: Env, **query: Any) -> list[dict[str, Any]]:
    answer = await env.client.get("/v1/users/ann/patterns", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["patterns"]
    return found


async def as_a_namespace(env: Env) -> None:
    """The seed's get_user_patterns, and what else reads a place (C1)."""
    place = ["patterns", "ann"]
    for query in ("", "measure blood pressure", None):
        found = (await env.client.post("/v1/store/search", json={"namespace_prefix": place, "query": query})).json()
        fields = {i["key"]: i["value"] for i in found["items"]}
        assert fields.keys() == {p["pattern"] for p in await patterns(env)}
    key = next(k for k, v in fields.items() if v["type"] == "time")
    got = (await env.client.post("/v1/store/items/get", json={"namespace": place, "key": key})).json()
    assert (got["item"]["namespace"], got["item"]["value"]["time"]) == (place, "08:00")
    listed = (await env.client.post("/v1/store/namespaces", json={"prefix": ["patterns"]})).json()
    assert place in listed["namespaces"]


async def test_c5_c11_usually_at_eight_now_half_past_and_the_usual_doctor(env: Env) -> None:
    talk = Talk(models(), load_profile("health"), MONDAY + timedelta(hours=7))
    for n in range(14):
        await talk.until(MONDAY + timedelta(days=n, hours=8, minutes=n % 5))
        await talk.say("记录血压 128/82", action="measure_bp")
    for n in range(6):
        await talk.say("我想预约复诊", action="book", department="心内科", doctor="张医生", session=f"visit-{n}")
    store(env, talk, "pattern")
    request = (MONDAY + timedelta(days=14, hours=8, minutes=30)).isoformat()
    found = await patterns(env, action="measure_bp", at=request)
    [habit] = [p for p in found if p["type"] == "time"]
    assert (habit["time"], habit["support"], habit["state"]) == ("08:00", 14, "active")
    assert habit["at"]["minutes_late"] == 30
    assert habit["at"]["overdue"] is True
    assert habit["source_turn_ids"]
    usual = {p["key"]: p["value"] for p in await patterns(env) if p["type"] == "usual"}
    assert (usual["department"], usual["doctor"]) == ("心内科", "张医生")
    assert all(p["confidence"] > 0.7 for p in await patterns(env)), "D4"
    await as_a_namespace(env)
    assert len(await patterns(env, observed=True)) >= len(await patterns(env))
    assert (await env.client.get("/v1/users/bob/patterns")).json() == {"patterns": []}


async def test_a6_a7_a_report_is_listed_and_found_by_meaning(env: Env) -> None:
    talk = Talk(models(), load_profile("clinical_trial"), MONDAY + timedelta(hours=9), "proj_weekly")
    await talk.say("12号的化验结果一直缺失。")
    await talk.say("12号缺失的化验结果已补录。", user="bob")
    await talk.until(MONDAY + timedelta(days=7, hours=2))
    await talk.say("我们决定修改入选标准，年龄放宽到75岁。")
    await talk.until(MONDAY + timedelta(days=14, hours=2))
    store(env, talk, "report")
    listed = (await env.client.get("/v1/projects/proj_weekly/reports")).json()["reports"]
    assert [(r["week_start"], r["week_end"]) for r in listed] == [
        (str(MONDAY.date() + timedelta(days=n)), str(MONDAY.date() + timedelta(days=n + 6))) for n in (7, 0)
    ]
    assert listed[1]["metrics"]["users"] == 2
    assert listed[0]["key_events"][0]["type"] == "decision"
    body = {"query": "化验结果缺失怎么解决的", "project_id": "proj_weekly", "kinds": ["report"], "limit": 3}
    found = (await env.client.post("/v1/search", json=body)).json()["results"]
    assert found[0]["id"] == listed[1]["id"]
    assert found[0]["source_turn_ids"]
