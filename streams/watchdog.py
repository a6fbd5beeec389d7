"""What a step computes on for too long is noted, and the process ends: its next life works on each record alone
(docs/decisions/2026-11-29-no-hang.md)."""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import logging
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from streams.batch import Message
from streams.in_hand import Hand, InHand
from streams.resident import allowed_bytes, resident_bytes
from streams.state.protocol import StoreAway
from streams.suspects import Suspect, Suspects
from streams.turns import Turns

log = logging.getLogger(__name__)
_STOP_SECONDS = 30.0
_STDERR = 2
_ARMINGS = 10
"""So often within `Limits.end` faulthandler's timer is set anew."""
SECTION_BYTES = 256 * 1024
"""Of records that go through the models together, and for which a step has `Limits.step`: a section may be larger where
one record is, and has as many times that."""


def size_of(message: Message) -> int:
    return len(message.value or b"") + len(message.key or b"")


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds. `step`: a step may compute so long on SECTION_BYTES of what it has in hand. `still`: the interpreter
    may be held so long; below the lease's limit less two looks, so that what was in hand is noted before the lease ends
    the process. `still_cpu`: CPU time in such a gap, below which it was frozen. `mark_cpu`: CPU time without a look,
    after which the file says so; `end`: time without a look, after which the process is ended. `look`: between two,
    and `look_alone` while a suspect computes.

    In bytes, what the process may grow by while a step computes on something: `growth`; and `growth_full` where it then
    holds `full` of what its container may. Well above what the largest record takes (216 MB, a document of 1.5 MB) and
    what the recognisers do that are loaded meanwhile (100 MB)."""

    step: float
    still: float = 4.0
    still_cpu: float = 1.0
    mark_cpu: float = 5.0
    end: float = 60.0
    look: float = 0.25
    look_alone: float = 0.02
    growth: int = 2 * 1024**3
    growth_full: int = 256 * 1024**2
    full: float = 0.9


class _Section(NamedTuple):
    """`began`: in seconds of this process's running. `resident`: bytes that it held then."""

    began: float
    resident: int
    step: str
    messages: Sequence[Message]
    alone: bool
    slot: int | None

    def limit(self, seconds: float) -> float:
        return seconds * max(1.0, sum(map(size_of, self.messages)) / SECTION_BYTES)


class Watch:
    """Watches nothing."""

    @contextlib.contextmanager
    def over(self, step: str, messages: Sequence[Message], alone: bool = False) -> Iterator[None]:
        """While this lasts, `step` computes on these and waits for nobody: no store, no broker."""
        yield

    @contextlib.asynccontextmanager
    async def turn(self, alone: bool) -> AsyncIterator[None]:
        """To be taken around what is watched. `alone`: nothing else of this process computes meanwhile."""
        yield


class Watchdog(Watch):
    """Of one process and loop. A thread looks at what is computed on; a store or a broker that is away is waited for.

    Where code never lets go of the interpreter, no thread of Python's runs. Then the kernel marks `in_hand` once the
    process has used `mark_cpu` (a timer of CPU time, faulthandler's handler in C), and faulthandler ends the process
    after `end`. A frozen process (SIGSTOP) uses no CPU time: it makes nobody a suspect.
    """

    def __init__(
        self, limits: Limits, suspects: Suspects, die: Callable[[], None], in_hand: InHand | None = None,
        clock: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.process_time,
        resident: Callable[[], int] = resident_bytes, allowed: Callable[[], int | None] = allowed_bytes,
    ) -> None:  # fmt: skip
        self._limits, self._suspects, self._die = limits, suspects, die
        self._in_hand, self._clock, self._cpu, self._resident = in_hand, clock, cpu, resident
        self._holds, self._allowed = resident(), allowed()
        """Bytes: of this process at the last look, and what its container may."""
        self._sections: dict[int, _Section] = {}
        self._numbers = itertools.count()
        self._turns = Turns()
        self._frozen = 0.0
        self._looked = clock(), cpu()
        self._looking = threading.Lock()
        self._over = False
        """What hung is noted, once; the process is about to end."""
        self._stop, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    @contextlib.contextmanager
    def over(self, step: str, messages: Sequence[Message], alone: bool = False) -> Iterator[None]:
        number, slot = next(self._numbers), None
        began, holds = self._clock(), self._resident() if alone else self._holds
        try:
            if self._in_hand is not None:
                slot = self._in_hand.put(step, messages, alone)
            self._sections[number] = _Section(began - self._frozen, holds, step, messages, alone, slot)
            if alone:
                self._wake.set()  # it is looked at more often
            yield
        finally:
            if self._clock() - began > self._limits.still:
                self.look()  # what held the interpreter may come here before the thread does
            self._sections.pop(number, None)
            if self._in_hand is not None:
                self._in_hand.clear(slot)

    @contextlib.asynccontextmanager
    async def turn(self, alone: bool) -> AsyncIterator[None]:
        async with self._turns.take(alone):
            yield

    def start(self) -> None:
        """Blocks while it notes what the process before ended with. Raises StoreAway where that cannot be stored."""
        if self._in_hand is not None:
            left = self._in_hand.left()
            if left.hands and not self._note(left.hands, left.hung):
                raise StoreAway("what the process before ended with is not noted")
            self._in_hand.wipe()
            faulthandler.enable(self._in_hand.marks, all_threads=False)
            faulthandler.register(signal.SIGPROF, self._in_hand.marks, all_threads=False, chain=False)
        self._looked, self._holds = (self._clock(), self._cpu()), self._resident()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        faulthandler.cancel_dump_traceback_later()
        if self._in_hand is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)  # before the handler goes: without one the signal ends the process
            faulthandler.unregister(signal.SIGPROF)
            faulthandler.enable(_STDERR)
            with self._looking:
                self._in_hand.close()

    def look(self) -> None:
        """Ends the process where something in hand has taken too long, or held the interpreter for too long. Returns
        when it did not. Who looks at the same time waits: nobody else may end the process before that is noted."""
        with self._looking:
            if self._stop.is_set():
                return  # an orderly end: what is computed on still is no suspect
            if self._over:
                self._die()
                return
            now, cpu = self._clock(), self._cpu()
            gap, used = now - self._looked[0], cpu - self._looked[1]
            self._looked, self._holds = (now, cpu), self._resident()
            still = gap > self._limits.still and used >= self._limits.still_cpu
            if gap > self._limits.still and not still:
                self._frozen += gap
            running = now - self._frozen
            held = [s for s in list(self._sections.values()) if self._is_held(s, running - s.began, still)]
            if held:
                self._end(held)
            elif self._in_hand is not None and self._in_hand.marked:
                self._in_hand.unmark()  # it is over

    def _is_held(self, s: _Section, age: float, still: bool) -> bool:
        if (still and age > self._limits.still) or self._has_grown(self._holds - s.resident):
            return True
        return age > self._limits.step and age > s.limit(self._limits.step)

    def _has_grown(self, growth: int) -> bool:
        """By so much that the kernel is about to end the process, which leaves nothing to note."""
        full = self._allowed is not None and self._holds > self._limits.full * self._allowed
        return growth > self._limits.growth or (full and growth > self._limits.growth_full)

    def _end(self, held: Sequence[_Section]) -> None:
        """What other steps have in hand is innocent: it is worked on again as it is."""
        self._over = True
        stored = self._note([Hand(s.alone, [_suspect(s.step, m) for m in s.messages]) for s in held])
        if self._in_hand is not None:
            if stored:
                self._in_hand.wipe()
            else:
                self._in_hand.mark([s.slot for s in held])
        self._die()

    def _note(self, hands: Sequence[Hand], hung: bool = True) -> bool:
        """Without `hung` they are worked on alone, which counts for nothing."""
        found = [s for hand in hands for s in hand.suspects]
        for step, topic, partition in sorted({s[:3] for s in found}):
            offsets = sorted(s.offset for s in found if s[:3] == (step, topic, partition))
            log.log(
                logging.CRITICAL if hung else logging.WARNING,
                "step %s %s with %s/%d in hand, offsets %s: each is worked on alone",
                step, "hung, crashed or took too much memory" if hung else "was ended", topic, partition, offsets,
            )  # fmt: skip
        return self._suspects.note(found, alone=hung and len(hands) == 1 and hands[0].alone)

    def _run(self) -> None:
        armed: float | None = None
        while True:
            if self._in_hand is not None:
                # Again and again: nothing is written where it meets a thread that is none of Python's.
                signal.setitimer(signal.ITIMER_PROF, self._limits.mark_cpu, self._limits.mark_cpu)
            now = time.monotonic()
            if armed is None or now - armed > self._limits.end / _ARMINGS:
                armed = now
                faulthandler.dump_traceback_later(self._limits.end, exit=True)  # a thread of C's each time
            alone = any(s.alone for s in list(self._sections.values()))
            self._wake.wait(self._limits.look_alone if alone else self._limits.look)
            self._wake.clear()
            if self._stop.is_set():
                return
            self.look()


def _suspect(step: str, m: Message) -> Suspect:
    return Suspect(step, m.topic, m.partition, m.offset, m.timestamp_ms)
