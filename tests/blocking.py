"""What blocks an event loop is named: the call, and the line of ours that makes it.

Not by the clock (asyncio's debug mode tells a slow callback, and a busy machine makes each one slow): a call that may
wait for others is refused in a thread whose loop runs, however quick it was this time.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import memstream
from schemas.storage.postgres_connections import Answering

ROOT = Path(memstream.__file__).parent.parent
PRODUCT = tuple(
    f"{ROOT}/{name}/"
    for name in ("inference", "memstream", "messaging", "processors", "query", "schemas", "sinks", "streams")
)


class LoopBlockedError(AssertionError):
    """A call that may wait was made on an event loop."""


def place_of(frame: FrameType | None) -> str | None:
    """`file:line` of ours that makes the call; None where a test or a library makes it on its own."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(PRODUCT):
            return f"{name.removeprefix(f'{ROOT}/')}:{frame.f_lineno}"
        if name.startswith(f"{ROOT}/tests/") and name != __file__:
            return None
        frame = frame.f_back
    return None


def on_loop() -> bool:
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        return True
    return False


def refuse(call: str) -> None:
    """Raises LoopBlockedError in a thread whose loop runs, where code of ours makes the call."""
    if on_loop() and (place := place_of(sys._getframe(1))) is not None:
        raise LoopBlockedError(f"{place} blocks the event loop: {call}")


@contextlib.contextmanager
def never_blocked() -> Iterator[None]:
    """Waits of sockets, threads, processes, futures, sleeps and Postgres are refused on a loop."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, waits in _CALLS:
            patch.setattr(owner, name, _refusing(owner, name, waits))
        yield


def _always(*_: Any) -> bool:
    return True


def _blocking_socket(sock: socket.socket, *_: Any) -> bool:
    return sock.gettimeout() != 0


def _unfinished(future: concurrent.futures.Future[Any], *_: Any) -> bool:
    return not future.done()


_CALLS: tuple[tuple[Any, str, Callable[..., bool]], ...] = (
    (time, "sleep", _always),
    (socket.socket, "connect", _blocking_socket),
    (socket, "getaddrinfo", _always),
    (subprocess.Popen, "wait", _always),
    (threading.Thread, "join", _always),
    (threading.Condition, "wait", _always),
    (concurrent.futures.Future, "result", _unfinished),
    (Answering, "wait", _always),
)


def _refusing(owner: Any, name: str, waits: Callable[..., bool]) -> Callable[..., Any]:
    kept = getattr(owner, name)
    what = f"{owner.__name__}.{name}"

    def call(*args: Any, **named: Any) -> Any:
        if waits(*args):
            refuse(what)
        return kept(*args, **named)

    return call
