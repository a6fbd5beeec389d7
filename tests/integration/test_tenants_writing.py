"""C7, of what writes, over real stores: every endpoint that is no GET, called by one tenant with ids that the other has
in every store, and with ids that nobody has. The answers are alike, so is what is written, which names its own tenant
alone, and every row of the other stands as before (the unit tests ask what the statements name)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest

from memstream.stack import Addresses
from query.producer import Outgoing
from schemas.events.envelope import Envelope
from schemas.events.sessions import SessionBody, SessionState
from schemas.log.codec import Codec, Event
from schemas.log.owner import OwnerKind
from schemas.profile.model import load_profile
from sinks.milvus.sink import MilvusSink
from sinks.protocol import Item, Message, SinkBatch
from tests.integration.query_env import Arrived, Env, query_service
from tests.integration.test_tenants import MADE, TEXT, TOUCHES_OTHERS, WEEK, WORD, A, B, ByName, alike_late, header
from tests.openapi_calls import Call, Operation, call, operations
from tests.patience import eventually
from tests.with_ids import ALSO, choice, named

FIXED: dict[str, Any] = {
    "query": "ferry", "name": "diagnosis_records", "table": "diagnosis_records", "kind": None, "type": None,
    "state": None, "scope": None, "role": None, "limit": None, "prefix": [], "suffix": [],
    "userMessage": TEXT,
}  # fmt: skip
NEW = {
    "freshness_token", "command_id", "memory_id", "erasure_id", "feedback_id", "context_id", "took_ms", "turn_ids",
    "turn_id", "request_id", "accepted_at", "occurred_at", "degraded", "id",
}  # fmt: skip
ROW = re.compile("[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")
"""The id of a row, drawn where its caller names no command of their own."""
TRIES = 6


class Recorded:
    """A log that keeps what is written, and passes nothing on."""

    def __init__(self) -> None:
        self.records: list[Outgoing] = []

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        self.records += records
        return [0] * len(records)

    def close(self) -> None:
        """Nothing to close."""


def plant(env: Env, addresses: Addresses) -> None:
    """One thing of each kind that `only` names, of the first tenant alone."""
    rows, word = env.rows, WORD[A]
    turn = rows.turn("only", "only", f"only {word}", tenant=A, turn_id="only", project_id="only", interaction_id="only")
    decided = rows.turn("only", "only", FIXED["userMessage"], tenant=A, turn_id="only:user")
    rows.decision(decided, 0, "fact", f"only {word}", "kept", field="city", value=word)
    fact = rows.memory("only", "fact", f"only {word}", record_id="only", tenant=A, field="city", value=word)
    with closing(MilvusSink(addresses.milvus)) as milvus:
        milvus.ensure()
        milvus.write(SinkBatch([Item(e, Message("t", 0, 0, None, None, [], 0)) for e in (turn, fact)]))
    rows.memory("only", "item", f"{word} item", tenant=A, namespace=("memories", "only"), key="only", value={"w": word})
    row = {"category": "diagnosis_records", "key": "diagnosis_only", "value": {"diagnosis": word}}
    rows.memory("only", "table", f"{word} row", tenant=A, **row)
    rows.memory("only", "profile", f"{word} person", tenant=A, key="narrative")
    hot = {"owner_kind": OwnerKind.PROJECT, "tenant": A, "project_id": "only"}
    rows.memory("only", "hot", f"{word} status", category="status", key="only", value=word, **hot)
    rows.memory("only", "report", f"{word} week", key=WEEK, **hot)
    rows.memory("only", "chunk", f"{word} chapter", owner_kind=OwnerKind.DOCUMENT, tenant=A, key="v1")
    rows.session(
        SessionState(
            tenant=A, user_id="only", session_id="only", revision=1, updated_at=datetime.now(UTC),
            sealed=SessionBody(summary=word, last_bot_message=word),
        )
    )  # fmt: skip


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    profile = load_profile("health")  # it has tables
    async with query_service(addresses, profile, scope_bound=3, keys=ByName()) as service:
        service.app.state.deps.log = Recorded()
        service.app.state.watches = dict.fromkeys(service.app.state.watches, Arrived())
        await asyncio.to_thread(plant, service, addresses)
        yield service


async def test_c7_nothing_is_written_for_or_learned_of_another_tenants_ids(env: Env) -> None:
    writing = [o for o in operations(env.app.openapi()) if o.method != "GET" and str(o) not in TOUCHES_OTHERS]
    assert len(writing) > 25
    before = current_rows(env, A)
    assert sum(len(rows) for rows in before.values()) >= 8
    written: dict[str, int] = {}
    for operation in writing:
        for seed in range(TRIES):
            results = []
            for value, answer, records in await _pair(env, operation, seed):
                made = _call(operation, seed, value)
                where = f"{operation} {seed} {value}: {answer.status_code}"
                assert WORD[A] not in answer.text, where
                assert answer.status_code < 500 or answer.status_code == 503, (where, answer.text)
                own(records, where)
                events = [(r.topic, e) for r in records if not isinstance(e := Codec().decode(r.topic, r.value), ALSO)]
                results.append((answer.status_code, _shape(answer, value), [_written(t, e, value) for t, e in events]))
                if value in f"{made.path} {made.query} {made.body}" and answer.status_code < 300:
                    written[str(operation)] = written.get(str(operation), 0) + len(events)
            assert results[0] == results[1], f"{operation} {seed}"
    assert current_rows(env, A) == before
    # It would prove nothing if nothing had been taken.
    assert {o for o, n in written.items() if n} >= {
        "POST /v1/turns", "POST /v1/interactions", "POST /v1/feedback", "PATCH /v1/sessions/{session_id}",
        "DELETE /v1/sessions/{session_id}", "PUT /v1/store/items", "DELETE /v1/store/items", "POST /v1/memories",
        "PATCH /v1/memories/{memory_id}", "DELETE /v1/memories/{memory_id}", "DELETE /v1/users/{user_id}",
        "DELETE /v1/users/{user_id}/sessions/{session_id}", "POST /v1/documents",
        "PUT /v1/projects/{project_id}/hot-memory/{type}/{key}", "POST /v1/projects/{project_id}/reports",
    }, written  # fmt: skip


async def _once(env: Env, made: Call) -> tuple[httpx.Response, list[Outgoing]]:
    log: Recorded = env.app.state.deps.log
    log.records.clear()
    answer = await env.client.request(
        made.method, made.path, params=made.query, json=made.body, headers=header(B)
    )
    return answer, list(log.records)


async def _pair(env: Env, operation: Operation, seed: int) -> list[tuple[str, httpx.Response, list[Outgoing]]]:
    """The call with each of both ids, the answer to each and what it wrote."""

    async def both() -> list[tuple[str, httpx.Response, list[Outgoing]]]:
        return [(value, *await _once(env, _call(operation, seed, value))) for value in ("only", "nowhere")]

    return await eventually(f"answers of {operation}", both, lambda result: alike_late([a for _, a, _ in result]))


def _call(operation: Operation, seed: int, value: str) -> Call:
    return call(operation, lambda name: named(name, value, FIXED), choice(seed))


def own(records: Sequence[Outgoing], where: str) -> None:
    """Nothing that was written names the other tenant, or holds a word of it."""
    codec = Codec()
    for r in records:
        event = codec.decode(r.topic, r.value)
        assert isinstance(event, Envelope), where
        assert event.tenant == B, where
        raw = b"".join([r.key or b"", r.value or b"", *(v for _, v in r.headers)])
        assert A.encode() not in raw, where
        assert WORD[A].encode() not in raw, where


def _written(topic: str, event: Event, value: str) -> Any:
    """What was written, without what is made anew for every call."""
    result = event.model_dump(mode="json", exclude={"sealed": {"embedding"}})
    named = ROW.sub("ROW", str({k: v for k, v in result.items() if k not in NEW}))
    return topic, MADE.sub("MADE", named).replace(value, "ID")


def _shape(answer: httpx.Response, value: str) -> Any:
    try:
        body = answer.json()
    except ValueError:
        return answer.headers.get("content-type")
    if isinstance(body, dict):
        body = {k: v for k, v in body.items() if k not in NEW}
    return MADE.sub("MADE", str(body)).replace(value, "ID")


def current_rows(env: Env, tenant: str) -> dict[str, list[str]]:
    """Every row of a tenant, in each table that names tenants."""
    with psycopg.connect(env.dsn) as connection:
        tables = connection.execute(
            b"""SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"""
        ).fetchall()
        return {
            name: [
                str(row)
                for (row,) in connection.execute(
                    f"SELECT t::text FROM {name} t WHERE tenant = %s ORDER BY 1".encode(),  # noqa: S608 - of the catalogue
                    (tenant,),
                )
            ]
            for (name,) in tables
        }
