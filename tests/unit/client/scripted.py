"""A service and a log that answer as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import orjson

from memstream.client import Turn
from memstream.client.buffer import Delivered
from memstream.client.messages import Item
from schemas.log.progress import FreshnessToken, Written

AT = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def turn(n: int = 0, user: str = "u1", **over: Any) -> Turn:
    given: dict[str, Any] = {
        "user_id": user, "session_id": "s", "turn_id": f"t{n}", "role": "user", "content": f"第 {n} 句 turn {n}",
        "occurred_at": AT,
    }  # fmt: skip
    return Turn(**{**given, **over})


def token(offset: int, partition: int = 0, topic: str = "conversation.turns.v1") -> str:
    return str(FreshnessToken.of([Written(topic=topic, partition=partition, offset=offset)]))


class ScriptedTransport:
    """Takes everything; `script` says otherwise, an entry a batch."""

    def __init__(self, *script: Callable[[Sequence[Item]], Delivered]) -> None:
        self.script = list(script)
        self.batches: list[list[str]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.is_open = False

    async def open(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def deliver(self, items: Sequence[Item]) -> Delivered:
        await self.gate.wait()
        self.batches.append([i.id for i in items])
        if self.script:
            return self.script.pop(0)(items)
        return Delivered(frozenset(i.ref for i in items))


class ScriptedService:
    """Answers with what `answers` holds for a path, in order; remembers the requests."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answers: dict[str, list[tuple[int, dict[str, Any], dict[str, str]]]] = {}
        self.offset = 0

    def will(self, path: str, status: int, body: dict[str, Any], **headers: str) -> None:
        self.answers.setdefault(path, []).append((status, body, headers))

    def problem(self, path: str, status: int, **more: Any) -> None:
        self.will(path, status, {"type": "urn:memstream:error:x", "title": "No", "status": status, **more})

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        waiting = self.answers.get(request.url.path)
        if waiting:
            status, body, headers = waiting.pop(0)
            if status == 0:
                raise httpx.ConnectError("refused", request=request)
            return httpx.Response(status, json=body, headers=headers)
        if request.url.path == "/v1/search":
            return httpx.Response(200, json={"results": [], "degraded": [], "took_ms": 1.0})
        self.offset += 1
        return httpx.Response(202, json={"accepted": 1, "freshness_token": token(self.offset)})

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self)

    def bodies(self, path: str) -> list[dict[str, Any]]:
        return [orjson.loads(r.content) for r in self.requests if r.url.path == path]
