"""`make test` with small suites in place of the real ones: what is tried again, what is printed last, how it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.runner import gate, verify
from tests.runner.groups import Group
from tests.runner.page import table
from tests.runner.process import ROOT
from tests.runner.store import State, Store
from tests.runner.tree import tree

UNIT = "def test_sound(): pass\n"
UNSTABLE = """
from pathlib import Path

def test_unstable():
    mark = Path(__file__).with_name("mark")
    known = mark.exists()
    mark.touch()
    assert known, "the first time"

def test_sound(): pass
"""
BROKEN = "def test_broken():\n    assert 1 == 2, 'never'\n"
HANGS = "import time\n\ndef test_hangs():\n    time.sleep(3600)\n"


@dataclass(frozen=True)
class Ended:
    status: int
    lines: list[str]
    history: str


Run = Callable[[str], Ended]


@pytest.fixture
def suites() -> Iterator[Path]:
    """A folder within this checkout: elsewhere pytest gives ids that it does not take again."""
    inside = ROOT / ".verify"
    inside.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=inside, prefix="suites-") as folder:
        yield Path(folder)


@pytest.fixture
def run(suites: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the gate with a smoke suite of this text."""
    monkeypatch.setenv("TEST_HISTORY", str(tmp_path / "history"))
    monkeypatch.delenv("TEST_UNSTABLE_FILE", raising=False)
    unit, smoke = suites / "test_unit.py", suites / "test_smoke.py"
    unit.write_text(UNIT)
    own = ("-p", "no:cacheprovider", "-p", "no:xdist")
    monkeypatch.setattr(gate, "GATE_UNIT", Group("unit", (str(unit),), again=True, options=own))
    monkeypatch.setattr(gate, "SMOKE", Group("smoke", (str(smoke),), again=True, options=own))
    monkeypatch.setattr(gate, "SMOKE_AGAIN", Group("smoke", again=True, options=own))
    monkeypatch.setattr(gate, "LINT", Group("lint", commands=(("python", "-c", "print('clean')"),)))

    def run_it(text: str) -> Ended:
        smoke.write_text(text)
        status = gate.run(tmp_path / "out")
        return Ended(status, capsys.readouterr().out.splitlines(), (tmp_path / "history").read_text())

    return run_it


@pytest.mark.slow
def test_what_passes_alone_is_unstable_once_and_fails_the_second_time(run: Run, suites: Path) -> None:
    first = run(UNSTABLE)
    assert first.status == 0, first.lines
    assert first.lines[-2].startswith("UNSTABLE: ")
    assert "test_unstable (failed, then passed alone): AssertionError: the first time" in first.lines[-2]
    assert first.lines[-1] == "4 passed, 0 failed, 0 skipped"
    assert "test_unstable" in first.history
    (suites / "mark").unlink()
    second = run(UNSTABLE)
    assert second.status == 1
    assert "unstable in two of the last 10 runs" in second.lines[-2]
    assert second.lines[-1] == "4 passed, 1 failed, 0 skipped"


@pytest.mark.slow
def test_what_fails_twice_is_named_last(run: Run) -> None:
    ended = run(BROKEN)
    assert ended.status == 1
    assert "test_broken (twice): AssertionError: never" in ended.lines[-2]
    assert ended.lines[-1] == "2 passed, 1 failed, 0 skipped"


@pytest.mark.slow
def test_a_run_that_takes_too_long_ends_and_names_what_ran(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "LIMIT", 12.0)
    ended = run(HANGS)
    assert ended.status == 1
    assert any(line.startswith("FAILED: ") and "test_hangs" in line for line in ended.lines[-4:]), ended.lines
    assert ended.lines[-1].endswith(" failed, 0 skipped")


@pytest.mark.slow
def test_groups_that_passed_at_a_tree_are_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "mark"
    note = f"open({str(mark)!r}, 'a').write('x')"
    groups = (
        Group("good", commands=(("python", "-c", note),)),
        Group("bad", commands=(("python", "-c", "raise SystemExit(1)"),)),
        Group("away", commands=(("python", "-c", "pass"),), module="tests.no_such_module"),
    )
    monkeypatch.setattr(verify, "GROUPS", groups)
    monkeypatch.setattr(verify, "BY_NAME", {g.name: g for g in groups})
    monkeypatch.setattr(verify, "Store", lambda tree: Store(tree, tmp_path))
    assert verify.run(verify.Wish()) == 1
    assert verify.run(verify.Wish()) == 1
    assert mark.read_text() == "x", "it ran once"
    assert verify.run(verify.Wish(only=("good",))) == 0
    assert mark.read_text() == "xx", "it was asked for"
    out = capsys.readouterr().out.splitlines()
    assert "away: there is no tests.no_such_module" in out
    assert out[-1] == "1 passed, 0 failed, 0 skipped"
    results = [Store(tree().name, tmp_path).read(group) for group in groups]
    assert [r.state for r in results] == [State.PASSED, State.FAILED, State.ABSENT]
    assert "bad" in "\n".join(table(results))
