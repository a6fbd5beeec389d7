"""An identity provider's key set behind an address: rotated, away, slow, nonsense (C7)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from query.auth import jwks
from query.auth.jwks import COOLDOWN_SECONDS, FRESH_SECONDS, RETRY_SECONDS, STALE_SECONDS, UrlKeys
from query.auth.tokens import TokenReader
from query.config import TokenConfig
from query.errors import ProblemError
from tests.patience import PATIENCE

PRIVATE = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("one", "two")}


def key_set(*names: str) -> bytes:
    def public(name: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(PRIVATE[name].public_key()))
        return {**data, "kid": name, "use": "sig", "alg": "ES256"}

    return json.dumps({"keys": [public(n) for n in names]}).encode()


def token(kid: str) -> str:
    claims = {
        "iss": "https://id.example", "aud": "memstream", "sub": "dr-li", "exp": int(time.time()) + 600,
        "tenant": "clinic", "scope": "read",
    }  # fmt: skip
    return jwt.encode(claims, PRIVATE.get(kid, PRIVATE["one"]), algorithm="ES256", headers={"kid": kid})


class Provider:
    """Answers with `body`, or as `answer` says; counts what it is asked. `now` in seconds is everybody's clock."""

    def __init__(self) -> None:
        self.body, self.asked, self.now = key_set("one"), 0, 1_000.0
        self.answer: Callable[[], Awaitable[httpx.Response]] | None = None
        keys = UrlKeys("https://id.example/jwks", httpx.MockTransport(self._handle), lambda: self.now)
        config = TokenConfig(issuer="https://id.example", audience="memstream", jwks="https://id.example/jwks")
        self.reader = TokenReader(config, keys)

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        return httpx.Response(200, content=self.body) if self.answer is None else await self.answer()

    async def says(self, kid: str = "one") -> str:
        """in, nobody (401), or away (503)."""
        try:
            return "nobody" if await self.reader.scope(token(kid)) is None else "in"
        except ProblemError as exc:
            return "away" if exc.status == 503 else str(exc.status)


@pytest.fixture
def provider() -> Provider:
    return Provider()


async def test_c7_a_rotated_key_is_fetched_when_a_token_names_it_and_an_unknown_one_not_more_often(
    provider: Provider,
) -> None:
    assert await provider.says() == "in"
    provider.body = key_set("one", "two")
    assert await provider.says("two") == "nobody", "fetched a moment ago"
    provider.now += COOLDOWN_SECONDS
    assert [await provider.says("two"), await provider.says("one")] == ["in", "in"]
    for _ in range(50):
        assert await provider.says("three") == "nobody"
    assert provider.asked == 2


async def test_c7_a_key_that_was_withdrawn_ends_within_five_minutes(provider: Provider) -> None:
    assert await provider.says() == "in"
    provider.body = key_set("two")
    provider.now += FRESH_SECONDS
    assert [await provider.says("one"), await provider.says("two")] == ["nobody", "in"]


async def _refused() -> httpx.Response:
    raise httpx.ConnectError("refused")


def _of(content: bytes, status: int = 200) -> Callable[[], Awaitable[httpx.Response]]:
    async def answer() -> httpx.Response:
        return httpx.Response(status, content=content, headers={"location": "https://elsewhere.example/"})

    return answer


BROKEN: dict[str, Callable[[], Awaitable[httpx.Response]]] = {
    "refused": _refused,
    "no JSON": _of(b"<html>sign in</html>"),
    "no UTF-8": _of(b"\xff\xfe\x00"),
    "a list": _of(b"[]"),
    "a number": _of(b"7"),
    "no keys": _of(b'{"keys": []}'),
    "keys of nothing": _of(b'{"keys": [7, {"kty": "zz"}]}'),
    "an error": _of(key_set("one"), 500),
    "a redirect": _of(key_set("one"), 302),
    "a gigabyte": _of(b'{"keys": [' + b" " * jwks.MAX_BYTES),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=list(BROKEN))
async def test_c7_a_provider_that_is_broken_is_503_and_known_keys_are_honoured_for_an_hour(
    provider: Provider, answer: Callable[[], Awaitable[httpx.Response]]
) -> None:
    good, provider.answer = provider.answer, answer
    assert [await provider.says(), await provider.says(), provider.asked] == ["away", "away", 1]
    provider.answer = good
    provider.now += RETRY_SECONDS
    assert await provider.says() == "in", "by itself, when it answers again"
    provider.answer = answer
    provider.now += FRESH_SECONDS
    assert [await provider.says(), await provider.says("two")] == ["in", "away"]
    provider.now += STALE_SECONDS - FRESH_SECONDS
    assert await provider.says() == "away", "a withdrawal may have been missed"


async def test_c7_a_provider_that_drips_holds_nobody_up(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jwks, "FETCH_SECONDS", 0.2)
    assert await provider.says() == "in"

    async def never() -> httpx.Response:
        await asyncio.sleep(3_600)
        raise AssertionError

    provider.answer = never
    provider.now += FRESH_SECONDS
    async with asyncio.timeout(PATIENCE):
        result = await asyncio.gather(*(provider.says() for _ in range(200)))
    assert (set(result), provider.asked) == ({"in"}, 2)
