"""API keys: made, listed, rotated and revoked in Postgres; services notice within seconds (C7)."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import dict_row
from pydantic import TypeAdapter, ValidationError

from schemas.base import Id
from schemas.security.api_keys import PREFIX, digest, permissions_of
from schemas.security.scope import OF_THE_WHOLE, Permission, membership
from schemas.storage import postgres_connections

_ID: TypeAdapter[str] = TypeAdapter(Id)
_SHOWN = "key_id, tenant, name, scopes, documents, users, projects, created_at, expires_at, revoked_at, replaces"


class KeyCommandError(Exception):
    """What was asked cannot be done; the message names the option or the key id."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a new key reaches (`schemas.security.api_keys.ApiKey`)."""

    tenant: str
    name: str
    scopes: tuple[Permission, ...]
    users: tuple[str, ...] | None = None
    projects: tuple[str, ...] | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Minted:
    """A new key. `key` is shown this once."""

    key_id: str
    key: str


def create(dsn: str, grant: Grant) -> Minted:
    """Raises KeyCommandError for an id that no tenant, user or project can have, and for a scope that a key which is
    bound cannot use."""
    for option, ids in (("--tenant", (grant.tenant,)), ("--user", grant.users), ("--project", grant.projects)):
        for given in ids or ():
            _checked(option, given)
    whole = [s.value for s in grant.scopes if s in OF_THE_WHOLE]
    if whole and not (grant.users is None and membership(None, _set(grant.projects)) is None):
        raise KeyCommandError(
            f"--scope: `{whole[0]}` is about the whole tenant: give it to a key without --user and --project"
        )
    with postgres_connections.connect(dsn) as connection:
        return _insert(connection, grant, None)


def listed(dsn: str, tenant: str | None) -> list[dict[str, Any]]:
    """Every key (of a tenant), the newest first, with its state; digests stay where they are."""
    query = f"SELECT {_SHOWN} FROM auth.keys WHERE %(t)s::text IS NULL OR tenant = %(t)s ORDER BY created_at DESC, key_id"  # noqa: S608, E501 - constants
    with postgres_connections.connect(dsn, row_factory=dict_row) as connection:
        rows = connection.execute(query.encode(), {"t": tenant}).fetchall()
    now = datetime.now(UTC)
    return [{**_shown(row), "state": _state(row, now)} for row in rows]


def rotate(dsn: str, key_id: str, grace: timedelta, expires_at: datetime | None) -> Minted:
    """A new key with the same reach; the old one goes on for `grace`. Raises KeyCommandError for one that is over."""
    with postgres_connections.connect(dsn, row_factory=dict_row) as connection:
        query = f"SELECT {_SHOWN} FROM auth.keys WHERE key_id = %s FOR UPDATE"  # noqa: S608 - constants
        row = connection.execute(query.encode(), (key_id,)).fetchone()
        now = datetime.now(UTC)
        if row is None or _state(row, now) != "active":
            raise KeyCommandError(f"no active key {key_id!r}: `memstream keys list` shows them")
        until = now + grace
        if row["expires_at"] is not None:
            until = min(until, row["expires_at"])
        connection.execute("UPDATE auth.keys SET expires_at = %s WHERE key_id = %s", (until, key_id))
        grant = Grant(
            row["tenant"], row["name"], _permissions(row),
            _tuple(row["users"]), _tuple(row["projects"]), expires_at,
        )  # fmt: skip
        return _insert(connection, grant, key_id)


def revoke(dsn: str, key_id: str) -> None:
    """Raises KeyCommandError for a key that does not exist; one that is revoked already stays as it is."""
    with postgres_connections.connect(dsn) as connection:
        done = connection.execute(
            "UPDATE auth.keys SET revoked_at = COALESCE(revoked_at, now()) WHERE key_id = %s", (key_id,)
        )
        if done.rowcount == 0:
            raise KeyCommandError(f"no key {key_id!r}: `memstream keys list` shows them")


def exist(dsn: str) -> bool:
    """Whether a key was ever made."""
    with postgres_connections.connect(dsn) as connection:
        return connection.execute("SELECT 1 FROM auth.keys LIMIT 1").fetchone() is not None


def _insert(connection: psycopg.Connection[Any], grant: Grant, replaces: str | None) -> Minted:
    key_id = base64.b32encode(secrets.token_bytes(8)).decode().lower()[:12]
    key = f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"
    connection.execute(
        "INSERT INTO auth.keys (key_id, tenant, name, digest, scopes, documents, users, projects, expires_at, replaces)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            key_id, grant.tenant, grant.name, digest(key),
            [s.value for s in grant.scopes if s is not Permission.DOCUMENTS], Permission.DOCUMENTS in grant.scopes,
            None if grant.users is None else list(grant.users),
            None if grant.projects is None else list(grant.projects), grant.expires_at, replaces,
        ),
    )  # fmt: skip
    return Minted(key_id, key)


def _permissions(row: dict[str, Any]) -> tuple[Permission, ...]:
    bound = row["users"] is not None or row["projects"] is not None
    held = permissions_of(row["scopes"], row["documents"], bound=bound)
    return tuple(p for p in Permission if p in held)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in row.items() if k != "documents"}, "scopes": [p.value for p in _permissions(row)]}


def _checked(option: str, given: str) -> None:
    try:
        _ID.validate_python(given)
    except ValidationError as exc:
        message = exc.errors(include_input=False, include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise KeyCommandError(f"{option}: {message}") from None


def _set(values: Sequence[str] | None) -> frozenset[str] | None:
    return None if values is None else frozenset(values)


def _tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _state(row: dict[str, Any], now: datetime) -> str:
    if row["revoked_at"] is not None:
        return "revoked"
    return "expired" if row["expires_at"] is not None and row["expires_at"] <= now else "active"
