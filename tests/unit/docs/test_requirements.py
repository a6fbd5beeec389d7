"""docs/requirements.md and docs/state-bounds.md name tests that exist."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
WANTED = {
    *(f"A{n}" for n in range(1, 8)), "B5", "B6", *(f"C{n}" for n in range(1, 7)), "C8", "C11",
    *(f"D{n}" for n in range(6, 10)), *(f"E{n}" for n in range(1, 9)), "N8",
}  # fmt: skip


@lru_cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / "integration" / file).read_text(encoding="utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def rows() -> dict[str, str]:
    found = re.findall(r"^\| ([A-Z]\d+) \|(.*)\|$", PAGE, re.M)
    return dict(found)


def test_every_id_of_the_memories_has_a_test_through_the_running_system() -> None:
    assert rows().keys() >= WANTED
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
