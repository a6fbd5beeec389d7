"""C7: bearer tokens of an identity provider: which are believed, and what they reach."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from query.auth.tokens import TokenReader, signing_keys
from query.config import ConfigError, TokenConfig
from schemas.security.scope import OutOfScopeError, Permission, TenantScope

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
    assert (found.users, found.projects) == (frozenset({"dr-li"}), frozenset({"p1", "试验"}))
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


@pytest.mark.parametrize("jwks", [
    "http://id.example/jwks.json", "http://127.0.0.1:80@id.example/jwks.json", "http://localhost@id.example/",
    "http://127.0.0.1.id.example/", "http://[::1/jwks.json", "http:///jwks.json",
])  # fmt: skip
def test_c7_keys_are_not_fetched_over_plain_http(jwks: str) -> None:
    with pytest.raises(ConfigError, match="https"):
        signing_keys(jwks)


def test_c7_what_is_no_key_set_is_refused(tmp_path: Path) -> None:
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
