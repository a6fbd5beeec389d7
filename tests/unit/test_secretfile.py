"""Files that hold keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstream.secretfile import replace_private


def test_a_file_that_all_could_read_is_replaced_by_one_that_nobody_else_can(tmp_path: Path) -> None:
    """`keyring backup` onto a file of mode 0644 left it so."""
    file = tmp_path / "keyring.jsonl"
    file.write_text("old")
    file.chmod(0o644)
    replace_private(file, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o600)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_private(folder, b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder"]
