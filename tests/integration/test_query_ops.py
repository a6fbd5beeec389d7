"""Operations over real servers: readiness, the pipeline, metrics, dead letters, the stream of updates (N3, B9)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest
import uvicorn
from confluent_kafka import Producer

from memstream.stack import Addresses
from memstream.workers import auditor, jobs
from processors.memory.emit import deleted
from query.deadletters.access import KafkaAccess
from query.pipeline.groups import GROUPS
from query.streams import TopicAwayError
from schemas.events.memory import MemoryBody, MemoryUpdate, Reason, StatementMemory
from schemas.log import owner, topics
from schemas.log.codec import Codec, header
from schemas.log.dead_letters import SOURCE_TIME
from schemas.log.owner import OwnerKind
from schemas.metrics import METRICS
from schemas.storage import postgres_connections
from schemas.storage.suspects import GIVEN_UP_BY_HAND, KEPT_DAYS
from sinks.audit.sink import AuditSink
from sinks.milvus.sink import MilvusSink
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Item, Message, SinkBatch
from sinks.redis.sink import RedisSink
from streams.topology import TOPOLOGY, group_of
from tests.dates import fixed
from tests.integration.conftest import BackgroundStack
from tests.integration.query_env import TENANT, Env, prepare, query_service
from tests.pages import blocks
from tests.patience import PATIENCE, eventually, until

Headers = list[tuple[str, str | bytes | None]]
pytestmark = pytest.mark.integration


@pytest.fixture
async def env(addresses: Addresses) -> AsyncIterator[Env]:
    async with query_service(addresses, poll_seconds=0.2) as env:
        yield env


@asynccontextmanager
async def served(env: Env) -> AsyncIterator[httpx.AsyncClient]:
    """Over a socket: streams need one."""
    server = uvicorn.Server(uvicorn.Config(env.app, port=0, lifespan="off", log_config=None))
    task = asyncio.create_task(server.serve())
    await eventually("the server", started(server))
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            yield client
    finally:
        server.should_exit = True
        await task


def produce(addresses: Addresses, topic: str, partition: int, value: bytes, headers: Headers) -> None:
    producer = Producer({"bootstrap.servers": addresses.kafka})
    failed: list[Any] = []
    producer.produce(
        topic, value, b"key", partition=partition, headers=headers, on_delivery=lambda e, _: failed.append(e)
    )
    assert producer.flush(PATIENCE) == 0
    producer.close()
    assert failed == [None]


def started(server: uvicorn.Server) -> Callable[[], Awaitable[bool]]:
    async def ask() -> bool:
        return server.started

    return ask


async def answered(env: Env, path: str, good: Callable[[httpx.Response], Any]) -> httpx.Response:
    """An answer as it is wanted."""
    return await eventually(f"GET {path} to be as expected", lambda: env.client.get(path), good)


def test_the_watched_groups_are_those_that_run() -> None:
    """query may not import them, so this is where they are compared."""
    steps = {g.group_id for g in GROUPS if g.kind == "step"}
    assert steps == {group_of(name) for name in TOPOLOGY}
    sinks = {g.name: set(g.topics) for g in GROUPS if g.kind == "sink"}
    workers = {g.group_id: set(g.topics) for g in GROUPS if g.kind == "worker"}
    assert workers == {jobs.GROUP: {topics.JOBS.name}, auditor.GROUP: set(AuditSink.topics)}
    assert sinks == {f"sink-{s.name}": set(s.topics) for s in (PostgresSink, MilvusSink, RedisSink)}


async def test_the_pipeline_shows_lag_and_stores(env: Env) -> None:
    await env.client.post("/v1/sessions", json={"user_id": "ops", "session_id": "s"})
    answer = await answered(env, "/v1/pipeline", lambda a: a.status_code == 200 and _lag(a, "screen") > 0)
    body = answer.json()
    assert [s["name"] for s in body["stages"]] == [g.name for g in GROUPS]
    await answered(env, "/v1/pipeline", _all_up)
    assert body["dead_letters"]["count"] >= 0
    assert (await env.client.get("/livez")).status_code == 200
    page = await env.client.get("/ops")
    assert page.headers["content-type"].startswith("text/html")
    assert 'id="flow"' in page.text


def _all_up(answer: httpx.Response) -> bool:
    return answer.status_code == 200 and all(s["up"] for s in answer.json()["stores"].values())


def _lag(answer: httpx.Response, stage: str) -> int:
    return int(next((s["lag"] for s in answer.json()["stages"] if s["name"] == stage), 0))


async def test_readyz_is_red_when_a_stage_stands_still(addresses: Addresses) -> None:
    """No worker runs here: what was written waits, although every port is open. (One that has its partitions and does
    nothing: scenarios/test_end_to_end.py.)"""
    async with query_service(addresses, poll_seconds=0.2, stalled_seconds=0.5) as env:
        await env.client.post("/v1/sessions", json={"user_id": "still", "session_id": "s"})
        answer = await answered(env, "/readyz", lambda a: a.status_code == 503 and "have no reader" in a.text)
        assert answer.json()["type"] == "urn:memstream:error:not-ready"
        assert "screen: 8 partitions have no reader" in answer.json()["reasons"]


async def test_readyz_names_the_record_that_stops_a_step(addresses: Addresses) -> None:
    """From what the watchdog notes, whether or not its worker runs; what lies below the position is over, and so is
    what is older than it is kept or was given up by hand."""
    prepare(addresses)
    step = f"step-{uuid4().hex[:8]}"
    with postgres_connections.connect(addresses.postgres, autocommit=True) as conn:
        conn.execute(
            "INSERT INTO stream.positions (step, partition, next_offset, progress, seen, outbox, updated_at)"
            " VALUES (%s, 3, 10, '{}', '{}', '', now())",
            (step,),
        )
        for partition, offset, times, days in (
            (3, 41, 4, 0), (3, 7, 3, 0), (4, 5, 2, 0), (5, 0, 3, KEPT_DAYS - 1), (6, 0, 3, KEPT_DAYS + 1),
            (7, 0, GIVEN_UP_BY_HAND, 0),
        ):  # fmt: skip
            conn.execute(
                "INSERT INTO stream.suspects (step, topic, partition, record_offset, timestamp_ms, times, noted_at)"
                " VALUES (%s, %s, %s, %s, 0, %s, now() - make_interval(days => %s))",
                (step, topics.LEDGER.name, partition, offset, times, days),
            )
    try:
        async with query_service(addresses, poll_seconds=0.2) as env:
            answer = await answered(env, "/readyz", lambda a: a.status_code == 503 and "stopped before" in a.text)
            assert [reason for reason in answer.json()["reasons"] if reason.startswith(step)] == [
                f"{step}: stopped before offset 41 of partition 3, which hung 4 times",
                f"{step}: stopped before offset 0 of partition 5, which hung 3 times",
            ]
            [by_hand] = blocks("docs/reliability.md", "sql")
            with postgres_connections.connect(addresses.postgres, autocommit=True) as conn:
                assert conn.execute(by_hand.replace("'gate'", f"'{step}'").encode()).rowcount == 1
            await answered(env, "/readyz", lambda a: a.status_code == 503 and "offset 41" not in a.text)
    finally:
        with postgres_connections.connect(addresses.postgres, autocommit=True) as conn:
            for table in ("suspects", "positions"):
                conn.execute(f"DELETE FROM stream.{table} WHERE step = %s", (step,))  # noqa: S608 - constants


async def test_readyz_names_a_store_that_does_not_answer(running_stack: BackgroundStack) -> None:
    async with query_service(running_stack.addresses, poll_seconds=0.2, store_timeout=0.5) as env:
        with running_stack.frozen("valkey"):
            answer = await answered(
                env, "/readyz", lambda a: "redis: unreachable" in a.text and "postgres: unreachable" not in a.text
            )
        assert answer.status_code == 503


async def test_metrics_are_those_of_the_list(env: Env) -> None:
    await env.client.post("/v1/search", json={"query": "anything", "user_id": "m"})
    # What is counted over tables is looked at every fifth time.
    text = (await answered(env, "/metrics", lambda a: "memstream_erasures_pending" in a.text)).text
    exported = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    listed = {m.name.removesuffix("_total") for m in METRICS}
    assert {name.removesuffix("_total").removesuffix("_created") for name in exported} == listed
    assert 'memstream_http_requests_total{method="POST",route="/v1/search",status="200"}' in text


def dead_letter(mark: str, offset: int, tenant: str = TENANT, user: str = "u") -> Headers:
    return [
        ("step", b"screen"), ("reason", b"invalid"), ("message", f"occurred_at: {mark}".encode()), ("attempts", b"1"),
        ("source_topic", topics.TURNS.name.encode()), ("source_partition", b"2"),
        ("source_offset", str(offset).encode()), ("failed_at", fixed(2026, 11, 21, 8).isoformat().encode()),
        ("owner", owner.user(tenant, user).key.encode()),
    ]  # fmt: skip


async def test_dead_letters_are_listed_without_their_content(env: Env, addresses: Addresses) -> None:
    mark = uuid4().hex
    secret = b'{"type": "turn", "sealed": {"content": "secret content"}}'
    for offset, tenant in ((7, TENANT), (8, TENANT), (8, TENANT), (9, "another")):
        produce(addresses, topics.DEAD_LETTERS.name, 2, secret, dead_letter(mark, offset, tenant))
    first = (await env.client.get("/v1/dead-letters", params={"limit": 1})).json()
    rest = (await env.client.get("/v1/dead-letters", params={"limit": 1, "cursor": first["cursor"]})).json()
    both = [d for d in first["dead_letters"] + rest["dead_letters"] if mark in d["message"]]
    assert [d["source"] for d in both] == [
        {"topic": "conversation.turns.v1", "partition": 2, "offset": n} for n in (8, 7)
    ]  # fmt: skip
    assert both[0]["bytes"] == len(secret)
    shown = (await env.client.get(f"/v1/dead-letters/{both[0]['id']}")).json()
    assert shown["preview"]["value"] == {"type": "turn", "sealed": {"content": "text, 14 characters"}}
    assert "secret" not in json.dumps([first, rest, shown])
    await env.client.post("/v1/dead-letters/drop", json={"ids": [d["id"] for d in both]})


async def test_dead_letters_are_replayed_once_and_dropped_for_good(env: Env, addresses: Addresses) -> None:
    mark = uuid4().hex
    for offset in (21, 22, 23):
        produce(addresses, topics.DEAD_LETTERS.name, 2, f"not json {mark}".encode(), dead_letter(mark, offset))
    listed = (await env.client.get("/v1/dead-letters", params={"step": "screen", "limit": 200})).json()
    ids = [d["id"] for d in listed["dead_letters"] if mark in d["message"]]
    assert len(ids) == 3
    bare = await env.client.post("/v1/dead-letters/replay", json={})
    assert (bare.status_code, bare.json()["errors"][0]["field"]) == (422, "body")
    done = await env.client.post("/v1/dead-letters/replay", json={"ids": ids[1:]})
    assert (done.status_code, done.json()["outcomes"]) == (202, {"replayed": 2})
    targets = [r["target"] for r in done.json()["results"]]
    assert [t["topic"] for t in targets] == [topics.TURNS.name] * 2
    assert targets[0]["offset"] < targets[1]["offset"]
    access = env.app.state.topics
    places = [access.read(t["topic"], {2: t["offset"]}, {2: t["offset"] + 1})[0] for t in targets]
    assert [p.value for p in places] == [f"not json {mark}".encode()] * 2
    [letter] = [d for d in listed["dead_letters"] if d["id"] == ids[1]]
    written = datetime.fromtimestamp(places[0].timestamp_ms / 1000, UTC)
    assert written >= datetime.fromisoformat(letter["dead_since"]), "under its source's time retention would take it"
    result = int(header(places[0].headers, SOURCE_TIME) or b"")
    assert datetime.fromtimestamp(result / 1000, UTC) == datetime.fromisoformat(letter["failed_at"])
    again = await env.client.post("/v1/dead-letters/replay", json={"ids": ids})
    assert again.json()["outcomes"] == {"replayed": 1, "already": 2}
    produce(addresses, topics.DEAD_LETTERS.name, 2, b"x", dead_letter(mark, 24))
    last = (await env.client.get("/v1/dead-letters", params={"limit": 1})).json()["dead_letters"][0]["id"]
    assert (await env.client.post("/v1/dead-letters/drop", json={"ids": [last]})).json()["outcomes"] == {"dropped": 1}
    kept = (await env.client.get("/v1/dead-letters", params={"state": "dropped"})).json()["dead_letters"]
    assert kept[0]["id"] == last
    assert (await env.client.get("/v1/dead-letters/9:9")).status_code == 404


async def test_a_window_ends_where_its_last_offset_holds_no_record(addresses: Addresses) -> None:
    """As behind compaction: the marker of a transaction takes an offset and is nothing that can be read."""
    prepare(addresses)
    access = KafkaAccess(addresses.kafka, 8)
    before = access.bounds(topics.DEAD_LETTERS.name)[3][1]
    producer = Producer({"bootstrap.servers": addresses.kafka, "transactional.id": uuid4().hex})
    producer.init_transactions(PATIENCE)
    producer.begin_transaction()
    producer.produce(topics.DEAD_LETTERS.name, b"x", b"key", partition=3, headers=dead_letter("window", 31, "none"))
    producer.commit_transaction(PATIENCE)
    end = await asyncio.to_thread(  # the coordinator writes the marker after it has answered
        until, "the marker", lambda: access.bounds(topics.DEAD_LETTERS.name)[3][1], lambda end: end == before + 2
    )
    assert [r.offset for r in access.read(topics.DEAD_LETTERS.name, {3: before}, {3: end})] == [before]
    assert access.read(topics.DEAD_LETTERS.name, {3: end - 1}, {3: end}) == []
    with pytest.raises(TopicAwayError):  # what is asked for does not exist yet: not "there is nothing"
        access.read(topics.DEAD_LETTERS.name, {3: before}, {3: end + 1})


def update(user: str, text: str, tenant: str = TENANT) -> MemoryUpdate:
    now = datetime.now(UTC)
    return StatementMemory(
        tenant=tenant, owner_kind=OwnerKind.USER, owner_id=user, user_id=user, record_id=uuid4().hex, revision=1,
        kind="fact", state="active", reason=Reason(outcome="kept", gate="confidence", rule="explicit"),
        occurred_at=now, known_at=now, last_accessed_at=now, sealed=MemoryBody(text=text, embedding=b"1234"),
    )  # fmt: skip


def publish(addresses: Addresses, event: MemoryUpdate) -> None:
    encoded = Codec().encode(event, "test", uuid4().hex)
    partition = owner.partition(event.owner, topics.EMBEDDED_PARTITIONS)
    produce(addresses, topics.UPDATES.name, partition, encoded.value, list(encoded.headers))


async def read_events(client: httpx.AsyncClient, headers: dict[str, str], count: int, then: Any = None) -> list[Any]:
    out: list[Any] = []
    async with client.stream("GET", "/v1/updates", headers=headers) as answer:
        assert answer.status_code == 200
        event: dict[str, str] = {}
        async for line in answer.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
                continue
            if "data" not in event and then is not None:
                await asyncio.to_thread(then)
            elif "data" in event:
                out.append((event["id"], json.loads(event["data"])))
            event = {}
            if len(out) == count:
                return out
    return out


async def test_c9_forgotten_on_a_resumed_stream(env: Env, addresses: Addresses) -> None:
    """The topic holds what was forgotten or replaced until it is compacted: what is replayed is confirmed."""
    user = f"sse-{uuid4().hex}"
    first, forgotten, replaced = (update(user, text) for text in ("first", "forgotten", "replaced"))
    removed = deleted(forgotten, revision=2, sealed=MemoryBody())
    better = replaced.model_copy(update={"revision": 2, "sealed": MemoryBody(text="better", embedding=b"1234")})
    events = (first, forgotten, replaced, removed, better)

    def write() -> None:
        for event in events:
            publish(addresses, event)

    async with served(env) as client:
        async with asyncio.timeout(PATIENCE):
            got = await read_events(client, {}, 5, write)
        assert [data["text"] for _, data in got] == ["first", "forgotten", "replaced", "", "better"]
        message = Message(topics.UPDATES.name, 0, 0, None, None, [], 0)
        with closing(PostgresSink(addresses.postgres)) as sink:
            sink.ensure()
            sink.write(SinkBatch([Item(e, message) for e in (first, removed, better)]))
        async with asyncio.timeout(PATIENCE):
            again = await read_events(client, {"Last-Event-ID": got[0][0]}, 2)
        assert [(data["op"], data["text"]) for _, data in again] == [("delete", ""), ("upsert", "better")]


async def test_b9_updates_stream_and_resume(env: Env, addresses: Addresses) -> None:
    user = f"sse-{uuid4().hex}"

    def write() -> None:
        publish(addresses, update(user, "of another tenant", tenant="another"))
        publish(addresses, update(user, "first"))
        publish(addresses, update(user, "second 二"))

    async with served(env) as client:
        async with asyncio.timeout(PATIENCE):
            got = await read_events(client, {}, 2, write)
        assert [data["text"] for _, data in got] == ["first", "second 二"]
        assert "embedding" not in got[0][1]
        assert got[0][1]["reason"]["outcome"] == "kept"
        async with asyncio.timeout(PATIENCE):
            again = await read_events(client, {"Last-Event-ID": got[0][0]}, 1)
        assert again[0][1]["text"] == "second 二"
        bad = await client.get("/v1/updates", headers={"Last-Event-ID": "nonsense"})
        assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "Last-Event-ID")
