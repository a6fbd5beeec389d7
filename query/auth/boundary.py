"""Who is asking: the only place where a tenant scope is made."""

from __future__ import annotations

import re
from typing import Annotated, Protocol

from fastapi import Depends, Request

from query.auth.tokens import TokenReader, signing_keys
from query.config import ConfigError, QueryConfig, is_loopback
from query.errors import ProblemError
from query.limits import TenantLimits
from schemas.security.api_keys import PREFIX
from schemas.security.scope import OF_THE_WHOLE, Permission, TenantScope

LOCAL = "local"
"""Principal of everybody on this machine."""
_NAMED = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:@/]+)(:[0-9]+)?")


class Authenticator(Protocol):
    """Turns a credential into what it may reach."""

    async def scope(self, authorization: str | None) -> TenantScope:
        """Raise ProblemError `unauthorised` for a credential that is missing or unknown."""
        ...


class Tokens(Protocol):
    async def scope(self, token: str) -> TenantScope | None:
        """What a credential reaches, None for one that is not valid."""
        ...


class Keys(Tokens, Protocol):
    @property
    def empty(self) -> bool:
        """No key was ever made."""
        ...


class OpenDoor:
    """No keys: everybody on this machine is the one tenant."""

    def __init__(self, tenant: str) -> None:
        self.everybody = TenantScope(tenant, LOCAL, frozenset(Permission))

    async def scope(self, authorization: str | None) -> TenantScope:
        return self.everybody


class CredentialDoor:
    """API keys, and tokens of an identity provider where one is configured. `open_to`: the scope of everybody for as
    long as there is neither (loopback only); it ends when the first key is made."""

    def __init__(self, keys: Keys, tokens: Tokens | None, open_to: TenantScope | None) -> None:
        self._keys, self._tokens, self._open = keys, tokens, open_to

    async def scope(self, authorization: str | None) -> TenantScope:
        kind, _, credential = (authorization or "").strip().partition(" ")
        credential = credential.strip() if kind.lower() == "bearer" else ""
        found = None
        if credential.startswith(PREFIX):
            found = await self._keys.scope(credential)
        elif credential and self._tokens is not None:
            found = await self._tokens.scope(credential)
        if found is None and self._open is not None and self._tokens is None and self._keys.empty:
            return self._open
        if not credential:
            raise _unauthorised("send `Authorization: Bearer KEY`", "Bearer")
        if found is None:
            raise _unauthorised("the credential is unknown, expired or revoked", 'Bearer error="invalid_token"')
        return found


def _unauthorised(detail: str, challenge: str) -> ProblemError:
    return ProblemError("unauthorised", detail, headers={"WWW-Authenticate": challenge})


def authenticator(config: QueryConfig, keys: Authenticator | None, book: Keys | None = None) -> Authenticator:
    """Raises ConfigError for an address beyond loopback without keys."""
    if keys is not None:
        return keys
    near = is_loopback(config.host)
    if not near and not config.keys_exist and config.tokens is None:
        raise ConfigError(
            f"refusing to serve on {config.host} without keys: make one with `memstream keys create`, "
            "set MEMSTREAM_JWT_ISSUER, or listen on 127.0.0.1"
        )
    open_door = OpenDoor(config.tenant)
    if book is None:
        return open_door
    tokens = None if config.tokens is None else TokenReader(config.tokens, signing_keys(config.tokens.jwks))
    return CredentialDoor(book, tokens, open_door.everybody if near and not config.keys_exist else None)


async def scope_of(request: Request) -> TenantScope:
    """What the request's credential reaches: asked before its body was read, where it has one. Raises ProblemError."""
    known: TenantScope | None = getattr(request.state, "scope_known", None)
    return await scope_now(request) if known is None else known


async def admit(request: Request) -> None:
    """Before anything of the request is read. Raises ProblemError."""
    request.state.scope_known = await scope_now(request)


async def scope_now(request: Request) -> TenantScope:
    """What it reaches at this moment: of a stream that is open for long. Raises ProblemError."""
    authenticator: Authenticator = request.app.state.authenticator
    try:
        scope = await authenticator.scope(request.headers.get("authorization"))
        if scope.principal == LOCAL:
            _demand_local(request)
        return scope
    except ProblemError as exc:
        if exc.word == "unauthorised":
            # Who guesses is slowed down; a valid key behind the same address never is.
            await _limits(request).take("failures", request.client.host if request.client else "")
        raise


def _demand_local(request: Request) -> None:
    """Without keys the only wall is that nobody else reaches the address, but a browser here works for any page: one
    whose name was made to point at this machine (DNS rebinding: `Host` tells), or one that only sends (`Origin` tells).
    Raises ProblemError `not-local`."""
    if not _near(request.headers.get("host", "")):
        raise ProblemError("not-local", "without keys the Host header must be localhost or a loopback address")
    origin = request.headers.get("origin")
    if origin is not None and not _near(origin.partition("://")[2]):
        raise ProblemError("not-local", "without keys only pages of this machine are answered")


def _near(host: str) -> bool:
    """Whether `name[:port]` names this machine."""
    named = _NAMED.fullmatch(host)
    return named is not None and is_loopback(named[1].strip("[]").lower())


def _limits(request: Request) -> TenantLimits:
    limits: TenantLimits = request.app.state.limits
    return limits


Scope = Annotated[TenantScope, Depends(scope_of)]


def demand(scope: TenantScope, permission: Permission) -> TenantScope:
    """Raises ProblemError `forbidden`."""
    if scope.bound and permission in OF_THE_WHOLE:
        whole = f"`{permission.value}` is about the whole tenant: not for a key that is bound to users or projects"
        raise ProblemError("forbidden", whole)
    if not scope.allows(permission):
        raise ProblemError("forbidden", f"this key has no `{permission.value}` permission")
    return scope


def demand_everyone(scope: TenantScope) -> None:
    """For what names neither a user nor a project: it reads what all of the tenant said, which a service that forgot
    the user of a request must not get by that. Raises ProblemError `forbidden`."""
    if not scope.allows(Permission.EVERYONE):
        needs = f"without a user or project this reads what everybody said: it needs `{Permission.EVERYONE.value}`"
        raise ProblemError("forbidden", f"{needs}, which this key has not; name one")


async def reader(request: Request, scope: Scope) -> TenantScope:
    await _limits(request).take("reads", scope.tenant)
    return demand(scope, Permission.READ)


async def writer(request: Request, scope: Scope) -> TenantScope:
    await _limits(request).take("writes", scope.tenant)
    return demand(scope, Permission.WRITE)


async def documents_writer(request: Request, scope: Scope) -> TenantScope:
    await _limits(request).take("writes", scope.tenant)
    return demand(scope, Permission.DOCUMENTS)


async def originals_reader(request: Request, scope: Scope) -> TenantScope:
    await _limits(request).take("reads", scope.tenant)
    return demand(scope, Permission.PII)


async def operator(scope: Scope) -> TenantScope:
    return demand(scope, Permission.OPERATOR)


Reader = Annotated[TenantScope, Depends(reader)]
OriginalsReader = Annotated[TenantScope, Depends(originals_reader)]
Writer = Annotated[TenantScope, Depends(writer)]
DocumentsWriter = Annotated[TenantScope, Depends(documents_writer)]
Operator = Annotated[TenantScope, Depends(operator)]
