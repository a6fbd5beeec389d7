"""Which process is which: identity that survives pid reuse, ownership of a port, spawning, ending."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from memstream.stack import launch
from memstream.stack.ports import is_free
from memstream.stack.spec import ChildSpec

_LAUNCH = str(Path(launch.__file__).resolve())


@dataclass(frozen=True, slots=True)
class Identity:
    """A process, told from a later one with the same pid by its start time and the boot it was started in."""

    pid: int
    started: str


def identify(pid: int) -> Identity | None:
    """Identity of a live process; None when it is gone or a zombie."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return Identity(pid, _started(pid, process))
    except (psutil.NoSuchProcess, OSError):
        return None


def _started(pid: int, process: psutil.Process) -> str:
    if sys.platform != "linux":
        return f"{process.create_time():.2f}"
    # Ticks since boot do not move when the clock is set, as psutil's wall time does.
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}:{ticks}"


def listens(pid: int, port: int) -> bool:
    """Whether process `pid` (or one below it) listens on the TCP port: a stranger's answer is not readiness.

    Where the kernel will not tell (root without CAP_SYS_PTRACE, as in a container, about another user's process),
    whether anybody does: probes of such children check by other means whom they talk to.
    """
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return any(
            item.status == psutil.CONN_LISTEN and item.laddr and item.laddr.port == port
            for member in family
            for item in member.net_connections(kind="tcp")
        )
    except psutil.AccessDenied:
        return not is_free(port)
    except psutil.Error:
        return False


def command(
    argv: tuple[str, ...], death_signal: int, user: int | None = None, group: int | None = None, nice: int = 0
) -> list[str]:
    """The argv that runs `argv` through the launcher."""
    numbers = [str(-1 if value is None else value) for value in (user, group, nice)]
    program = shutil.which(argv[0]) or argv[0]
    return [sys.executable, "-I", "-S", _LAUNCH, str(int(death_signal)), str(os.getpid()), *numbers, program, *argv[1:]]


async def spawn(spec: ChildSpec, log: IO[bytes]) -> Process:
    """Start the child in a session of its own, so that a terminal's Ctrl-C reaches only the supervisor."""
    env = dict(os.environ) | {launch.PREFIX + key: value for key, value in spec.env.items()}
    return await asyncio.create_subprocess_exec(
        *command(spec.argv, spec.death_signal, spec.user, spec.group, spec.nice),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=spec.cwd,
        env=env,
        start_new_session=True,
    )


async def run_tool(
    argv: tuple[str, ...],
    user: int | None = None,
    group: int | None = None,
    line: Callable[[str], object] | None = None,
    given: str | None = None,
) -> tuple[int, str]:
    """Run a short program (initdb, format) to its end; its exit status and all that it printed. `line` is given each
    line as it comes. `given`: what it reads, of a program that prints little before it has read it."""
    process = await asyncio.create_subprocess_exec(
        *command(argv, signal.SIGKILL, user, group),
        stdin=asyncio.subprocess.DEVNULL if given is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        if given is not None and process.stdin is not None:
            process.stdin.write(given.encode())
            process.stdin.close()
        output = await _printed(process, line)
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    return process.returncode or 0, output.decode(errors="replace")


async def _printed(process: Process, line: Callable[[str], object] | None) -> bytes:
    """All of it, once the process has ended."""
    if line is None or process.stdout is None:
        return (await process.communicate())[0]
    lines = []
    async for text in process.stdout:
        lines.append(text)
        line(text.decode(errors="replace").rstrip())
    await process.wait()
    return b"".join(lines)


def send(identity: Identity | None, number: int) -> bool:
    """Signal a process if it still is the one; False when it is gone.

    Not Popen.send_signal: that collects a child which just died, behind the back of asyncio's watcher, and its exit
    status is lost.
    """
    if identity is None or identify(identity.pid) != identity:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(identity.pid, number)
    return True


async def end(process: Process, identity: Identity | None, stop_signal: int, patience: float) -> None:
    """Ask with `stop_signal`, wait `patience` seconds, then SIGKILL the child's whole process group."""
    if process.returncode is None:
        send(identity, signal.SIGCONT)  # a paused child would never see the request
        send(identity, stop_signal)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), patience)
    kill_group(process.pid)
    await process.wait()


def kill_group(leader: int) -> None:
    """SIGKILL what is left of the group that `leader`, a child of ours, led. Call only before its pid can be reused."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def end_leftover(identity: Identity, stop_signal: int, patience: float) -> bool:
    """End a process of an earlier supervisor, and what it started, if it is still the same one.

    False when there was nothing to end. psutil refuses to signal a process whose pid was taken over meanwhile.
    """
    if identify(identity.pid) != identity:
        return False
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(identity.pid)
        family = [process, *process.children(recursive=True)]
        process.send_signal(stop_signal)
        process.send_signal(signal.SIGCONT)
        _, alive = psutil.wait_procs(family, patience)
        for member in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(alive, patience)
    return True
