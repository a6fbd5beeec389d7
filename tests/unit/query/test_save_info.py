"""B3, E5: what is written and heard of in one call: what goes to the log, what is answered with and without the stores,
who may, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError, store_down
from query.reading.session_store import Session
from query.views import turns
from query.views.db import Row
from query.writing import save_info
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.progress import FreshnessToken
from schemas.security.scope import Permission, TenantScope
from tests.pages import blocks
from tests.unit.query.conftest import NOW
from tests.unit.query.memory_log import MemoryLog
from tests.unit.query.test_waits import Waits

SAVE, WRITE = "/v1/users/ann/save-info", "/v1/sessions/s1/turns"
BODY: dict[str, Any] = json.loads(blocks("docs/http.md", "json")[0])
"""As the page shows it: a message and its reply in a session, and the degree that the caller knows."""


class Bound:
    """The credential names its scopes, and the one user whom it reaches."""

    async def scope(self, authorization: str | None) -> TenantScope:
        if authorization is None:
            raise ProblemError("unauthorised", "send a key")
        scopes = frozenset(Permission(s) for s in authorization.removeprefix("Bearer ").split("+"))
        return TenantScope("acme", "k", scopes, users=frozenset({"ann"}))


def decision(ordinal: int, outcome: str, fields: Sequence[str], value: Any, text: str) -> Row:
    return {
        "decision_id": f"d{ordinal}", "ordinal": ordinal, "kind": "fact", "field": "+".join(fields),
        "fields": list(fields), "category": None, "record_id": f"r{ordinal}" if outcome == "kept" else None,
        "version": 0, "text": text, "value": value, "outcome": outcome, "gate": "dedupe", "rule": "new", "score": None,
        "extractor": "rules", "accepted_at": NOW, "gone": None,
    }  # fmt: skip


def calling(deps: Deps, log: MemoryLog, there: bool) -> tuple[httpx.AsyncClient, Waits]:
    app = create_app(QueryConfig(), deps)
    app.state.watches = {"postgres": (watch := Waits(log, there))}
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1"), watch


def written(log: MemoryLog) -> list[TurnEvent]:
    found = [Codec().decode(r.topic, r.value) for r in log.records if r.topic == topics.TURNS.name]
    return [e for e in found if isinstance(e, TurnEvent)]


class Views:
    """The turns of one user as the sink keeps them, of what is on the log: the first under each id. `policy`: what it
    leaves of a text; `decided`: of any turn."""

    def __init__(self, log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> None:
        self._log = log
        self.policy: Callable[[str], str] = lambda text: text
        self.decided: list[Row] = []
        self.asked: list[tuple[str, str]] = []
        monkeypatch.setattr(turns, "by_ids", self.by_ids)
        monkeypatch.setattr(turns, "decisions", self.decisions)

    async def by_ids(self, db: Any, scope: Any, turn_ids: Sequence[str], now: datetime) -> dict[str, Row]:
        found: dict[str, Row] = {}
        for position, e in enumerate(written(self._log)):
            if e.turn_id is not None and e.turn_id in turn_ids and e.user_id == scope.owner.id:
                content, accepted = self.policy(e.sealed.content), e.accepted_at or NOW
                row = {"position": position, "session_id": e.session_id, "role": e.role, "content": content}
                found.setdefault(e.turn_id, {**row, "accepted_at": accepted})
        return found

    async def decisions(self, db: Any, scope: Any, turn_id: str) -> list[Row]:
        self.asked.append((scope.owner.id, turn_id))
        return self.decided


@pytest.fixture
def views(log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> Views:
    return Views(log, monkeypatch)


async def test_b3_one_call_says_what_was_saved_and_what_was_known(deps: Deps, log: MemoryLog, views: Views) -> None:
    views.decided = [
        decision(0, "kept", ["age"], 32, "用户32岁"),
        decision(1, "kept", ["university"], "浙江大学", "浙江大学毕业"),
        decision(1, "skipped", ["education"], "硕士", "浙江大学硕士毕业"),
    ]
    client, watch = calling(deps, log, there=True)
    async with client:
        answer = await client.post(SAVE, json={**BODY, "project_id": "p"})
    body = answer.json()
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, "true")
    assert body["extracted_info"] == {"age": 32, "university": "浙江大学"}
    assert (body["action"], body["saved_count"], body["skipped_fields"]) == ("save_info", 2, ["education"])
    assert [(m["memoryType"], m["content"], m["field"]) for m in body["saved_memories"]] == [
        ("FACT", "用户32岁", "age"), ("FACT", "浙江大学毕业", "university"),
    ]  # fmt: skip
    assert (body["pending"], body["repeated"], body["session_id"]) == (False, False, "s1")
    message, reply = written(log)
    assert [message.turn_id, reply.turn_id] == body["turn_ids"]
    assert views.asked == [("ann", message.turn_id)]
    assert (message.role, message.sealed.content) == ("user", BODY["userMessage"])
    assert (reply.role, reply.sealed.content) == ("assistant", BODY["assistantMessage"])
    assert (message.sealed.existing_info, reply.sealed.existing_info) == (BODY["existingInfo"], None)
    assert message.interaction_id == reply.interaction_id
    assert message.occurred_at == NOW < reply.occurred_at
    [(needs, count)] = watch.asked
    [own] = FreshnessToken.parse(body["freshness_token"]).writes
    assert (count, set(needs.values())) == (2, {own.offset + 1}), "it waits for this very write, once it is on the log"


@pytest.mark.parametrize("way", ["late", "away"])
async def test_b3_what_is_not_decided_in_time_is_pending_and_written_all_the_same(
    deps: Deps, log: MemoryLog, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    async def away(db: Any, scope: Any, turn_ids: Sequence[str], now: datetime) -> dict[str, Row]:
        raise store_down("postgres")

    monkeypatch.setattr(turns, "by_ids", away)
    client, _ = calling(deps, log, there=way == "away")
    async with client:
        answer = await client.post(SAVE, json={"userMessage": "I'm 32"})
        again = await client.post(SAVE, json={"userMessage": "I'm 32", "interaction_id": "i1"})
        same = await client.post(SAVE, json={"user_message": "I'm 32", "interaction_id": "i1"})
    body = answer.json()
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, "false")
    assert (body["pending"], body["saved_count"], body["saved_memories"]) == (True, 0, [])
    assert body["turn_ids"] == [e.turn_id for e in written(log)[:1]]
    first, second = written(log)[1:]
    assert first.turn_id == second.turn_id == "i1:user"
    assert again.json()["turn_ids"] == same.json()["turn_ids"]


@pytest.mark.parametrize(("at", "session"), [
    (None, "save-info:2026-11-21"), ("2026-11-20T23:00:00-02:00", "save-info:2026-11-21"),
    ("2026-11-20T12:00:00Z", "save-info:2026-11-20"),
])  # fmt: skip
async def test_b9_messages_without_a_session_are_one_conversation_a_day(
    deps: Deps, log: MemoryLog, views: Views, at: str | None, session: str
) -> None:
    client, _ = calling(deps, log, there=True)
    async with client:
        body = {"userMessage": "I'm 32", **({} if at is None else {"occurred_at": at})}
        answer_body = [(await client.post(SAVE, json=body)).json()["session_id"] for _ in range(2)]
    assert [e.session_id for e in written(log)] == answer_body == [session, session]


MAIL, TOKEN = "Write to a@example.org or call", "Write to <EMAIL_ADDRESS:0af3> or call"


@pytest.mark.parametrize(("first", "second", "stored", "same"), [
    ({}, {}, None, True), ({}, {"userMessage": "I'm 33"}, None, False), ({}, {"session_id": "s2"}, None, False),
    ({"assistantMessage": "Hi"}, {"assistantMessage": "Hi"}, None, True),
    ({"assistantMessage": "Hi"}, {"assistantMessage": "Ho"}, None, False), ({}, {"assistantMessage": "Hi"}, None, True),
    ({"userMessage": MAIL}, {"userMessage": MAIL}, (MAIL, TOKEN), True),
    ({"userMessage": MAIL}, {"userMessage": "Write to a@example.org or write"}, (MAIL, TOKEN), False),
    ({"userMessage": MAIL}, {"userMessage": "Write to  or call"}, (MAIL, TOKEN), False),
])  # fmt: skip
async def test_b3_n2_an_id_used_again_answers_as_before_or_names_the_conflict(
    deps: Deps, log: MemoryLog, views: Views, first: Any, second: Any, stored: tuple[str, str] | None, same: bool
) -> None:
    """The screen refuses the second where it says something else: its answer is not the first one's outcome."""
    if stored is not None:
        views.policy = lambda text: text.replace(*stored)
    views.decided = [decision(0, "kept", ["age"], 32, "User is 32")]
    client, _ = calling(deps, log, there=True)
    body = {"userMessage": "I'm 32", "interaction_id": "i1", "session_id": "s1"}
    async with client:
        before = await client.post(SAVE, json={**body, **first})
        answer = await client.post(SAVE, json={**body, **second})
    assert (before.status_code, before.json()["repeated"]) == (202, False)
    answer_body = answer.json()
    if same:
        assert (answer.status_code, answer_body["repeated"], answer_body["pending"]) == (202, True, False)
        assert answer_body["extracted_info"] == {"age": 32}
    else:
        assert (answer.status_code, answer_body["type"]) == (409, "urn:memstream:error:conflict")
        assert "32" not in answer.text


@pytest.mark.parametrize(("second", "same"), [
    ({}, True), ({"user_query": "no"}, False), ({"agent_response": "Ho"}, False), ({"user_id": "bob"}, True),
])  # fmt: skip
async def test_e5_n2_a_turn_under_an_id_that_was_used_is_the_same_or_a_conflict(
    deps: Deps, log: MemoryLog, views: Views, second: Any, same: bool
) -> None:
    """It was a dead letter, of which the caller heard nothing."""
    client, _ = calling(deps, log, there=True)
    body = {"user_id": "ann", "user_query": "hi", "agent_response": "Hi", "interaction_id": "i1"}
    async with client:
        assert (await client.post(WRITE, json=body)).status_code == 202
        answer = await client.post(WRITE, json={**body, **second})
    assert answer.status_code == (202 if same else 409), answer.text


async def test_b3_n2_a_call_repeated_on_the_next_day_is_the_same(deps: Deps, log: MemoryLog, views: Views) -> None:
    """Without a session of its own: it answers with that of the first."""
    body = {"userMessage": "I'm 32", "interaction_id": "i1"}
    client, _ = calling(deps, log, there=True)
    async with client:
        await client.post(SAVE, json=body)
    client, _ = calling(replace(deps, clock=lambda: NOW + timedelta(days=1)), log, there=True)
    async with client:
        answer_body = (await client.post(SAVE, json=body)).json()
    assert (answer_body["repeated"], answer_body["session_id"]) == (True, "save-info:2026-11-21")


@pytest.mark.parametrize(("message", "reply", "decided", "minutes", "pending"), [
    ("I'm on 10 mg now, right?", None, False, 0, True), ("我现在吃10毫克，对吧？", None, False, 0, True),
    ("I'm on 10 mg now, right?", "Yes.", False, 0, False), ("I'm on 10 mg now, right?", None, True, 0, False),
    ("I'm on 10 mg now, right?", None, False, 3, False), ("I'm on 10 mg now.", None, False, 0, False),
])  # fmt: skip
async def test_b3_d1_a_message_that_waits_for_its_reply_is_pending(
    deps: Deps, log: MemoryLog, views: Views, message: str, reply: str | None, decided: bool, minutes: int,
    pending: bool,
) -> None:  # fmt: skip
    views.decided = [decision(0, "kept", ["dose"], 10, "Takes 10 mg")] if decided else []
    body = {"userMessage": message, "interaction_id": "i1", **({} if reply is None else {"assistantMessage": reply})}
    client, _ = calling(deps, log, there=True)
    async with client:
        answer_body = (await client.post(SAVE, json=body)).json()
    if minutes:
        assert answer_body["pending"]
        client, _ = calling(replace(deps, clock=lambda: NOW + timedelta(minutes=minutes)), log, there=True)
        async with client:
            answer_body = (await client.post(SAVE, json=body)).json()
    assert answer_body["pending"] == pending


async def test_b3_a_message_that_the_screen_did_not_pass_is_never_said_to_be_decided(
    deps: Deps, log: MemoryLog, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(db: Any, scope: Any, turn_ids: Sequence[str], now: datetime) -> dict[str, Row]:
        return {}

    monkeypatch.setattr(turns, "by_ids", none)
    client, _ = calling(deps, log, there=True)
    async with client:
        body = (await client.post(SAVE, json={"userMessage": "I'm 32"})).json()
    assert (body["pending"], body["saved_count"]) == (True, 0)


@pytest.mark.parametrize(("path", "body", "field"), [
    (SAVE, {}, "userMessage"), (SAVE, {"userMessage": " "}, "userMessage"), (SAVE, {"userMessage": 1}, "userMessage"),
    (SAVE, {**BODY, "assistantMessage": "\0"}, "assistantMessage"),
    (SAVE, {**BODY, "existingInfo": []}, "existingInfo"),
    (SAVE, {**BODY, "existingInfo": {"a": "x" * 70_000}}, "existingInfo"),
    (SAVE, {**BODY, "existingInfo": {"a": ["x"] * 201}}, "existingInfo"), (SAVE, {**BODY, "action": "x"}, "action"),
    (SAVE, {**BODY, "occurred_at": "2031-01-01T00:00:00Z"}, "occurred_at"), (SAVE, {**BODY, "more": 1}, "more"),
    (SAVE, {**BODY, "interaction_id": "i" * 250}, "interaction_id"), (SAVE, {**BODY, "session_id": ""}, "session_id"),
    (WRITE, {"user_id": "ann"}, "user_query"), (WRITE, {"user_query": "hi"}, "user_id"),
    (WRITE, {"user_id": "ann", "agent_response": ""}, "agent_response"),
    (WRITE, {"user_id": "ann", "user_query": "hi", "occurred_at": 1}, "occurred_at"),
])  # fmt: skip
async def test_what_is_wrong_is_named_and_nothing_is_written(
    client: httpx.AsyncClient, log: MemoryLog, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 422
    [wrong] = answer.json()["errors"]
    assert wrong["field"] == field
    assert wrong["expected"]
    assert log.records == []


@pytest.mark.parametrize(("key", "user", "status"), [
    ("read+write", "ann", 202), ("write", "ann", 403), ("read", "ann", 403), ("read+write", "bob", 403),
    (None, "ann", 401),
])  # fmt: skip
async def test_c7_both_permissions_are_demanded_and_no_other_user_is_reached(
    deps: Deps, log: MemoryLog, key: str | None, user: str, status: int
) -> None:
    client, _ = calling(replace(deps, keys=Bound()), log, there=False)
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with client:
        for path, body in (
            (f"/v1/users/{user}/save-info", {"userMessage": "hi"}), (WRITE, {"user_id": user, "user_query": "hi"}),
        ):  # fmt: skip
            answer = await client.post(path, json=body, headers=headers)
            assert answer.status_code == status, answer.text
    assert {(e.tenant, e.user_id) for e in written(log)} == ({("acme", "ann")} if status == 202 else set())


@pytest.mark.parametrize(("mode", "there"), [("FULL_HISTORY", True), ("SUMMARY_N", True), ("FULL_HISTORY", False)])
async def test_e5_a_written_turn_says_how_its_session_stands(
    deps: Deps, log: MemoryLog, monkeypatch: pytest.MonkeyPatch, mode: str, there: bool
) -> None:
    async def load(ctx: Any, owner: Any, session_id: str) -> Session:
        assert (owner.owner.id, session_id) == ("ann", "s1")
        value = {"meta": {"updated_at": 1_795_000_000}, "message_context": {"mode": mode}}
        return Session(value, None)

    monkeypatch.setattr(save_info, "load", load)
    client, watch = calling(deps, log, there)
    async with client:
        body = {"user_id": "ann", "user_query": "头晕怎么办？", "agent_response": "多休息", "agent_code": "triage"}
        answer = await client.post(WRITE, json=body)
    answer_body = answer.json()
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, str(there).lower())
    assert (answer_body["conversation_id"], answer_body["mode"], answer_body["updated_at"]) == (
        "s1",
        mode,
        1_795_000_000,
    )
    assert [(e.role, e.sealed.content, e.agent_id) for e in written(log)] == [
        ("user", "头晕怎么办？", "triage"), ("assistant", "多休息", "triage"),
    ]  # fmt: skip
    assert answer_body["turn_ids"] == [e.turn_id for e in written(log)]
    assert [count for _, count in watch.asked] == [2]


async def test_e5_without_the_stores_the_turn_is_written_and_the_mode_is_not_known(
    client: httpx.AsyncClient, log: MemoryLog
) -> None:
    answer = await client.post(WRITE, json={"user_id": "ann", "agent_response": "多休息"})
    body = answer.json()
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, "false")
    assert (body["mode"], body["updated_at"]) == (None, None)
    assert body["degraded"]
    [reply] = written(log)
    assert (reply.role, reply.turn_id) == ("assistant", body["turn_ids"][0])
