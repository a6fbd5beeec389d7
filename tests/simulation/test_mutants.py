"""The program that changes single statements: what it takes, what it makes of them, and what it calls found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.simulation.mutants import ROOT, Mutant, Verdict, copy, drawn, mutants, outside, tried, verdict

SOURCE = b'''"""A flush."""
token = 1
other = 2


class Out:
    """Commits."""

    async def send(self, rows):
        """An outbox."""
        size = len(rows)
        await self.flush(rows)
        self.done = size
        if self.offset < size:
            return size
        return rows[0]

    def quiet(self, rows):
        rows.sort()
        return rows
'''


def of(change: str, line: int, source: bytes = SOURCE) -> str:
    """The text with that one change."""
    [found] = [m for m in mutants("a.py", source) if (m.change, m.line) == (change, line)]
    return found.applied(source).decode()


def test_what_awaits_or_names_a_word_is_taken_within_functions_and_no_docstring_is() -> None:
    assert sorted((m.line, m.change, m.within) for m in mutants("a.py", SOURCE)) == [
        (12, "deleted", "Out"), (12, "swapped", "Out"), (14, "widened", "Out"),
    ]  # fmt: skip


def test_a_statement_is_deleted_swapped_or_widened() -> None:
    assert "        size = len(rows)\n        pass\n        self.done = size\n" in of("deleted", 12)
    assert "        self.done = size\n        await self.flush(rows)\n        if" in of("swapped", 12)
    assert "        if self.offset <= size:\n" in of("widened", 14)


@pytest.mark.parametrize(
    ("written", "wider"),
    [
        ("a.offset < b", "a.offset <= b"), ("a.offset <= b", "a.offset <= b + 1"), ("a.offset > b", "a.offset >= b"),
        ("a.offset >= b", "a.offset >= b - 1"),
    ],
)  # fmt: skip
def test_a_comparison_is_widened_by_one(written: str, wider: str) -> None:
    source = f"def f(a, b):\n    return {written}\n".encode()
    assert of("widened", 2, source) == f"def f(a, b):\n    return {wider}\n"


def test_bytes_before_it_may_be_of_any_script() -> None:
    assert of("deleted", 2, "def f(a):\n    x = '李雷'; a.flush()\n".encode()) == "def f(a):\n    x = '李雷'; pass\n"


def test_forty_are_drawn_the_same_each_time_and_each_is_a_program() -> None:
    found = drawn()
    assert len(set(found)) == 40
    assert found == drawn()
    assert found != drawn(seed=1)
    for m in found:
        source = (ROOT / m.path).read_bytes()
        assert ast.dump(ast.parse(m.applied(source))) != ast.dump(ast.parse(source)), m.name
    assert {m.path.partition("/")[0] for m in drawn(count=400)} == {"streams", "sinks", "memstream"}


def test_what_the_eraser_reads_by_is_changed_as_well() -> None:
    """Its turns, its reader of the log and its index of users, in files of their own."""
    found = drawn(count=100_000)
    assert found == drawn(count=100_000)[: len(found)]
    assert sorted(found) != found, "drawn, and the same each time whatever order a folder is listed in"
    for name in ("log_reader.py", "turns.py", "users_index.py"):
        assert any(m.path == f"memstream/erasure/{name}" for m in found), name


def test_a_copy_has_the_change_and_the_tree_has_it_not(tmp_path: Path) -> None:
    root, into = tmp_path / "tree", tmp_path / "copy"
    for name in ("streams/faust/loop.py", "streams/other.py", "schemas/log.py", "streams/__pycache__/other.pyc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(SOURCE)
    [m] = [m for m in mutants("streams/faust/loop.py", SOURCE) if m.change == "deleted"]
    copy(m, root, into)
    assert (into / "streams/faust/loop.py").read_bytes() == m.applied(SOURCE) != SOURCE
    assert (root / "streams/faust/loop.py").read_bytes() == SOURCE
    assert (into / "streams/other.py").read_bytes() == (into / "schemas/log.py").read_bytes() == SOURCE
    assert not (into / "streams/__pycache__").exists()


M = Mutant("streams/runner.py", 3, "deleted", "StepRunner", 0, 1, "pass")
FAILED = """[    2 s] 4 of 9 rounds, 120 turns; 3 s left
FAILED: seed 7, 30 calls, 2 acts
  3.10 kill memory-1 after 2 busy steps
  topic memory.updates: partition 1: lost key
  again: python -m tests.simulation --case 0.1.0:7:30:all:all:flushed
"""


@pytest.mark.parametrize(
    ("status", "out", "err", "expected"),
    [
        (1, FAILED, "", Verdict(M.name, "found", 7, "topic memory.updates: partition 1: lost key")),
        (0, "[    2 s] 9 of 9 rounds", "", Verdict(M.name, "survived")),
        (1, "", "Traceback\nNameError: name 'x'\n", Verdict(M.name, "broken", None, "NameError: name 'x'")),
        (-9, "", "", Verdict(M.name, "broken", None, "status -9")),
    ],
)
def test_found_is_what_a_round_says_and_not_that_the_program_ends(
    status: int, out: str, err: str, expected: Verdict
) -> None:
    assert verdict(M, status, out, err) == expected


def test_what_no_round_runs_is_not_tried() -> None:
    postgres = Mutant("streams/state/postgres.py", 1, "deleted", "PostgresStateStore", 0, 1, "pass")
    taken_in = Mutant("streams/faust/intake.py", 1, "deleted", "Intake", 0, 1, "pass")
    consumer = Mutant("streams/faust/intake.py", 1, "deleted", "Consumer", 0, 1, "pass")
    assert [outside(m) for m in (postgres, taken_in, consumer)] == [True, False, True]
    assert tried(postgres, 1, 1.0) == Verdict(postgres.name, "outside")


@pytest.mark.slow
def test_a_mutant_is_found_in_its_copy_and_an_unchanged_copy_survives() -> None:
    """What a step has decided is not stored."""
    source = (ROOT / "streams/runner.py").read_bytes()
    commit = b"await self._store.commit(commits)\n"
    [m] = [
        m for m in mutants("streams/runner.py", source)
        if m.change == "deleted" and source[m.begin :].startswith(commit)
    ]  # fmt: skip
    found = tried(m, 10, 300.0)
    assert (found.outcome, found.seed) == ("found", 1), found
    same = Mutant(m.path, m.line, "deleted", m.within, m.begin, m.end, source[m.begin : m.end].decode())
    assert tried(same, 1, 300.0) == Verdict(same.name, "survived")
