"""What is left when the supervisor itself is killed, and what the next one does about it."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from memstream.stack import Supervisor
from memstream.stack.process import Identity, identify
from memstream.stack.state import DataFolder, State, read_state
from tests.patience import PATIENCE
from tests.unit.stack.conftest import Report

#: A supervisor in a process of its own; argv: data folder, death signal. Prints "up" when its child is ready.
SUPERVISOR = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from memstream.stack import Supervisor
from tests.unit.stack.conftest import forever

async def main():
    folder = Path(sys.argv[1])
    async with Supervisor(folder) as supervisor:
        supervisor.add(replace(forever("a", folder), death_signal=int(sys.argv[2])))

        async def start():
            await supervisor.start_all()
            print("up", flush=True)  # the signal handlers stand by now

        await supervisor.run(start)

asyncio.run(main())
"""


def start_supervisor(folder: Path, death_signal: int) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-c", SUPERVISOR, str(folder), str(int(death_signal))]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def kill(process: "subprocess.Popen[str]", number: int) -> None:
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_no_orphan_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    supervisor = start_supervisor(tmp_path, signal.SIGKILL)
    child = psutil.Process(read_state(tmp_path).children["a"][0].pid)
    kill(supervisor, signal.SIGKILL)
    _, alive = psutil.wait_procs([child], timeout=PATIENCE)
    assert alive == []


async def test_the_next_start_ends_what_outlived_its_supervisor(tmp_path: Path, report: Report) -> None:
    supervisor = start_supervisor(tmp_path, signal.SIGCONT)  # a death signal that does not end the child
    child = psutil.Process(read_state(tmp_path).children["a"][0].pid)
    kill(supervisor, signal.SIGKILL)
    assert child.is_running()
    async with Supervisor(tmp_path, report):
        assert not child.is_running()
        assert report.seen == [("a", "ended: left over from a killed supervisor")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_supervisor_and_child(tmp_path: Path, number: int) -> None:
    supervisor = start_supervisor(tmp_path, signal.SIGKILL)
    child = psutil.Process(read_state(tmp_path).children["a"][0].pid)
    kill(supervisor, number)
    assert supervisor.returncode == 0
    assert not child.is_running()
    assert read_state(tmp_path) == State()


def test_a_stranger_with_a_remembered_pid_is_left_alone(tmp_path: Path, stranger: "subprocess.Popen[bytes]") -> None:
    who = identify(stranger.pid)
    assert who is not None
    other_life = Identity(who.pid, who.started + "0")
    (tmp_path / "stack.json").write_text(State(children={"a": (other_life, signal.SIGKILL)}).dump())
    folder = DataFolder(tmp_path)
    assert folder.open(patience=1.0) == []
    folder.close()
    assert stranger.poll() is None


def test_identity_tells_live_from_dead(stranger: "subprocess.Popen[bytes]") -> None:
    who = identify(stranger.pid)
    assert who == identify(stranger.pid)
    assert who != identify(os.getpid())
    stranger.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        os.waitid(os.P_PID, stranger.pid, os.WEXITED | os.WNOWAIT)  # dead, not yet collected: a zombie
    assert identify(stranger.pid) is None


def test_a_damaged_state_file_is_an_empty_one(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"children": {"a": {"pid": "x"}}}', '{"ports": 3}'):
        (tmp_path / "stack.json").write_text(text)
        assert read_state(tmp_path) == State()


def test_ports_outlive_the_supervisor_and_addresses_do_not(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.open()
    folder.state.ports, folder.state.addresses = {"kafka": 9092}, {"kafka": "127.0.0.1:9092"}
    folder.save()
    folder.close()
    assert read_state(tmp_path) == State(ports={"kafka": 9092})


async def test_cancelling_a_start_leaves_nothing(tmp_path: Path, report: Report) -> None:
    from tests.unit.stack.conftest import python

    async def never(pid: int) -> bool:
        return False

    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("slow", "import signal; signal.pause()", ready=never))
        starting = asyncio.create_task(supervisor.start_all())
        await report.until("slow", "starting")
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
    assert [status.pid for status in supervisor.status()] == [None]
