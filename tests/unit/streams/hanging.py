"""A process that hangs: `python -m tests.unit.streams.hanging FOLDER WHAT`. Its suspects are lines of its output."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from streams.faust.lease import end_at_once
from streams.runner import Message
from streams.suspects import NoSuspects, Suspect
from streams.watchdog import Limits, Watchdog
from streams.work_record import InHand

ENDED = 70
LONG = 86_400.0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Printed(NoSuspects):
    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        for s in suspects:
            say(f"noted {s.step} {s.topic} {s.partition} {s.offset} {alone}")
        return True


def match(letters: int) -> None:
    """Never lets go of the interpreter; each letter doubles its time."""
    re.match("(a+)+$", "a" * letters + "b")


def forever() -> None:
    match(200)


def some_seconds() -> None:
    match(24)


def loop() -> None:
    while True:
        pass


def read() -> None:
    """Until the test has frozen it and lets it go on."""
    say("reads")
    sys.stdin.readline()


def crash() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.raise_signal(signal.SIGSEGV)  # of this thread, as a fault in C is; a signal of the process takes any


def abort() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()


def grow() -> None:
    """By more than it may, and stays so: below what it is refused, as a look comes first."""
    try:
        held = bytearray(5 * GROWTH // 4)
    except MemoryError:
        say("refused")
        raise
    for at in range(0, len(held), resource.getpagesize()):
        held[at] = 1
    while held:
        time.sleep(1)


def bomb() -> None:
    """All at once and with the interpreter held: nobody looks in between."""
    say(str(len(bytes(16 * GROWTH))))


def native() -> None:
    """The same in a library that aborts when it is refused memory, as those in Rust do."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    if libc.malloc(16 * GROWTH) is None:
        libc.abort()
    say("has it")


def wrapped() -> None:
    """The same in a library in C++: its exception reaches Python as another one."""
    try:
        bomb()
    except MemoryError:
        raise RuntimeError("std::bad_alloc") from None


GROWTH = 64 * 1024**2
BOUND = {"growth": GROWTH, "growth_full": GROWTH, "floor": GROWTH}
"""In bytes; between a look and a refusal lies as much as there does in a worker, by `Limits.bound`."""
LIMITS = {
    "forever": Limits(LONG, mark_cpu=0.2, end=LONG),
    "until_the_end": Limits(LONG, mark_cpu=0.2, end=1.0),
    "some_seconds": Limits(LONG, still=0.2, still_cpu=0.1, mark_cpu=LONG, end=LONG),
    "loop": Limits(0.5, still=LONG, mark_cpu=LONG, end=LONG),
    "read": Limits(LONG, still=0.5, still_cpu=0.5, mark_cpu=LONG, end=LONG),
    "crash": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG),
    "abort": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG),
    "grow": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG, look=LONG, **BOUND),
    "bomb": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG, look=LONG, look_alone=LONG, **BOUND),
    "native": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG, look=LONG, look_alone=LONG, **BOUND),
    "wrapped": Limits(LONG, still=LONG, mark_cpu=LONG, end=LONG, look=LONG, look_alone=LONG, **BOUND),
}
"""What else could end it or note something is out of reach: however slow the machine is, one thing happens."""
WORK = {
    "forever": forever, "until_the_end": forever, "some_seconds": some_seconds, "loop": loop, "read": read,
    "crash": crash, "abort": abort, "grow": grow, "bomb": bomb, "native": native, "wrapped": wrapped,
}  # fmt: skip


def main(folder: str, what: str) -> None:
    dog = Watchdog(LIMITS[what], Printed(), end_at_once(ENDED), InHand(Path(folder), "worker"))
    dog.start()
    with dog.over("gate", [Message("memory.ledger.v1", 3, 41, None, b"", [], 7)], alone=what != "abort"):
        WORK[what]()
    dog.look()
    dog.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
