"""Bearer tokens of an identity provider (JWT, RFC 7519, keys by RFC 7517), mapped to a tenant's scope."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import jwt
from pydantic import TypeAdapter

from query.auth.jwks import KeysAwayError, UrlKeys
from query.config import ConfigError, TokenConfig, host_of, is_loopback
from query.errors import ProblemError
from schemas.base import Id
from schemas.security.scope import Permission, TenantScope, membership

MAX_TOKEN_CHARS = 16_384
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures of a private key only: with a shared secret whoever verifies could also sign."""
EVERYBODY = "*"
_IDS: TypeAdapter[list[str]] = TypeAdapter(list[Id])


class SigningKeys(Protocol):
    async def of(self, token: str) -> Any:
        """The key that the token names. Raises jwt.PyJWTError, KeysAwayError while the set cannot be had."""
        ...


class FileKeys:
    """A JWKS in a file, read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = -1
        self._keys: jwt.PyJWKSet | None = None
        self.read()

    def read(self) -> jwt.PyJWKSet:
        """Raises ConfigError for a file that is no JWKS."""
        try:
            changed = self._path.stat().st_mtime_ns
            if self._keys is None or changed != self._changed:
                self._keys = jwt.PyJWKSet.from_json(self._path.read_text(encoding="utf-8"))
                self._changed = changed
        except (OSError, ValueError, jwt.PyJWTError) as exc:
            what = f"{self._path} holds no JSON Web Key Set ({type(exc).__name__})"
            raise ConfigError(f"MEMSTREAM_JWT_JWKS: {what}") from None
        return self._keys

    async def of(self, token: str) -> Any:
        name = jwt.get_unverified_header(token).get("kid")
        try:
            keys = (await asyncio.to_thread(self.read)).keys
        except ConfigError:
            raise KeysAwayError from None
        if name is None and len(keys) == 1:
            return keys[0]
        for key in keys:
            if key.key_id == name:
                return key
        raise jwt.PyJWKClientError("no such key")


def signing_keys(jwks: str) -> SigningKeys:
    """Raises ConfigError for an address that anybody on the way could change, and for a file that is no JWKS."""
    if jwks.startswith("https://"):
        return UrlKeys(jwks)
    if jwks.startswith("http://"):
        if not is_loopback(host_of(jwks)):
            raise ConfigError("MEMSTREAM_JWT_JWKS: keys are fetched over https only (http on loopback)")
        return UrlKeys(jwks)
    return FileKeys(Path(jwks))


class TokenReader:
    """Checks signature, issuer, audience and times, and reads who it is."""

    def __init__(self, config: TokenConfig, keys: SigningKeys) -> None:
        self._config, self._keys = config, keys

    async def scope(self, token: str) -> TenantScope | None:
        """None for a token that is not valid. Raises ProblemError when the provider's keys cannot be fetched."""
        if len(token) > MAX_TOKEN_CHARS:
            return None
        try:
            key = await self._keys.of(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                issuer=self._config.issuer,
                audience=self._config.audience,
                leeway=self._config.leeway_seconds,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
            return self._scope(claims)
        except KeysAwayError:
            raise ProblemError(
                "store-unavailable", "the identity provider's keys cannot be fetched",
                headers={"Retry-After": "5"}, store="jwks",
            ) from None  # fmt: skip
        except (jwt.PyJWTError, ValueError, TypeError):  # a ValidationError is a ValueError
            return None

    def _scope(self, claims: Mapping[str, Any]) -> TenantScope:
        """Raises ValidationError or ValueError for claims of another shape."""
        c = self._config
        tenant = TypeAdapter(Id).validate_python(claims.get(c.tenant_claim))
        users, projects = _bound(claims, c.users_claim), _bound(claims, c.projects_claim)
        return TenantScope(
            tenant,
            f"jwt:{str(claims['sub'])[:256]}",
            _permissions(claims.get(c.scope_claim)),
            users,
            projects if c.projects_claim else membership(users, None),
        )


def _permissions(claim: Any) -> frozenset[Permission]:
    """`read write`, a list, or with the prefix `memstream:`; other words are other services'."""
    words = claim.split() if isinstance(claim, str) else claim if isinstance(claim, list) else []
    scopes = {w.removeprefix("memstream:") for w in words if isinstance(w, str)}
    return frozenset(p for p in Permission if p.value in scopes)


def _bound(claims: Mapping[str, Any], name: str) -> frozenset[str] | None:
    if not name:
        return None
    claim = claims.get(name)
    if claim == EVERYBODY:
        return None
    return frozenset(_IDS.validate_python([claim] if isinstance(claim, str) else claim))
