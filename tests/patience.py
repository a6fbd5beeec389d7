"""One patience for whatever a test waits for, and a record of what was waited for.

A test that is right only on a fast machine is wrong: what waits asks again until the patience is over, and then says
what it waited for, what was there instead, and what the processes it waited on logged last. TEST_PATIENCE multiplies
it; TEST_STRICT_WAITS=1 (`make verify`) fails a run in which something took longer than it does on a calm machine, or a
process ended that no test had asked to end (tests/conftest.py prints both).
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 180.0 * float(os.environ.get("TEST_PATIENCE", "1"))
"""Seconds."""
CALM = 30.0
"""Seconds that nothing takes longer than on a calm machine, but what says so by `calm`."""
STRICT = os.environ.get("TEST_STRICT_WAITS") == "1"
UNSTABLE_FILE = "TEST_UNSTABLE_FILE"
"""Environment variable: the file that unstable starts are appended to, a line each."""
_LINES, _CHARACTERS = 8, 2_000
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait that is over. `calm`: seconds that it may take on a calm machine."""

    what: str
    test: str
    seconds: float
    calm: float


@dataclass(frozen=True, slots=True)
class Exit:
    """A supervised process that ended and was not asked to. `log`: its last lines."""

    process: str
    test: str
    reason: str
    log: str


@dataclass
class Record:
    """What a session waited for, and what went wrong beside its tests. Workers of pytest-xdist hand theirs over."""

    waits: list[Wait] = field(default_factory=list)
    exits: list[Exit] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """As plain values, for another process."""
        return asdict(self)

    def add(self, record: Mapping[str, Any]) -> None:
        """What another process has recorded."""
        self.waits += [Wait(**w) for w in record["waits"]]
        self.exits += [Exit(**e) for e in record["exits"]]
        self.unstable += record["unstable"]

    def longest(self, count: int = 10) -> list[Wait]:
        return sorted(self.waits, key=lambda w: -w.seconds)[:count]


RECORD = Record()
_SHORT = 0.5
"""Waits below it are not kept: there are thousands."""
_LOGS: dict[Path, None] = {}
"""Folders of logs of the stacks that run now."""


def current_test() -> str:
    """Name of the test that runs, or is set up."""
    return os.environ.get("PYTEST_CURRENT_TEST", "no test").rsplit(" ", 1)[0]


def took(what: str, seconds: float, calm: float = CALM) -> None:
    """Record a wait."""
    if seconds >= _SHORT:
        RECORD.waits.append(Wait(what[:200], current_test(), round(seconds, 1), calm))


def ended(process: str, reason: str, log: str) -> None:
    """Record the end of a process that was not asked to end."""
    RECORD.exits.append(Exit(process, current_test(), reason, log))


def unstable(line: str) -> None:
    """Record what worked at a second try only."""
    line = " ".join(f"UNSTABLE {line}".split())[:300]
    RECORD.unstable.append(line)
    if name := os.environ.get(UNSTABLE_FILE):
        with open(name, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


@contextmanager
def watched(logs: Path) -> Iterator[None]:
    """Meanwhile waits in vain show the ends of these logs."""
    _LOGS[logs] = None
    try:
        yield
    finally:
        _LOGS.pop(logs, None)


def ends_of_logs(folder: Path | None = None, lines: int = _LINES) -> str:
    """The last lines of each log of a stack; of all that run, where none is named."""
    parts = []
    for logs in [folder] if folder else list(_LOGS):
        for path in sorted(logs.glob("*.log")):
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - 16_384))
                text = "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
            if text.strip():
                parts.append(f"--- {path.stem}\n{text}")
    return "\n".join(parts)


class _Waiting:
    """One wait: how long it has taken, what was there last, and what is said when it is given up."""

    def __init__(self, what: str, seconds: float, calm: float, logs: Path | None) -> None:
        self.what, self.seconds, self.calm, self.logs = what, seconds, calm, logs
        self.began = time.monotonic()
        self.last: object = "nothing was answered"

    def over(self) -> None:
        took(self.what, time.monotonic() - self.began, self.calm)

    def check(self) -> None:
        """Raises AssertionError when the patience is over."""
        waited = time.monotonic() - self.began
        if waited > self.seconds:
            self.over()
            raise AssertionError(
                f"waited {waited:.0f} s for {self.what}; there was: {_shown(self.last)}\n{ends_of_logs(self.logs)}"
            )


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS // 2]} ... {text[-_CHARACTERS // 2 :]}"


def until(
    what: str, ask: Callable[[], T | None], good: Callable[[T], Any] = bool, *, seconds: float | None = None,
    calm: float = CALM, pause: float = _PAUSE, errors: tuple[type[Exception], ...] = (), logs: Path | None = None,
) -> T:  # fmt: skip
    """What `ask` gives once it is there (not None) and `good`. `errors`: what it may raise until then. Raises
    AssertionError after the patience (or `seconds`, where the limit is what is tested)."""
    waiting = _Waiting(what, seconds or PATIENCE, calm, logs)
    while True:
        try:
            waiting.last = found = ask()
            if found is not None and good(found):
                waiting.over()
                return found
        except errors as exc:
            waiting.last = exc
        waiting.check()
        time.sleep(pause)


async def eventually(
    what: str, ask: Callable[[], Awaitable[T | None]], good: Callable[[T], Any] = bool, *, seconds: float | None = None,
    calm: float = CALM, pause: float = _PAUSE, errors: tuple[type[Exception], ...] = (), logs: Path | None = None,
) -> T:  # fmt: skip
    """The same for what is asked asynchronously."""
    waiting = _Waiting(what, seconds or PATIENCE, calm, logs)
    while True:
        try:
            waiting.last = found = await ask()
            if found is not None and good(found):
                waiting.over()
                return found
        except errors as exc:
            waiting.last = exc
        waiting.check()
        await asyncio.sleep(pause)


def joined(thread: threading.Thread, what: str) -> None:
    """Back when the thread has ended."""
    waiting = _Waiting(what, PATIENCE, CALM, None)
    while thread.is_alive():
        thread.join(timeout=0.2)
        waiting.last = "a thread that runs"
        waiting.check()
    waiting.over()


def line_of(text: object) -> str:
    """The first line of what an exception says, with its name."""
    return (f"{type(text).__name__}: {text}".splitlines() or [""])[0][:200]


def summary(record: Record) -> list[str]:
    """Lines for the end of a session: the longest waits, exits that nobody asked for, unstable starts."""
    out = []
    if record.waits:
        total = sum(w.seconds for w in record.waits)
        out.append(f"longest of {len(record.waits)} waits ({total:.0f} s in all)")
        out += [f"{w.seconds:7.1f} s  {w.what}  ({w.test})" for w in record.longest()]
    for e in record.exits:
        out += [f"EXIT that no test asked for: {e.process} {e.reason}, during {e.test}", *e.log.splitlines()[-_LINES:]]
    return [*out, *record.unstable]


def faults(record: Record, exempt: Callable[[str], bool]) -> list[str]:
    """What a strict run does not let pass. `exempt`: whether a test's file is about crashes or rebuilds."""
    slow = [w for w in record.waits if w.seconds > w.calm and not exempt(w.test)]
    return [
        *(f"STRICT: {w.seconds:.0f} s for {w.what}, {w.calm:.0f} s is calm ({w.test})" for w in slow),
        *(f"STRICT: {e.process} {e.reason}, and no test asked for it ({e.test})" for e in record.exits),
    ]
