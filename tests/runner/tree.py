"""What was tested, by git's name of the tree: results of the same tree are the same tree's, whatever the commit."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.runner.process import ROOT

APART = ("docs/verification.md", "CHANGELOG.md")
"""Trees that differ in these alone are one: the first says how its own tree was verified."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A state of the files."""

    id: str
    """Of all files that git does not ignore, but APART; empty outside a checkout of git."""
    commit: str = ""
    dirty: bool = False
    """Something is not committed."""

    @property
    def name(self) -> str:
        """Of the folder of its results."""
        if not self.id:
            return "no-git"
        return f"dirty-{self.id}" if self.dirty else self.id


def tree(root: Path = ROOT) -> Tree:
    """The files as they are now, those that are not committed included."""
    commit = git(root, "rev-parse", "HEAD")
    if not commit:
        return Tree("")
    committed = _without_apart(root, "read-tree", "HEAD")
    now = _without_apart(root, "add", "--all", ".", start="HEAD")
    return Tree(now, commit, now != committed)


def git(root: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    """What a command of git prints; empty where it fails or there is no git."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, env={**os.environ, **(environment or {})}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _without_apart(root: Path, *fill: str, start: str = "") -> str:
    """The id of a tree that is put together in an index of its own."""
    with tempfile.TemporaryDirectory(prefix="memstream-tree-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if start:
            git(root, "read-tree", start, environment=index)
        git(root, *fill, environment=index)
        git(root, "rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *APART, environment=index)
        return git(root, "write-tree", environment=index)
