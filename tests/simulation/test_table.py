"""The table of faults: what was open when they struck, and that an empty cell is named."""

from __future__ import annotations

from collections import Counter

import pytest

from streams.topology import Parts
from tests.simulation.__main__ import _tabled
from tests.simulation.plan import Plan
from tests.simulation.round import run
from tests.simulation.table import OPEN, Cell, cells, empty, lines


def full() -> Counter[Cell]:
    return Counter(dict.fromkeys(cells(), 1))


def test_a_long_run_fails_on_one_empty_cell_and_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    met = full()
    assert _tabled(met, strict=True) == 0
    missing = ("power", "gate", "transaction")
    del met[missing]
    assert empty(met) == [missing]
    assert _tabled(met, strict=False) == 0
    assert _tabled(met, strict=True) == 1
    assert "FAILED: 1 cells are empty: power gate transaction" in capsys.readouterr().out


def test_the_table_says_what_cannot_meet() -> None:
    shown = {tuple(line.split()[:2]): line.split()[2:] for line in lines(full())}
    assert shown["kill", "gate"] == ["1"] * len(OPEN)
    assert shown["kill", "sink-redis"] == ["1", "1", "1", "1", "-", "1"]
    assert shown["freeze", "eraser"] == ["1", "-", "1", "-", "-", "1"]
    assert shown["power", "eraser"] == ["-", "-", "-", "-", "-", "1"]
    assert shown["rebalance", "sink-milvus"] == ["-"] * len(OPEN)


def test_kills_meet_what_is_open(parts: Parts) -> None:
    """A process that is struck behind a named point has a batch in hand, and somebody waits for what it is at."""
    met: Counter[Cell] = Counter()
    for seed in (4, 7, 8):
        met += run(Plan(seed), parts).met
    assert {opened for fault, _, opened in met if fault == "kill"} >= {"batch", "transaction", "token"}
    assert set(met) <= set(cells())
