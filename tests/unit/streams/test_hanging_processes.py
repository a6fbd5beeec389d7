"""Real processes that hang, are killed, or are frozen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streams.suspects import MemorySuspects, Noted
from streams.watchdog import Limits, Watchdog
from streams.work_record import InHand
from tests.patience import until
from tests.unit.streams.hanging import ENDED

ROOT = Path(__file__).parents[3]
NOTED = "noted gate memory.ledger.v1 3 41 True"


@contextmanager
def process(folder: Path, what: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.unit.streams.hanging", str(folder), what]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def status(running: subprocess.Popen[str]) -> int:
    return until("the end of a process that hangs", running.poll, lambda _: True)


def next_life(folder: Path, suspects: MemorySuspects | None = None) -> dict[tuple[str, str, int, int], Noted]:
    suspects = suspects or MemorySuspects()
    dog = Watchdog(Limits(3_600), suspects, lambda: None, InHand(folder, "worker"))
    dog.start()
    dog.stop()
    return suspects.rows


def test_a_match_that_stops_every_thread_is_noted_though_its_process_is_killed(tmp_path: Path) -> None:
    """As a liveness probe has it killed: nothing of Python's runs between."""
    marks = tmp_path / "worker-0.marks"
    with process(tmp_path, "forever") as running:
        until("the mark of a hang", lambda: marks.exists() and b"in forever" in marks.read_bytes())
        os.kill(running.pid, signal.SIGKILL)
        status(running)
    assert next_life(tmp_path) == {("gate", "memory.ledger.v1", 3, 41): Noted(7, 1)}
    assert next_life(tmp_path) == {}


def test_such_a_process_ends_by_itself(tmp_path: Path) -> None:
    with process(tmp_path, "until_the_end") as running:
        assert status(running) == 1


@pytest.mark.parametrize(
    ("what", "signals", "times"),
    [
        ("crash", signal.SIGSEGV, [1, 2, 3]), ("abort", signal.SIGABRT, [1, 1, 1]), ("read", signal.SIGKILL, [1, 1, 1]),
        ("native", signal.SIGABRT, [1, 2, 3]),
    ],
)  # fmt: skip
def test_what_was_in_hand_is_tried_alone_and_counts_where_it_is_to_blame(
    tmp_path: Path, what: str, signals: int, times: list[int]
) -> None:
    """A crash in C is the record's own; kill -9 and out of memory are not, however often, and a lack of memory may
    abort it: only where it has a bound of its own does that count."""
    suspects = MemorySuspects()
    for expected in times:
        with process(tmp_path, what) as running:
            if signals == signal.SIGKILL:
                assert running.stdout is not None
                assert running.stdout.readline() == "reads\n"
                running.kill()
            assert status(running) == -signals
        assert next_life(tmp_path, suspects) == {("gate", "memory.ledger.v1", 3, 41): Noted(7, expected)}


@pytest.mark.parametrize("what", ["some_seconds", "loop", "grow", "bomb", "wrapped"])
def test_what_python_can_note_it_notes(tmp_path: Path, what: str) -> None:
    """A match that ends after seconds (the lease would end the process then), a loop that never does, and memory that
    the kernel would kill the process for: bit by bit, where a look comes before a refusal, or all at once."""
    with process(tmp_path, what) as running:
        assert status(running) == ENDED
        assert running.stdout is not None
        assert running.stdout.read().splitlines() == [NOTED]
    assert next_life(tmp_path) == {}, "it is noted once"


def test_what_takes_memory_faster_than_anybody_looks_kills_its_process_once(tmp_path: Path) -> None:
    """The kernel ends the first life (here, the test), which could note nothing: the record is in the file since before
    the work on it began. In the next it is alone, and refused what it asks for: it is to blame."""
    suspects = MemorySuspects()
    with process(tmp_path, "read") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "reads\n"
        running.kill()
        assert status(running) == -signal.SIGKILL
    assert next_life(tmp_path, suspects) == {("gate", "memory.ledger.v1", 3, 41): Noted(7, 1)}
    for _ in range(2):
        with process(tmp_path, "bomb") as running:
            assert status(running) == ENDED
            assert running.stdout is not None
            assert running.stdout.read().splitlines() == [NOTED]


def test_a_process_that_is_frozen_and_goes_on_makes_no_suspects(tmp_path: Path) -> None:
    with process(tmp_path, "read") as running:
        assert running.stdout is not None
        assert running.stdin is not None
        assert running.stdout.readline() == "reads\n"
        os.kill(running.pid, signal.SIGSTOP)
        frozen = time.monotonic()
        until("a frozen process", lambda: time.monotonic() - frozen, lambda seconds: seconds > 1.5)
        os.kill(running.pid, signal.SIGCONT)
        running.stdin.write("\n")
        running.stdin.flush()
        assert status(running) == 0
        assert running.stdout.read() == ""
    assert next_life(tmp_path) == {}
