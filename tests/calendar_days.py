"""The unit tests on other days: `python -m tests.calendar_days`, or some of the days by name. In 400 days all tests; on
the days on which calendars break things those that can read a clock (marker `calendar`). Debian's `faketime` moves the
clock; without it nothing runs, and the skip is said.

Prints a line a day and a summary; the exit status is 1 when a test fails or a day takes longer than DEADLINE_SECONDS.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.clocks import ROOT

DEADLINE_SECONDS = 1_200
_WORDS = ("passed", "failed", "skipped", "errors")
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|error)")


@dataclass(frozen=True, slots=True)
class Day:
    """`moment`: as `faketime` reads it, in `zone`, the machine's time zone for the tests. The clock goes on from there:
    a moment before midnight has the day change while tests run. `options`: which tests, of all."""

    name: str
    moment: str
    zone: str = "UTC"
    options: tuple[str, ...] = ("-m", "calendar")


DAYS = (
    Day("in-400-days", "+400 days", options=()),
    Day("month-end", "2026-11-30 16:00:00"),
    Day("leap-day", "2028-02-29 12:00:00"),
    Day("new-year", "2026-12-31 23:59:40"),
    Day("summer-time", "2027-03-28 01:59:40", "Europe/Berlin"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What pytest said of a day. `tail`: the lines that name what failed, "" where nothing did."""

    counts: Counter[str]
    seconds: float
    status: int
    tail: str

    @property
    def passed(self) -> bool:
        """A day on which nothing ran has shown nothing."""
        return self.status == 0 and self.counts["passed"] > 0


def command(day: Day, faketime: str) -> list[str]:
    tests = [sys.executable, "-m", "pytest", "tests/unit", "-n", "auto", "--color=no", "-p", "no:cacheprovider"]
    return [faketime, day.moment, *tests, *day.options]


def environment(day: Day) -> dict[str, str]:
    """Deadlines and timeouts count by the monotonic clock, which stays as it is; tests/faketime mends its sleep."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "tests" / "faketime"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": paths, "TZ": day.zone}


def run(day: Day, faketime: str) -> Outcome:
    began = time.monotonic()
    with subprocess.Popen(
        command(day, faketime), cwd=ROOT, env=environment(day), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as tests:  # fmt: skip
        try:
            told, _ = tests.communicate(timeout=DEADLINE_SECONDS)
            status = tests.returncode
        except subprocess.TimeoutExpired:
            tests.terminate()  # pytest ends its workers
            told, status = f"{tests.communicate()[0]}\nnot done after {DEADLINE_SECONDS} seconds", 124
    return outcome(told, status, time.monotonic() - began)


def outcome(told: str, status: int, seconds: float) -> Outcome:
    """From what pytest printed: its last line counts."""
    lines = told.strip().splitlines()
    counts = Counter({f"{word}s" if word == "error" else word: int(n) for n, word in _COUNT.findall(lines[-1])})
    named = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    tail = "" if status == 0 else "\n".join(named or lines[-20:])
    return Outcome(counts, seconds, status, tail)


def report(names: Sequence[str]) -> int:
    """Runs these days, all where none is named. Returns the exit status."""
    if unknown := sorted(set(names) - {d.name for d in DAYS}):
        raise SystemExit(f"no such day: {', '.join(unknown)}; there are {', '.join(d.name for d in DAYS)}")
    days = [d for d in DAYS if not names or d.name in names]
    faketime = shutil.which("faketime")
    if faketime is None:
        _say("SKIPPED calendar: no faketime on this machine (Debian: apt-get install faketime)")
        _say(f"calendar: 0 passed, 0 failed, {len(days)} skipped")
        return 0
    total: Counter[str] = Counter()
    broken: list[str] = []
    for day in days:
        done = run(day, faketime)
        total += done.counts
        broken += [] if done.passed else [day.name]
        _say(line(day, done))
    failed = total["failed"] + total["errors"]
    told = f"; not passed: {', '.join(broken)}" if broken else ""
    _say(f"calendar: {total['passed']} passed, {failed} failed, {total['skipped']} skipped{told}")
    return 1 if broken else 0


def line(day: Day, done: Outcome) -> str:
    counts = ", ".join(f"{done.counts[word]} {word}" for word in _WORDS if done.counts[word]) or "nothing ran"
    verdict = "passed" if done.passed else f"FAILED (status {done.status})"
    told = f"{day.name:12} {day.moment:19} {day.zone:13} {counts} in {done.seconds:.0f} s: {verdict}"
    return f"{told}\n{done.tail}" if done.tail else told


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(report(sys.argv[1:]))
