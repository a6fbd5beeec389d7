"""The unit tests on other days: `python -m tests.calendar_days`, or some of the days by name. In 400 days all tests,
while it is noted which of them depend on the day (tests/clock_reads.py); on the days on which calendars break things
those that do. Where nothing was noted, because the first day was left out or ended early, whole files run that can come
to a clock by what they import (tests/clocks.py): more than needed. Debian's `faketime` moves the clock; without it
nothing runs, and the skip is said.

Prints a line a day and a summary; the exit status is 1 when a test fails or a day takes longer than its deadline.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.clocks import ROOT, on_calendar
from tests.examples import GATE, PROFILE
from tests.runner.part import PLUGIN
from tests.runner.process import Children, Ended
from tests.runner.results import Outcome, Results, read

WHOLE_SECONDS, DAY_SECONDS = 3_600.0, 1_800.0
"""Until a day is ended: for all tests, for those that can come to a clock. About six times what they take in calm."""
SAME_ON_ANY_DAY = {
    "tests.unit.checks.test_checks": "what is wrong with settings and servers",
    "tests.unit.cli.test_named_instance": "which address a command asks",
    "tests.unit.gate.test_places": "ids by the characters that were read",
    "tests.unit.gate.test_rejections": "what is barred by its words and place",
    "tests.unit.query.test_answers": "which fields an answer has",
    "tests.unit.query.test_bad_input": "what is refused before anything is read",
    "tests.unit.query.test_api_access": "who comes in",
    "tests.unit.query.test_foreign_pages": "which pages may ask",
    "tests.unit.query.test_fresh_header": "which header an answer has",
    "tests.unit.query.test_fuzz": "any answer but an error",
    "tests.unit.query.test_walk": "cursors, under a clock of their own",
    "tests.unit.runner.test_gate": "what is tried again",
    "tests.unit.runner.test_plugin": "what becomes of tests",
    "tests.unit.runner.test_split": "how many tests there are",
    "tests.unit.schemas.test_export": "which schemas are published",
    "tests.unit.stack.test_supervisor": "children that end, under the monotonic clock",
    "tests.unit.streams.test_faults": "crashes at every point of every step",
    "tests.unit.streams.test_hanging_processes": "records that hang, under the monotonic clock",
    "tests.unit.test_clock_reads": "which tests depend on the day",
    "tests.unit.test_imports": "which packages a process imports",
    "tests.unit.topology.test_batches": "how records are batched; test_batches_days is about days",
    "tests.unit.waits.test_patience": "how long something is waited for",
}
"""Module -> what it is about. They can come to a clock, through programs that they start or the query service, and cost
half of a day; in 400 days they run with all others."""
NOTING = ("-p", "tests.clock_reads")
"""Tests that depend on the day are noted, and chosen again by what was noted."""
WAITS = ROOT / "tests" / "faketime" / "cnd_timedwait.c"
"""Mends what libfaketime leaves out, without which librdkafka waits for ever."""
_WORDS = (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED)
_LAST_LINES = 20
_MOST_READERS = 10
DATED = "dated.json"
"""File of the tests that depend on the day."""


@dataclass(frozen=True, slots=True)
class Day:
    """`moment`: as `faketime` reads it, in `zone`, the machine's time zone for the tests. The clock goes on from there:
    a minute before midnight has the day change while tests run, some of them before it and some behind. `whole`: all
    tests."""

    name: str
    moment: str
    zone: str = "UTC"
    whole: bool = False

    @property
    def seconds(self) -> float:
        return WHOLE_SECONDS if self.whole else DAY_SECONDS


DAYS = (
    Day("in-400-days", "+400 days", whole=True),
    Day("month-end", "2026-11-30 16:00:00"),
    Day("leap-day", "2028-02-29 12:00:00"),
    Day("new-year", "2026-12-31 23:59:00"),
    Day("summer-time", "2027-03-28 01:59:00", "Europe/Berlin"),
)


@dataclass(frozen=True, slots=True)
class DayResult:
    """What became of a day. `log`: the last lines that pytest printed."""

    ended: Ended
    results: Results
    log: Sequence[str] = ()
    dated: Mapping[str, str] = field(default_factory=dict)
    """Tests that depend on the day -> through what, where it was noted."""

    @property
    def passed(self) -> bool:
        """A day on which nothing ran has shown nothing."""
        return self.ended.code == 0 and not self.ended.late and self.results.count(Outcome.PASSED) > 0

    def complaints(self) -> list[str]:
        """What failed and what still ran, a line each; else how pytest ended."""
        if self.passed:
            return []
        lines = [f"FAILED {t.id}: {t.message}" for t in self.results.of(Outcome.FAILED)]
        if self.ended.late:
            running = ", ".join(t.id for t in self.results.of(Outcome.RUNNING)) or "nothing"
            lines.append(f"not done after {self.ended.seconds:.0f} seconds; {running} still ran")
        return lines or list(self.log)


def files() -> list[str]:
    """Test files that can come to a clock, but those that are the same on any day."""
    return sorted(f"{name.replace('.', '/')}.py" for name in on_calendar() - SAME_ON_ANY_DAY.keys())


def chosen(dated: Mapping[str, str]) -> dict[str, str]:
    """Those of them that run on days that are not whole."""
    same = tuple(f"{name.replace('.', '/')}.py::" for name in SAME_ON_ANY_DAY)
    return {test: why for test, why in dated.items() if not test.startswith(same)}


def command(day: Day, faketime: str, folder: Path, dated: Mapping[str, str]) -> list[str]:
    """`folder`: for what the tests write, `results.jsonl` and DATED. `dated`: tests that depend on the day."""
    wanted = chosen(dated)
    paths, choice = files(), list[str]()
    if day.whole:
        paths, choice = ["tests/unit"], ["--clock-reads", str(folder / DATED)]
    elif wanted:
        (folder / DATED).write_text(json.dumps(wanted), encoding="utf-8")
        paths, choice = sorted({test.partition("::")[0] for test in wanted}), ["--tests-of", str(folder / DATED)]
    tests = [sys.executable, "-m", "pytest", *paths, "-n", "auto", "--color=no"]
    kept = ["-p", "no:cacheprovider", "--basetemp", str(folder / "tests"), "--results", str(folder / "results.jsonl")]
    return [faketime, day.moment, *tests, *PLUGIN, *NOTING, *choice, *kept]


def environment(day: Day, folder: Path, waits: Path) -> dict[str, str]:
    """Deadlines and timeouts count by the monotonic clock, which stays as it is; tests/faketime mends its sleep, the
    library `waits` what librdkafka waits for. Files keep their true times, and pytest removes folders that look older
    than three days: these tests have a place of their own. Properties are tried with few examples: more of them are for
    today."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "tests" / "faketime"), os.environ.get("PYTHONPATH")]))
    return {
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": paths, "TZ": day.zone, PROFILE: GATE,
        "PYTEST_DEBUG_TEMPROOT": str(folder), "LD_PRELOAD": str(waits),
    }  # fmt: skip


def compiled_waits(compiler: str, folder: Path) -> Path:
    """The library, in `folder`, which all users may enter then: some tests start programs as nobody. Raises
    CalledProcessError where the compiler refuses; it prints why."""
    folder.chmod(0o755)
    library = folder / "cnd_timedwait.so"
    options = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(library)]
    subprocess.run([compiler, *options, str(WAITS)], check=True, timeout=60)
    return library


def run(day: Day, faketime: str, waits: Path, children: Children, dated: Mapping[str, str]) -> DayResult:
    with tempfile.TemporaryDirectory(prefix="memstream-day-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        log, until = folder / "log", time.monotonic() + day.seconds
        ended = children.run(command(day, faketime, folder, dated), log, until, environment(day, folder, waits))
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        noted = folder / DATED
        found = json.loads(noted.read_text(encoding="utf-8")) if noted.exists() else {}
        return DayResult(ended, read(folder / "results.jsonl"), lines[-_LAST_LINES:], found)


def report(names: Sequence[str]) -> int:
    """Runs these days, all where none is named. Returns the exit status."""
    if unknown := sorted(set(names) - {d.name for d in DAYS}):
        raise SystemExit(f"no such day: {', '.join(unknown)}; there are {', '.join(d.name for d in DAYS)}")
    days = [d for d in DAYS if not names or d.name in names]
    faketime, compiler = shutil.which("faketime"), shutil.which("cc")
    if faketime is None or compiler is None:
        _say("SKIPPED calendar: it needs faketime and a C compiler (Debian: apt-get install faketime gcc libc6-dev)")
        _say(f"calendar: 0 passed, 0 failed, {len(days)} skipped")
        return 0
    total: Counter[Outcome] = Counter()
    broken: list[str] = []
    children = Children()
    with tempfile.TemporaryDirectory(prefix="memstream-days-") as folder, children.ended():
        waits, dated = compiled_waits(compiler, Path(folder)), dict[str, str]()
        for day in days:
            result = run(day, faketime, waits, children, dated)
            if day.whole:
                dated = dict(result.dated)
                _say(f"{len(chosen(dated))} tests depend on the day: {readers(dated)}")
            total.update({outcome: result.results.count(outcome) for outcome in _WORDS})
            broken += [] if result.passed else [day.name]
            _say(line(day, result))
    counts = ", ".join(f"{total[outcome]} {outcome}" for outcome in _WORDS)
    _say(f"calendar: {counts}{'; not passed: ' + ', '.join(broken) if broken else ''}")
    return 1 if broken else 0


def readers(dated: Mapping[str, str]) -> str:
    """Through what most of them depend on it."""
    return ", ".join(f"{n} by {reader}" for reader, n in Counter(chosen(dated).values()).most_common(_MOST_READERS))


def line(day: Day, result: DayResult) -> str:
    counts = ", ".join(f"{n} {outcome}" for outcome in _WORDS if (n := result.results.count(outcome))) or "nothing ran"
    verdict = "passed" if result.passed else f"FAILED (status {result.ended.code})"
    first = f"{day.name:12} {day.moment:19} {day.zone:13} {counts} in {result.ended.seconds:.0f} s: {verdict}"
    return "\n".join([first, *result.complaints()])


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(report(sys.argv[1:]))
