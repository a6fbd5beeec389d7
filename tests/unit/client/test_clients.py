"""The clients over a scripted service: tokens, repeats, typed errors, ids that do not change."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from memstream.client import (
    AsyncMemstream,
    BufferLimits,
    ClosedError,
    DeliveryError,
    Feedback,
    ForbiddenError,
    HttpOptions,
    InvalidError,
    Memory,
    Memstream,
    NotFoundError,
    ServerError,
    SetAsideError,
    StaleError,
    UnauthorisedError,
    UnavailableError,
)
from memstream.client.messages import Message
from query import events
from schemas.log.freshness_tokens import Tokens
from schemas.log.progress import FreshnessToken
from tests.unit.client.scripted import ScriptedService, token, turn


def client(service: ScriptedService, **options: Any) -> AsyncMemstream:
    return AsyncMemstream(
        "http://memstream", "secret-key", transport=service.transport, limits=BufferLimits(linger_seconds=0),
        options=HttpOptions(**{"retry_seconds": 0.0, **options}),
    )  # fmt: skip


async def test_n3_a_read_waits_for_the_clients_own_writes_about_the_user() -> None:
    service = ScriptedService()
    async with client(service) as m:
        await m.search("x", user_id="u1")
        assert "memstream-wait-for" not in service.requests[-1].headers
        await m.send(turn(1, "u1"))
        await m.flush()
        service.will("/v1/turns", 202, {"accepted": 1, "freshness_token": token(40, 5)})
        await m.send(turn(2, "u2"))
        newest = await m.flush()
        await m.search("x", user_id="u1")
        first = FreshnessToken.parse(service.requests[-1].headers["memstream-wait-for"])
        await m.search("x", project_id="p")
        second = FreshnessToken.parse(service.requests[-1].headers["memstream-wait-for"])
        await m.search("x", user_id="stranger")
        assert "memstream-wait-for" not in service.requests[-1].headers
    assert [(w.partition, w.offset) for w in first.writes] == [(0, 1)]
    assert [(w.partition, w.offset) for w in second.writes] == [(0, 1), (5, 40)]
    assert str(second) == newest


async def test_n3_reads_wait_for_writes_of_others_that_are_named() -> None:
    service = ScriptedService()
    async with client(service) as m:
        m.wait_for(token(7, 2), ["u1"])
        m.wait_for(token(9, 3))
        await m.search("x", user_id="u1")
        waits = FreshnessToken.parse(service.requests[-1].headers["memstream-wait-for"])
        with pytest.raises(InvalidError):
            m.wait_for("no token")
    assert [(w.partition, w.offset) for w in waits.writes] == [(2, 7), (3, 9)]


async def test_b3_e5_what_is_written_and_answered_in_one_call() -> None:
    service = ScriptedService()
    service.will("/v1/users/u/1/save-info", 202, {
        "action": "save_info", "extracted_info": {"age": 32}, "saved_count": 1, "saved_memories": [{"field": "age"}],
        "skipped_fields": ["education"], "model": None, "pending": False, "session_id": "s", "accepted": 2,
        "turn_ids": ["i:user", "i:assistant"], "freshness_token": token(3)})  # fmt: skip
    service.will("/v1/sessions/s/turns", 202, {
        "conversation_id": "s", "mode": "FULL_HISTORY", "updated_at": 5, "accepted": 1, "turn_ids": ["j:user"],
        "freshness_token": token(4), "degraded": []})  # fmt: skip
    page = {"conversation_id": "s", "segment": "open", "messages": [{"message_id": "i:user"}], "cursor": "c"}
    service.will("/v1/sessions/s/messages", 200, page)
    async with client(service) as m:
        saved = await m.save_info("u/1", "我32岁", "好的", existing_info={"education": "硕士"}, session_id="s")
        written = await m.write_turn("s", user_id="u/1", user_query="hi", interaction_id="j")
        found = await m.messages("s", user_id="u/1", segment="open", limit=1)
    assert (saved.extracted_info, saved.saved_count, saved.skipped_fields) == ({"age": 32}, 1, ["education"])
    assert (written.mode, written.updated_at, written.turn_ids) == ("FULL_HISTORY", 5, ["j:user"])
    assert ([x["message_id"] for x in found.messages], found.cursor) == (["i:user"], "c")
    first, second, third = service.requests
    body = json.loads(first.content)
    assert (body["userMessage"], body["assistantMessage"]) == ("我32岁", "好的")
    assert (body["existingInfo"], body["session_id"]) == ({"education": "硕士"}, "s")
    assert first.url.raw_path == b"/v1/users/u%2F1/save-info"
    assert body["interaction_id"], "a call that is repeated is the same turns"
    assert json.loads(second.content) == {"user_id": "u/1", "user_query": "hi", "interaction_id": "j"}
    assert dict(third.url.params) == {"user_id": "u/1", "segment": "open", "limit": "1"}
    assert third.headers["memstream-wait-for"] == token(4), "a read waits for both"


def test_a_forgotten_user_waits_for_everything() -> None:
    tokens = Tokens(users=1)
    tokens.note(token(1, 1), ["a"])
    tokens.note(token(2, 2), ["b"])
    assert tokens.of("a") == tokens.of(None)
    assert tokens.of("b") == token(2, 2)


async def test_a_stale_read_says_so_and_can_be_refused() -> None:
    service = ScriptedService()
    empty = {"results": [], "degraded": [], "took_ms": 1}
    service.will("/v1/search", 200, empty, **{"Memstream-Fresh": "false"})
    async with client(service) as m:
        assert (await m.search("x", user_id="u")).fresh is False
        assert (await m.search("x", user_id="u")).fresh is True
    service.will("/v1/search", 200, empty, **{"Memstream-Fresh": "false"})
    async with client(service, require_fresh=True) as m:
        with pytest.raises(StaleError):
            await m.search("x", user_id="u")


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, InvalidError), (401, UnauthorisedError), (403, ForbiddenError), (404, NotFoundError), (413, InvalidError),
     (422, InvalidError), (500, ServerError), (503, UnavailableError), (429, UnavailableError), (0, UnavailableError),
     (408, UnavailableError), (502, UnavailableError), (520, UnavailableError), (301, ServerError)],
)  # fmt: skip
async def test_errors_are_typed_and_hold_no_secret(status: int, error: type[Exception]) -> None:
    service = ScriptedService()
    service.problem("/v1/search", status, detail="limit: at most 200", errors=[{"field": "limit", "expected": "200"}])
    async with client(service) as m:
        with pytest.raises(error) as caught:
            await m.search("private words", user_id="u")
    assert "private" not in str(caught.value)
    assert "secret-key" not in str(caught.value) + repr(m)
    if isinstance(caught.value, InvalidError):
        assert caught.value.fields == (("limit", "200"),)


async def test_a_service_that_is_away_is_asked_again_with_the_same_command() -> None:
    service = ScriptedService()
    service.problem("/v1/memories/m1", 503)
    service.will("/v1/memories/m1", 0, {})
    async with client(service, retry_seconds=5.0) as m:
        done = await m.forget("m1", user_id="u")
    assert done.accepted == 1
    keys = {r.headers["idempotency-key"] for r in service.requests}
    assert len(service.requests) == 3
    assert len(keys) == 1


def between(status: int, body: str) -> httpx.Response:
    """What a proxy or a login page before the service answers."""
    return httpx.Response(status, text=body, headers={"location": "https://elsewhere/"} if status < 400 else {})


async def behind(first: httpx.Response, kind: str, **limits: Any) -> tuple[list[httpx.Request], DeliveryError | None]:
    """A message behind a first answer of this kind; the next is the service's."""
    service, answers, given = ScriptedService(), [first], turn(1)
    feedback = Feedback(user_id="u1", interaction_id="i1", rating="good")
    messages: dict[str, Message] = {"turn": given, "feedback": feedback}

    async def handle(request: httpx.Request) -> httpx.Response:
        answer = await service(request)
        return answers.pop() if answers else answer

    async with AsyncMemstream("http://m", transport=httpx.MockTransport(handle), limits=BufferLimits(**limits)) as m:
        await m.send(messages[kind])
        try:
            await m.flush(5)
        except DeliveryError as exc:
            return service.requests, exc
        assert m.waiting == 0
    return service.requests, None


@pytest.mark.parametrize("kind", ["turn", "feedback"])
@pytest.mark.parametrize("status", [200, 202, 301, 302, 408, 429, 500, 502, 503, 504, 520])
async def test_whatever_stands_between_costs_no_message(status: int, kind: str) -> None:
    requests, failed = await behind(between(status, "<html>not this service</html>"), kind, linger_seconds=0)
    assert failed is None
    assert len(requests) == 2
    assert requests[0].content == requests[1].content


async def test_an_answer_without_a_token_is_not_an_acknowledgement() -> None:
    requests, failed = await behind(httpx.Response(202, json={"ok": True}), "turn", linger_seconds=0)
    assert failed is None
    assert len(requests) == 2


@pytest.mark.parametrize("status", [401, 403, 404, 409])
async def test_what_is_refused_for_good_is_told(status: int) -> None:
    _, failed = await behind(httpx.Response(status, json={"title": "No"}), "turn", linger_seconds=0)
    assert failed is not None
    assert len(failed.refused) == 1


async def test_an_answer_that_is_none_of_the_services_is_a_server_error() -> None:
    for answer in (between(200, "<html>sign in</html>"), httpx.Response(200, json=["no", "object"])):
        transport = httpx.MockTransport(lambda _, given=answer: given)
        async with AsyncMemstream("http://m", transport=transport) as m:
            with pytest.raises(ServerError, match="what answers is not this service: HTTP 200"):
                await m.search("x", user_id="u")


async def test_the_item_that_the_door_names_leaves_and_the_rest_goes_on() -> None:
    service = ScriptedService()
    named = [{"field": "turns.1.occurred_at", "expected": "must not lie in the future"}]
    service.problem("/v1/turns", 422, detail="turns.1.occurred_at", errors=named)
    async with AsyncMemstream("http://m", transport=service.transport, limits=BufferLimits(linger_seconds=5)) as m:
        await m.send_all([turn(n) for n in range(3)])
        with pytest.raises(DeliveryError) as caught:
            await m.flush()
    assert [r.id for r in caught.value.refused] == ["t1"]
    sent = [[t["turn_id"] for t in b["turns"]] for b in service.bodies("/v1/turns")]
    assert sent == [["t0", "t1", "t2"], ["t0", "t2"]]


async def test_a_call_that_is_too_large_is_halved() -> None:
    service = ScriptedService()
    service.problem("/v1/turns", 413, detail="a body may have at most 10 bytes")
    async with AsyncMemstream("http://m", transport=service.transport, limits=BufferLimits(linger_seconds=5)) as m:
        await m.send_all([turn(n) for n in range(4)])
        await m.flush()
    sent = [[t["turn_id"] for t in b["turns"]] for b in service.bodies("/v1/turns")]
    assert sent == [["t0", "t1", "t2", "t3"], ["t0", "t1"], ["t2", "t3"]]


class Poisoned(ScriptedService):
    """Falls over whatever holds one word."""

    word = b"poison"

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.word and self.word in request.content:
            self.requests.append(request)
            return httpx.Response(500, json={"title": "The service failed", "status": 500})
        return await super().__call__(request)


FEW_TRIES = BufferLimits(linger_seconds=5, failing_tries=2)


async def test_a_message_that_always_meets_500_is_set_aside_alone() -> None:
    service, results = Poisoned(), []
    over = {"transport": service.transport, "limits": FEW_TRIES}
    bad = turn(2, content="poison")
    async with AsyncMemstream("http://m", on_refused=lambda i, e: results.append((i.message, e)), **over) as m:  # type: ignore[arg-type]
        await m.send_all([turn(0), turn(1), bad, turn(3)])
        await m.send(Feedback(user_id="u1", interaction_id="i1", rating="good", comment="poison"))
        await m.send(Memory(user_id="u1", kind="fact", text="likes jazz"))
        with pytest.raises(DeliveryError, match="2 set aside") as caught:
            await m.flush()
        assert m.waiting == 0
        assert caught.value.aside[0].id == "t2"
        assert [type(e) for _, e in results] == [SetAsideError] * 2
        assert "poison" not in str(caught.value)
        assert results[0][0] == bad
        service.word = b""
        assert await m.retry_aside() == 2
        await m.flush()
    accepted = [t["turn_id"] for b in service.bodies("/v1/turns") if bad.content not in str(b) for t in b["turns"]]
    assert accepted == ["t0", "t1", "t3"]
    assert service.bodies("/v1/turns")[-1]["turns"][0]["turn_id"] == "t2"


def test_the_synchronous_client_sets_aside_too() -> None:
    service = Poisoned()
    with Memstream("http://m", transport=service.transport, limits=FEW_TRIES) as m:
        m.send_all([turn(0, content="poison"), turn(1)])
        with pytest.raises(DeliveryError) as caught:
            m.flush()
        error = caught.value.aside[0].error
        assert isinstance(error, SetAsideError)
        assert (error.id, error.status) == ("t0", 500)
        assert [i.id for i in m.aside] == ["t0"]
        assert [i.id for i in m.take_aside()] == ["t0"]
        assert m.retry_aside() == 0
    assert [t["turn_id"] for t in service.bodies("/v1/turns")[-1]["turns"]] == ["t1"]


@pytest.mark.slow
@pytest.mark.parametrize("status", [0, 429, 502, 503, 504])
async def test_an_outage_longer_than_the_tries_sets_nothing_aside(status: int) -> None:
    service = ScriptedService()
    for _ in range(5):
        service.problem("/v1/turns", status)
    async with AsyncMemstream("http://m", transport=service.transport, limits=FEW_TRIES) as m:
        await m.send_all([turn(0), turn(1)])
        await m.flush()
        assert m.aside == ()
    assert len(service.requests) == 6


async def test_ids_are_those_of_the_door_and_a_repeat_is_the_same_message() -> None:
    service = ScriptedService()
    nameless = turn(1, turn_id=None)
    service.problem("/v1/memories", 503)
    async with client(service) as m:
        assert await m.send(nameless) == await m.send(nameless) == events.turn_id_of("default", nameless)
        liked = Feedback(user_id="u1", interaction_id="i1", rating="good")
        assert await m.send(liked) == events.feedback_id_of("default", liked)
        memory = Memory(user_id="u1", kind="fact", text="喜欢爵士 likes jazz")
        name = await m.send(memory)
        await m.flush()
    keys = [r.headers["idempotency-key"] for r in service.requests if r.url.path == "/v1/memories"]
    assert len(keys) == 2
    assert keys[0] == keys[1]
    command = events.command_id_of("default", "u1", "remember", keys[0])
    assert name == events.memory_id_of("default", memory, command)
    paths = [r.url.path for r in service.requests]
    assert paths.index("/v1/feedback") < paths.index("/v1/memories")


async def test_feedback_about_nothing_is_refused_where_it_is_made() -> None:
    async with client(ScriptedService()) as m:
        with pytest.raises(InvalidError, match="interaction_id"):
            await m.send(Feedback(user_id="u", rating="good"))


async def test_a_closed_client_says_so() -> None:
    m = client(ScriptedService())
    with pytest.raises(ClosedError):
        await m.send(turn())
    with pytest.raises(ClosedError):
        await m.search("x", user_id="u")
    with pytest.raises(ClosedError):
        Memstream("http://m").send(turn())


async def test_paths_are_quoted() -> None:
    service = ScriptedService()
    service.will("/v1/users/a/b c/memories", 200, {"memories": [], "cursor": None})
    async with client(service) as m:
        assert (await m.memories("a/b c")).memories == []
    assert service.requests[0].url.raw_path.startswith(b"/v1/users/a%2Fb%20c/memories?")


def test_the_synchronous_client_is_the_same() -> None:
    service = ScriptedService()
    with Memstream("http://m", transport=service.transport, limits=BufferLimits(linger_seconds=0)) as m:
        assert m.send_all([turn(n) for n in range(3)]) == ["t0", "t1", "t2"]
        assert m.flush() == m.token()
        assert m.search("x", user_id="u1").results == []
        assert m.waiting == 0
    assert "memstream-wait-for" in service.requests[-1].headers


def test_all_pages_of_memories_are_read() -> None:
    service = ScriptedService()
    row = {"id": "m1", "kind": "fact", "state": "active", "known_at": "2026-11-21T08:00:00Z"}
    service.will("/v1/users/u/memories", 200, {"memories": [row], "cursor": "next"})
    service.will("/v1/users/u/memories", 200, {"memories": [{**row, "id": "m2", "new": 1}], "cursor": None})
    with Memstream("http://m", transport=service.transport) as m:
        assert [r.id for r in m.all_memories("u")] == ["m1", "m2"]
    assert service.requests[-1].url.params["cursor"] == "next"


def test_an_answer_that_is_not_understood_names_the_place() -> None:
    service = ScriptedService()
    service.will("/v1/search", 200, {"results": [{"id": 5}]})
    with Memstream("http://m", transport=service.transport) as m, pytest.raises(ServerError, match=r"results\.0"):
        m.search("x", user_id="u")
