"""The server's protocol, with bounds that uvicorn's has not: on what comes before a body, and on the time of all of it.

Whoever connects is not known yet: a header of 64 MB took 20 seconds of the event loop, and a connection that sends
nothing stayed for ever.
"""

from __future__ import annotations

from asyncio import Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MOST_HEAD = 65_536
"""Bytes of request line and headers together; as much again may have come with them before it is seen."""
HEAD_SECONDS, MESSAGE_SECONDS = 10.0, 75.0
"""From the connection, or the first byte of a request, to the end of its headers; and to the end of its body."""
CONNECTIONS = 1_000
"""Open at a time; what is asked beyond them is answered with 503."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. What is over a bound is answered with 431 or 408, and the connection is closed."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._deadline: Any = None
        self._in_head, self._head_bytes, self._header_bytes = True, 0, 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._within(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._within(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if not self._in_head:
            return
        self._head_bytes += len(data)
        if self._head_bytes > MOST_HEAD and not self.transport.is_closing():
            self._refuse(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes, self._header_bytes = True, 0, 0
        self._within(HEAD_SECONDS)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises ValueError, which the parser makes a 400: also for what comes behind a body."""
        self._header_bytes += len(name) + len(value) + 4
        if self._header_bytes > 2 * MOST_HEAD:
            raise ValueError("the headers are too large")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._within(MESSAGE_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._within(None)
        super().on_message_complete()

    def _within(self, seconds: float | None) -> None:
        """What is under way ends in so many seconds; None: nothing is."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        if self.cycle is None or self.cycle.response_complete:  # else an answer is under way
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()
