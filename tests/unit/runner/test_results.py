"""What pytest reports becomes one outcome a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.results import Event, Outcome, fold, read, split_id, sums


@pytest.mark.parametrize(
    ("nodeid", "test", "stack"),
    [
        ("a/b.py::test_x@servers", "a/b.py::test_x", "servers"),
        ("a/b.py::test_x[zh 中文]@servers", "a/b.py::test_x[zh 中文]", "servers"),
        ("a/b.py::test_x[ana@example.org]", "a/b.py::test_x[ana@example.org]", ""),
        ("a/b.py::test_x[ana@example.org]@servers", "a/b.py::test_x[ana@example.org]", "servers"),
        ("a/b.py::test_x", "a/b.py::test_x", ""),
        ("a@b/c.py::test_x", "a@b/c.py::test_x", ""),
    ],
)
def test_the_group_of_a_stack_is_no_part_of_the_id(nodeid: str, test: str, stack: str) -> None:
    assert split_id(nodeid) == (test, stack)


def event(outcome: str, phase: str = "", message: str = "", test: str = "t") -> Event:
    return Event(id=test, outcome=Outcome(outcome), phase=phase, message=message, seconds=1.0)


@pytest.mark.parametrize(
    ("events", "outcome", "message"),
    [
        ([event("running")], "running", ""),
        ([event("running"), event("passed", "setup"), event("passed", "call")], "running", ""),
        ([event("passed", "setup"), event("passed", "call"), event("passed", "teardown")], "passed", ""),
        ([event("failed", "setup", "no stack"), event("passed", "teardown")], "failed", "no stack"),
        ([event("failed", "call", "1 != 2"), event("failed", "teardown", "b")], "failed", "1 != 2"),
        ([event("passed", "setup"), event("passed", "call"), event("failed", "teardown", "leak")], "failed", "leak"),
        ([event("skipped", "setup", "no tool"), event("passed", "teardown")], "skipped", "no tool"),
        ([event("running"), event("failed", "???", "worker 'gw0' crashed")], "failed", "worker 'gw0' crashed"),
    ],
)  # fmt: skip
def test_one_bad_phase_is_a_failure_and_passed_is_what_has_ended(
    events: list[Event], outcome: str, message: str
) -> None:
    [test] = fold(events).tests.values()
    assert (test.outcome, test.message) == (outcome, message)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "results"
    assert read(path).tests == {}
    lines = [event("running").model_dump_json(), event("running", test="u").model_dump_json()]
    path.write_text("\n".join(lines)[:-5])
    assert list(read(path).tests) == ["t"]


def test_the_last_sum_that_a_program_prints_is_its_own() -> None:
    text = "day 1: 5 passed, 0 failed, 1 skipped\ncalendar: 12 passed, 1 failed, 3 skipped; not passed: day 2\n"
    assert sums(text) == {Outcome.PASSED: 12, Outcome.FAILED: 1, Outcome.SKIPPED: 3}
    assert not sums("All checks passed!")
