"""What pytest reports while it runs, a JSON line an event, and what became of each test."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    RUNNING = "running"
    """It was begun and has not ended."""


class Event(BaseModel):
    """One line: a test begins (`outcome` is running), or one of its phases (setup, call, teardown) has ended."""

    model_config = ConfigDict(frozen=True)

    id: str
    """As given on the command line: without the group that pytest-xdist appends."""
    stack: str = ""
    """Tests of one such group share a running stack; empty: the test's file has no other."""
    outcome: Outcome
    phase: str = ""
    seconds: float = 0.0
    message: str = ""
    """First line of the error, or the reason of a skip."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a test that was begun."""

    id: str
    stack: str
    outcome: Outcome
    seconds: float = 0.0
    message: str = ""


@dataclass(slots=True)
class Results:
    """What became of a run's tests, by id, in the order of their beginning."""

    tests: dict[str, Result] = field(default_factory=dict)
    sums: Counter[Outcome] = field(default_factory=Counter)
    """Of programs that count their own tests: those are known by their number alone."""

    def of(self, outcome: Outcome) -> list[Result]:
        return [t for t in self.tests.values() if t.outcome is outcome]

    def count(self, outcome: Outcome) -> int:
        return len(self.of(outcome)) + self.sums[outcome]


_SUM = re.compile(r"\b(\d+) passed, (\d+) failed, (\d+) skipped\b")


def sums(text: str) -> Counter[Outcome]:
    """What a program says last of its tests: `N passed, N failed, N skipped` in a line. Empty where it says nothing."""
    found = _SUM.findall(text)
    if not found:
        return Counter()
    passed, failed, skipped = map(int, found[-1])
    return Counter({Outcome.PASSED: passed, Outcome.FAILED: failed, Outcome.SKIPPED: skipped})


def split_id(nodeid: str) -> tuple[str, str]:
    """A test's id and its group: pytest-xdist's loadgroup appends `@group`, also behind parameters that hold an @."""
    at = nodeid.rfind("@")
    if at > nodeid.rfind("]") and "::" in nodeid[:at]:
        return nodeid[:at], nodeid[at + 1 :]
    return nodeid, ""


def fold(events: Iterable[Event]) -> Results:
    """A test has failed if one of its phases has, else is skipped if one is, and has passed when its teardown has."""
    tests: dict[str, Result] = {}
    for event in events:
        before = tests.get(event.id, Result(event.id, event.stack, Outcome.RUNNING))
        outcome, message = before.outcome, before.message
        if event.outcome in (Outcome.FAILED, Outcome.SKIPPED) and outcome is not Outcome.FAILED:
            outcome, message = event.outcome, event.message
        elif event.phase == "teardown" and outcome is Outcome.RUNNING:
            outcome = Outcome.PASSED
        stack, seconds = before.stack or event.stack, before.seconds + event.seconds
        tests[event.id] = Result(event.id, stack, outcome, seconds, message)
    return Results(tests)


def read(path: Path) -> Results:
    """What the plugin has written there so far; nothing where there is no file. A line that was being written when the
    process was killed is left out."""
    if not path.exists():
        return Results()
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return fold(Event.model_validate(json.loads(line)) for line in lines)
