"""One child's life: prepare, spawn, wait until ready, watch, restart."""

import asyncio
import contextlib
import logging
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from memstream.stack import logs
from memstream.stack.errors import StackError, StartError
from memstream.stack.process import Identity, end, identify, send, spawn
from memstream.stack.spec import ChildSpec

_log = logging.getLogger(__name__)
_PROBE_EVERY = 0.1  # seconds
_LONGER = 2  # doublings of the time for a start that took too long before


class Phase(StrEnum):
    """Where a child is; reported to the progress callback and in `status()`."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    STOPPED = "stopped"
    FAILED = "failed"


class Child:
    """Runs one ChildSpec. `changed` is called after every change of phase or process."""

    def __init__(self, spec: ChildSpec, log_dir: Path, changed: Callable[["Child"], None]) -> None:
        self.spec = spec
        self.phase = Phase.WAITING
        self.restarts = 0
        self.process: Process | None = None
        self.identity: Identity | None = None
        self.last_failure = ""
        self._log_dir = log_dir
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()
        self._late = 0
        """Starts in a row that took too long."""

    @property
    def pid(self) -> int | None:
        """Pid of the running process, None between two lives."""
        return self.process.pid if self.process and self.process.returncode is None else None

    def kill(self, number: int) -> None:
        """Send a signal; StackError without a process. After SIGKILL, `wait_ready` waits for the next life."""
        if self.process is None or self.process.returncode is not None:
            raise StackError(f"{self.spec.name} is not running")
        if number == signal.SIGKILL:
            self._ready.clear()
        if not send(self.identity, number):
            raise StackError(f"{self.spec.name} is not running")

    async def start(self) -> None:
        """Start and return when ready; StartError when the start tries or the start timeout are used up."""
        if self._task and not self._task.done():
            await self.wait_ready()
            return
        self._stopping.clear()
        self._task = asyncio.create_task(self._run(), name=f"child {self.spec.name}")
        await self.wait_ready()

    async def wait_ready(self) -> None:
        """Return when the child serves, also after a restart; raises what ended it for good otherwise."""
        if self._task is None:
            raise StackError(f"{self.spec.name} was never started")
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({self._task, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if self._task.done():
            self._task.result()
            if not self._ready.is_set():
                raise StackError(f"{self.spec.name} was stopped")

    async def stop(self) -> None:
        """End the process and stop watching it; safe to repeat."""
        self._stopping.set()
        if self._task is not None:
            # Its failure was told to whoever started it.
            with contextlib.suppress(StackError, OSError):
                await self._task
        self._enter(Phase.STOPPED)

    def _enter(self, phase: Phase) -> None:
        if phase is Phase.READY:
            self._ready.set()
        else:
            self._ready.clear()
        self.phase = phase
        self._changed(self)

    async def _run(self) -> None:
        failures, was_ready = 0, False
        try:
            while not self._stopping.is_set():
                uptime = None
                try:
                    uptime, reason = await self._live()
                except (StackError, OSError) as error:
                    if not was_ready and isinstance(error, StackError):
                        raise  # it says what is missing; trying again will not bring it
                    reason = str(error)
                was_ready = was_ready or uptime is not None
                if self._stopping.is_set():
                    return
                failures = 1 if (uptime or 0.0) >= self.spec.backoff.reset_after else failures + 1
                self.last_failure = reason
                if was_ready and not self.spec.restart:
                    self._enter(Phase.FAILED)
                    return
                if not was_ready and (failures >= self.spec.start_tries or not self.spec.restart):
                    raise StartError(self.spec.name, reason, logs.tail(self._log_dir, self.spec.name))
                await self._back_off(reason, self.spec.backoff.delay(failures))
        except BaseException:
            self._enter(Phase.FAILED)
            raise

    async def _live(self) -> tuple[float | None, str]:
        """One life of the process: seconds it was up since it was ready (None: it never was), how it ended."""
        self._enter(Phase.STARTING)
        if self.spec.prepare:
            await self.spec.prepare()
        if self._stopping.is_set():
            return None, "stopped"
        with logs.open_log(self._log_dir, self.spec.name) as log:
            self.process = process = await spawn(self.spec, log)
            self.identity = identify(process.pid)
        self._changed(self)
        watch = asyncio.create_task(process.wait())
        stop = asyncio.create_task(self._stopping.wait())
        up: float | None = None
        allowed = self.spec.start_timeout * 2 ** min(self._late, _LONGER)
        try:
            if await self._await_ready(process, watch, stop, allowed):
                self._late = 0
                since = time.monotonic()
                self._enter(Phase.READY)
                await asyncio.wait({watch, stop}, return_when=asyncio.FIRST_COMPLETED)
                up = time.monotonic() - since
            late = f"was not ready within {allowed:g} s"
            reason = f"ended with status {process.returncode}" if watch.done() else late
            self._late += not (watch.done() or stop.done() or up is not None)
        finally:
            await end(process, self.identity, self.spec.stop_signal, self.spec.stop_timeout)
            for task in (watch, stop):
                task.cancel()
            self._changed(self)
        return up, reason

    async def _await_ready(
        self, process: Process, watch: asyncio.Task[int], stop: asyncio.Task[bool], seconds: float
    ) -> bool:
        """True when the probe says so while the process lives; False on death, stop or timeout."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if watch.done() or stop.done():
                return False
            if self.spec.ready is None:
                return True
            try:
                answered = await asyncio.wait_for(self.spec.ready(process.pid), left)
            except OSError:  # TimeoutError included: not there yet
                answered = False
            if answered:
                return not watch.done() and identify(process.pid) is not None
            await asyncio.wait({watch, stop}, timeout=_PROBE_EVERY, return_when=asyncio.FIRST_COMPLETED)
        return False

    async def _back_off(self, reason: str, seconds: float) -> None:
        self.restarts += 1
        self._enter(Phase.RESTARTING)
        _log.warning("%s %s; restart %d in %.1f s", self.spec.name, reason, self.restarts, seconds)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
