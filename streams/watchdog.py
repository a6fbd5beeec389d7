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
from streams.state.protocol import StoreAway
from streams.suspects import Suspect, Suspects
from streams.turns import Turns

log = logging.getLogger(__name__)
_STOP_SECONDS = 30.0
_ARMINGS = 10
"""So often within `Limits.end` faulthandler's timer is set anew."""


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds. `step`: a step may compute so long on what it has in hand. `still`: the interpreter may be held so
    long; below the lease's limit less two looks, so that what was in hand is noted before the lease ends the process.
    `still_cpu`: CPU time of the process in such a gap, below which it was frozen. `mark_cpu`: CPU time without a look,
    after which the file says so; `end`: time without a look, after which the process is ended. `look`: between two."""

    step: float
    still: float = 4.0
    still_cpu: float = 1.0
    mark_cpu: float = 5.0
    end: float = 60.0
    look: float = 0.25


class _Section(NamedTuple):
    """`began`: in seconds of this process's running."""

    began: float
    step: str
    messages: Sequence[Message]
    alone: bool
    slot: int | None


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
    ) -> None:  # fmt: skip
        self._limits, self._suspects, self._die = limits, suspects, die
        self._in_hand, self._clock, self._cpu = in_hand, clock, cpu
        self._sections: dict[int, _Section] = {}
        self._numbers = itertools.count()
        self._turns = Turns()
        self._frozen = 0.0
        self._looked = clock(), cpu()
        self._looking = threading.Lock()
        self._over = False
        """What hung is noted, once; the process is about to end."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    @contextlib.contextmanager
    def over(self, step: str, messages: Sequence[Message], alone: bool = False) -> Iterator[None]:
        number, slot = next(self._numbers), None
        began = self._clock()
        try:
            if self._in_hand is not None:
                slot = self._in_hand.put(step, messages, alone)
            self._sections[number] = _Section(began - self._frozen, step, messages, alone, slot)
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
        """Blocks while it notes what the process before hung with. Raises StoreAway where that cannot be stored."""
        if self._in_hand is not None:
            hands = self._in_hand.left()
            if hands and not self._note(hands):
                raise StoreAway("what the process before hung with is not noted")
            self._in_hand.wipe()
            faulthandler.register(signal.SIGPROF, self._in_hand.marks, all_threads=False, chain=False)
        self._looked = self._clock(), self._cpu()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        faulthandler.cancel_dump_traceback_later()
        if self._in_hand is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)  # before the handler goes: without one the signal ends the process
            faulthandler.unregister(signal.SIGPROF)
            self._in_hand.close()

    def look(self) -> None:
        """Ends the process where something in hand has taken too long, or held the interpreter for too long. Returns
        when it did not. Who looks at the same time waits: nobody else may end the process before that is noted."""
        with self._looking:
            if self._over:
                self._die()
                return
            now, cpu = self._clock(), self._cpu()
            gap, used = now - self._looked[0], cpu - self._looked[1]
            self._looked = now, cpu
            longest = self._limits.step
            if gap > self._limits.still:
                if used >= self._limits.still_cpu:
                    longest = self._limits.still
                else:
                    self._frozen += gap
            running = now - self._frozen
            held = [s for s in list(self._sections.values()) if running - s.began > longest]
            if held:
                self._end(held)
            elif self._in_hand is not None and self._in_hand.marked:
                self._in_hand.unmark()  # it is over

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

    def _note(self, hands: Sequence[Hand]) -> bool:
        found = [s for hand in hands for s in hand.suspects]
        for step, topic, partition in sorted({s[:3] for s in found}):
            offsets = sorted(s.offset for s in found if s[:3] == (step, topic, partition))
            log.critical(
                "step %s worked on %s/%d for too long, offsets %s: each is worked on alone",
                step, topic, partition, offsets,
            )  # fmt: skip
        return self._suspects.note(found, alone=len(hands) == 1 and hands[0].alone)

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
            if self._stop.wait(self._limits.look):
                return
            self.look()


def _suspect(step: str, m: Message) -> Suspect:
    return Suspect(step, m.topic, m.partition, m.offset, m.timestamp_ms)
