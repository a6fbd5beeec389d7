"""The API keys as this service knows them: read every few seconds, so that a revoked key ends without a restart and a
request waits for no store."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable
from datetime import datetime

from query.errors import ProblemError, store_down
from query.views.db import Database, Row, SystemStatement
from schemas.security.api_keys import ApiKey, digest, key_id, permissions_of
from schemas.security.scope import TenantScope

log = logging.getLogger(__name__)
_KEYS = SystemStatement(
    "SELECT key_id, tenant, digest, scopes, documents, users, projects, expires_at, revoked_at FROM auth.keys"
)


class KeyBook:
    """`every`: seconds between two readings, and so the longest life of a revoked key. `stale`: seconds without a
    reading after which keys are no longer honoured, because a revocation may have been missed."""

    def __init__(self, db: Database, clock: Callable[[], datetime], every: float, stale: float) -> None:
        self._db, self._clock, self._every, self._stale = db, clock, every, stale
        self._keys: dict[str, ApiKey] = {}
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def empty(self) -> bool:
        """No key was ever made (revoked ones count: a door that was closed does not open again)."""
        return not self._keys

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def scope(self, key: str) -> TenantScope | None:
        """What a key reaches; None for one that is unknown, expired or revoked. Raises ProblemError when the keys
        have not been readable for too long."""
        name = key_id(key)
        if name is None:
            return None
        if name not in self._keys:
            await self.read(older_than=min(0.5, self._every))
        if time.monotonic() - self._read_at > self._stale:
            await self.read(older_than=self._every)
            if time.monotonic() - self._read_at > self._stale:
                raise store_down("postgres")
        found = self._keys.get(name)
        if found is None:
            return None
        same = hmac.compare_digest(found.digest, digest(key))
        return found.scope if same and found.holds(self._clock()) else None

    async def read(self, older_than: float = 0.0) -> None:
        """Read the keys unless that was done within `older_than` seconds. Away: what is known stays."""
        async with self._reading:
            if time.monotonic() - self._read_at <= older_than:
                return
            try:
                rows = await self._db.of_system(_KEYS)
            except ProblemError:
                return
            self._keys = {row["key_id"]: _key(row) for row in rows}
            self._read_at = time.monotonic()

    async def _run(self) -> None:
        while True:
            try:
                await self.read()
            except Exception as exc:  # noqa: BLE001 - said so; the age of the last reading closes the door
                log.error("reading the keys failed", extra={"error": type(exc).__name__})
            await asyncio.sleep(self._every)


def _key(row: Row) -> ApiKey:
    bound = row["users"] is not None or row["projects"] is not None
    return ApiKey(
        key_id=row["key_id"],
        tenant=row["tenant"],
        digest=bytes(row["digest"]),
        scopes=permissions_of(row["scopes"], row["documents"], bound=bound),
        users=None if row["users"] is None else frozenset(row["users"]),
        projects=None if row["projects"] is None else frozenset(row["projects"]),
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )
