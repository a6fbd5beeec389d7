"""API keys: their form and what is kept of them (C7, CONTRACT "Credential").

A key is `ms_ID_SECRET`: ID names its row and may be shown, SECRET is 32 random bytes in base64url. The row holds the
SHA-256 of the whole key; a slow hash would protect nothing, since a random secret of 256 bits cannot be guessed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from schemas.security.scope import Permission, TenantScope, membership

PREFIX = "ms_"
_FORM = re.compile(r"ms_([a-z2-7]{12})_[A-Za-z0-9_-]{43}")


def digest(key: str) -> bytes:
    """What is stored of a key and compared."""
    return hashlib.sha256(key.encode()).digest()


def key_id(key: str) -> str | None:
    """The id that a well-formed key names; None for anything else."""
    found = _FORM.fullmatch(key)
    return found[1] if found else None


def permissions_of(scopes: Iterable[str], documents: bool | None, *, bound: bool) -> frozenset[Permission]:
    """Of a row of auth.keys. Documents have a column of their own, which services of before do not look at. None: the
    key was made before there was this scope, and may what it might then: with `write`, unless it is bound. A scope of a
    later version, which this one does not know, permits nothing here."""
    named = frozenset(scopes)
    given = frozenset(p for p in Permission if p.value in named)
    if documents is None:
        documents = Permission.WRITE in given and not bound
    return given | {Permission.DOCUMENTS} if documents else given


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A row of auth.keys. `users` None: all of the tenant. `projects` None: all, of a key of users none; `*`: all."""

    key_id: str
    tenant: str
    digest: bytes
    scopes: frozenset[Permission]
    users: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Neither expired nor revoked."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    @property
    def scope(self) -> TenantScope:
        projects = membership(self.users, self.projects)
        return TenantScope(self.tenant, f"key:{self.key_id}", self.scopes, self.users, projects)
