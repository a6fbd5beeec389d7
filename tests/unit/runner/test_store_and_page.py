"""What is kept of a group, and the table."""

from __future__ import annotations

from pathlib import Path

from tests.runner.groups import BY_NAME, Group
from tests.runner.page import page, state, table
from tests.runner.store import Kept, State, Store, kept
from tests.runner.tree import Tree
from tests.unit.runner.support import ident, ran, results

WHEN = "2027-03-15T10:00:00Z"


def test_results_of_one_tree_are_gathered(tmp_path: Path) -> None:
    good = kept(ran("up", results(a="passed", b="skipped: no tool")), WHEN, "c0ffee")
    Store("tree-1", tmp_path).write(good)
    assert Store("tree-1", tmp_path).read(BY_NAME["up"]) == good
    assert Store("tree-1", tmp_path).read(BY_NAME["crash"]).state is State.NOT_RUN
    assert Store("tree-2", tmp_path).read(BY_NAME["up"]).state is State.NOT_RUN


def test_a_group_passes_when_something_passed_and_nothing_failed() -> None:
    assert kept(ran("up", results(a="passed", b="skipped: no tool")), WHEN, "").good
    failed = kept(ran("up", results(a="passed", b="failed: x")), WHEN, "")
    assert (failed.good, failed.result(), failed.complaints) == (False, "1 failed", (f"{ident('b')}: x",))
    ended = kept(ran("up", results(a="passed", b="running"), "it was ended after 9 s"), WHEN, "")
    assert ended.complaints == (f"{ident('b')}: it still ran", "up: it was ended after 9 s")
    skipped = kept(ran("crash", results(a="skipped: no data")), WHEN, "")
    assert (skipped.good, skipped.complaints) == (False, ("crash: all its tests were skipped: no data",))
    assert kept(ran("quarantine", results(a="failed: x")), WHEN, "").good


def test_the_table_and_its_page() -> None:
    found = [
        kept(ran("unit", results(a="passed", b="passed")), WHEN, ""),
        kept(ran("up", results(a="passed", b="failed: x")), WHEN, ""),
    ]
    assert table(found) == [
        "group  tests  seconds  result",
        "unit       2       10  passed",
        "up         2       10  1 failed",
        "all        4       20  failed",
    ]
    text = page(found, Tree("abc", "0123456789abcdef"), "2 cores")
    assert "- State: **failed**" in text
    assert "| up | 2 | 10 | 1 failed |" in text
    assert "commit `0123456789ab`" in text


def test_a_group_that_was_not_run_leaves_it_open() -> None:
    good = kept(ran("unit", results(a="passed")), WHEN, "")
    assert state([good, Kept(group="calendar", state=State.ABSENT)]) == "passed"
    assert state([good, Kept(group="up", state=State.NOT_RUN)]) == "not complete"


def test_a_group_says_what_it_runs() -> None:
    for group in BY_NAME.values():
        assert bool(group.paths) != bool(group.commands), group.name
    assert isinstance(BY_NAME["lint"], Group)
