"""C10: what is read or written is recorded, without content and without holding the answer up."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from query.access import AccessLog
from query.errors import ProblemError
from query.metrics import Metrics
from query.reading.common import Context
from query.writing.projects import checked_user
from query.writing.publish import Publisher
from schemas.events.documents import Access
from schemas.events.memory import Given
from schemas.log import owner as owners
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.security.scope import OwnerScope, Permission, TenantScope
from tests.unit.query.conftest import NOW
from tests.unit.query.memory_log import MemoryLog

SCOPE = TenantScope("acme", "key:k1", frozenset(Permission))
ANN = owners.user("acme", "ann")


def recorded(log: MemoryLog) -> list[Access]:
    events = [Codec().decode(r.topic, r.value) for r in log.records if r.topic == topics.ACCESSES.name]
    return [e for e in events if isinstance(e, Access)]


def made(log: MemoryLog, bound: int = 100) -> AccessLog:
    return AccessLog(log, Codec(), 8, lambda: NOW, Metrics(), bound)


async def test_c10_a_call_is_one_record_of_who_what_and_when(log: MemoryLog) -> None:
    accesses = made(log)
    accesses.start()
    accesses.note(SCOPE, ANN, "read", "POST /v1/context", ["m1", "m2", "m1"], "ctx")
    await accesses.stop()
    (found,) = recorded(log)
    assert (found.tenant, found.owner_kind, found.owner_id) == ("acme", "user", "ann")
    assert (found.principal, found.operation, found.context_id) == ("key:k1", "POST /v1/context", "ctx")
    assert found.record_ids == ("m1", "m2")
    assert found.accepted_at == NOW
    assert log.records[0].partition == owners.partition(ANN, 8)


async def test_c10_more_ids_than_a_record_takes_are_more_records(log: MemoryLog) -> None:
    accesses = made(log)
    accesses.start()
    accesses.note(SCOPE, ANN, "read", "x", [f"m{n}" for n in range(1_201)])
    await accesses.stop()
    assert [len(r.record_ids) for r in recorded(log)] == [500, 500, 201]


async def test_c10_what_the_brokers_do_not_take_is_sent_again_and_nothing_twice(log: MemoryLog) -> None:
    accesses = made(log)
    log.failing.add(topics.ACCESSES.name)
    accesses.start()
    for n in range(3):
        accesses.note(SCOPE, ANN, "read", "x", [f"m{n}"])
    await asyncio.sleep(0)
    assert accesses.waiting == 3
    log.failing.clear()
    await accesses.stop()
    assert [r.record_ids for r in recorded(log)] == [("m0",), ("m1",), ("m2",)]
    assert accesses.waiting == 0


async def test_c10_a_full_queue_refuses_what_it_could_not_record(log: MemoryLog) -> None:
    accesses = made(log, bound=2)
    for _ in range(2):
        accesses.admit()
        accesses.note(SCOPE, ANN, "read", "x")
    with pytest.raises(ProblemError) as refused:
        accesses.admit()
    assert (refused.value.word, refused.value.status) == ("busy", 503)


def memory(owner: owners.Owner, name: str) -> dict[str, Any]:
    return {"owner_kind": owner.kind, "owner_id": owner.id, "record_id": name}


async def test_c10_a_search_is_recorded_with_each_owner_whose_memory_it_showed(log: MemoryLog) -> None:
    accesses = made(log)
    accesses.start()
    ctx = Context.__new__(Context)
    ctx._accesses, ctx._operation = accesses, "POST /v1/search"
    bob, project, handbook = owners.user("acme", "bob"), owners.project("acme", "p1"), owners.document("acme", "d1")
    rows = [
        memory(ANN, "m1"), memory(bob, "m2"), memory(ANN, "m3"), {"user_id": "cid", "turn_id": "t1"},
        memory(handbook, "c1"), memory(project, "r1"),
    ]  # fmt: skip
    ctx.found(SCOPE, rows)
    ctx.found(OwnerScope(SCOPE, ANN), [rows[0], rows[5]])
    ctx.found(OwnerScope(SCOPE, project), [])
    await accesses.stop()
    assert [(e.owner.key, e.record_ids) for e in recorded(log)] == [
        ("acme/tenant/", ("c1",)), ("acme/user/ann", ("m1", "m3")), ("acme/user/bob", ("m2",)),
        ("acme/user/cid", ()), ("acme/project/p1", ("r1",)),
        ("acme/user/ann", ("m1",)), ("acme/project/p1", ("r1",)),
        ("acme/project/p1", ()),
    ]  # fmt: skip


async def test_c10_writes_of_memory_are_recorded_by_their_route(
    client: httpx.AsyncClient, log: MemoryLog
) -> None:
    answer = await client.post("/v1/memories", json={"user_id": "ann", "kind": "fact", "text": "secret words"})
    assert answer.status_code == 202
    queue = client._transport.app.state.accesses._queue  # type: ignore[attr-defined]
    (event,) = [Codec().decode(r.topic, r.value) for r in queue]
    assert isinstance(event, Access)
    assert (event.action, event.operation, event.owner_id) == ("write", "POST /v1/memories", "ann")
    assert b"secret words" not in queue[0].value


BOUND = {
    "one user": (frozenset({"ann"}), None, "ann"),
    "one user, who is named": (frozenset({"ann"}), "ann", "ann"),
    "two users, none named": (frozenset({"ann", "bob"}), None, None),
    "all users": (None, None, None),
}


@pytest.mark.parametrize(("users", "named", "owner"), BOUND.values(), ids=list(BOUND))
def test_c9_hot_memory_belongs_to_the_one_user_of_the_key(
    users: frozenset[str] | None, named: str | None, owner: str | None
) -> None:
    """Else no erasure of the user would find it."""
    publish = Publisher.__new__(Publisher)
    publish.scope = TenantScope("acme", "key:k1", frozenset(Permission), users=users)
    assert checked_user(publish, named) == owner


async def test_c10_a_context_records_its_id_and_no_words(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/context", json={"user_id": "ann", "query": "secret words"})
    assert answer.status_code == 200, answer.text
    queue = client._transport.app.state.accesses._queue  # type: ignore[attr-defined]
    (event,) = [Codec().decode(r.topic, r.value) for r in queue]
    assert isinstance(event, Access)
    assert event.context_id == answer.json()["context_id"]
    assert b"secret" not in queue[0].value


async def test_d16_what_an_answer_was_given_goes_to_the_gate(log: MemoryLog) -> None:
    accesses = made(log)
    accesses.start()
    accesses.give(ANN, ["m1", "m2", "m1"], "ctx", "int-1")
    accesses.give(ANN, [], "empty", None)
    await accesses.stop()
    (record,) = [r for r in log.records if r.topic == topics.LEDGER.name]
    event = Codec().decode(record.topic, record.value)
    assert isinstance(event, Given)
    assert (event.context_id, event.interaction_id, event.record_ids) == ("ctx", "int-1", ("m1", "m2"))
    assert record.partition == owners.partition(ANN, 8)
