"""Programs end, with all that they have started."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.runner.process import Children, program

FOREVER = "import time; print('here', flush=True); time.sleep(3600)"
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(3600)
"""


def test_a_program_ends_with_its_status_and_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("python", "-c", "import os; print(os.environ['WORD']); raise SystemExit(3)")
    ended = Children().run(words, log, time.monotonic() + 600, {"WORD": "told"})
    assert (ended.code, ended.late) == (3, False)
    assert log.read_text() == "told\n"


def test_one_that_is_late_ends_with_what_it_has_started(tmp_path: Path) -> None:
    log, children = tmp_path / "log", Children()
    ended = []
    runner = threading.Thread(
        target=lambda: ended.append(children.run(("python", "-c", STUBBORN), log, time.monotonic() + 600))
    )
    runner.start()
    while not (log.exists() and log.read_text().endswith("\n")):
        assert runner.is_alive(), "it has ended before it was told to"
    pid = int(log.read_text())
    children.stop()
    runner.join()
    assert ended[0].late
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_deadline_ends_a_program(tmp_path: Path) -> None:
    children = Children()
    with children.ended():
        assert children.run(("python", "-c", FOREVER), tmp_path / "log", time.monotonic()).late


def test_nothing_begins_after_the_end(tmp_path: Path) -> None:
    children = Children()
    children.stop()
    assert children.run(("python", "-c", FOREVER), tmp_path / "log", time.monotonic() + 600).late


def test_programs_of_the_environment_come_first() -> None:
    assert Path(program(("ruff", "check"))[0]).is_absolute()
    assert program(("no-such-program", "x")) == ("no-such-program", "x")


def test_a_signal_ends_programs_that_threads_wait_for(tmp_path: Path) -> None:
    log, children = tmp_path / "log", Children()

    def interrupt() -> None:
        while not (log.exists() and log.read_text()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(SystemExit, match="143"), children.ended(), ThreadPoolExecutor(1) as pool:
        pool.submit(children.run, ("python", "-c", FOREVER), log, time.monotonic() + 600).result()


def test_programs_hear_an_interruption_that_the_runner_ignores(tmp_path: Path) -> None:
    """As behind a shell's `&`: pytest stops its servers when it is interrupted, not when it is killed."""
    log, children = tmp_path / "log", Children()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with children.ended(), ThreadPoolExecutor(1) as pool:
            ended = pool.submit(children.run, ("python", "-c", FOREVER), log, time.monotonic() + 600)
            while not (log.exists() and log.read_text()):
                time.sleep(0.01)
            children.stop()
            assert ended.result().code == -signal.SIGINT
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
