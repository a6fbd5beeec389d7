"""One group, run: pytest with the tests of the group, or its commands, and what came of it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.runner.groups import Group
from tests.runner.process import Children, Ended
from tests.runner.results import Outcome, Result, Results, read, sums

PLUGIN = ("-p", "tests.runner.plugin")
_NO_FAULT_OF_TESTS = (0, 1)
"""How pytest ends when all that was to run has run; 2 is an interruption, 3 an error of its own, 4 of its use, 5 means
that there were no tests."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A group that was run."""

    group: Group
    results: Results
    seconds: float
    log: Path
    fault: str = ""
    """Why the run itself counts as failed, whatever its tests did: one line."""

    @property
    def passed(self) -> int:
        return self.results.count(Outcome.PASSED)

    @property
    def failed(self) -> int:
        return self.results.count(Outcome.FAILED) + self.results.count(Outcome.RUNNING) + bool(self.fault)

    @property
    def skipped(self) -> int:
        return self.results.count(Outcome.SKIPPED)

    def complaints(self) -> list[str]:
        """What failed, a line each."""
        tests = [f"{t.id}: {t.message or 'failed'}" for t in self.results.of(Outcome.FAILED)]
        running = [f"{t.id}: it still ran" for t in self.results.of(Outcome.RUNNING)]
        counted = self.results.sums[Outcome.FAILED]
        tests += [f"{self.group.name}: {counted} of its tests, see its log"] if counted else []
        return [*tests, *running, *([f"{self.group.name}: {self.fault}"] if self.fault else [])]


@dataclass(slots=True)
class Runner:
    """Runs groups, each with a log and a file of results in a folder."""

    folder: Path
    children: Children
    deadline: float
    """Of everything, on the clock of time.monotonic."""
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, group: Group, tests: Sequence[str] = (), options: Sequence[str] = (), name: str = "") -> Ran:
        """Run a group. `tests`: these instead of its own; `name`: of its log, where it is not the group's."""
        name = name or group.name
        log, path = self.folder / f"{name}.log", self.folder / f"{name}.jsonl"
        for old in (log, path):
            old.unlink(missing_ok=True)
        environment = {**self.environment, **group.environment}
        if group.commands:
            return self._commands(group, log, environment)
        choice = () if group.again or tests else ("--group", group.name)
        words = ("python", "-m", "pytest", *(tests or group.paths), *PLUGIN, *choice, "--results", str(path))
        ended = self.children.run((*words, *group.options, *options), log, self._until(group), environment)
        results = read(path)
        return Ran(group, results, ended.seconds, log, _fault(ended, results, log))

    def results(self, group: Group) -> Results:
        """What is known while it runs."""
        return read(self.folder / f"{group.name}.jsonl")

    def _until(self, group: Group) -> float:
        return min(self.deadline, time.monotonic() + group.limit)

    def _commands(self, group: Group, log: Path, environment: dict[str, str]) -> Ran:
        """Each command counts as a test, but one that says how many tests it ran."""
        results, began = Results(), time.monotonic()
        until = self._until(group)
        for command in group.commands:
            shown = shlex.join(command)
            with log.open("a", encoding="utf-8") as file:
                file.write(f"$ {shown}\n")
                start = file.tell()
            ended = self.children.run(command, log, until, environment)
            result = sums(log.read_bytes()[start:].decode("utf-8", "replace"))
            results.sums += result
            passed = ended.code == 0 and not ended.late
            if passed and not result:
                results.tests[shown] = Result(shown, "", Outcome.PASSED, ended.seconds)
            elif not passed and not result[Outcome.FAILED]:
                message = f"ended with {ended.code}{', at its deadline' if ended.late else ''}"
                results.tests[shown] = Result(shown, "", Outcome.FAILED, ended.seconds, message)
        return Ran(group, results, time.monotonic() - began, log)


def _fault(ended: Ended, results: Results, log: Path) -> str:
    """What is wrong with a run of pytest beside its tests."""
    if ended.late:
        return f"it was ended after {ended.seconds:.0f} s"
    if ended.code not in _NO_FAULT_OF_TESTS:
        return f"pytest ended with {ended.code}: {_last_line(log)}"
    if ended.code == 1 and not results.of(Outcome.FAILED):
        return f"pytest ended with 1, and no test has failed: {_last_line(log)}"
    if not results.tests:
        return "no test was run"
    return ""


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "it printed nothing"
