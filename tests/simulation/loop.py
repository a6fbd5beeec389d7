"""An event loop whose time is virtual and whose order is drawn from a seed. It has no thread and no socket.

What runs belongs to a *process* (or to none: servers and the world itself). Within a process callbacks run in their
order, as in a loop of its own; which process goes next is drawn. A process that is killed never runs again, with no
`finally` and no cancellation, as SIGKILL leaves none; one that is frozen keeps what is due until it is thawed.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from random import Random
from threading import get_ident
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
_Ts = TypeVarTuple("_Ts")


MOST_AT_ONCE = 100_000
"""Callbacks without a step of the time: more go round in a circle."""


class OutsideError(RuntimeError):
    """Code reaches past the simulation: a thread, a socket, a signal."""


class StandstillError(AssertionError):
    """Nothing is due any more, or virtual time has run out, and what is waited for has not come."""


@dataclass(eq=False)
class Process:
    """One process of the system under test, in one life. `name` is that of the process, whatever its life."""

    name: str
    life: int = 1
    alive: bool = True
    frozen: bool = False
    ready: deque[asyncio.Handle] = field(default_factory=deque)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        return self.alive and not self.frozen


CURRENT: ContextVar[Process | None] = ContextVar("process", default=None)


class SimLoop(asyncio.BaseEventLoop):
    """See above. `time` in virtual seconds from 0."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = 0.0
        self._thread = get_ident()
        self.errors: list[str] = []
        """What nobody caught: a round with one has failed."""
        self.turns = 0
        """Callbacks that have run."""
        self._moved = 0
        """How many had when the time moved last."""
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._count = 0
        self._world = Process("world")
        self._due: list[Process] = []
        """Processes with something to run, those frozen or dead among them."""
        self._seen: list[Process] = []
        self.on_turn: Callable[[Process], None] | None = None
        """Called behind each callback of a process, where it waits: the moment at which it may be killed."""

    def __del__(self) -> None:
        """Nothing of the machine's is held."""

    # What asyncio asks of a loop.
    def time(self) -> float:
        return self.now

    def call_soon(
        self, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        context = copy_context() if context is None else context
        handle = asyncio.Handle(callback, args, self, context)
        self._add(handle, context)
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[_Ts]], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        context = copy_context() if context is None else context
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, handle))
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[_Ts]], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self.now + delay, callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: object = None, context: Context | None = None) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=str(name or "task"), context=context)
        owner = (copy_context() if context is None else context).get(CURRENT) or self._world
        owner.tasks = [t for t in owner.tasks if not t.done()] if len(owner.tasks) > 200 else owner.tasks
        owner.tasks.append(task)
        return task

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return events._get_running_loop() is self

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        exc = context.get("exception")
        self.errors.append(f"{context.get('message')}: {type(exc).__name__ if exc else ''} {exc or ''}".strip())

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is passed over when it is due."""

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        if get_ident() != self._thread:
            raise OutsideError("a thread")
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Callable[[Unpack[_Ts]], T], *args: *_Ts) -> asyncio.Future[T]:
        raise OutsideError("a thread")

    def add_signal_handler(self, sig: int, callback: Callable[[Unpack[_Ts]], Any], *args: *_Ts) -> None:
        raise OutsideError("a signal")

    async def create_connection(self, *args: Any, **options: Any) -> Any:
        raise OutsideError("a socket")

    async def create_server(self, *args: Any, **options: Any) -> Any:
        raise OutsideError("a socket")

    async def subprocess_exec(self, *args: Any, **options: Any) -> Any:
        raise OutsideError("a process")

    # Processes.
    def spawn(self, process: Process, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start a task of that process."""
        context = copy_context()
        context.run(CURRENT.set, process)
        return self.create_task(work, context=context)

    def outside(self) -> Context:
        """A context that belongs to no process: what a server does goes on when its caller is gone."""
        context = copy_context()
        context.run(CURRENT.set, None)
        return context

    def kill(self, process: Process) -> None:
        process.alive = False

    # Running.
    def run_until_complete(self, future: Any, within: float = 86_400.0) -> Any:
        """Run until the future is done. Raises StandstillError when nothing is due before it is, or not within so many
        virtual seconds, or when callbacks go round in a circle and the time does not move."""
        with self._running():
            main = asyncio.ensure_future(future, loop=self)
            limit = self.now + within
            while not main.done():
                if not self._step(limit):
                    main.cancel()
                    raise StandstillError(f"nothing more happens before {limit:.0f} s of virtual time")
                if self.turns - self._moved > MOST_AT_ONCE:
                    main.cancel()
                    raise StandstillError(f"time stands still at {self.now:.4f} s: {[p.name for p in self._due]} go on")
        return main.result()

    def close(self) -> None:
        """End what is left, of dead processes too, each as asyncio ends it; what that does is nobody's any more."""
        with self._running():
            left = [t for p in (self._world, *self._seen) for t in p.tasks if not t.done()]
            for p in self._seen:
                p.alive, p.frozen = True, False
            self._due = [p for p in (self._world, *self._seen) if p.ready]
            self.on_turn = None
            for _ in range(3):
                for task in left:
                    if not task.done():
                        task.cancel()
                for _ in range(200_000):
                    if all(t.done() for t in left) or not self._step(self.now + 3600.0):
                        break
            for task in left:
                if task.done() and not task.cancelled():
                    task.exception()
        self._timers.clear()

    def process(self, name: str, life: int = 1) -> Process:
        process = Process(name, life)
        self._seen.append(process)
        return process

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            yield
        finally:
            events._set_running_loop(before)

    def _add(self, handle: asyncio.Handle, context: Context) -> None:
        owner = context.get(CURRENT) or self._world
        if owner.alive and not owner.ready:
            self._due.append(owner)
        owner.ready.append(handle)

    def _step(self, limit: float) -> bool:
        """One callback; False when none is due by then."""
        while True:
            self._take_due()
            able = [p for p in self._due if p.alive and not p.frozen]
            if able:
                break
            self._due = [p for p in self._due if p.alive]
            while self._timers and self._timers[0][2].cancelled():
                heapq.heappop(self._timers)
            if not self._timers or self._timers[0][0] > limit:
                return False
            self.now, self._moved = max(self.now, self._timers[0][0]), self.turns
        process = able[0] if len(able) == 1 else able[int(self.random.random() * len(able))]
        handle = process.ready.popleft()
        if not process.ready:
            self._due.remove(process)
        if not handle.cancelled():
            self.turns += 1
            handle._run()
            if self.on_turn is not None and process is not self._world:
                self.on_turn(process)
        return True

    def _take_due(self) -> None:
        timers = self._timers
        while timers and timers[0][0] <= self.now:
            _, _, handle = heapq.heappop(timers)
            if not handle.cancelled():
                self._add(handle, handle._context)  # type: ignore[attr-defined]
