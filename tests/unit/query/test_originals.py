"""D5: what the policy `encrypt` took out is read again by who may, and by nobody else; every look is on record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from memstream.keyring.originals import Vault
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from schemas.events.documents import Access
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.security.encrypted_values import Original
from schemas.security.scope import Permission, TenantScope
from schemas.security.sealing import KeysAway, MasterKeyAway
from tests.unit.query.memory_log import MemoryLog
from tests.unit.test_keyring import MemoryKeys

PII, READ = frozenset({Permission.PII}), frozenset({Permission.READ, Permission.WRITE, Permission.OPERATOR})
SCOPES = {
    "pii": TenantScope("acme", "key:pii", PII),
    "admin": TenantScope("acme", "key:admin", frozenset({Permission.ADMIN})),
    "reader": TenantScope("acme", "key:reader", READ),
    "bobs": TenantScope("acme", "key:bobs", PII, users=frozenset({"bob"})),
    "other": TenantScope("other", "key:other", PII),
}
ANN = user("acme", "ann")
TAKEN = (
    Original("PHONE_NUMBER", "<PHONE_NUMBER:0123456789ab>", "202-555-0143"),
    Original("EMAIL_ADDRESS", "<EMAIL_ADDRESS:ba9876543210>", "安@example.org"),
)
PATH = "/v1/turns/t1/originals"


class ByName:
    """The credential is a name."""

    async def scope(self, authorization: str | None) -> TenantScope:
        name = (authorization or "").removeprefix("Bearer ")
        if name not in SCOPES:
            raise ProblemError("unauthorised", "send a key")
        return SCOPES[name]


class Turns:
    """The view of turns."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, tenant: str, who: str, turn_id: str, **over: Any) -> None:
        self.rows.append({"tenant": tenant, "user_id": who, "turn_id": turn_id, "originals": None, **over})

    async def fetch(self, text: str, values: dict[str, Any], acting: str | None) -> list[dict[str, Any]]:
        request = {"tenant": values["tenant"], "user_id": values["owner_id"], "turn_id": values.get("turn_id")}
        return [dict(r) for r in self.rows if {k: r[k] for k in request} == request]


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


@pytest.fixture
def turns(keys: MemoryKeys) -> Turns:
    held = Turns()
    kept = [o.model_dump() for o in Vault(keys).keep(ANN, "t1", TAKEN)]
    held.add("acme", "ann", "t1", originals=kept)
    held.add("acme", "ann", "t2")
    held.add("other", "ann", "t1", originals=kept)  # as if a row had been moved there
    keys.current(user("other", "ann").key)
    return held


@pytest.fixture
async def http(
    deps: Deps, keys: MemoryKeys, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    deps.keys, deps.originals = ByName(), Vault(keys).open
    app = create_app(QueryConfig(), deps)
    monkeypatch.setattr(app.state.db, "_fetch", turns.fetch)
    app.state.accesses.start()
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client
    await app.state.accesses.stop()


async def read(http: httpx.AsyncClient, who: str, path: str = PATH, of: str = "ann") -> httpx.Response:
    return await http.get(path, params={"user_id": of}, headers={"Authorization": f"Bearer {who}"})


@pytest.mark.parametrize("who", ["pii", "admin"])
async def test_d5_originals_are_read_by_their_permission_and_each_look_is_recorded(
    http: httpx.AsyncClient, log: MemoryLog, who: str
) -> None:
    answer = await read(http, who)
    assert answer.status_code == 200
    assert answer.json() == {"turn_id": "t1", "user_id": "ann", "originals": [o._asdict() for o in TAKEN]}
    assert (await read(http, who, "/v1/turns/t2/originals")).json()["originals"] == []
    for _ in range(500):
        if len(log.records) == 2:
            break
        await asyncio.sleep(0.01)
    assert [r.topic for r in log.records] == [topics.ACCESSES.name] * 2
    first = Codec().decode(topics.ACCESSES.name, log.records[0].value)
    assert isinstance(first, Access)
    result = (first.tenant, first.owner_id, first.action, first.principal, first.operation)
    assert result == ("acme", "ann", "read", f"key:{who}", "GET /v1/turns/{turn_id}/originals")
    assert "202-555" not in str(first)


async def test_d5_no_other_permission_reads_originals(http: httpx.AsyncClient) -> None:
    answer = await read(http, "reader")
    assert answer.status_code == 403
    assert answer.json()["detail"] == "this key has no `pii` permission"
    assert (await http.get(PATH, params={"user_id": "ann"})).status_code == 401
    assert (await read(http, "pii", "/v1/turns/t1")).status_code == 403, "and it reads nothing else"


async def test_c7_another_users_or_tenants_key_reads_no_originals(http: httpx.AsyncClient) -> None:
    for who, path, of in (("bobs", PATH, "ann"), ("bobs", PATH, "bob"), ("pii", "/v1/turns/t9/originals", "ann")):
        answer = await read(http, who, path, of)
        assert answer.status_code == 404, who
        assert "202-555" not in answer.text
    moved = await read(http, "other")
    assert moved.status_code == 404, "ciphertext opens for its own tenant alone"
    assert "202-555" not in moved.text


async def test_n6_originals_of_an_erased_user_are_gone(http: httpx.AsyncClient, keys: MemoryKeys) -> None:
    keys.destroy(ANN.key)
    answer = await read(http, "pii")
    assert (answer.status_code, answer.json()["detail"]) == (404, "no such turn")


@pytest.mark.parametrize(("why", "store"), [(KeysAway("down"), "postgres"), (MasterKeyAway("k7"), "keyring")])
async def test_d5_a_keyring_that_is_away_is_an_outage(
    http: httpx.AsyncClient, deps: Deps, why: KeysAway, store: str
) -> None:
    def away(*_: Any) -> list[Original]:
        raise why

    deps.originals = away
    answer = await read(http, "pii")
    assert (answer.status_code, answer.json()["store"]) == (503, store)
    assert ("master key" in answer.json()["detail"]) == (store == "keyring")
    assert "k7" not in answer.text
