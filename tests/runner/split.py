"""No test is lost: each has one home among the groups of `make verify`, and there are not fewer than there were."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.runner import plugin, tree
from tests.runner.groups import GROUPS, Collected, homes
from tests.runner.part import PLUGIN
from tests.runner.process import ROOT

COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""Of a session: what it has collected, before any is deselected (tests/unit/conftest.py)."""
FILE = ROOT / "tests" / "collected.toml"
MAY_BE_LOST = 0.02
"""Part of the tests that may go without a word."""
REMOVED = re.compile(r"^tests removed: \S", re.MULTILINE)
"""What a commit message says where more go."""
_HEAD = """\
# How many tests there are: `python -m tests.runner count` writes it. Where 2 in 100 fewer are collected than stand
# here, or than stood here before, a test fails, unless a commit message since says `tests removed: why`.
"""


def collect(root: Path = ROOT, *words: str) -> list[Collected]:
    """All tests, or those that some words (paths, options) say, as pytest collects them in a process of its own; raises
    RuntimeError with what it printed where it cannot."""
    with tempfile.TemporaryDirectory(prefix="memstream-collect-") as folder:
        found = Path(folder) / "tests"
        command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *PLUGIN]
        done = subprocess.run(
            [*command, "--collected", str(found), *(words or ("tests",))], cwd=root, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"pytest cannot collect: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return [Collected.model_validate_json(line) for line in found.read_text(encoding="utf-8").splitlines()]


def all_tests(config: pytest.Config) -> list[Collected]:
    """All tests. What the session of `config` has collected whole is not collected again: the unit tests in `make test`
    and `make verify`, from where this is asked."""
    narrowed = any(getattr(config.option, name, None) for name in ("ignore", "ignore_glob", "lf", "failedfirst"))
    places = [(config.invocation_params.dir / arg).resolve() for arg in config.args]
    given = {place.relative_to(ROOT).as_posix() for place in places if place.is_dir() and place.is_relative_to(ROOT)}
    whole = [] if narrowed else sorted(path for path in given if path.startswith("tests/"))
    within = tuple(f"{path}/" for path in whole)
    items = config.stash[COLLECTED]
    here = [test for test in map(plugin.collected, items) if test.id.startswith(within)]
    return [*here, *collect(ROOT, "tests", *(f"--ignore={path}" for path in whole))]


def homeless(tests: Sequence[Collected]) -> list[str]:
    """What is wrong with the table of groups, a sentence each."""
    found = []
    for test in tests:
        if len(names := homes(test)) != 1:
            found.append(f"{test.id} is in {', '.join(names) or 'no group'} (tests/runner/groups.py)")
    full = {name for test in tests for name in homes(test)}
    for group in GROUPS:
        if not group.commands and not group.again and group.name not in full | {"quarantine"}:
            found.append(f"the group {group.name} has no test")
    return found


def number(text: str) -> int:
    """What a text of tests/collected.toml says."""
    return int(tomllib.loads(text)["tests"])


def too_few(now: int, file: int, before: int, since: str, of_change: str) -> str:
    """
    What is wrong with the number of tests, if anything.

    `now`: collected; `file`: the file's number; `before`: the number it had before its last change.
    `since`: messages of the commits after that change; `of_change`: those and the change's own.
    """
    least = 1 - MAY_BE_LOST
    if now < least * file and not REMOVED.search(since):
        return f"{now} tests are collected, {FILE.name} says {file}: say `tests removed: why` in a commit's message"
    if file < least * before and not REMOVED.search(of_change):
        return f"{FILE.name} went from {before} to {file}: say `tests removed: why` in a commit's message"
    return ""


def check_number(now: int, root: Path = ROOT) -> str:
    """The same of this checkout. Outside git, or where its history is cut off, the file alone is looked at."""
    path = FILE.relative_to(ROOT).as_posix()
    file = number((root / path).read_text(encoding="utf-8"))
    committed = tree.git(root, "show", f"HEAD:{path}")
    if committed and number(committed) != file:  # changed, not committed
        return too_few(now, file, number(committed), "", "")
    change = tree.git(root, "log", "-1", "--format=%H", "--", path)
    if not change:
        return too_few(now, file, file, "", "")
    since = tree.git(root, "log", "--format=%B", f"{change}..HEAD")
    own = tree.git(root, "log", "-1", "--format=%B", change)
    was = tree.git(root, "show", f"{change}^:{path}")
    return too_few(now, file, number(was) if was else file, since, f"{since}\n{own}")


def write() -> int:
    """The number of today."""
    count = len(collect())
    FILE.write_text(f"{_HEAD}tests = {count}\n", encoding="utf-8")
    return count
