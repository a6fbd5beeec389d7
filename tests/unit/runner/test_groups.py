"""Where a test has its home."""

from __future__ import annotations

import pytest

from tests.runner.groups import GROUPS, Collected, homes


@pytest.mark.parametrize(
    ("test", "marks", "names"),
    [
        ("tests/unit/query/test_pure.py::test_x[a]", [], ["unit"]),
        ("tests/unit/query/test_pure.py::test_x", ["hypothesis"], ["hypothesis"]),
        ("tests/unit/query/test_pure.py::test_x", ["slow"], ["slow"]),
        ("tests/unit/query/test_pure.py::test_x", ["slow", "hypothesis"], ["hypothesis"]),
        ("tests/unit/ops/test_browser.py::test_x", ["slow"], ["browser"]),
        ("tests/integration/test_tenants.py::test_x", ["hypothesis", "integration"], ["tenants"]),
        ("tests/integration/scenarios/test_team.py::test_x", [], ["scenarios"]),
        ("tests/integration/scenarios/clients/test_shown.py::test_x", [], ["clients"]),
        ("tests/integration/test_new.py::test_x", [], []),
        ("tests/integration/test_stack_two.py::test_x", [], []),
    ],
)
def test_the_group_that_names_a_test_most_precisely_has_it(test: str, marks: list[str], names: list[str]) -> None:
    assert homes(Collected(id=test, marks=marks)) == names


def test_names_of_groups_are_distinct() -> None:
    assert len({group.name for group in GROUPS}) == len(GROUPS)
