"""No running test has a deadline of its own: what waits does so by tests/patience.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
WAITS = {
    "flush", "result", "join", "init_transactions", "commit_transaction", "abort_transaction", "timeout", "wait_for",
}  # fmt: skip
"""Methods that take seconds: of producers, futures, threads, asyncio, and pytest's marker."""


def deadlines(source: str) -> Iterator[int]:
    """Lines where a number, instead of the patience, says how long is waited."""
    for node in ast.walk(ast.parse(source)):
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if method in WAITS and isinstance(node, ast.Call) and any(map(_is_number, node.args)):
            yield node.lineno
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_number(node.right):
            called = node.left.func if isinstance(node.left, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr == "monotonic":
                yield node.lineno


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def test_no_running_test_has_a_deadline_of_its_own() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for folder in ("integration", "crash")
        for path in sorted((TESTS / folder).rglob("*.py"))
        for line in deadlines(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_deadline_is_found() -> None:
    for line in (
        "producer.flush(30)", "thread.join(60)", "future.result(400)", "asyncio.timeout(30)",
        "pytest.mark.timeout(500)", "end = time.monotonic() + 60",
    ):  # fmt: skip
        assert list(deadlines(line)) == [1], line
    for line in ("', '.join(names)", "producer.flush(PATIENCE)", "time.monotonic() - began", "future.result()"):
        assert list(deadlines(line)) == [], line
