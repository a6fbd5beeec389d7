"""A worker that stood still for too long has lost its partitions without knowing it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

_BEATS = 20


def _nothing() -> None: ...


class FrozenError(Exception):
    """This process stood still (SIGSTOP, a suspended machine) for longer than it may; it must end, uncommitted."""


class Lease:
    """Measures how long this process has not run.

    The broker gives a silent worker's partitions to others. What such a worker had in hand they have delivered from
    the stored outbox, and have gone on; sent now, it would stand behind newer records of the same keys, and a
    compacted topic keeps the last. (Readers drop it, compaction does not know how.) So a process that finds a gap of
    `limit` seconds ends at once: whichever comes first, the thread that beats or the next delivery.

    `limit` must lie below the group's session timeout less one heartbeat interval. What was already in the producer's
    queue when the process stopped may still go out: milliseconds of a batch (docs/decisions: frozen workers).

    `before` is called after a gap, before anything ends: it notes what was in hand, where that held the interpreter.
    """

    def __init__(
        self, limit: float, die: Callable[[], None], clock: Callable[[], float] = time.monotonic,
        before: Callable[[], None] = _nothing,
    ) -> None:  # fmt: skip
        self._limit = limit
        self._die = die
        self._before = before
        self._clock = clock
        self._last = clock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)

    def start(self) -> None:
        self._last = self._clock()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def check(self) -> None:
        """Raises FrozenError after a gap."""
        if self._clock() - self._last > self._limit:
            self._before()
            raise FrozenError(f"this process stood still for more than {self._limit:g} s")

    def beat(self) -> None:
        """One beat; ends the process after a gap."""
        try:
            self.check()
        except FrozenError:
            self._die()
        self._last = self._clock()

    def _run(self) -> None:
        while not self._stop.wait(self._limit / _BEATS):
            self.beat()


_STOOD_STILL = b"this process stood still for too long: it ends, uncommitted\n"


def end_at_once(status: int, why: bytes = _STOOD_STILL) -> Callable[[], None]:
    """Ends the process without waiting for anything: no queue is flushed, no log handler asked."""

    def die() -> None:
        os.write(2, why)
        os._exit(status)

    return die
