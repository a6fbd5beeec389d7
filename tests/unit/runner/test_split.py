"""No test is lost between `make test` and `make verify`."""

from __future__ import annotations

import pytest

from tests.runner.breaks import BREAKS, Break
from tests.runner.process import ROOT
from tests.runner.split import all_tests, check_number, homeless, too_few
from tests.runner.the_gate import NoPlaceError, broken

SMOKE = (ROOT / "tests" / "smoke.txt").read_text(encoding="utf-8").splitlines()


def test_each_test_has_one_group_and_there_are_not_fewer(pytestconfig: pytest.Config) -> None:
    tests = all_tests(pytestconfig)
    assert len({test.id for test in tests}) == len(tests)
    assert homeless(tests) == []
    assert check_number(len(tests)) == ""
    names = {test.id for test in tests}
    for entry in [e for e in SMOKE if e.startswith("tests/")]:
        assert any(n == entry or n.startswith((f"{entry}::", f"{entry}[")) for n in names), f"smoke.txt: no {entry}"


WORD = "tests removed: the module went"


@pytest.mark.parametrize(
    ("now", "file", "before", "since", "of_change", "expected"),
    [
        (100, 100, 100, "", "", ""),
        (98, 100, 100, "", "", ""),
        (97, 100, 100, "", "", "97 tests are collected"),
        (97, 100, 100, f"gate: drop\n\n{WORD}", "", ""),
        (97, 100, 100, "tests removed:", "", "97 tests are collected"),
        (90, 90, 100, "", "tests: write the number", "went from 100 to 90"),
        (90, 90, 100, "", WORD, ""),
        (300, 100, 100, "", "", ""),
    ],
)
def test_fewer_tests_need_a_word(now: int, file: int, before: int, since: str, of_change: str, expected: str) -> None:
    found = too_few(now, file, before, since, of_change)
    assert (expected in found) if expected else not found


@pytest.mark.parametrize("change", BREAKS, ids=lambda b: b.name)
def test_a_break_has_its_line_and_its_tests_are_smoke_tests(change: Break) -> None:
    text = (ROOT / change.file).read_text(encoding="utf-8")
    assert broken(text, change) != text
    for test in change.tests:
        assert test in SMOKE or test.partition("::")[0] in SMOKE, f"{test} is no smoke test"


def test_a_break_without_its_line_is_refused() -> None:
    with pytest.raises(NoPlaceError, match="0 times"):
        broken("nothing of it", BREAKS[0])


def test_there_are_fifteen_breaks_and_more() -> None:
    assert len({b.name for b in BREAKS}) == len(BREAKS) >= 15
