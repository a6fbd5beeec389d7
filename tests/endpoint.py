"""A local endpoint that speaks chat completions over real HTTP and answers by script."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import uvicorn


@dataclass(slots=True)
class Scripted:
    """`script`: what the next calls get, in turn; the last entry stays. A word, a status, or a JSON answer made from
    the request ("slow" is the word). `seen`: the requests."""

    script: list[str | int | Callable[[dict[str, Any]], Any]]
    takes_schema: bool = True
    takes_json: bool = True
    retry_after: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    most_at_once: int = 0
    now: int = 0
    url: str = ""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Slow answers come when it is set."""

    def next(self) -> str | int | Callable[[dict[str, Any]], Any]:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        request = json.loads(body)
        self.keys.append(dict(scope["headers"]).get(b"authorization", b"").decode())
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            status, answer = await self._answer(request)
        finally:
            self.now -= 1
        headers = [(b"content-type", b"application/json")]
        if self.retry_after and status != 200:
            headers.append((b"retry-after", self.retry_after.encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})

    async def _answer(self, request: dict[str, Any]) -> tuple[int, Any]:
        form = request.get("response_format", {}).get("type")
        if (form == "json_schema" and not self.takes_schema) or (form == "json_object" and not self.takes_json):
            return 400, {"error": {"message": "response_format is not known"}}
        self.seen.append(request)
        move = self.next()
        if isinstance(move, int):
            return move, {"error": {"message": "scripted"}}
        if move == "slow":
            await self.released.wait()
        message: dict[str, Any] = {"role": "assistant", "content": "{}"}
        finish = "stop"
        if callable(move):
            made = move(request)
            if made == "slow":
                await self.released.wait()
            message["content"] = json.dumps(made, ensure_ascii=False)
        elif move == "malformed":
            message["content"] = "Here is what I found: age"
        elif move == "fenced":
            message["content"] = '```json\n{"a": 1}\n```'
        elif move == "refusing":
            message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
        elif move == "truncated":
            message["content"], finish = '{"a": [1, 2', "length"
        elif move == "empty":
            return 200, {"choices": []}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return 200, {"model": "scripted-1", "choices": [choice], "usage": usage}


@contextlib.asynccontextmanager
async def serving(endpoint: Scripted) -> AsyncIterator[Scripted]:
    """The endpoint on a free port of loopback, `endpoint.url` as clients want it."""
    config = uvicorn.Config(
        endpoint, host="127.0.0.1", port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server offers no event
        await asyncio.sleep(0.01)
    endpoint.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.should_exit = True
        await task
