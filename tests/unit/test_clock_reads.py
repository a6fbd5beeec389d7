"""Tests that depend on the day are noted, however they come to it, and chosen by what was noted."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import calendar_days
from tests.calendar_days import DAYS, NOTING, chosen, command
from tests.clock_reads import Reads
from tests.clocks import PRODUCT, ROOT, trees
from tests.runner.part import PLUGIN
from tests.runner.results import read
from tests.shuffle import shuffled

SUITE = """
import datetime, logging, subprocess, sys, time
from datetime import UTC, date, datetime as moment
from time import time as seconds

import pytest

class Later(moment): pass

@pytest.fixture(scope="module")
def day():
    return date.today()

def test_reads(): moment.now(UTC)

def test_reads_by_another_name(): seconds()

def test_reads_by_a_subclass(): Later.today()

def test_asks_a_fixture(day): assert day

def test_asks_a_fixture_that_is_there(day): assert day

def test_asks_the_zone(): moment(2026, 1, 1).astimezone()

def test_has_the_zone_of_a_time(): moment.fromtimestamp(3)

def test_starts_a_program(): subprocess.run([sys.executable, "-S", "-c", ""], check=True)

def test_logs(): logging.getLogger("x").error("said")

def test_measures(): time.monotonic()

def test_is_given_its_time(): moment.fromtimestamp(3, tz=UTC).astimezone(UTC).timestamp(), time.gmtime(3)

def test_fails():
    moment.utcnow()
    assert False
"""
DEPEND = {
    "test_reads", "test_reads_by_another_name", "test_reads_by_a_subclass", "test_asks_a_fixture",
    "test_asks_a_fixture_that_is_there", "test_asks_the_zone", "test_has_the_zone_of_a_time", "test_starts_a_program",
    "test_fails",
}  # fmt: skip
AT_IMPORT = """
from datetime import UTC, datetime

AT = datetime.now(UTC)

def test_takes_what_was_read(): assert AT.year
"""


def pytest_of(folder: Path, *words: str) -> int:
    """Runs the suite there; the exit status."""
    suite = [sys.executable, "-W", "ignore::DeprecationWarning", "-m", "pytest", "-p", "no:cacheprovider", *PLUGIN]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*suite, *NOTING, "--rootdir", str(folder), *words, str(folder)], cwd=folder, env=env, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode


@pytest.mark.slow
def test_tests_that_depend_on_the_day_are_noted_and_chosen(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "test_at_import.py").write_text(AT_IMPORT, encoding="utf-8")
    noted, results = tmp_path / "noted.json", tmp_path / "results"
    assert pytest_of(tmp_path, "-n", "1", "--clock-reads", str(noted)) == 1
    found = json.loads(noted.read_text(encoding="utf-8"))
    assert {test.partition("::")[2] for test in found} == {*DEPEND, "test_takes_what_was_read"}
    assert found["test_suite.py::test_reads"] == "test_suite.test_reads"

    assert pytest_of(tmp_path, "-n", "0", "--tests-of", str(noted), "--results", str(results)) == 1
    assert read(results).tests.keys() == found.keys()


def test_what_a_module_reads_at_its_import_is_noted_for_all_that_import_it() -> None:
    """`sinks.clock` stands for one that would."""
    reads = Reads(modules={"sinks.clock": "sinks.clock.<module>"})
    modules = ("tests.unit.sinks.test_worker", "tests.unit.test_timeexpr")
    items: list[Any] = [SimpleNamespace(nodeid=f"{m}::t", module=SimpleNamespace(__name__=m)) for m in modules]
    assert reads.of(items) == {"tests.unit.sinks.test_worker::t": "sinks.clock.<module>"}


def test_nothing_that_reads_a_clock_is_kept_for_other_tests() -> None:
    """Only the first test that asked for it would be seen to read."""
    readers = [
        f"{path}: {node.name}"
        for path, tree in trees(*PRODUCT, "tests/unit", word="cache")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any("cache" in ast.unparse(decorator) for decorator in node.decorator_list)
        and reads_clock(node)
    ]
    assert readers == []
    [cached] = ast.parse("@lru_cache\ndef day(): return datetime.now(UTC).date()").body
    assert reads_clock(cached)


def reads_clock(node: ast.AST) -> bool:
    calls = [n.func for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return any(f.attr in {"now", "today", "utcnow"} or ast.unparse(f) == "time.time" for f in calls)


def test_other_days_have_the_tests_that_were_noted(tmp_path: Path) -> None:
    same = next(iter(calendar_days.SAME_ON_ANY_DAY)).replace(".", "/")
    noted = {"tests/unit/a/test_a.py::test_a[x]": "time.time", f"{same}.py::test_b": "subprocess.Popen"}
    day = next(d for d in DAYS if not d.whole)
    words = command(day, "/usr/bin/faketime", tmp_path, noted)
    assert [word for word in words if word.startswith("tests/")] == ["tests/unit/a/test_a.py"]
    file = Path(words[words.index("--tests-of") + 1])
    assert json.loads(file.read_text(encoding="utf-8")) == chosen(noted) == dict([next(iter(noted.items()))])


def test_tests_are_shuffled_by_file_and_the_same_seed_is_the_same_order() -> None:
    tests: list[Any] = [SimpleNamespace(path=path, name=f"{path}{n}") for path in "abcdef" for n in range(9)]
    first = shuffled(tests, 7)
    assert [t.name for t in first] == [t.name for t in shuffled(tests, 7)] != [t.name for t in shuffled(tests, 8)]
    assert sorted(t.name for t in first) == sorted(t.name for t in tests)
    changes = sum(a.path != b.path for a, b in pairwise(first))
    assert changes == 5, "files stay whole"


def test_a_run_that_was_cut_off_notes_nothing(tmp_path: Path) -> None:
    suite = "import pytest\ndef test_ends(): pytest.exit('cut off')\n"
    (tmp_path / "test_suite.py").write_text(suite, encoding="utf-8")
    with pytest.raises(AssertionError):
        pytest_of(tmp_path, "-n", "0", "--clock-reads", str(tmp_path / "noted.json"))
    assert not (tmp_path / "noted.json").exists()
