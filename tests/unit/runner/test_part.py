"""Groups of commands: each counts as a test, or says itself how many it ran."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.runner.groups import Group
from tests.runner.part import Runner
from tests.runner.process import Children
from tests.runner.store import State, kept


@pytest.mark.parametrize(
    ("codes", "counts", "state"),
    [
        (["1", "2"], (2, 0, 0), State.PASSED),
        (["1", "raise SystemExit(2)"], (1, 1, 0), State.FAILED),
        (["print('calendar: 7 passed, 0 failed, 2 skipped')"], (7, 0, 2), State.PASSED),
        (["print('calendar: 0 passed, 0 failed, 5 skipped')"], (0, 0, 5), State.SKIPPED),
        (["print('5 passed, 2 failed, 0 skipped'); raise SystemExit(1)"], (5, 2, 0), State.FAILED),
        (["print('5 passed, 0 failed, 0 skipped'); raise SystemExit(1)"], (5, 1, 0), State.FAILED),
    ],
)
def test_commands_are_counted(tmp_path: Path, codes: list[str], counts: tuple[int, int, int], state: State) -> None:
    group = Group("some", commands=tuple(("python", "-c", code) for code in codes))
    ran = Runner(tmp_path, Children(), time.monotonic() + 600).run(group)
    assert (ran.passed, ran.failed, ran.skipped) == counts
    result = kept(ran, "2027-03-15T10:00:00Z", "")
    assert result.state is state
    assert bool(result.complaints) is (state is not State.PASSED)


def test_a_command_at_its_deadline_has_failed(tmp_path: Path) -> None:
    group = Group("some", commands=(("python", "-c", "import time; time.sleep(3600)"),))
    children = Children()
    with children.ended():
        ran = Runner(tmp_path, children, time.monotonic()).run(group)
    assert ran.failed == 1
    assert "at its deadline" in ran.complaints()[0]
