"""What goes wrong in a round, chosen by seed: kills at random and at named points, freezes, outages, rebalances."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from streams.app import SESSION_TIMEOUT
from streams.faults import SINK_POINTS, Point
from tests.crash.stack import SERVERS, CrashStack

STAGES = {
    "screen": "worker-screen",
    "extract": "worker-memory",
    "gate": "worker-memory",
    "session": "worker-memory",
    "project": "worker-memory",
}
"""Stage -> the children that run it, by the start of their name."""
SINKS = ("postgres", "redis", "milvus")
FAULTS: tuple[str, ...] = (
    *(f"{stage}:{point}" for stage in STAGES for point in Point),
    *(f"sink-{sink}:{point}" for sink in SINKS for point in SINK_POINTS if point != "after_dead_letter"),
)
"""Every pair of load, compute, state transaction, outbox delivery and commit, of every stage."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done. `at`: seconds since the start of the round."""

    at: float
    action: str
    target: str
    detail: str = ""

    def line(self) -> str:
        return f"{self.at:7.1f} s  {self.action:<8} {self.target:<20} {self.detail}".rstrip()

    def data(self) -> dict[str, object]:
        return asdict(self)


class Nemesis:
    """Acts from a thread of its own until told to stop; what it froze or stopped it brings back before it ends.

    `must`: fault points that are visited first, in this order; then everything is drawn.
    """

    def __init__(self, stack: CrashStack, seed: int, gap: tuple[float, float], must: Sequence[str] = ()) -> None:
        self._stack = stack
        self._rng = random.Random(seed)
        self._gap = gap
        self._must = list(must)
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="nemesis")
        self.events: list[Event] = []
        self.failure: BaseException | None = None

    def start(self) -> None:
        self._began = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Returns when what was hurt is running again. Raises what ended the thread early."""
        self._stop.set()
        self._thread.join()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._rng.uniform(*self._gap)):
                self._act()
        except BaseException as exc:  # noqa: BLE001 - told to the round by `stop`
            self.failure = exc

    def _act(self) -> None:
        if self._must:
            self._fault(self._must.pop(0))
            return
        actions: list[tuple[Callable[[], None], int]] = [
            (self._kill_process, 30),
            (self._kill_server, 12),
            (lambda: self._fault(self._rng.choice(FAULTS)), 30),
            (self._freeze_worker, 10),
            (self._freeze_server, 6),
            (self._outage, 6),
            (self._scale, 10),
        ]
        self._rng.choices([a for a, _ in actions], [w for _, w in actions])[0]()

    def _note(self, action: str, target: str, detail: str = "") -> None:
        self.events.append(Event(round(time.monotonic() - self._began, 1), action, target, detail))

    def _kill_process(self) -> None:
        names = [n for n in self._stack.running() if n not in SERVERS]
        self._kill(self._rng.choice(sorted(names)))

    def _kill_server(self) -> None:
        self._kill(self._rng.choice(SERVERS))

    def _kill(self, name: str) -> None:
        if self._stack.kill(name):
            self._note("kill", name)

    def _fault(self, fault: str) -> None:
        stage = fault.split(":")[0]
        start = STAGES.get(stage, stage)
        names = sorted(n for n in self._stack.running() if n.startswith(start))
        if not names:
            return
        name = self._rng.choice(names)
        spec = f"{fault}:{self._rng.randint(1, 4)}"
        if self._stack.with_fault(name, spec):
            self._note("fault", name, spec)

    def _freeze_worker(self) -> None:
        """Longer than its session: its partitions move, and then it goes on as if nothing had been."""
        name = self._rng.choice(self._stack.workers)
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
        seconds = self._rng.uniform(2, 7)
        self._note("outage", name, f"{seconds:.1f} s")
        self._stack.stop(name)
        try:
            self._stop.wait(seconds)
        finally:
            self._stack.go(name)

    def _scale(self) -> None:
        """Rebalance: a third worker joins, or leaves again."""
        kind = self._rng.choice(("screen", "memory"))
        name = self._stack.extra(kind)
        if name in self._stack.running():
            self._note("leave", name)
            self._stack.stop(name)
        else:
            self._note("join", name)
            self._stack.join(kind)
