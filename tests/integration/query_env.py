"""The query service over the session's real servers; rows are written by the real Postgres sink."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import uuid4

import httpx
import numpy as np
import psycopg
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import KafkaException, NewTopic

from inference.language import language_of
from inference.protocols import Embedder, LanguageModel
from inference.terms import terms
from inference.tokens import token_counter
from memstream.stack import Addresses
from memstream.workers.models import default_embedder, default_models
from processors.ports import Models, ProfileBook
from processors.screen.callers import CallersScreen
from query.app import create_app
from query.auth.boundary import Authenticator
from query.config import QueryConfig
from query.connect import open_deps
from query.deps import utc_now
from query.freshness import Needs
from schemas import migrations
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Decision, DecisionBody, MemoryBody, MemoryUpdate, Reason, parse
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedBody, ScreenedTurn
from schemas.log import ids, topics
from schemas.log.codec import Event
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile, load_profile
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Item, Mark, Message, SinkBatch
from tests.dates import fixed
from tests.patience import PATIENCE, eventually, until
from tests.wide_limits import SHIPPED, STORE_SECONDS, wide

TENANT = "default"
START = fixed(2026, 11, 1, 9)


def embedder() -> Embedder:
    return default_embedder()


def embed(text: str) -> bytes:
    vector: bytes = embedder().embed([text])[0].astype(np.float16).tobytes()
    return vector


def prepare(addresses: Addresses) -> None:
    """Schemas and topics, once a session (both are safe to repeat)."""
    migrations.upgrade(addresses.postgres)
    admin = AdminClient({"bootstrap.servers": addresses.kafka})
    active = until("topics to be listed", lambda: admin.list_topics(timeout=30), errors=(KafkaException,)).topics
    wanted = [
        NewTopic(t.name, topics.EMBEDDED_PARTITIONS, 1, config=t.config())
        for t in topics.CATALOGUE
        if t.name not in active
    ]
    if wanted:
        for future in admin.create_topics(wanted).values():
            future.result(PATIENCE)


@dataclass
class Rows:
    """Writes derived events as the sink does. Ids are of their own, so that tests do not meet."""

    sink: PostgresSink
    position: int = 0
    written: list[Event] = field(default_factory=list)

    def write(self, *events: Event, progress: dict[Mark, int] | None = None) -> None:
        message = Message("t", 0, 0, None, None, [], 0)
        self.sink.write(SinkBatch([Item(e, message) for e in events], progress or {}))
        self.written.extend(events)

    def turn(self, user: str, session: str, content: str, **over: Any) -> ScreenedTurn:
        self.position += 1
        at = over.pop("occurred_at", START + timedelta(minutes=self.position))
        turn_id = over.pop("turn_id", f"{session}:{uuid4().hex[:12]}")
        given: dict[str, Any] = {
            "tenant": TENANT, "user_id": user, "session_id": session, "turn_id": turn_id, "role": "user",
            "occurred_at": at, "accepted_at": datetime.now(UTC), "expires_at": datetime.now(UTC) + timedelta(days=30),
            "language": language_of(content), "tokens": token_counter().count(content),
            "content_hash": ids.content_hash(content), "profile": "general", "profile_version": 1,
            "model_id": embedder().model_id, "position": self.position,
        }  # fmt: skip
        speaker = over.pop("speaker", None)
        body = ScreenedBody(content=content, speaker=speaker, terms=tuple(terms(content)), embedding=embed(content))
        event = ScreenedTurn(**{**given, **over}, sealed=body)
        self.write(event)
        return event

    def memory(self, owner: str, kind: str, text: str, **over: Any) -> MemoryUpdate:
        self.position += 1
        owner_kind = over.pop("owner_kind", OwnerKind.USER)
        at = over.pop("occurred_at", START + timedelta(minutes=self.position))
        sources: Sequence[ScreenedTurn] = over.pop("sources", ())
        body = MemoryBody(
            text=text, value=over.pop("value", None), attributes=over.pop("attributes", {}),
            terms=tuple(terms(text)), embedding=embed(text),
        )  # fmt: skip
        given: dict[str, Any] = {
            "tenant": TENANT, "owner_kind": owner_kind, "owner_id": owner, "revision": 1,
            "record_id": over.pop("record_id", f"{owner}-{kind}-{uuid4().hex[:12]}"), "kind": kind, "state": "active",
            "reason": Reason(outcome="kept", gate="confidence", rule="explicit"), "confidence": Decimal("1.0"),
            "user_id": owner if owner_kind is OwnerKind.USER else None, "language": language_of(text),
            "sources": tuple(
                SourceTurn(turn_id=t.turn_id, session_id=t.session_id, occurred_at=t.occurred_at,
                           content_hash=t.content_hash) for t in sources
            ),
            "occurred_at": at, "known_at": datetime.now(UTC), "last_accessed_at": datetime.now(UTC),
            "profile": "general", "profile_version": 1, "model_id": embedder().model_id,
        }  # fmt: skip
        event = parse({**given, **over, "sealed": body})
        self.write(event)
        return event

    def decision(self, turn: ScreenedTurn, ordinal: int, kind: str, text: str, outcome: str, **over: Any) -> Decision:
        value = over.pop("value", None)
        event = Decision(
            tenant=turn.tenant, owner_id=turn.user_id, decision_id=f"{turn.user_id}/{turn.turn_id}/{ordinal}",
            turn_id=turn.turn_id, session_id=turn.session_id, ordinal=ordinal, kind=kind, accepted_at=datetime.now(UTC),
            reason=Reason(outcome=outcome, gate="dedupe", rule="field"),  # type: ignore[arg-type]
            sealed=DecisionBody(text=text, value=value), **over,
        )  # fmt: skip
        self.write(event)
        return event

    def session(self, state: SessionState, *checkpoints: Checkpoint) -> None:
        self.write(state, *checkpoints)


class Arrived:
    """Progress in which every write has arrived: where a log keeps nothing, a read waits for no write, and sees what
    stands."""

    async def wait(self, needs: Needs, seconds: float) -> bool:
        return True


@dataclass
class Env:
    client: httpx.AsyncClient
    rows: Rows
    dsn: str
    app: Any
    stack: ExitStack
    """Closed with the service."""

    async def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """The answer to a question, once it is from every store and fresh."""

        async def ask() -> httpx.Response:
            answer = await self.client.post(path, json=body, headers=headers)
            assert answer.status_code in (200, 503), (path, answer.status_code, answer.text)
            return answer

        def good(answer: httpx.Response) -> bool:
            fresh = answer.headers.get("Memstream-Fresh") != "false"
            return answer.status_code == 200 and fresh and not answer.json().get("degraded")

        found: dict[str, Any] = (await eventually(f"POST {path}", ask, good)).json()
        return found

    async def get(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> dict[str, Any]:
        """The same for a read by GET."""

        async def ask() -> httpx.Response:
            answer = await self.client.get(path, params=params, headers=headers)
            assert answer.status_code in (200, 503), (path, answer.status_code, answer.text)
            return answer

        def good(answer: httpx.Response) -> bool:
            return answer.status_code == 200 and answer.headers.get("Memstream-Fresh") != "false"

        found: dict[str, Any] = (await eventually(f"GET {path}", ask, good)).json()
        return found

    def execute(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(statement, values)


@asynccontextmanager
async def living(app: Any) -> AsyncIterator[None]:
    """The app's lifespan in one task, as a server runs it: a fixture is set up and torn down in different ones, which
    task groups within the lifespan do not take."""
    ready, over = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            ready.set()
            await over.wait()

    task = asyncio.create_task(live())
    started = asyncio.create_task(ready.wait())
    await asyncio.wait([task, started], return_when=asyncio.FIRST_COMPLETED)
    started.cancel()
    try:
        yield
    finally:
        over.set()
        await task


@lru_cache(maxsize=1)
def models() -> Models:
    """As the workers of a test have them; the recognisers load with the first text of a caller's own."""
    return default_models(b"unit-test-hash-key-of-32-bytes!!")


class NothingKnown:
    """In place of `EverythingRead`: rows are written to the stores here, and nothing reads the log, so what is in no
    store is not known to be nowhere, also where the log has nothing of the user's yet."""

    async def of(self, *_: object) -> bool:
        return False


@asynccontextmanager
async def query_service(
    addresses: Addresses, profile: Profile | None = None, keys: Authenticator | None = None,
    hyde: LanguageModel | None = None, clock: Callable[[], datetime] = utc_now, limits_as_shipped: bool = SHIPPED,
    **settings: Any,
) -> AsyncIterator[Env]:  # fmt: skip
    """The app in this process, its clients over the real servers, by this clock. `hyde`: imagines answers (D12).
    `limits_as_shipped`: for tests about what is late; else nothing is."""
    prepare(addresses)
    chosen = profile or load_profile("general")
    if not limits_as_shipped:
        chosen = wide(chosen)
        settings = {"store_timeout": STORE_SECONDS, "delivery_seconds": 60.0, **settings}
    config = QueryConfig(kafka=addresses.kafka, **settings)
    deps_of = open_deps(
        config,
        postgres=addresses.postgres,
        redis=addresses.redis,
        milvus=addresses.milvus,
        profile=chosen,
        screen=CallersScreen(models(), ProfileBook(chosen)),
        embedder=embedder(),
        counter=token_counter,
        keys=keys,
    )
    with ExitStack() as stack:
        sink = stack.enter_context(closing(PostgresSink(addresses.postgres)))
        sink.ensure()
        async with deps_of as deps:
            deps.hyde, deps.clock = hyde, clock
            app = create_app(config, deps)
            app.state.everything_read = NothingKnown()
            async with living(app):
                transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
                async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                    yield Env(client, Rows(sink), addresses.postgres, app, stack)
