"""What goes wrong in a round, chosen by seed: kills at random and at named points, freezes, outages, rebalances."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace

import psutil
import psycopg
import redis

from streams.faults import SINK_POINTS, Point
from streams.faust.app import SESSION_TIMEOUT
from tests.crash import hurt
from tests.crash.stack import SERVERS, CrashStack
from tests.patience import PATIENCE

STAGES = {
    "screen": "worker-screen",
    "extract": "worker-memory",
    "gate": "worker-memory",
    "session": "worker-memory",
    "project": "worker-memory",
    "chunk": "worker-memory",
}
"""Stage -> the children that run it, by the start of their name."""
SINKS = ("postgres", "redis", "milvus")
FAULTS: tuple[str, ...] = (
    *(f"{stage}:{point}" for stage in STAGES for point in Point),
    *(f"sink-{sink}:{point}" for sink in SINKS for point in SINK_POINTS if point != "after_dead_letter"),
)
"""Every pair of load, compute, state transaction, outbox delivery and commit, of every stage."""
_PATIENCE, _LONG_PATIENCE = 45.0, PATIENCE
"""Seconds that a fault point is waited for: its stage may have too little to do. The long one is for points that must
be reached, on a machine where a worker takes a minute to start."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done. `at`: seconds since the start of the round."""

    at: float
    action: str
    target: str
    detail: str = ""
    reached: bool = False
    """Of a fault: the process has killed itself there."""

    def line(self) -> str:
        reached = ", reached" if self.reached else ""
        return f"{self.at:7.1f} s  {self.action:<8} {self.target:<20} {self.detail}{reached}".rstrip()

    def data(self) -> dict[str, object]:
        return asdict(self)


class Nemesis:
    """Acts from a thread of its own until told to stop; what it froze or stopped it brings back before it ends.

    `must`: fault points that are visited first, in this order; then everything is drawn. `insist`: they are waited for
    until they are reached. `refusals`: stores refuse and processes run out of handles, too. `broker_away`: (after so
    many seconds, for so many seconds) the broker is stopped.
    """

    def __init__(
        self, stack: CrashStack, seed: int, gap: tuple[float, float], must: Sequence[str] = (), insist: bool = False,
        refusals: bool = False, broker_away: tuple[float, float] | None = None,
    ) -> None:  # fmt: skip
        self._stack = stack
        self._rng = random.Random(seed)
        self._gap = gap
        self._must = list(must)
        self._patience = _LONG_PATIENCE if insist else _PATIENCE
        self._refusals, self._broker_away = refusals, broker_away
        self._closing = False
        self._armed: dict[str, tuple[int | None, int]] = {}
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="nemesis")
        self.events: list[Event] = []
        self.failure: BaseException | None = None

    def start(self) -> None:
        self._began = time.monotonic()
        self._thread.start()

    def finish(self) -> None:
        """Visit what must be visited (ticks still flow when the load is over), nothing else."""
        self._closing = True
        until = time.monotonic() + self._patience
        while self._thread.is_alive() and (self._must or self._armed) and time.monotonic() < until:
            time.sleep(0.2)
        self.stop()

    def stop(self) -> None:
        """Returns when what was hurt is running again. Raises what ended the thread early."""
        self._stop.set()
        self._thread.join()
        self._settle()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        try:
            if self._broker_away is not None and not self._stop.wait(self._broker_away[0]):
                self._away("kafka", self._broker_away[1])
            while not self._stop.wait(self._rng.uniform(*self._gap)):
                self._settle()
                if self._must or not self._closing:
                    self._act()
        except BaseException as exc:  # noqa: BLE001 - told to the round by `stop`
            self.failure = exc

    def _act(self) -> None:
        if self._must:
            fault = next((f for f in self._must if self._fault(f)), None)
            if fault is not None:
                self._must.remove(fault)
            return
        actions: list[tuple[Callable[[], None], int]] = [
            (self._kill_process, 30),
            (self._kill_server, 12),
            (self._some_fault, 30),
            (self._freeze_worker, 10),
            (self._freeze_server, 6),
            (self._outage, 6),
            (self._scale, 10),
            *([(self._refuse, 20)] if self._refusals else []),
        ]
        self._rng.choices([a for a, _ in actions], [w for _, w in actions])[0]()

    def _some_fault(self) -> None:
        self._fault(self._rng.choice(FAULTS))

    def _note(self, action: str, target: str, detail: str = "") -> None:
        self.events.append(Event(round(time.monotonic() - self._began, 1), action, target, detail))

    def _settle(self) -> None:
        """Which fault points have been reached: their process has another pid by now."""
        for name, (pid, place) in list(self._armed.items()):
            event = self.events[place]
            if self._stack.pid(name) not in (None, pid):
                self.events[place] = replace(event, reached=True)
                del self._armed[name]
            elif time.monotonic() - self._began - event.at > self._patience:
                del self._armed[name]

    def _kill_process(self) -> None:
        names = [n for n in self._stack.running() if n not in SERVERS and n not in self._armed]
        self._kill(self._rng.choice(sorted(names)))

    def _kill_server(self) -> None:
        self._kill(self._rng.choice(SERVERS))

    def _kill(self, name: str) -> None:
        if self._stack.kill(name):
            self._note("kill", name)

    def _fault(self, fault: str) -> bool:
        """False when the stage's processes are away, or wait for another point already."""
        stage = fault.split(":")[0]
        start = STAGES.get(stage, stage)
        names = sorted(n for n in self._stack.running() if n.startswith(start) and n not in self._armed)
        if not names:
            return False
        name = self._rng.choice(names)
        spec = f"{fault}:{self._rng.randint(1, 3)}"
        if not self._stack.with_fault(name, spec):
            return False
        self._note("fault", name, spec)
        self._armed[name] = (self._stack.pid(name), len(self.events) - 1)
        return True

    def _freeze_worker(self) -> None:
        """Longer than its session: its partitions move, and then it goes on as if nothing had been."""
        name = self._rng.choice([n for n in self._stack.workers if n not in self._armed] or self._stack.workers)
        seconds = SESSION_TIMEOUT + self._rng.uniform(3, 6)
        self._freeze(name, seconds)

    def _freeze_server(self) -> None:
        self._freeze(self._rng.choice(SERVERS), self._rng.uniform(1, 6))

    def _freeze(self, name: str, seconds: float) -> None:
        if self._stack.pause(name):
            self._note("freeze", name, f"{seconds:.1f} s")
            try:
                self._stop.wait(seconds)
            finally:
                self._stack.resume(name)

    def _outage(self) -> None:
        """A server or a sink is away for seconds: connections are refused."""
        name = self._rng.choice([*SERVERS, *(f"sink-{s}" for s in SINKS)])
        self._away(name, self._rng.uniform(2, 7))

    def _away(self, name: str, seconds: float) -> None:
        self._note("outage", name, f"{seconds:.1f} s")
        self._stack.stop(name)
        try:
            self._stop.wait(seconds)
        finally:
            self._stack.go(name)

    def _scale(self) -> None:
        """Rebalance: a third worker joins, or leaves again."""
        kind = self._rng.choice(("screen", "memory"))
        name = self._stack.further(kind)
        if name in self._stack.running():
            self._note("leave", name)
            self._stack.stop(name)
        else:
            self._note("join", name)
            self._stack.join(kind)

    def _refuse(self) -> None:
        """A store is full or read-only; or a process has no file handle left."""
        a = self._stack.addresses
        process = self._rng.choice(sorted(n for n in self._stack.pids() if n not in SERVERS))
        kinds: dict[str, Callable[[], AbstractContextManager[None]]] = {
            "postgres read-only": lambda: hurt.postgres_read_only(a.postgres),
            "valkey full": lambda: hurt.redis_full(a.redis),
            "valkey read-only": lambda: hurt.redis_read_only(a.redis),
            f"{process} handles": lambda: hurt.no_handles(self._stack.pids()[process]),
        }
        what = self._rng.choice(sorted(kinds))
        seconds = self._rng.uniform(3, 10)
        self._note("refusal", *what.split(" "))
        try:
            with kinds[what]():
                self._stop.wait(seconds)
        except (psycopg.Error, redis.RedisError, psutil.Error, KeyError):
            self._note("missed", what)  # it was not there to be hurt; what was set is back with its next life
