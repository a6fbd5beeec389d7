"""The caller of a round: repeats each call until it is acknowledged, so that what was accepted is known exactly."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.crash.load import Call

_PAUSE = 0.25


class RefusedError(RuntimeError):
    """The service refused a call for good: the load is wrong, or the service is."""


@dataclass(slots=True)
class Accepted:
    """What was acknowledged: (user, turn id) -> content as sent; document -> version and text as sent last; commands
    and feedback by their kind."""

    turns: dict[tuple[str, str], str] = field(default_factory=dict)
    documents: dict[str, tuple[str, str]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    retries: Counter[str] = field(default_factory=Counter)
    skipped: int = 0


class Caller:
    """Sends the calls of a round one after the other at `rate` turns a second, or slower when nothing answers."""

    def __init__(self, url: str, rate: float, seed: int) -> None:
        self._client = httpx.AsyncClient(base_url=url, timeout=20.0)
        self._rate = rate
        self._rng = random.Random(seed)
        self.accepted = Accepted()

    async def run(self, calls: Iterable[Call]) -> None:
        """Raises RefusedError."""
        started, sent = time.monotonic(), 0
        async with self._client:
            for call in calls:
                await self._one(call)
                sent += len(call.body.get("turns", ()))
                ahead = sent / self._rate - (time.monotonic() - started)
                if ahead > 0:
                    await asyncio.sleep(ahead)
                elif ahead < -1:
                    # After an outage the rate goes on from here: no burst to catch up.
                    started = time.monotonic() - sent / self._rate

    async def _one(self, call: Call) -> None:
        a = self.accepted
        if call.what in ("turns", "again"):
            await self._send("POST", "/v1/turns", call.body)
            for t in call.body["turns"]:
                a.turns[t["user_id"], t["turn_id"]] = t["content"]
            a.others["again"] += call.what == "again"
            return
        if call.what == "document":
            await self._send("POST", "/v1/documents", call.body)
            a.documents[call.body["document_id"]] = (call.body["version"], call.body["markdown"])
            a.others["document"] += 1
            return
        key = {"Idempotency-Key": call.name} if call.name else {}
        if call.what == "remember":
            await self._send("POST", "/v1/memories", call.body, key)
        else:
            memory = await self._some_memory(call.user)
            if memory is None:
                a.skipped += 1
                return
            match call.what:
                case "feedback":
                    await self._send("POST", "/v1/feedback", {**call.body, "memory_ids": [memory]})
                case "correct":
                    await self._send("PATCH", f"/v1/memories/{memory}", call.body, key)
                case "forget":
                    await self._send("DELETE", f"/v1/memories/{memory}?user_id={call.user}", None, key)
        a.others[call.what] += 1

    async def _some_memory(self, user: str) -> str | None:
        """One of what the service shows of the user now; None when it shows nothing or cannot."""
        try:
            answer = await self._client.get(f"/v1/users/{user}/memories?limit=50", timeout=3.0)
        except httpx.HTTPError:
            return None
        if answer.status_code != 200:
            return None
        found = sorted({m["id"] for m in answer.json()["memories"]})
        return self._rng.choice(found) if found else None

    async def _send(self, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> None:
        while True:
            try:
                answer = await self._client.request(method, path, json=body, headers=headers)
            except httpx.HTTPError as exc:
                self.accepted.retries[type(exc).__name__] += 1
                await asyncio.sleep(_PAUSE)
                continue
            if answer.status_code == 202:
                return
            if answer.status_code < 500 and answer.status_code != 429:
                raise RefusedError(f"{method} {path.split('?')[0]}: {answer.status_code} {answer.json().get('type')}")
            self.accepted.retries[str(answer.status_code)] += 1
            await asyncio.sleep(_PAUSE)
