"""Who is asking: the only place where a tenant scope is made."""

from __future__ import annotations

from typing import Annotated, Protocol

from fastapi import Depends, Request

from query.config import ConfigError, QueryConfig, is_loopback
from query.errors import ProblemError
from schemas.scope import Permission, TenantScope


class Authenticator(Protocol):
    """Turns a credential into what it may reach."""

    async def scope(self, authorization: str | None) -> TenantScope:
        """Raise ProblemError `unauthorised` for a credential that is missing or unknown."""
        ...


class OpenDoor:
    """No keys: everybody on this machine is the one tenant."""

    def __init__(self, tenant: str) -> None:
        self._scope = TenantScope(tenant, "local", frozenset(Permission))

    async def scope(self, authorization: str | None) -> TenantScope:
        return self._scope


def authenticator(config: QueryConfig, keys: Authenticator | None) -> Authenticator:
    """Raises ConfigError for an address beyond loopback without keys."""
    if keys is not None:
        return keys
    if not is_loopback(config.host):
        raise ConfigError(
            f"refusing to serve on {config.host} without keys: configure keys, or listen on 127.0.0.1"
        )
    return OpenDoor(config.tenant)


async def scope_of(request: Request) -> TenantScope:
    door: Authenticator = request.app.state.authenticator
    return await door.scope(request.headers.get("authorization"))


Scope = Annotated[TenantScope, Depends(scope_of)]


def _demand(scope: TenantScope, permission: Permission) -> TenantScope:
    if not scope.allows(permission):
        raise ProblemError("forbidden", f"this key has no `{permission.value}` permission")
    return scope


async def _reader(scope: Scope) -> TenantScope:
    return _demand(scope, Permission.READ)


async def _writer(scope: Scope) -> TenantScope:
    return _demand(scope, Permission.WRITE)


async def _operator(scope: Scope) -> TenantScope:
    return _demand(scope, Permission.OPERATOR)


Reader = Annotated[TenantScope, Depends(_reader)]
Writer = Annotated[TenantScope, Depends(_writer)]
Operator = Annotated[TenantScope, Depends(_operator)]
