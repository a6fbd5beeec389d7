"""Finds code that reaches past the simulation: the machine's clocks, threads, sockets, its randomness."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_REFUSED = frozenset(
    {
        "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.sleep",
        "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "posix.urandom", "posix.getrandom",
        "_thread.start_new_thread", "_socket.getaddrinfo", "_socket.socket", "socket.connect", "socket.bind",
        "select.epoll", "select.poll", "_posixsubprocess.fork_exec", "posix.fork",
    }
)  # fmt: skip


@contextmanager
def watched() -> Iterator[Counter[str]]:
    """Counts `what in file` of each call that leaves the world, while it is open. Calls are seen as the interpreter
    makes them, however the name was imported."""
    found: Counter[str] = Counter()

    def see(frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call":
            return
        name = _name(called)
        if _TESTS_OWN in frame.f_code.co_filename:
            return
        if name in _REFUSED or getattr(called, "__self__", None) is _SHARED:
            found[f"{name} in {frame.f_code.co_filename}"] += 1

    sys.setprofile(see)
    try:
        yield found
    finally:
        sys.setprofile(None)


_TESTS_OWN = f"site-packages{os.sep}hypothesis{os.sep}"
"""It times the garbage collector, wherever that runs, once a test has imported it."""
_SHARED = getattr(random.random, "__self__", None)
"""Behind `random.random`, seeded by nobody."""


def _name(called: Any) -> str:
    module = getattr(called, "__module__", None)
    qualified: str = getattr(called, "__qualname__", "") or repr(called)
    return qualified if module is None or "." in qualified else f"{module}.{qualified}"
