"""Results belong to files, not to commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.runner.tree import Tree, tree


def git(root: Path, *words: str) -> None:
    named = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *named, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "verification.md").write_text("never\n")
    (tmp_path / "code.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("ignored\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def test_another_commit_of_the_same_files_is_the_same_tree(checkout: Path) -> None:
    before = tree(checkout)
    assert not before.dirty
    (checkout / "ignored").write_text("x")
    (checkout / "docs" / "verification.md").write_text("today\n")
    git(checkout, "commit", "--quiet", "--all", "-m", "the page")
    after = tree(checkout)
    assert (after.id, after.dirty) == (before.id, False)
    assert after.commit != before.commit


def test_a_change_is_another_tree_and_named_dirty(checkout: Path) -> None:
    before = tree(checkout)
    (checkout / "code.py").write_text("x = 2\n")
    changed = tree(checkout)
    assert changed.dirty
    assert changed.name == f"dirty-{changed.id}" != before.name
    git(checkout, "commit", "--quiet", "--all", "-m", "second")
    assert tree(checkout) == Tree(changed.id, tree(checkout).commit)
    (checkout / "new.py").write_text("y = 1\n")
    assert tree(checkout).dirty


def test_outside_git_there_is_no_id(tmp_path: Path) -> None:
    assert tree(tmp_path).name == "no-git"
