"""Which generations a sink process writes (N1): the live one itself, every other one in a child process.

A generation has one writer for life. The process that `memstream sink NAME` starts takes the live generation, looks
every second what stands beside it, and keeps a child for each; a child ends when its generation is dropped or its
parent is gone. Where the process' own generation is dropped, it becomes the writer of the live one.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from schemas.storage import generations, postgres_connections
from schemas.storage.generations import Generation, GenerationError

log = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
STOP_SECONDS = 20.0
_WRITER = 0x6D736777
"""Advisory lock class of who writes a generation: shared by its writers, taken alone by who drops it."""


def wait_for_live(dsn: str, store: str, stopped: threading.Event) -> Generation | None:
    """The live generation, waiting for Postgres as long as it takes; None when told to stop."""
    while not stopped.is_set():
        try:
            with postgres_connections.connect(dsn, autocommit=True) as conn:
                return generations.live(conn, store)
        except (psycopg.Error, GenerationError) as exc:
            log.warning("which generation is live is not known yet", extra={"error": type(exc).__name__})
            stopped.wait(1.0)
    return None


def numbered(dsn: str, store: str, number: int) -> Generation:
    """Raises GenerationError for one that does not stand, psycopg.Error."""
    with postgres_connections.connect(dsn, autocommit=True) as conn:
        found = next((g for g in generations.all_of(conn, store) if g.number == number), None)
    if found is None or found.state == "dropping":
        raise GenerationError(f"generation {number} of {store} does not stand")
    return found


class Children:
    """Writers of the other generations. A child that dies is started again at the next look."""

    def __init__(self, store: str, instance: str) -> None:
        self._store, self._instance = store, instance
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def keep(self, numbers: set[int]) -> None:
        """Exactly these run from here on."""
        for number in self._running.keys() - numbers:
            self._end(self._running.pop(number))
        for number in sorted(numbers):
            process = self._running.get(number)
            if process is None or process.poll() is not None:
                self._running[number] = self._start(number)

    def close(self) -> None:
        self.keep(set())

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        log.info("a writer of another generation starts", extra={"store": self._store, "generation": number})
        env = {k: v for k, v in os.environ.items() if k != "MEMSTREAM_FAULT"}
        env["MEMSTREAM_INSTANCE"] = f"{self._instance or f'sink-{self._store}'}-g{number}"
        argv = [sys.executable, "-m", "memstream", "sink", self._store, "--generation", str(number)]
        return subprocess.Popen(argv, env=env)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Watch(threading.Thread):
    """Looks at the generations of a store beside a running writer.

    `stop` is called once this writer is no longer wanted. With `children` (the process that took the live generation),
    the writers of the others are kept; without, the writer also ends with its parent.
    """

    def __init__(self, dsn: str, own: Generation, stop: Callable[[], None], children: Children | None) -> None:
        super().__init__(name="generations", daemon=True)
        self._dsn, self._own, self._stop_writer, self._children = dsn, own, stop, children
        self._parent = os.getppid()
        self._closing = threading.Event()
        self.dropped = False
        """The generation of this writer is to be dropped."""

    def close(self) -> None:
        self._closing.set()
        self.join(STOP_SECONDS + 5)
        if self._children is not None:
            self._children.close()

    def run(self) -> None:
        while not self._closing.is_set():
            try:
                with postgres_connections.connect(self._dsn, autocommit=True) as conn:
                    hold(conn, self._own.store, self._own.number)
                    while not self._closing.is_set() and not self.dropped:
                        self._look(conn)
                        self._closing.wait(LOOK_SECONDS)
                    if self.dropped:
                        # The lock goes with the connection, so the writer must be done before.
                        self._closing.wait()
            except (psycopg.Error, OSError) as exc:
                log.warning("generations not read", extra={"error": type(exc).__name__})
                self._closing.wait(LOOK_SECONDS)

    def _look(self, conn: psycopg.Connection[psycopg.rows.TupleRow]) -> None:
        found = generations.all_of(conn, self._own.store)
        writable = {g.number for g in found if g.state in ("building", "standing")}
        orphan = self._children is None and os.getppid() != self._parent
        if self._own.number not in writable or orphan:
            self.dropped = True
            self._stop_writer()
        elif self._children is not None:
            self._children.keep(writable - {self._own.number})


def hold(conn: psycopg.Connection[psycopg.rows.TupleRow], store: str, number: int) -> None:
    """Say, for as long as the connection lives, that this process writes the generation."""
    conn.execute("SELECT pg_advisory_lock_shared(%s, hashtext(%s))", (_WRITER, f"{store}/{number}"))


def left_alone(conn: psycopg.Connection[psycopg.rows.TupleRow], store: str, number: int) -> bool:
    """Whether nobody writes the generation (any more)."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_WRITER, f"{store}/{number}")).fetchone()
    if not (row and row[0]):
        return False
    conn.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", (_WRITER, f"{store}/{number}"))
    return True


def become_live(name: str) -> None:
    """Replace this process by a writer of the generation that is live now. Does not return."""
    logging.shutdown()
    with suppress(OSError):
        sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "memstream", "sink", name])  # noqa: S606 - no shell is wanted
