"""Which tests were unstable before."""

from __future__ import annotations

from pathlib import Path

from tests.runner.history import RUNS, Run, add, repeated, runs


def test_the_last_ten_runs_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "history"
    assert runs(file) == []
    for n in range(RUNS + 3):
        add(file, Run(when=f"{n}", tree="t", unstable=(f"test {n}",)))
    assert [run.when for run in runs(file)] == [str(n) for n in range(3, RUNS + 3)]


def test_unstable_again_counts_among_ten_runs_with_this_one() -> None:
    before = [Run(when=str(n), tree="t", unstable=(f"test {n}",)) for n in range(RUNS)]
    assert repeated(before, ["test 0", "test 1", "test 9", "new"]) == {"test 1", "test 9"}
    assert repeated([], ["new"]) == set()
