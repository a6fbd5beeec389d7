"""docs/requirements.md, with its faults that reviews found, and docs/state-bounds.md name tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
WANTED = {
    f"{letter}{n}"
    for letter, most in {"K": 6, "A": 9, "B": 9, "C": 11, "D": 17, "E": 8, "N": 8}.items()
    for n in range(1, most + 1)
}
FAULTS = {
    f"{letter}{n}" for letter, most in {"C": 2, "H": 12, "M": 11, "L": 11, "D": 12}.items() for n in range(1, most + 1)
}
STATES = {"closed", "part", "open", "design"}


@lru_cache
def functions(file: str) -> frozenset[str]:
    path = ROOT / file if file.startswith("tests/") else ROOT / "tests" / "integration" / file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def rows() -> dict[str, str]:
    """By id; a row may be of several."""
    found = re.findall(r"^\| ((?:[A-Z]\d+(?:, )?)+) \|(.*)\|$", PAGE, re.M)
    return {name: row for names, row in found for name in names.split(", ")}


def test_every_requirement_has_a_row_with_tests_that_exist() -> None:
    assert rows().keys() == WANTED
    for name, row in rows().items():
        named = re.findall(r"`((?:\w+/)*test_\w+\.py)::(test_\w+)`", row)
        assert named, name
        for file, function in named:
            assert function in functions(file), f"{name}: {file} has no {function}"


def faults() -> list[tuple[str, str, str]]:
    """(id, state, tests) of each row."""
    return re.findall(r"^\| `([A-Z]\d+)` \| [^|]+ \| (\w+) \| [^|]*\| ([^|]*)\|$", PAGE, re.M)


def test_every_fault_of_a_review_has_a_row_and_what_is_closed_has_tests_that_exist() -> None:
    found = faults()
    assert Counter(name for name, _, _ in found) == dict.fromkeys(FAULTS, 1)
    assert {state for _, state, _ in found} <= STATES
    for name, state, tests in found:
        named = re.findall(r"`(tests/(?:\w+/)*test_\w+\.py)::(test_\w+)`", tests)
        assert len(named) == tests.count("::"), name
        assert bool(named) is (state != "open"), name
        for file, function in named:
            assert function in functions(file), f"{name}: {file} has no {function}"


def test_the_figures_of_the_security_page_are_the_tables() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    n = Counter(state for _, state, _ in faults())
    assert f"Two reviews found {n.total()} faults. {n['closed']} are closed, {n['part']} in part, {n['open']}" in page


def test_bounds_name_tests_that_exist() -> None:
    there = {p.name for p in (ROOT / "tests").rglob("test_*.py")}
    page = (ROOT / "docs" / "state-bounds.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\btest_\w+\.py", page))
    assert len(named) >= 8
    assert named <= there
