"""Who may be in quarantine, and for how long."""

from __future__ import annotations

from datetime import date

import pytest

from tests.runner.quarantine import FILE, MOST, Quarantined, entries, faults

TODAY = date(2027, 3, 15)


def entry(
    test: str = "tests/integration/test_up.py::test_x", since: date = date(2027, 3, 1), cause: str = "a cause"
) -> Quarantined:  # fmt: skip
    return Quarantined(id=test, since=since, cause=cause, log="the log")


def test_fourteen_days_and_five_tests_are_allowed() -> None:
    tests = [entry(f"tests/integration/test_up.py::test_{n}") for n in range(MOST)]
    assert faults(tests, TODAY) == []
    assert "6 tests are in quarantine, 5 may be" in faults([*tests, entry()], TODAY)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (entry(since=date(2027, 2, 28)), "since 2027-02-28"),
        (entry(cause=" "), "no cause"),
        (entry("tests/crash/test_crash.py::test_n2_nothing_is_lost_or_doubled"), "loss"),
        (entry("tests/integration/test_tenants_agents.py::test_x"), "tenants' walls"),
        (entry("tests/integration/sealed/test_pages.py::test_x"), "erasure"),
    ],
)
def test_others_are_refused(one: Quarantined, expected: str) -> None:
    [found] = faults([one], TODAY)
    assert expected in found


def test_the_file_is_read() -> None:
    text = '[[test]]\nid = "a"\nsince = 2027-03-01\ncause = "c"\nlog = "l"\n'
    assert entries(text) == (Quarantined(id="a", since=date(2027, 3, 1), cause="c", log="l"),)
    listed = entries(FILE.read_text(encoding="utf-8"))
    assert faults(listed, min((test.since for test in listed), default=TODAY)) == []
