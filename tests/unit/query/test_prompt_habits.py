"""C5, C11: habits that plain turns taught stand in the prompts that they help, and an overdue one is said once."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from processors.ports import Models
from query.deps import Deps
from query.prompt.endpoint import ContextIn, ContextRequest, _pieces
from query.prompt.habits import plainly
from query.prompt.intents import route
from query.reading.common import Context
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import RankQuery
from query.search.request import KINDS
from query.search.scopes import indexed
from schemas.profile.model import load_profile
from schemas.security.scope import TenantScope
from tests.unit.processors.talk import Talk
from tests.unit.processors.test_habit_mentions import BOOKED, DAY, MEASURED, START

HEALTH = load_profile("health")
FORTNIGHT = START + 14 * DAY


async def patterns(models: Models, language: str) -> list[dict[str, Any]]:
    """A fortnight of plain turns: a measurement about 08:00 each day, a visit booked on five of them."""
    talk = Talk(models, HEALTH, START)
    for n in range(14):
        await talk.until(START + n * DAY + timedelta(hours=8, minutes=n % 3))
        await talk.say(MEASURED[language][n % 3].format(120 + n), session=f"m{n}")
        if n % 3 == 1:
            await talk.until(START + n * DAY + timedelta(hours=15))
            await talk.say(BOOKED[language][n % 2], session=f"b{n}")
    newest = {u.record_id: u for u in talk.updates("pattern")}
    return [
        {**u.model_dump(exclude={"sealed"}), **u.sealed.model_dump()}
        for u in newest.values()
        if u.state == "active"
    ]


def shown(
    deps: Deps, rows: list[dict[str, Any]], query: str, at: datetime, *window: dict[str, Any]
) -> tuple[list[str], list[str]]:
    """Lines of the user's profile in the prompt of a request, and the kinds that they cite."""
    tenant = TenantScope("default", "test", frozenset())
    request = ContextRequest(
        ContextIn(query=query, user_id="ann"), tenant, tenant.user("ann"), None, route(HEALTH, query)
    )
    ctx = Context.__new__(Context)
    ctx.deps = replace(deps, clock=lambda: at, profile=HEALTH)
    session = {"mode": "FULL_HISTORY", "body": {"window": list(window), "anchors": {}}}
    pieces = [p for p in _pieces(request, session, {}, rows, [], ctx) if p.section == "user_profile"]
    return [p.text for p in pieces if p.citation], [p.citation["kind"] for p in pieces if p.citation]


BOOKING = {
    "zh": ("我想预约复诊", ["- 常用科室：心内科", "- 常用医生：张医生"]),
    "en": ("I would like to book a follow-up", ["- Usual department: cardiology", "- Usual doctor: Dr Zhang"]),
}
LATE = {
    "zh": ("早上好", "- 通常在08:00测量血压，现在08:30，今天还没有", "记录血压 128/82", "- 通常在08:00测量血压"),
    "en": ("Good morning", "- Usually at 08:00: measure blood pressure; it is 08:30 and not yet done today",
           "Record my blood pressure, 128/82", "- Usually at 08:00: measure blood pressure"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_c5_c11_habits_stand_where_they_help_and_what_is_overdue_is_said_once(
    deps: Deps, models: Models, language: str
) -> None:
    rows = await patterns(models, language)
    booking, usual = BOOKING[language]
    lines, kinds = shown(deps, rows, booking, FORTNIGHT + timedelta(hours=7))
    assert lines[:2] == usual
    assert set(kinds) == {"pattern"}
    hello, overdue, doing, usually = LATE[language]
    assert shown(deps, rows, hello, FORTNIGHT + timedelta(hours=7, minutes=50)) == ([], []), "not yet"
    half_past = FORTNIGHT + timedelta(hours=8, minutes=30)
    assert shown(deps, rows, hello, half_past)[0] == [overdue]
    assert shown(deps, rows, doing, half_past)[0] == [usually], "it is being done"

    def answer(minutes: int) -> dict[str, Any]:
        return {"role": "assistant", "content": "Hi", "speaker": None, "turn_id": "r",
                "timestamp": (FORTNIGHT + timedelta(hours=8, minutes=minutes)).isoformat()}  # fmt: skip

    assert shown(deps, rows, hello, half_past, answer(5))[0] == [overdue], "that answer was not told"
    assert shown(deps, rows, hello, half_past, answer(26))[0] == [], "said once"
    unknown = {k: v for k, v in answer(0).items() if k != "timestamp"}
    assert shown(deps, rows, hello, half_past, unknown)[0] == [], "a message that Redis alone has is of now"


ASKED = {
    "zh": (("我平时看哪个科室？", "常用科室：心内科"), ("我一般看哪位医生？", "常用医生：张医生")),
    "en": (("Which department do I usually go to?", "Usual department: cardiology"),
           ("Who is my usual doctor?", "Usual doctor: Dr Zhang")),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_c5_habits_are_a_kind_that_is_searched(models: Models, language: str) -> None:
    rows = await patterns(models, language)
    embedder = models.embedder
    assert {r["key"] for r in rows if not r["embedding"]} == {"active_hours"}, "no answer to any question"
    assert {r["model_id"] for r in rows if r["embedding"]} == {embedder.model_id}
    assert "pattern" in KINDS
    index = ScopeIndex(embedder.dimensions)
    held = indexed(index, rows, embedder.model_id, embedder.dimensions)
    for query, answer in ASKED[language]:
        request = RankQuery(query, models.terms(query), embedder.embed([query])[0])
        best = index.search(request, 1, where=index.mask({"pattern"}))
        assert [held[hit.id]["text"] for hit in best] == [answer]


async def test_c5_a_habit_keeps_its_vector_while_it_is_told_so(models: Models) -> None:
    talk = Talk(models, HEALTH, START)
    for n in range(6):
        await talk.until(START + n * DAY + timedelta(hours=8))
        await talk.say("记录血压 128/82", session=f"m{n}")
    await talk.until(START + 6 * DAY + timedelta(hours=9), timedelta(minutes=30))
    results = [u for u in talk.updates("pattern") if u.key == "time/BP_RECORD"]
    assert results[-1].reason.rule == "overdue"
    assert results[-1].sealed.text != results[0].sealed.text
    assert {(u.sealed.embedding, u.sealed.terms) for u in results} == {
        (results[0].sealed.embedding, results[0].sealed.terms)
    }
    hit = {"kind": "pattern", "value": results[-1].sealed.value, "text": results[-1].sealed.text}
    assert plainly(hit, HEALTH.habits, "zh")["text"] == results[0].sealed.text == "通常在08:00测量血压"
