"""docs/requirements.md and docs/state-bounds.md name tests that exist."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
WANTED = {
    f"{letter}{n}"
    for letter, most in {"K": 6, "A": 9, "B": 9, "C": 11, "D": 17, "E": 8, "N": 8}.items()
    for n in range(1, most + 1)
}


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


def test_bounds_name_tests_that_exist() -> None:
    there = {p.name for p in (ROOT / "tests").rglob("test_*.py")}
    page = (ROOT / "docs" / "state-bounds.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\btest_\w+\.py", page))
    assert len(named) >= 8
    assert named <= there
