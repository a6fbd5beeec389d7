"""One supervisor over all child processes of a data folder."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from memstream.stack import logs
from memstream.stack.child import Child, Phase
from memstream.stack.errors import StackError
from memstream.stack.spec import ChildSpec
from memstream.stack.state import DataFolder

#: Called with a child's name and its new phase.
Progress = Callable[[str, str], None]

_ROTATE_EVERY = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class ChildStatus:
    """One line of `status()`."""

    name: str
    phase: str
    pid: int | None
    restarts: int
    last_failure: str


class Supervisor:
    """Starts children in the order of their dependencies, restarts what dies, stops all in reverse.

    Use as `async with Supervisor(data_dir) as supervisor`: entering locks the folder (AlreadyRunningError when another
    supervisor holds it) and ends what a killed one left; leaving stops everything and gives the folder back.
    """

    def __init__(self, data_dir: Path, on_progress: Progress | None = None) -> None:
        self.folder = DataFolder(data_dir)
        self.log_dir = self.folder.path / "logs"
        self._progress = on_progress
        self._children: dict[str, Child] = {}
        self._rotation: asyncio.Task[None] | None = None
        self._reported: dict[str, Phase] = {}

    async def __aenter__(self) -> Self:
        for name in await asyncio.to_thread(self.folder.open):
            self._tell(name, "ended: left over from a killed supervisor")
        self._rotation = asyncio.create_task(self._rotate())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.stop_all()
        finally:
            if self._rotation:
                self._rotation.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._rotation
            self.folder.close()

    def add(self, *specs: ChildSpec) -> None:
        """Add children without starting them; a stopped child of the same name is replaced.

        Raises StackError for a name in use, an unknown dependency or a circle of dependencies; then nothing is added.
        """
        children = dict(self._children)
        for spec in specs:
            old = self._children.get(spec.name)
            if old and old.phase not in (Phase.STOPPED, Phase.FAILED, Phase.WAITING):
                raise StackError(f"a child named {spec.name} is already running")
            known = {*self._children, *(item.name for item in specs)}
            if missing := [name for name in spec.depends_on if name not in known]:
                raise StackError(f"{spec.name} depends on {', '.join(missing)}, which nobody added")
            children[spec.name] = Child(spec, self.log_dir, self._changed)
        _levels({name: child.spec for name, child in children.items()})
        self._children = children

    async def start(self, *names: str) -> None:
        """Start the named children (and what they depend on) side by side; returns when all are ready.

        Raises the first StartError; the others' starts are not undone, leaving `async with` does that.
        """
        started: dict[str, asyncio.Task[None]] = {}

        def launch(name: str) -> asyncio.Task[None]:
            if name not in started:
                below = [launch(other) for other in self._child(name).spec.depends_on]
                started[name] = asyncio.create_task(self._start_after(name, below))
            return started[name]

        for name in names:
            launch(name)
        try:
            await asyncio.gather(*started.values())
        finally:
            for task in started.values():
                task.cancel()
            await asyncio.gather(*started.values(), return_exceptions=True)

    async def start_all(self) -> None:
        """Start everything added so far."""
        await self.start(*self._children)

    async def stop(self, name: str) -> None:
        """Stop one child; it is not restarted."""
        await self._child(name).stop()

    async def stop_all(self) -> None:
        """Stop everything, dependents first; children of one level side by side."""
        for level in reversed(_levels({name: child.spec for name, child in self._children.items()})):
            await asyncio.gather(*(self._children[name].stop() for name in level))

    async def restart(self, name: str) -> None:
        """Stop and start one child; returns when it is ready again."""
        await self.stop(name)
        await self.start(name)

    async def wait_ready(self, name: str) -> None:
        """Return when the child serves; StackError when it was stopped or failed for good."""
        await self._child(name).wait_ready()

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Send a signal to the child's process, as a crash test does; the supervisor then restarts it."""
        self._child(name).kill(number)

    def pause(self, name: str) -> None:
        """Freeze the child (SIGSTOP): alive, and silent."""
        self.kill(name, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        """Let a paused child go on (SIGCONT)."""
        self.kill(name, signal.SIGCONT)

    def status(self) -> list[ChildStatus]:
        """All children, in the order added."""
        return [
            ChildStatus(name, child.phase.value, child.pid, child.restarts, child.last_failure)
            for name, child in self._children.items()
        ]

    async def run(
        self,
        start: Callable[[], Awaitable[object]] | None = None,
        signals: Sequence[int] = (signal.SIGINT, signal.SIGTERM),
    ) -> None:
        """Run `start` (all children, when not given), wait for one of `signals`, stop everything.

        A signal during the start ends that too; its error, should it fail, is raised after everything is stopped.
        Only in the main thread's event loop.
        """
        stop_requested = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in signals:
            loop.add_signal_handler(number, stop_requested.set)
        starting = asyncio.ensure_future((start or self.start_all)())
        signalled = asyncio.create_task(stop_requested.wait())
        try:
            await asyncio.wait({starting, signalled}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done() and not starting.exception():
                await signalled
            starting.cancel()
            await asyncio.wait({starting})
            await self.stop_all()
            if not starting.cancelled():
                starting.result()
        finally:
            signalled.cancel()
            for number in signals:
                loop.remove_signal_handler(number)

    def _child(self, name: str) -> Child:
        try:
            return self._children[name]
        except KeyError:
            raise StackError(f"there is no child named {name}") from None

    async def _start_after(self, name: str, below: list[asyncio.Task[None]]) -> None:
        await asyncio.gather(*below)
        await self._child(name).start()

    def _changed(self, child: Child) -> None:
        name, state = child.spec.name, self.folder.state
        who = child.identity if child.pid else None
        entry = (who, int(child.spec.stop_signal)) if who else None
        if state.children.get(name) != entry:
            if entry:
                state.children[name] = entry
            else:
                state.children.pop(name, None)
            self.folder.save()
        if self._reported.get(name) != child.phase:
            self._reported[name] = child.phase
            self._tell(name, child.phase.value)

    def _tell(self, name: str, what: str) -> None:
        if self._progress:
            self._progress(name, what)

    async def _rotate(self) -> None:
        while True:
            await asyncio.sleep(_ROTATE_EVERY)
            for name in list(self._children):
                await asyncio.to_thread(logs.rotate, self.log_dir, name)


def _levels(specs: Mapping[str, ChildSpec]) -> list[list[str]]:
    """Names by depth of dependency; StackError for a circle."""
    depth: dict[str, int] = {}

    def measure(name: str, path: tuple[str, ...]) -> int:
        if name in path:
            raise StackError(f"children depend on each other in a circle: {' -> '.join((*path, name))}")
        if name not in depth:
            below = specs[name].depends_on
            depth[name] = 1 + max((measure(other, (*path, name)) for other in below), default=-1)
        return depth[name]

    for name in specs:
        measure(name, ())
    return [[n for n, d in depth.items() if d == level] for level in range(max(depth.values(), default=-1) + 1)]
