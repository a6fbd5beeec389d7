"""What a connection may send, and how long it may take, before anybody is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from memstream.workers.http_protocol import HEAD_SECONDS, MESSAGE_SECONDS, MOST_HEAD, BoundedProtocol

GET = b"GET /livez HTTP/1.1\r\nhost: a\r\n"
POST = b"POST /v1/turns HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n"


class Wire:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written, self.closed = b"", False

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str) -> None:
        return None

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Timer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.cancelled = seconds, call, False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """Starts no request: requests are the service's matter."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []
        self.started = 0

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def create_task(self, coroutine: Any, context: Any = None) -> Any:
        coroutine.close()
        self.started += 1
        return _Task()

    def due(self) -> list[float]:
        return [t.seconds for t in self.timers if not t.cancelled]

    def fire(self) -> None:
        [timer] = [t for t in self.timers if not t.cancelled]
        timer.call()


class _Task:
    def add_done_callback(self, call: object) -> None: ...


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def connection(loop: Loop, wire: Wire) -> BoundedProtocol:
    async def app(scope: Any, receive: Any, send: Any) -> None: ...

    config = uvicorn.Config(app, log_config=None)
    made = BoundedProtocol(config=config, server_state=ServerState(), app_state={}, _loop=cast(Any, loop))
    made.connection_made(cast(Any, wire))
    return made


@pytest.mark.parametrize("part", [b"x: " + b"y" * 8_000 + b"\r\n", b"y" * 8_000, b"x-%d: y\r\n" * 900])
def test_h3_endless_headers_are_refused(connection: BoundedProtocol, wire: Wire, loop: Loop, part: bytes) -> None:
    connection.data_received(GET)
    for _ in range(2 + MOST_HEAD // len(part)):
        connection.data_received(part)
    assert wire.closed
    assert wire.written.startswith(b"HTTP/1.1 4")
    assert not loop.started
    connection.connection_lost(None)
    assert not loop.due()


def test_h3_a_request_of_usual_size_passes_and_so_does_its_body(
    connection: BoundedProtocol, wire: Wire, loop: Loop
) -> None:
    connection.data_received(GET + b"x: " + b"y" * 30_000 + b"\r\n\r\n")
    assert (loop.started, wire.written, loop.due()) == (1, b"", [])


@pytest.mark.parametrize(("sent", "seconds"), [
    (b"", HEAD_SECONDS), (GET, HEAD_SECONDS), (POST, MESSAGE_SECONDS), (POST + b"12345", MESSAGE_SECONDS),
])  # fmt: skip
def test_h3_what_does_not_come_to_its_end_in_time_is_closed(
    connection: BoundedProtocol, wire: Wire, loop: Loop, sent: bytes, seconds: float
) -> None:
    """Each piece within it gives no more time."""
    for at in range(0, len(sent), 5):
        connection.data_received(sent[at : at + 5])
    assert loop.due() == [seconds]
    loop.fire()
    assert wire.closed
    assert (wire.written == b"") is (sent[:4] == b"POST"), "the service answers a request that it has begun"
