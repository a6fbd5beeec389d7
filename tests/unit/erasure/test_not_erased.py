"""The signed report names all that docs/erasure.md says no erasure removes (N6)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memstream.erasure.exemptions import LEFT, not_erased
from tests.unit.erasure.register_contract import erasure, whole
from tests.unit.erasure.test_eraser import House

DOCS = Path(__file__).parents[3] / "docs" / "erasure.md"
NOT_LEFT = {"A tenant"}
"""What the page asks of who erases."""


def documented() -> set[str]:
    section = DOCS.read_text(encoding="utf-8").partition("\n## Not promised\n")[2].partition("\n## ")[0]
    return {name.rstrip(".") for name in re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)}


def test_n6_the_report_lists_what_the_page_lists() -> None:
    assert {left.name for left in LEFT} == documented() - NOT_LEFT


@pytest.mark.parametrize(("scope", "sealed", "without"), [
    ("user", True, {"Habits"}),
    ("user", False, {"Habits", "Wrapped keys in copies of Postgres", "Hashes of cited texts"}),
    ("session", True, {"Wrapped keys in copies of Postgres"}),
    ("tenant", True, {"Habits", "What others said of the user"}),
])  # fmt: skip
def test_n6_each_scope_is_told_what_is_left_of_it(scope: str, sealed: bool, without: set[str]) -> None:
    fields = {line.partition(": ")[0] for line in not_erased(scope, sealed=sealed)}
    assert fields == {left.name for left in LEFT} - without


def test_n6_the_list_is_in_the_report_that_is_signed() -> None:
    house = House()
    house.asked(erasure())
    house.eraser.look()
    assert house.report()["not_erased"] == not_erased("user", sealed=False)
    house.asked(whole("e2"))
    house.eraser.look()
    assert house.report("e2")["not_erased"] == not_erased("tenant", sealed=False)
