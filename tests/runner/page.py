"""The table of `make verify`: on the screen, and in docs/verification.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from tests.runner.process import ROOT
from tests.runner.store import Kept, State
from tests.runner.tree import Tree

PAGE = ROOT / "docs" / "verification.md"
_HEADS = ("group", "tests", "seconds", "result")


def rows(results: Sequence[Kept]) -> list[tuple[str, ...]]:
    """Cells of the table, heads first, the sum last."""
    body = [(r.group, str(r.tests), f"{r.seconds:.0f}", r.result()) for r in results]
    total = ("all", str(sum(r.tests for r in results)), f"{sum(r.seconds for r in results):.0f}", state(results))
    return [_HEADS, *body, total]


def state(results: Sequence[Kept]) -> str:
    """Of all groups together."""
    if all(r.good for r in results):
        return "passed"
    if any(r.state is State.FAILED for r in results):
        return "failed"
    return "not complete"


def table(results: Sequence[Kept]) -> list[str]:
    """For the screen."""
    cells = rows(results)
    widths = [max(len(row[n]) for row in cells) for n in range(len(_HEADS))]
    return [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in cells]


def page(results: Sequence[Kept], tree: Tree, machine: str) -> str:
    """The whole of docs/verification.md."""
    head, *body = rows(results)
    times = [r.when for r in results if r.when]
    when = f"{min(times)} to {max(times)}" if times else "never"
    lines = [
        "# Verification",
        "",
        "What `make verify` found: every test there is, in groups, strict about warnings and without a second try. "
        "`make verification-page` writes this page.",
        "",
        f"- State: **{state(results)}**",
        f"- Ended: {when} (UTC)",
        f"- Tree: `{tree.id or 'not in git'}` (all files but this page and CHANGELOG.md), "
        f"commit `{tree.commit[:12]}`{', with changes that are not committed' if tree.dirty else ''}",
        f"- Machine: {machine}",
        "",
        f"| {' | '.join(head)} |",
        "|---|---:|---:|---|",
        *(f"| {' | '.join(row)} |" for row in body),
        "",
        "Two groups run side by side: the sum of seconds is longer than the run.",
    ]
    return "\n".join(lines) + "\n"


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def write(results: Sequence[Kept], tree: Tree, path: Path = PAGE) -> None:
    path.write_text(page(results, tree, machine()), encoding="utf-8")
