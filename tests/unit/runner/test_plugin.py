"""The plugin in a run of pytest: what becomes of each test is in the file, with the ids that pytest takes again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.runner.part import PLUGIN
from tests.runner.process import ROOT
from tests.runner.results import Outcome, read

SUITE = '''
import pytest

@pytest.fixture
def broken():
    raise OSError("no stack")

@pytest.mark.xdist_group("servers")
@pytest.mark.parametrize("who", ["ana@example.org", "中 文"])
def test_passes(who): pass

def test_fails():
    assert 1 == 2, "one is not two"

def test_wants(broken): pass

@pytest.mark.skip(reason="no tool")
def test_skipped(): pass
'''


def test_what_becomes_of_each_test_is_written_with_its_stack(tmp_path: Path) -> None:
    suite, path = tmp_path / "test_suite.py", tmp_path / "results"
    suite.write_text(SUITE, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), *PLUGIN]
    words += ["-n", "1", "--dist", "loadgroup", "--results", str(path), str(suite)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    found = read(path)
    named = {test.id.partition("::")[2]: test for test in found.tests.values()}
    assert {name: test.outcome for name, test in named.items()} == {
        "test_passes[ana@example.org]": "passed",
        r"test_passes[\u4e2d \u6587]": "passed",
        "test_fails": "failed",
        "test_wants": "failed",
        "test_skipped": "skipped",
    }
    assert named["test_passes[ana@example.org]"].stack == "servers"
    assert named["test_fails"].message == "AssertionError: one is not two"
    assert named["test_wants"].message == "OSError: no stack"
    assert named["test_skipped"].message == "Skipped: no tool"
    assert found.count(Outcome.RUNNING) == 0
