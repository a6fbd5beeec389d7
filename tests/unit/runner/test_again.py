"""What is tried once more, and what that shows."""

from __future__ import annotations

from tests.runner.again import Attempt, Twice, attempts, compare, messages
from tests.runner.results import Outcome, Result, Results
from tests.unit.runner.support import ident, results


def test_errors_that_differ_in_numbers_alone_are_one() -> None:
    result = results(
        a="failed: port 20011 refused", b="failed: port 29999 refused", c="failed: /tmp/memstream-test-ab12 is away",
        d="failed: /tmp/memstream-test-zz is away", e="failed: 1 != 2 at 0x7f00", f="failed: 3 != 4 at 0xabc",
    )  # fmt: skip
    assert len(messages(result.of(Outcome.FAILED))) == 3


def test_tests_of_one_stack_are_tried_in_one_process() -> None:
    tests = [
        Result("f.py::a", "servers", Outcome.FAILED), Result("f.py::b", "servers", Outcome.PASSED),
        Result("g.py::c", "scenarios", Outcome.FAILED), Result("h.py::d", "servers", Outcome.FAILED),
    ]  # fmt: skip
    first = Results({test.id: test for test in tests})
    assert attempts(first) == [Attempt("servers", ("f.py::a", "h.py::d")), Attempt("scenarios", ("g.py::c",))]


def test_only_what_passes_the_second_time_is_unstable() -> None:
    first = results(a="failed: x", b="failed: y", c="failed: z", d="failed: v", e="passed")
    second = results(a="passed", b="failed: again", c="skipped: no tool", e="passed")
    assert compare(first, second) == [
        Twice(ident("a"), "x"),
        Twice(ident("b"), "y", "again"),
        Twice(ident("c"), "z", "no tool"),
        Twice(ident("d"), "v", "it was not run again"),
    ]
