"""The last lines of `make test`."""

from __future__ import annotations

from tests.runner.again import Twice
from tests.runner.verdict import verdict
from tests.unit.runner.support import ident, ran, results


def test_sums_go_over_all_parts() -> None:
    parts = [ran("unit", results(a="passed", b="skipped: no tool")), ran("smoke", results(c="passed", d="passed"))]
    found = verdict(parts, [], [], [])
    assert found.lines() == ["3 passed, 0 failed, 1 skipped"]
    assert found.good


def test_nothing_tested_is_not_good() -> None:
    assert not verdict([ran("unit", results(a="skipped: no tool"))], [], [], []).good


def test_unstable_comes_first_and_then_what_failed() -> None:
    smoke = ran("smoke", results(a="failed: x", b="failed: y", c="passed"))
    unit = ran("unit", results(u="failed: z"))
    tried = [Twice(ident("a"), "x"), Twice(ident("b"), "y", "again")]
    found = verdict([unit, smoke], tried, [], [])
    assert found.lines() == [
        f"UNSTABLE: {ident('a')} (failed, then passed alone): x",
        f"FAILED: {ident('u')}: z",
        f"FAILED: {ident('b')} (twice): y; then: again",
        "2 passed, 2 failed, 0 skipped",
    ]
    assert not found.good


def test_two_unstable_pass_and_three_do_not() -> None:
    smoke = ran("smoke", results(a="failed: x", b="failed: y", c="passed"))
    tried = [Twice(ident("a"), "x"), Twice(ident("b"), "y")]
    assert verdict([smoke], tried, [], []).lines()[-1] == "3 passed, 0 failed, 0 skipped"
    found = verdict([smoke], tried, ["the servers' stack started at its second try"], [])
    assert found.lines()[2:] == [
        "UNSTABLE: the servers' stack started at its second try",
        "FAILED: 3 unstable, 2 may be",
        "3 passed, 1 failed, 0 skipped",
    ]
    assert not found.good


def test_unstable_twice_in_ten_runs_fails() -> None:
    smoke = ran("smoke", results(a="failed: x", c="passed"))
    found = verdict([smoke], [Twice(ident("a"), "x")], [], {ident("a")})
    assert found.lines()[1:] == [
        f"FAILED: {ident('a')}: unstable in two of the last 10 runs",
        "2 passed, 1 failed, 0 skipped",
    ]


def test_what_still_ran_and_a_run_that_was_ended_are_failures() -> None:
    smoke = ran("smoke", results(a="passed", b="running"), "it was ended after 2400 s")
    found = verdict([smoke], [], [], [])
    assert found.lines() == [
        f"FAILED: {ident('b')}: it still ran",
        "FAILED: smoke: it was ended after 2400 s",
        "1 passed, 2 failed, 0 skipped",
    ]


def test_a_refused_second_try_leaves_what_failed_failed() -> None:
    found = verdict([ran("smoke", results(a="failed: x", b="passed"))], [], [], [], "none, since 6 different errors")
    assert found.lines() == [
        f"FAILED: {ident('a')}: x",
        "FAILED: second try: none, since 6 different errors",
        "1 passed, 2 failed, 0 skipped",
    ]
