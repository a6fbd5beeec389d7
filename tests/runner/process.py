"""Programs with a log, a deadline and an end: what they have started ends with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import psutil

ROOT = Path(__file__).parents[2]
LAST_WORDS = 20.0
"""Seconds in which pytest may stop its servers before it is killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    code: int
    seconds: float
    late: bool = False
    """It was ended at its deadline."""


def say(line: str) -> None:
    """One line of output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def python(*words: str) -> tuple[str, ...]:
    return (sys.executable, *words)


def program(words: Sequence[str]) -> tuple[str, ...]:
    """`python` is this one, and programs beside it come first."""
    if words[0] == "python":
        return python(*words[1:])
    beside = Path(sys.executable).parent / words[0]
    return (str(beside) if beside.exists() else words[0], *words[1:])


class Children:
    """The programs that run now; all end when the runner ends, however it does."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._over = False

    def run(
        self, words: Sequence[str], log: Path, deadline: float, environment: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
    ) -> Ended:  # fmt: skip
        """Run a program to its end, its output appended to the log. `deadline`: on the clock of time.monotonic."""
        began = time.monotonic()
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            with self._lock:
                if self._over:
                    return Ended(-signal.SIGTERM, 0.0, late=True)
                child = subprocess.Popen(
                    program(words), cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                    env={**os.environ, **(environment or {})}, start_new_session=True,
                )  # fmt: skip
                self._running.add(child)
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
                late = False
            except subprocess.TimeoutExpired:
                late = True
                end(child)
            finally:
                with self._lock:
                    self._running.discard(child)
                    late_by_all = self._over
        return Ended(child.returncode, time.monotonic() - began, late or late_by_all)

    def stop(self) -> None:
        """End what runs; nothing is begun any more."""
        with self._lock:
            self._over = True
            running = list(self._running)
        threads = [threading.Thread(target=end, args=(child,)) for child in running]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @contextmanager
    def ended(self) -> Iterator[None]:
        """They end with the block; Ctrl-C, SIGTERM and a hang-up end them and the block."""

        def leave(number: int, frame: FrameType | None) -> None:
            # Not here: what was interrupted may hold the lock. And not after the block alone: threads wait for them.
            threading.Thread(target=self.stop).start()
            raise SystemExit(128 + number)

        before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        for number, handler in before.items():
            # nohup's hang-up is not heard, nor is Ctrl-C behind a shell's `&`. But what ignores it hands that on.
            signal.signal(number, leave if handler is not signal.SIG_IGN else _unheard)
        try:
            yield
        finally:
            self.stop()
            for number, handler in before.items():
                signal.signal(number, handler)


def _unheard(number: int, frame: FrameType | None) -> None:
    """In place of SIG_IGN, which programs inherit: pytest would not hear `end`, and be killed after LAST_WORDS."""


def end(child: subprocess.Popen[bytes], patience: float = LAST_WORDS) -> None:
    """Interrupt a program, as Ctrl-C would, then kill it and all that it has started."""
    family: set[psutil.Process] = set()
    with suppress(psutil.NoSuchProcess):
        family.update(psutil.Process(child.pid).children(recursive=True))
    child.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        child.wait(patience)
    with suppress(psutil.NoSuchProcess):
        family.update(psutil.Process(child.pid).children(recursive=True))
    for process in family:
        with suppress(psutil.NoSuchProcess):  # psutil tells a process from one that has its number since
            process.kill()
    child.kill()
    child.wait()
    last = time.monotonic() + patience
    while any(_lives(process) for process in family) and time.monotonic() < last:  # a signal takes its time
        time.sleep(0.01)


def _lives(process: psutil.Process) -> bool:
    """A zombie has ended, whether or not its new parent has asked for it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
