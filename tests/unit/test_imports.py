"""The folder rule, as import-linter reads it from pyproject.toml."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parents[2]


def test_the_folder_rule_holds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    status = lint_imports(config_filename=os.fspath(ROOT / "pyproject.toml"), no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_every_folder_of_the_house_is_under_the_rule() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for folder in ("schemas", "processors", "inference", "streams", "sinks", "query", "memstream"):
        assert (ROOT / folder / "__init__.py").is_file()
        assert f'"{folder}"' in text
