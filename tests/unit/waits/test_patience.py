"""What waits says what it waited for; what a run waited for, and what ended unasked, is told at its end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import patience
from tests.integration import conftest as stacks
from tests.patience import Exit, Record, Wait, eventually, faults, joined, summary, until, watched

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch) -> Record:
    """One of the test's own: what it provokes is nothing of the session's."""
    made = Record()
    monkeypatch.setattr(patience, "RECORD", made)
    return made


def answers(*values: object) -> Callable[[], object]:
    """Gives these in turn, raising what is an exception; the last stays."""
    left = list(values)

    def ask() -> object:
        value = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(value, Exception):
            raise value
        return value

    return ask


def test_it_is_asked_again_until_the_answer_is_good() -> None:
    assert until("a five", answers(KeyError("away"), 1, 5), lambda n: n == 5, errors=(KeyError,), pause=0) == 5


def test_what_is_not_expected_is_raised_at_once() -> None:
    with pytest.raises(LookupError):
        until("an answer", answers(KeyError("no")), errors=(ValueError,))


def test_one_that_gives_up_says_what_it_waited_for_what_was_there_and_what_was_logged(tmp_path: Path) -> None:
    (tmp_path / "worker-memory.log").write_text("one\n" * 50 + "the broker is away\n")
    with watched(tmp_path), pytest.raises(AssertionError) as raised:
        until("a green box", answers("a red box"), lambda box: box == "a green box", seconds=0.01, pause=0)
    for part in ("for a green box", "there was: a red box", "--- worker-memory", "the broker is away"):
        assert part in str(raised.value)
    assert str(raised.value).count("one\n") < 10
    with pytest.raises(AssertionError) as raised:
        until("a box", answers(OSError("no room")), errors=(OSError,), seconds=0.01, pause=0)
    assert "OSError('no room')" in str(raised.value)
    assert "worker-memory" not in str(raised.value), "of stacks that run"


async def test_the_same_for_what_is_asked_asynchronously() -> None:
    given = answers(0, ValueError("later"), 7)

    async def ask() -> object:
        return given()

    assert await eventually("a seven", ask, errors=(ValueError,), pause=0) == 7
    with pytest.raises(AssertionError, match=r"for an eight; there was: 7"):
        await eventually("an eight", ask, lambda n: n == 8, seconds=0.01, pause=0)


def test_a_thread_that_does_not_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE", 0.01)
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    with pytest.raises(AssertionError, match="for the writer to stop"):
        joined(thread, "the writer to stop")
    over.set()
    monkeypatch.setattr(patience, "PATIENCE", 180.0)
    joined(thread, "the writer to stop")


def wait(seconds: float, calm: float = 30.0, test: str = "tests/integration/test_a.py::test_x@servers") -> Wait:
    return Wait(f"{seconds:g}", test, seconds, calm)


def test_the_ten_longest_waits_and_every_unasked_exit_are_told() -> None:
    made = Record([wait(n) for n in range(1, 15)], [Exit("sink-redis", "test_a", "ended with status 1", "a\nb")])
    made.unstable.append("UNSTABLE start of the servers: port taken")
    lines = summary(made)
    assert [line.split()[0] for line in lines[1:11]] == [f"{n}.0" for n in range(14, 4, -1)]
    assert "sink-redis ended with status 1, during test_a" in lines[11]
    assert lines[12:] == ["a", "b", "UNSTABLE start of the servers: port taken"]
    assert summary(Record()) == []


def test_a_strict_run_fails_of_long_waits_outside_of_crashes_and_of_exits() -> None:
    made = Record([wait(29), wait(31), wait(90, calm=120), wait(99, test="tests/crash/test_crash.py::test_y")], [])
    result = faults(made, lambda test: test.startswith("tests/crash/"))
    assert [line.split(" for ")[0] for line in result] == ["STRICT: 31 s"]
    made.exits.append(Exit("sink-redis", "tests/crash/test_crash.py::test_y", "ended with status 1", ""))
    assert "sink-redis" in faults(made, lambda test: True)[0]


def test_what_a_worker_of_xdist_has_recorded_is_added() -> None:
    one, other = Record([wait(1)], [Exit("p", "t", "r", "l")], ["UNSTABLE x"]), Record([wait(2)])
    other.add(one.told())
    assert ([w.seconds for w in other.waits], other.exits, other.unstable) == ([2, 1], one.exits, ["UNSTABLE x"])


TESTS = """
import os, pytest
from tests import patience

def test_waits():
    patience.took("a box", float(os.environ["SECONDS"]))

@pytest.mark.rebuild
def test_of_a_rebuild():
    patience.took("a rebuilt box", 77.0)
"""


@pytest.mark.parametrize(("seconds", "workers"), [("2", []), ("31", ["-n", "2"])])
def test_a_session_prints_its_waits_and_a_strict_one_fails(tmp_path: Path, seconds: str, workers: list[str]) -> None:
    """In a session of its own, with and without workers of pytest-xdist. The rebuild has a file of its own."""
    for name, part in (("test_box.py", TESTS.split("@pytest")[0]), ("test_rebuilt.py", TESTS)):
        (tmp_path / name).write_text(part)
    words = ["-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    chosen = ["test_box.py", "test_rebuilt.py::test_of_a_rebuild"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SECONDS": seconds, "TEST_STRICT_WAITS": "1"}
    done = subprocess.run(
        [sys.executable, *words, "--rootdir", str(tmp_path), *workers, *chosen], cwd=tmp_path, env=env,
        capture_output=True, text=True, timeout=patience.PATIENCE, check=False,
    )  # fmt: skip
    assert "longest of 2 waits" in done.stdout, done.stdout + done.stderr
    assert "77.0 s  a rebuilt box" in done.stdout
    slow = seconds == "31"
    assert ("STRICT: 31 s for a box" in done.stdout) == slow
    assert done.returncode == (pytest.ExitCode.TESTS_FAILED if slow else pytest.ExitCode.OK), done.stdout


@pytest.mark.parametrize("failing", [0, 1, 2, 3])
def test_a_start_has_three_tries_each_in_a_fresh_folder_and_a_second_one_is_unstable(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    monkeypatch.setenv(patience.UNSTABLE_FILE, str(tmp_path / "unstable"))
    folders: list[Path] = []

    @contextmanager
    def begin(folder: Path, seconds: float) -> Iterator[str]:
        folders.append(folder)
        assert 0 < seconds <= stacks.START
        if len(folders) <= failing:
            (folder / "logs").mkdir()
            (folder / "logs" / "kafka.log").write_text("the port is taken")
            raise OSError("kafka did not start\nand so on")
        yield "running"

    def run() -> None:
        with stacks.started("the servers", begin) as what:
            assert what == "running"
            assert folders[-1].is_dir()

    if failing == 3:
        with pytest.raises(AssertionError, match=r"(?s)the servers did not start, try 3: kafka.*the port is taken"):
            run()
    else:
        run()
    assert len(set(folders)) == min(failing + 1, 3)
    assert not any(folder.exists() for folder in folders)
    results = ["UNSTABLE start of the servers: OSError: kafka did not start"] if failing in (1, 2) else []
    assert record.unstable == results
    assert ((tmp_path / "unstable").read_text().splitlines() if results else []) == results
