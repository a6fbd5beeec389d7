"""Results as a run would have left them."""

from __future__ import annotations

from pathlib import Path

from tests.runner.groups import Group
from tests.runner.part import Ran
from tests.runner.results import Outcome, Result, Results


def results(**outcomes: str) -> Results:
    """`name=outcome` or `name="failed: message"`; the id is `tests/f.py::test_name`, its stack `servers`."""
    tests = {}
    for name, entry in outcomes.items():
        outcome, _, message = entry.partition(": ")
        tests[ident(name)] = Result(ident(name), "servers", Outcome(outcome), 1.0, message)
    return Results(tests)


def ident(name: str) -> str:
    return f"tests/f.py::test_{name}"


def ran(name: str, found: Results, fault: str = "") -> Ran:
    return Ran(Group(name), found, 10.0, Path("log"), fault)
