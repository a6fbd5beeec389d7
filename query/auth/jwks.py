"""An identity provider's key set behind an address. What callers meet while it is away, slow, or answers nonsense is
decided here: keys that are known are honoured for an hour, and nobody waits for it longer than one fetch."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import Any

import httpx
import jwt

FRESH_SECONDS = 300.0
"""So long a key set is used without asking: the longest life of a key that the provider has withdrawn."""
STALE_SECONDS = 3_600.0
"""So long while the provider does not answer: a withdrawal may have been missed."""
COOLDOWN_SECONDS = 30.0
"""Between two fetches for a key that the set does not have: anybody can send a token that names one."""
RETRY_SECONDS = 10.0
"""After a fetch that failed."""
FETCH_SECONDS = 5.0
"""Of a whole fetch, however slowly it comes."""
MAX_BYTES = 1_000_000


class KeysAwayError(Exception):
    """The set cannot be had: whether the token is good is not known."""


class UrlKeys:
    """One fetch at a time, whoever asks. `clock` in seconds."""

    def __init__(
        self, url: str, transport: httpx.AsyncBaseTransport | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url, self._clock = url, clock
        # The authorities of the system; redirects are not followed.
        self._client = httpx.AsyncClient(
            verify=ssl.create_default_context(), transport=transport, timeout=FETCH_SECONDS
        )
        self._keys: dict[str | None, Any] = {}
        self._fetched_at = float("-inf")
        self._not_before = float("-inf")
        self._failed = False
        self._fetching = asyncio.Lock()

    async def of(self, token: str) -> Any:
        """The key that the token names. Raises jwt.PyJWTError for one that is not in the set, KeysAwayError."""
        name = jwt.get_unverified_header(token).get("kid")
        if self._age() >= FRESH_SECONDS or self._find(name) is None:
            await self._fetch(name)
        found = self._find(name) if self._age() < STALE_SECONDS else None
        if found is not None:
            return found
        if self._failed or self._age() >= STALE_SECONDS:
            raise KeysAwayError
        raise jwt.PyJWKClientError("no such key")

    def _age(self) -> float:
        return self._clock() - self._fetched_at

    def _find(self, name: str | None) -> Any:
        if name is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(name)

    async def _fetch(self, name: str | None) -> None:
        """Unless it was done a moment ago. Who can go on with what is known does not wait for another's fetch."""
        if self._fetching.locked() and self._find(name) is not None and self._age() < STALE_SECONDS:
            return
        async with self._fetching:
            if self._clock() < self._not_before:
                return
            try:
                async with asyncio.timeout(FETCH_SECONDS):
                    found = await self._read()
            except (httpx.HTTPError, TimeoutError, ValueError, TypeError, AttributeError, jwt.PyJWTError):
                self._failed, self._not_before = True, self._clock() + RETRY_SECONDS
                return
            self._keys, self._failed = found, False
            self._fetched_at = self._clock()
            self._not_before = self._fetched_at + COOLDOWN_SECONDS

    async def _read(self) -> dict[str | None, Any]:
        async with self._client.stream("GET", self._url) as answer:
            if answer.status_code != httpx.codes.OK:
                raise ValueError("not 200")
            raw = bytearray()
            async for chunk in answer.aiter_bytes():
                raw += chunk
                if len(raw) > MAX_BYTES:
                    raise ValueError("too large")
        keys = jwt.PyJWKSet.from_json(raw.decode()).keys
        return {key.key_id: key for key in keys if key.public_key_use in (None, "sig")}
