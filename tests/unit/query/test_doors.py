"""C7: who is asking, by API key or bearer token; what a credential does not reach."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from query.app import create_app
from query.auth.book import KeyBook
from query.auth.tokens import TokenReader, signing_keys
from query.config import ConfigError, Limits, QueryConfig, TokenConfig
from query.deps import Deps
from query.door import CredentialDoor, OpenDoor
from query.errors import ProblemError, store_down
from query.retrieval import milvus
from query.retrieval.request import Question
from schemas import topics
from schemas.codec import Codec
from schemas.keys import PREFIX, digest, key_id
from schemas.owner import tenant_owner
from schemas.profile import load_profile
from schemas.scope import OutOfScopeError, OwnerScope, Permission, TenantScope
from schemas.turns import TurnEvent
from tests.unit.query.conftest import turn
from tests.unit.query.memory_log import MemoryLog

NOW = datetime(2026, 11, 22, tzinfo=UTC)
ALL = ["read", "write", "operator", "admin"]


class Rows:
    """Stands for auth.keys."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.away = False
        self.readings = 0

    async def of_system(self, statement: Any, **values: Any) -> list[dict[str, Any]]:
        self.readings += 1
        if self.away:
            raise store_down("postgres")
        return list(self.rows.values())

    def mint(self, tenant: str, scopes: list[str], **over: Any) -> str:
        name = base64.b32encode(secrets.token_bytes(8)).decode().lower()[:12]
        key = f"{PREFIX}{name}_{secrets.token_urlsafe(32)}"
        self.rows[name] = {
            "key_id": name, "tenant": tenant, "digest": digest(key), "scopes": scopes, "users": None, "projects": None,
            "expires_at": None, "revoked_at": None, **over,
        }  # fmt: skip
        return key


@pytest.fixture
def rows() -> Rows:
    return Rows()


def book(rows: Rows, every: float = 0.0, stale: float = 300.0) -> KeyBook:
    return KeyBook(rows, lambda: NOW, every, stale)  # type: ignore[arg-type]


async def test_c7_a_key_gives_its_tenant_scopes_and_bindings(rows: Rows) -> None:
    key = rows.mint("acme", ["read"], users=["ann"])
    scope = await book(rows).scope(key)
    assert scope is not None
    assert (scope.tenant, scope.permissions, scope.users, scope.projects) == ("acme", {"read"}, {"ann"}, set())
    assert scope.principal == f"key:{key_id(key)}"
    assert key.removeprefix(f"{PREFIX}{key_id(key)}_") not in repr(scope)


async def test_c7_expired_revoked_and_altered_keys_are_nobodys(rows: Rows) -> None:
    over = rows.mint("acme", ALL, expires_at=NOW)
    revoked = rows.mint("acme", ALL, revoked_at=NOW - timedelta(days=1))
    good = rows.mint("acme", ALL, expires_at=NOW + timedelta(seconds=1))
    keys = book(rows)
    assert await keys.scope(good) is not None
    altered = good[:-1] + ("A" if good[-1] != "A" else "B")
    for bad in (over, revoked, altered, good + "x", good.upper(), PREFIX, f"{PREFIX}{'a' * 12}_{'b' * 43}"):
        assert await keys.scope(bad) is None


async def test_c7_a_revocation_is_noticed_and_a_new_key_works_at_once(rows: Rows) -> None:
    first = rows.mint("acme", ALL)
    keys = book(rows)
    assert await keys.scope(first) is not None
    rows.rows[str(key_id(first))]["revoked_at"] = NOW
    second = rows.mint("acme", ALL)
    assert await keys.scope(second) is not None
    assert await keys.scope(first) is None


async def test_c7_guessing_keys_reads_the_table_a_few_times_only(rows: Rows) -> None:
    rows.mint("acme", ALL)
    keys = book(rows, every=60.0)
    for n in range(100):
        assert await keys.scope(f"{PREFIX}{'a' * 12}_{n:043d}") is None
    assert rows.readings == 1


async def test_c7_keys_hold_while_postgres_is_away_but_not_for_ever(rows: Rows) -> None:
    key = rows.mint("acme", ALL)
    patient, strict = book(rows), book(rows, stale=0.0)
    assert await patient.scope(key) is not None
    await strict.read()
    rows.away = True
    assert await patient.scope(key) is not None
    with pytest.raises(ProblemError) as refused:
        await strict.scope(key)
    assert refused.value.status == 503


# Tokens of an identity provider.

SIGNING = ec.generate_private_key(ec.SECP256R1())


@pytest.fixture
def jwks(tmp_path: Path) -> Path:
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(SIGNING.public_key()))
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [{**public, "kid": "one", "use": "sig", "alg": "ES256"}]}))
    return path


def token(kid: str | None = "one", key: Any = SIGNING, algorithm: str = "ES256", **over: Any) -> str:
    claims = {
        "iss": "https://id.example", "aud": "memstream", "sub": "dr-li", "exp": int(time.time()) + 600,
        "tenant": "clinic", "scope": "openid memstream:read write", **over,
    }  # fmt: skip
    given = {k: v for k, v in claims.items() if v is not None}
    return jwt.encode(given, key, algorithm=algorithm, headers={"kid": kid} if kid else None)


def reader(jwks: Path, **over: Any) -> TokenReader:
    config = TokenConfig(issuer="https://id.example", audience="memstream", jwks=str(jwks), **over)
    return TokenReader(config, signing_keys(config.jwks))


async def test_c7_a_token_maps_to_tenant_users_and_scopes(jwks: Path) -> None:
    scope = await reader(jwks).scope(token())
    assert scope == TenantScope("clinic", "jwt:dr-li", frozenset({Permission.READ, Permission.WRITE}))
    bound = reader(jwks, users_claim="sub", projects_claim="projects")
    found = await bound.scope(token(projects=["p1", "试验"]))
    assert found is not None
    assert (found.users, found.projects) == ({"dr-li"}, {"p1", "试验"})
    everybody = await bound.scope(token(sub="*", projects="*"))
    assert everybody is not None
    assert (everybody.users, everybody.projects) == (None, None)


async def test_c7_a_token_of_users_is_in_the_projects_that_it_names_and_no_others(jwks: Path) -> None:
    """A project's scope holds the turns of all its members."""
    users_alone = reader(jwks, users_claim="sub")
    found = await users_alone.scope(token(projects=["p1"]))
    assert found is not None
    with pytest.raises(OutOfScopeError):
        found.project("p1")
    assert found.user("dr-li").owner.id == "dr-li"
    whole = await users_alone.scope(token(sub="*"))
    assert whole is not None
    assert whole.project("p1").owner.id == "p1"
    both = await reader(jwks, users_claim="sub", projects_claim="projects").scope(token(projects="*"))
    assert both is not None
    assert both.project("p1").owner.id == "p1"


REACH: dict[str, tuple[list[str] | None, list[str] | None, bool]] = {
    "nothing named": (None, None, True),
    "a user": (["ann"], None, False),
    "a user and the project": (["ann"], ["p1"], True),
    "a user and another project": (["ann"], ["p2"], False),
    "a user and all projects": (["ann"], ["*"], True),
    "the project": (None, ["p1"], True),
}


@pytest.mark.parametrize(("users", "projects", "reached"), REACH.values(), ids=list(REACH))
async def test_c7_a_key_of_users_is_in_the_projects_that_it_names_and_no_others(
    rows: Rows, users: list[str] | None, projects: list[str] | None, reached: bool
) -> None:
    key = rows.mint("acme", ["read"], users=users, projects=projects)
    keys = book(rows)
    await keys.read()
    scope = await keys.scope(key)
    assert scope is not None
    assert scope.in_project("p1") is reached


def test_c7_what_milvus_finds_of_a_user_is_not_narrowed_by_the_keys_projects() -> None:
    """As in the service's own index: the user was asked for by name, and the key reaches them."""
    bound = TenantScope("acme", "key:k", frozenset(), frozenset({"ann"}), frozenset())
    probe: Any = SimpleNamespace(question=Question("q", frozenset({"fact"}), 1, bound))
    row = {"owner_kind": "user", "owner_id": "ann", "user_id": "ann", "project_id": None}
    assert "project_id" not in milvus.condition(probe, bound.user("ann"), ["fact"])
    assert milvus._belongs(row, bound.user("ann"))
    everybody = OwnerScope(bound, tenant_owner("acme"))
    assert "project_id in []" in milvus.condition(probe, everybody, ["fact"])
    assert not milvus._belongs(row, everybody)


BAD_TOKENS: dict[str, dict[str, Any]] = {
    "another audience": {"aud": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 3_600},
    "no expiry": {"exp": None},
    "not yet": {"nbf": int(time.time()) + 3_600},
    "no tenant": {"tenant": None},
    "a list of tenants": {"tenant": ["a", "b"]},
    "a control character": {"tenant": "a\x00b"},
    "no subject": {"sub": None},
    "a claim that binds is missing": {"users": None},
    "bound to a number": {"users": 7},
    "another key": {"key": ec.generate_private_key(ec.SECP256R1())},
    "an unknown key id": {"kid": "two"},
}


@pytest.mark.parametrize("bad", BAD_TOKENS.values(), ids=list(BAD_TOKENS))
async def test_c7_a_token_that_is_not_whole_is_nobodys(jwks: Path, bad: dict[str, Any]) -> None:
    given = {"users": "ann", **bad}
    assert await reader(jwks, users_claim="users").scope(token(users="ann")) is not None
    assert await reader(jwks, users_claim="users").scope(token(**given)) is None


async def test_c7_unsigned_tokens_and_shared_secrets_are_refused(jwks: Path) -> None:
    tokens = reader(jwks)
    head = base64.urlsafe_b64encode(b'{"alg":"none","kid":"one"}').rstrip(b"=").decode()
    body = token().split(".")[1]
    assert await tokens.scope(f"{head}.{body}.") is None
    shared = jwt.encode({"sub": "x"}, "s" * 64, algorithm="HS256", headers={"kid": "one"})
    for bad in (shared, "a.b.c", "", "x" * 20_000):
        assert await tokens.scope(bad) is None


def test_c7_keys_are_not_fetched_over_plain_http(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="https"):
        signing_keys("http://id.example/jwks.json")
    (tmp_path / "no.json").write_text("{}")
    for path in (tmp_path / "no.json", tmp_path / "missing.json"):
        with pytest.raises(ConfigError, match="JWKS"):
            signing_keys(str(path))


async def test_c7_a_key_set_that_changes_is_read_again(jwks: Path) -> None:
    tokens = reader(jwks)
    assert await tokens.scope(token()) is not None
    other = ec.generate_private_key(ec.SECP256R1())
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(other.public_key()))
    text = json.dumps({"keys": [{**public, "kid": "two", "alg": "ES256"}]})
    await asyncio.to_thread(jwks.write_text, text)
    assert await tokens.scope(token("two", other)) is not None
    assert await tokens.scope(token()) is None


# The doors over HTTP.


@pytest.fixture
async def guarded(deps: Deps, rows: Rows) -> AsyncIterator[httpx.AsyncClient]:
    deps.keys = CredentialDoor(book(rows), None, OpenDoor("default").everybody)
    app = create_app(QueryConfig(limits=Limits(failures_per_second=0)), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_c7_the_door_closes_with_the_first_key(guarded: httpx.AsyncClient, rows: Rows) -> None:
    assert (await guarded.get("/metrics")).status_code == 200
    key = rows.mint("acme", ["operator"])
    header = {"Authorization": f"Bearer {key}"}
    assert (await guarded.get("/metrics", headers=header)).status_code == 200
    assert (await guarded.get("/metrics")).status_code == 401
    rows.rows[str(key_id(key))]["revoked_at"] = NOW
    keys = guarded._transport.app.state.authenticator._keys  # type: ignore[attr-defined]
    await keys.read()
    assert (await guarded.get("/metrics", headers=header)).status_code == 401
    assert (await guarded.get("/metrics")).status_code == 401, "revoking the last key does not open the door"


OPEN = {"/livez", "/readyz", "/ops"}


async def test_c7_every_endpoint_needs_a_credential(guarded: httpx.AsyncClient, rows: Rows) -> None:
    rows.mint("acme", ALL)
    app = guarded._transport.app  # type: ignore[attr-defined]
    await app.state.authenticator._keys.read()
    paths = app.openapi()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method in methods:
            if path in OPEN:
                continue
            for header in ({}, {"Authorization": "Bearer nobody"}, {"Authorization": "Basic x"}):
                answer = await guarded.request(method, path.replace("{", "").replace("}", ""), headers=header)
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert answer.json()["type"] == "urn:memstream:error:unauthorised"
                asked += 1
    assert asked > 100


async def test_c7_scopes_are_demanded(guarded: httpx.AsyncClient, rows: Rows) -> None:
    keys = {s: {"Authorization": f"Bearer {rows.mint('acme', [s])}"} for s in ALL}
    body = {"user_id": "ann", "kind": "fact", "text": "x"}
    calls: list[tuple[str, str, dict[str, Any] | None, str]] = [
        ("POST", "/v1/memories", body, "write"),
        ("POST", "/v1/context", {"user_id": "ann", "query": "x"}, "read"),
        ("GET", "/metrics", None, "operator"),
        ("GET", "/v1/dead-letters", None, "operator"),
    ]
    for method, path, sent, needed in calls:
        for held, header in keys.items():
            answer = await guarded.request(method, path, json=sent, headers=header)
            if held in (needed, "admin"):
                assert answer.status_code not in (401, 403), (path, held, answer.text)
            else:
                assert answer.status_code == 403, (path, held, answer.text)
                assert answer.json()["type"] == "urn:memstream:error:forbidden"


async def test_c7_a_bound_key_reaches_its_users_only(guarded: httpx.AsyncClient, rows: Rows) -> None:
    header = {"Authorization": f"Bearer {rows.mint('acme', ALL, users=['ann'], projects=['p1'])}"}
    body = {"kind": "fact", "text": "x"}
    assert (await guarded.post("/v1/memories", json={**body, "user_id": "ann"}, headers=header)).status_code == 202
    assert (await guarded.post("/v1/memories", json={**body, "user_id": "bob"}, headers=header)).status_code == 403
    told = {**body, "user_id": "ann", "project_id": "p2"}
    assert (await guarded.post("/v1/memories", json=told, headers=header)).status_code == 403


ALIASED: dict[str, tuple[dict[str, Any], str | None, tuple[str, ...] | None]] = {
    "all projects": ({}, None, None),
    "another project": ({"projects": ["p2"]}, None, ()),
    "the project": ({"projects": ["p2", "proj_123_cangqiong"]}, None, ("proj_123_cangqiong",)),
    "a user alone": ({"users": ["ann"]}, None, ()),
    "a turn with a project": ({"projects": ["p2"]}, "p2", None),
}


@pytest.mark.parametrize(("binding", "named", "reaches"), ALIASED.values(), ids=list(ALIASED))
async def test_c7_a_turn_says_which_projects_its_text_may_name(
    guarded: httpx.AsyncClient, rows: Rows, deps: Deps, log: MemoryLog, binding: dict[str, Any], named: str | None,
    reaches: tuple[str, ...] | None,
) -> None:  # fmt: skip
    deps.profile = load_profile("engineering")
    header = {"Authorization": f"Bearer {rows.mint('acme', ['write'], **binding)}"}
    said = turn(user_id="ann", project_id=named)
    answer = await guarded.post("/v1/turns", json={"turns": [said]}, headers=header)
    assert answer.status_code == 202, answer.text
    [record] = [r for r in log.records if r.topic == topics.TURNS.name]
    event = Codec().decode(record.topic, record.value)
    assert isinstance(event, TurnEvent)
    assert event.reaches == reaches


@pytest.mark.parametrize(("projects", "named"), [(None, False), (["proj_123_cangqiong"], True)])
async def test_c7_a_question_that_names_a_project_out_of_reach_is_answered_without_it(
    guarded: httpx.AsyncClient, rows: Rows, deps: Deps, projects: list[str] | None, named: bool
) -> None:
    deps.profile = load_profile("engineering")
    header = {"Authorization": f"Bearer {rows.mint('acme', ['read'], users=['ann'], projects=projects)}"}
    asked = {"user_id": "ann", "query": "苍穹项目的决策是什么？"}
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        whole = TenantScope.project

        def project(self: TenantScope, project_id: str) -> OwnerScope:
            seen.append(project_id)
            return whole(self, project_id)

        patch.setattr(TenantScope, "project", project)
        answer = await guarded.post("/v1/context", json=asked, headers=header)
    assert answer.status_code == 200, answer.text
    assert seen == (["proj_123_cangqiong"] if named else [])
