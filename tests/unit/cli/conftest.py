"""A shell in an empty folder in which no setting is made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.instances import CommandLine, Instance, instance


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [n for n in os.environ if n.upper().startswith("MEMSTREAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def memstream(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    # What the console would fold to a terminal's width is compared as it was written.
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setattr("memstream.cli.http.FIRST_PATIENCE", 0.0)
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def named() -> Iterator[Instance]:
    with instance() as here:
        yield here


@pytest.fixture
def other() -> Iterator[Instance]:
    """Another instance, on which nothing may be done."""
    with instance() as here:
        yield here
