"""Model packages are those that were checked, or are not loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inference import weights
from inference.weights import CHECKED, WeightsError, checked_folder, digest


@pytest.mark.parametrize("package", sorted(CHECKED))
def test_the_installed_packages_are_the_checked_ones(package: str) -> None:
    assert digest(checked_folder(package)) == CHECKED[package]


def test_a_changed_package_is_refused_before_any_of_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lac_altered"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('ran')\n")
    (package / "weights.bin").write_bytes(b"as read")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(weights.CHECKED, "lac_altered", digest(package))
    assert checked_folder("lac_altered") == package
    checked_folder.cache_clear()
    (package / "weights.bin").write_bytes(b"as changed")
    with pytest.raises(WeightsError, match="lac_altered"):
        checked_folder("lac_altered")
    assert "lac_altered" not in sys.modules


def test_every_byte_and_name_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    one = digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"x")
    assert digest(tmp_path) == one
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest(tmp_path) != one


def test_a_missing_package_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.CHECKED, "no_such_model", "0")
    with pytest.raises(WeightsError, match="no_such_model is not installed"):
        checked_folder("no_such_model")
