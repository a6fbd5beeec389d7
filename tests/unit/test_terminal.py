"""Where commands print: whole rows into a pipe, folded ones on a terminal or where COLUMNS says how wide."""

from __future__ import annotations

import io
import sys

import pytest
from rich.table import Table

from memstream.cli.terminal import output


def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(sys, "stdout", printed := io.StringIO())
    table = Table("id", "what was expected", box=None, pad_edge=False)
    table.add_row("4:0", "turn_id: this id was used before with other content, " * 2)
    output().print(table)
    return printed.getvalue().splitlines()


def test_a_row_in_a_pipe_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert len(lines(monkeypatch)) == 2


def test_columns_says_how_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert len(lines(monkeypatch)) > 2
