"""What an open stream of updates takes, it gives back, whenever its caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.reading import updates


class Reader:
    """A topic without records; counts what was closed."""

    closed = 0

    def __init__(self, *_: object) -> None: ...

    def bounds(self) -> dict[int, tuple[int, int]]:
        return {0: (0, 5)}

    def start(self, offsets: object) -> None: ...

    def next(self, seconds: float, most: int = 200) -> list[Any]:
        return []

    def close(self) -> None:
        Reader.closed += 1


def request() -> dict[str, Any]:
    return {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "GET",
        "path": "/v1/updates", "raw_path": b"/v1/updates", "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": {},
    }  # fmt: skip


async def status_of(app: Any, leaves: Callable[[], Any]) -> int:
    """The status that a caller gets who leaves when `leaves` returns."""
    statuses: list[int] = []

    async def receive() -> dict[str, str]:
        await leaves()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        await asyncio.sleep(0)

    await app(request(), receive, send)
    return statuses[0] if statuses else 0


async def test_callers_that_leave_before_the_first_byte_hold_no_slot(
    deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "TopicReader", Reader)
    app = create_app(QueryConfig(), deps)

    async def at_once() -> None:
        return

    async def later() -> None:
        await asyncio.sleep(0.05)

    Reader.closed = 0
    most = app.state.updates._config.limits.streams
    for _ in range(most + 2):
        await status_of(app, at_once)
    assert await status_of(app, later) == 200
    app.state.updates._threads.shutdown(wait=True)
    assert Reader.closed == most + 3
