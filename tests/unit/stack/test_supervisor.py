"""The supervisor with tiny children: start order, restart, stop, refusal."""

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from memstream.stack import AlreadyRunningError, Backoff, StackError, StartError, Supervisor
from memstream.stack.state import read_state, running_addresses
from tests.patience import PATIENCE
from tests.unit.stack.conftest import Report, forever, python


def pid_of(supervisor: Supervisor, name: str) -> int:
    pid = {status.name: status.pid for status in supervisor.status()}[name]
    assert pid is not None
    return pid


async def test_a_child_that_dies_is_restarted(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("a", tmp_path))
        await supervisor.start_all()
        first = pid_of(supervisor, "a")
        supervisor.kill("a")
        await supervisor.wait_ready("a")
        second = pid_of(supervisor, "a")
        assert second != first
        assert supervisor.status()[0].restarts == 1
        assert supervisor.status()[0].last_failure == "ended with status -9"
        assert read_state(tmp_path).children["a"][0].pid == second
    assert not psutil.pid_exists(second)
    assert read_state(tmp_path).children == {}


async def test_dependents_start_after_and_stop_before(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        worker = forever("worker", tmp_path, depends_on=("broker", "store"))
        supervisor.add(worker, forever("broker", tmp_path), forever("store", tmp_path))
        await supervisor.start("worker")
    order = [item for item in report.seen if item[1] in ("starting", "ready", "stopped")]
    assert order.index(("broker", "ready")) < order.index(("worker", "starting"))
    assert order.index(("store", "ready")) < order.index(("worker", "starting"))
    assert order.index(("worker", "stopped")) < order.index(("broker", "stopped"))
    assert order.index(("worker", "stopped")) < order.index(("store", "stopped"))


async def test_backoff_grows_to_its_bound_and_starts_anew() -> None:
    backoff = Backoff(initial=0.5, factor=2.0, maximum=3.0)
    assert [backoff.delay(n) for n in (1, 2, 3, 4, 500)] == [0.5, 1.0, 2.0, 3.0, 3.0]


async def test_a_child_that_never_becomes_ready_fails_with_the_end_of_its_log(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("bad", "import sys; print('no such setting'); sys.exit(3)", ready=never))
        with pytest.raises(StartError, match=r"(?s)bad did not start: ended with status 3.*no such setting"):
            await supervisor.start_all()
        assert report.seen.count(("bad", "starting")) == 3
        assert supervisor.status()[0].phase == "failed"


async def test_a_child_that_is_never_ready_in_time_is_ended(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("slow", "import signal; signal.pause()", ready=never, start_timeout=0.3, start_tries=1))
        with pytest.raises(StartError, match=r"was not ready within 0\.3 s"):
            await supervisor.start_all()
        assert supervisor.status()[0].pid is None


async def test_a_start_that_took_too_long_has_longer_the_next_time(tmp_path: Path, report: Report) -> None:
    """Where cores are short, a start that is cut short each time at the same place would never come to its end."""
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("slow", "import signal; signal.pause()", ready=never, start_timeout=0.1, start_tries=4))
        with pytest.raises(StartError, match=r"was not ready within 0\.4 s"):
            await supervisor.start_all()
        assert report.seen.count(("slow", "starting")) == 4


async def test_a_program_that_does_not_exist_is_named(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        spec = python("x", "")
        supervisor.add(type(spec)(name="x", argv=("/nonexistent/program",), ready=never, backoff=spec.backoff))
        with pytest.raises(StartError, match="cannot run /nonexistent/program: No such file"):
            await supervisor.start_all()


async def never(pid: int) -> bool:
    return False


async def test_a_child_that_ignores_the_stop_signal_is_killed(tmp_path: Path, report: Report) -> None:
    deaf = (
        "import os,signal,sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "open(sys.argv[1],'a').write(f'{os.getpid()}\\n'); signal.pause()"
    )
    spec = forever("deaf", tmp_path, stop_timeout=0.2)
    argv = (*spec.argv[:4], deaf, *spec.argv[5:])
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(type(spec)(name="deaf", argv=argv, ready=spec.ready, stop_timeout=0.2))
        await supervisor.start_all()
        pid = pid_of(supervisor, "deaf")
    assert not psutil.pid_exists(pid)


async def test_a_child_of_a_child_is_not_left_behind(tmp_path: Path, report: Report) -> None:
    code = (
        "import os,signal,sys\n"
        "if os.fork(): signal.pause()\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); open(sys.argv[1], 'w').write(str(os.getpid())); signal.pause()"
    )
    grandchild = tmp_path / "grandchild"

    async def ready(pid: int) -> bool:
        return grandchild.exists() and grandchild.read_text() != ""

    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("parent", code, str(grandchild), ready=ready))
        await supervisor.start_all()
        process = psutil.Process(int(grandchild.read_text()))
    psutil.wait_procs([process], timeout=PATIENCE)
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


async def test_pause_and_resume(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("a", tmp_path))
        await supervisor.start_all()
        process = psutil.Process(pid_of(supervisor, "a"))
        supervisor.pause("a")
        becomes(process, psutil.STATUS_STOPPED)
        supervisor.resume("a")
        becomes(process, psutil.STATUS_SLEEPING)
        supervisor.pause("a")  # and a paused child can be stopped
    assert not process.is_running()


def becomes(process: psutil.Process, status: str) -> None:
    """Until the kernel has delivered the signal; the test's own time limit ends a wait in vain."""
    while process.status() != status:
        os.sched_yield()


async def test_restart_by_hand_and_stop_of_one(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("a", tmp_path), forever("b", tmp_path))
        await supervisor.start_all()
        first, other = pid_of(supervisor, "a"), pid_of(supervisor, "b")
        await supervisor.restart("a")
        assert pid_of(supervisor, "a") != first
        await supervisor.stop("a")
        assert {s.name: s.phase for s in supervisor.status()} == {"a": "stopped", "b": "ready"}
        assert pid_of(supervisor, "b") == other
        with pytest.raises(StackError, match="a is not running"):
            supervisor.kill("a")


async def test_a_child_without_restart_stays_dead(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("once", tmp_path, restart=False))
        await supervisor.start_all()
        supervisor.kill("once")
        await report.until("once", "failed")
        assert report.seen.count(("once", "starting")) == 1


async def test_a_second_supervisor_is_refused_with_the_holder_named(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("a", tmp_path))
        await supervisor.start_all()
        with pytest.raises(AlreadyRunningError, match=rf"another memstream \(process {os.getpid()}\) already runs on"):
            async with Supervisor(tmp_path):
                pass
        assert psutil.pid_exists(pid_of(supervisor, "a"))
        assert running_addresses(tmp_path) == {}
    assert running_addresses(tmp_path) is None
    async with Supervisor(tmp_path):  # and the folder is free again
        pass


async def test_wrong_wiring_is_refused(tmp_path: Path) -> None:
    async with Supervisor(tmp_path) as supervisor:
        with pytest.raises(StackError, match="depends on ghost, which nobody added"):
            supervisor.add(forever("a", tmp_path, depends_on=("ghost",)))
        circle = forever("a", tmp_path, depends_on=("b",)), forever("b", tmp_path, depends_on=("a",))
        with pytest.raises(StackError, match="in a circle: a -> b -> a"):
            supervisor.add(*circle)
        assert supervisor.status() == []
        with pytest.raises(StackError, match="no child named c"):
            await supervisor.stop("c")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_run_stops_everything_on_a_signal(tmp_path: Path, report: Report, number: int) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(forever("a", tmp_path))
        running = asyncio.create_task(supervisor.run())
        await report.until("a", "ready")
        pid = pid_of(supervisor, "a")
        os.kill(os.getpid(), number)
        async with asyncio.timeout(PATIENCE):
            await running
        assert not psutil.pid_exists(pid)


async def test_run_can_be_interrupted_while_it_starts(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("slow", "import signal; signal.pause()", ready=never))
        running = asyncio.create_task(supervisor.run())
        await report.until("slow", "starting")
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            await running
        assert supervisor.status()[0].phase == "stopped"


async def test_run_raises_what_failed_at_the_start(tmp_path: Path, report: Report) -> None:
    async with Supervisor(tmp_path, report) as supervisor:
        supervisor.add(python("bad", "raise SystemExit(3)", ready=never), forever("good", tmp_path))
        with pytest.raises(StartError, match="bad did not start"):
            await supervisor.run()
        assert {status.pid for status in supervisor.status()} == {None}
