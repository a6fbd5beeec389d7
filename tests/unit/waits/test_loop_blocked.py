"""Sealing and opening leave the event loop alone: a Postgres that hangs stops no request but those that need a key."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.state import SealedStateStore
from memstream.keyring.store import Keyring
from processors.memory.emit import because
from processors.step import Reads
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.key_threads import KeyThreads
from query.reading.updates import _events, _Wanted
from query.streams import Read
from schemas.events.memory import MemoryBody, StatementMemory
from schemas.log.codec import Codec
from schemas.log.owner import OwnerKind, user
from schemas.security.scope import Permission, TenantScope
from streams.driver import MemoryLog, inline
from streams.runner import RunnerConfig, StepRunner, in_thread
from streams.state.memory import MemoryStateStore
from tests.blocking import LoopBlockedError, never_blocked, on_loop
from tests.unit.query.conftest import deps, embedder, log, turn  # noqa: F401 - fixtures
from tests.unit.streams.bench import P, message
from tests.unit.streams.toy import START, Counter
from tests.unit.waits.test_postgres_deadlines import FrozenServer, frozen  # noqa: F401 - a fixture

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class ThreadKeys:
    """A keyring that may have to ask Postgres: it notes whether a loop stood still for it."""

    def __init__(self) -> None:
        self.on_loop: list[bool] = []

    def current(self, owner: str) -> tuple[int, bytes]:
        self.on_loop.append(on_loop())
        return 1, b"k" * 32

    def key(self, owner: str, generation: int) -> bytes:
        self.on_loop.append(on_loop())
        return b"k" * 32


class HungKeys(ThreadKeys):
    """One whose Postgres answers nothing until the test ends."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def current(self, owner: str) -> tuple[int, bytes]:
        self.released.wait()
        return super().current(owner)


@pytest.fixture
def keys() -> ThreadKeys:
    return ThreadKeys()


@pytest.fixture
def hung() -> Iterator[HungKeys]:
    keys = HungKeys()
    yield keys
    keys.released.set()


def client_of(deps: Deps) -> httpx.AsyncClient:  # noqa: F811
    transport = httpx.ASGITransport(app=create_app(QueryConfig(), deps), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


async def test_h4_a_write_is_sealed_off_the_loop(deps: Deps, keys: ThreadKeys) -> None:  # noqa: F811
    deps.codec = Codec(AesCipher(keys))
    async with client_of(deps) as client:
        answer = await client.post("/v1/turns", json={"turns": [turn()]})
    assert answer.status_code == 202
    assert keys.on_loop == [False]


async def test_h4_a_keyring_that_hangs_is_503_and_holds_up_nobody_else(deps: Deps, hung: HungKeys) -> None:  # noqa: F811
    deps.codec = Codec(AesCipher(hung))
    deps.key_threads = KeyThreads(0.05)
    async with client_of(deps) as client:
        write = asyncio.create_task(client.post("/v1/turns", json={"turns": [turn()]}))
        assert (await client.get("/livez")).status_code == 200
        answer = await write
    assert answer.status_code == 503
    assert answer.json()["store"] == "postgres"


async def test_h4_a_stream_of_updates_opens_off_the_loop(deps: Deps, keys: ThreadKeys) -> None:  # noqa: F811
    codec = deps.codec = Codec(AesCipher(keys))
    update = StatementMemory(
        tenant="acme", owner_kind=OwnerKind.USER, owner_id="ana", record_id="m1", version=1, revision=1,
        kind="fact", state="active", reason=because("kept", "extraction", "explicit"), occurred_at=NOW, known_at=NOW,
        last_accessed_at=NOW, sealed=MemoryBody(text="I live in 杭州"),
    )  # fmt: skip
    encoded = codec.encode(update, "memstream/gate", "gate/0/0/0")
    keys.on_loop.clear()

    async def batches() -> AsyncIterator[list[Read]]:
        yield [Read(0, 0, encoded.value, encoded.headers, 0)]

    async def still() -> TenantScope:
        return scope

    scope = TenantScope("acme", "test", frozenset({Permission.READ}))
    context = cast(Any, SimpleNamespace(deps=deps, saw=lambda *_: None))
    results = [e async for e in _events(batches(), {0: 0}, _Wanted(scope, None, None, None), context, still)]
    assert "I live in 杭州" in results[-1].decode()
    assert keys.on_loop == [False]


async def test_h4_a_step_seals_and_opens_off_the_loop(keys: ThreadKeys) -> None:
    codec = Codec(AesCipher(keys))
    store = SealedStateStore(MemoryStateStore(), AesCipher(keys))
    log = MemoryLog(lambda: START)  # noqa: F811
    runner = StepRunner(Counter(), store, log, codec, RunnerConfig(8), compute=inline, seal=in_thread)
    feed = [message(i, f"t{i}", codec) for i in range(3)]
    keys.on_loop.clear()
    await runner.process(feed[:2])
    runner.forget()
    await runner.process(feed[2:])
    rows = await store.load("counter", {P: [Reads(user("acme", "ann").key)]})
    assert rows[P][user("acme", "ann").key]["count"] == b"3"
    assert len(keys.on_loop) > 6
    assert not any(keys.on_loop)


async def test_what_blocks_a_loop_is_named(frozen: FrozenServer) -> None:  # noqa: F811
    keyring = Keyring(frozen.dsn, LocalMasterKeys.of_environment("11" * 32))
    message = r"memstream/keyring/store.py:\d+ blocks the event loop: Answering"
    with never_blocked(), pytest.raises(LoopBlockedError, match=message):
        keyring.current("acme/user/ana")
    keyring.close()
