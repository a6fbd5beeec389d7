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
from contextlib import AbstractContextManager

from streams.batch import Message
from streams.cores import starved_seconds
from streams.refusals import is_refusal
from streams.resident import ProcessMemory
from streams.sections import Kind, Section
from streams.state.protocol import StoreAway
from streams.suspects import Suspect, Suspects
from streams.turns import Turn, Turns
from streams.watch import Limits as Limits
from streams.watch import Watch as Watch
from streams.work_record import Hand, InHand

log = logging.getLogger(__name__)
_STOP_SECONDS = 30.0
_STDERR = 2
_ARMINGS = 10
"""So often within `Limits.end` faulthandler's timer is set anew."""


class Watchdog(Watch):
    """Of one process and loop. A thread looks at what is computed on; a store or a broker that is away is waited for.

    Where code never lets go of the interpreter, no thread of Python's runs. Then the kernel marks `in_hand` once the
    process has used `mark_cpu` (a timer of CPU time, faulthandler's handler in C), and faulthandler ends the process
    after `end`. A frozen process (SIGSTOP) uses no CPU time: it makes nobody a suspect. What a suspect takes of memory
    beyond its bound the kernel refuses. Where looking itself fails, the process ends: nobody would look any more.
    """

    def __init__(
        self, limits: Limits, suspects: Suspects, die: Callable[[], None], in_hand: InHand | None = None,
        clock: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.process_time,
        memory: ProcessMemory | None = None, starved: Callable[[int], float] = starved_seconds,
    ) -> None:  # fmt: skip
        self._limits, self._suspects, self._die = limits, suspects, die
        self._in_hand, self._clock, self._cpu = in_hand, clock, cpu
        self._memory, self._starved = memory or ProcessMemory(), starved
        self._holds = self._memory.held()
        """Bytes of this process at the last look."""
        self._sections: dict[int, Section] = {}
        self._numbers = itertools.count()
        self._turns = Turns()
        self._frozen = 0.0
        self._looked = clock(), cpu()
        self._looking = threading.Lock()
        self._over = False
        """What hung is noted, once; the process is about to end."""
        self._stop, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def over(
        self, step: str, messages: Sequence[Message], alone: bool = False, waits: bool = False
    ) -> AbstractContextManager[None]:
        return self._section(Kind.WAITS if waits else Kind.COMPUTES, step, messages, alone and not waits)

    @contextlib.contextmanager
    def loading(self, what: str) -> Iterator[None]:
        with self.waiting(), self._section(Kind.LOADS, what, (), alone=False):
            yield

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        me, since = threading.get_ident(), self._running()
        mine = [s for s in list(self._sections.values()) if s.thread == me and s.waits_since is None]
        for s in mine:
            s.waits_since = since
        try:
            yield
        finally:
            waited = self._running() - since
            for s in mine:
                s.waited += waited
                s.waits_since = None

    @contextlib.contextmanager
    def _section(self, kind: Kind, step: str, messages: Sequence[Message], alone: bool) -> Iterator[None]:
        number, began, slot = next(self._numbers), self._clock(), None
        section: Section | None = None
        refused = False
        holds = self._memory.held() if alone else self._holds
        try:
            with self._bounded() if alone else contextlib.nullcontext(False) as bounded:
                if self._in_hand is not None:
                    slot = self._in_hand.put(step, messages, alone, bounded)
                self._sections[number] = section = Section(
                    began - self._frozen, holds, kind, step, messages, alone, slot, threading.get_ident(),
                    threading.get_native_id(),
                )  # fmt: skip
                if alone:
                    self._wake.set()  # it is looked at more often
                try:
                    yield
                except BaseException as exc:
                    refused = self.refused(exc)  # while the bound is there to be seen
                    raise
        except BaseException:
            if refused and section is not None:
                self._refused(section)
            raise
        finally:
            if self._clock() - began > self._limits.still:
                self.look()  # what held the interpreter may come here before the thread does
            self._sections.pop(number, None)
            if self._in_hand is not None:
                self._in_hand.clear(slot)

    def _bounded(self) -> AbstractContextManager[bool]:
        return self._memory.bounded(int(self._limits.bound * self._limits.growth), self._limits.floor)

    def refused(self, exc: BaseException) -> bool:
        if not self._memory.in_force:
            return isinstance(exc, MemoryError)
        return is_refusal(exc, self._memory.at_the_bound())

    @contextlib.asynccontextmanager
    async def turn(self, alone: bool) -> AsyncIterator[Turn]:
        async with self._turns.take(alone) as turn:
            yield turn

    def start(self) -> None:
        """Blocks while it notes what the process before ended with. Raises StoreAway where that cannot be stored."""
        if self._in_hand is not None:
            left = self._in_hand.left()
            if left.hands and not self._note(left.hands, left.hung):
                raise StoreAway("what the process before ended with is not noted")
            self._in_hand.wipe()
            faulthandler.enable(self._in_hand.marks, all_threads=False)
            faulthandler.register(signal.SIGPROF, self._in_hand.marks, all_threads=False, chain=False)
        self._looked, self._holds = (self._clock(), self._cpu()), self._memory.held()
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
            try:
                self._looks()
            except Exception as exc:  # noqa: BLE001 - refused memory or a thread, among others
                self._looking_failed(exc)

    def _looks(self) -> None:
        now, cpu = self._clock(), self._cpu()
        gap, used = now - self._looked[0], cpu - self._looked[1]
        self._looked, self._holds = (now, cpu), self._memory.held()
        still = gap > self._limits.still and used >= self._limits.still_cpu
        frozen = gap > self._limits.still and not still
        if frozen:
            self._frozen += gap
        running, sections = now - self._frozen, list(self._sections.values())
        for s in sections:
            s.note_starved(self._starved(s.native_thread), not frozen)
        held = [s for s in sections if self._is_held(s, running, still)]
        if held:
            self._end(held)
        elif self._in_hand is not None and self._in_hand.marked:
            self._in_hand.unmark()  # it is over

    def _running(self) -> float:
        return self._clock() - self._frozen

    def _is_held(self, s: Section, now: float, still: bool) -> bool:
        step, worked = self._limits.step, s.worked(now)
        if s.kind is Kind.LOADS:
            return worked > max(step, self._limits.load)
        if still and s.age(now) > self._limits.still and s.waits_since is None and s.kind is Kind.COMPUTES:
            return True
        if self._has_grown(self._holds - s.resident):
            return True
        return s.kind is Kind.COMPUTES and worked > step and worked > s.limit(step)

    def _has_grown(self, growth: int) -> bool:
        """By so much that the kernel is about to end the process, which leaves nothing to note."""
        allowed = self._memory.allowed
        full = allowed is not None and self._holds > self._limits.full * allowed
        return growth > self._limits.growth or (full and growth > self._limits.growth_full)

    def _refused(self, s: Section) -> None:
        """Memory: a suspect wanted more than it may, or a record more than there is. It is no step's mistake, which
        would cost a record at once: the kernel may as well have ended the process."""
        with self._looking:
            if not (self._stop.is_set() or self._over):
                self._end([s])

    def _looking_failed(self, exc: Exception) -> None:
        """Looking failed. Who has the process alone is to blame for that; who has not is worked on again, alone."""
        self._memory.lift()  # to say so takes memory, too
        try:
            log.critical("the watchdog cannot look: this process ends", extra={"error": type(exc).__name__})
            self._end([s for s in list(self._sections.values()) if s.alone])
        except Exception as again:  # noqa: BLE001 - what was in hand is in its file
            with contextlib.suppress(Exception):
                log.critical("what was in hand could not be noted", extra={"error": type(again).__name__})
            self._die()

    def _end(self, held: Sequence[Section]) -> None:
        """What other steps have in hand is innocent: it is worked on again as it is."""
        self._over = True
        self._memory.lift()  # to note it takes memory, too
        for s in held:
            if s.kind is Kind.LOADS:
                log.critical("loading %s takes too long, or too much: this process ends, and is started again", s.step)
        stored = self._note([Hand(s.alone, [_suspect(s.step, m) for m in s.messages]) for s in held])
        if self._in_hand is not None and held:
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
        try:
            self._look_on()
        except Exception as exc:  # noqa: BLE001 - refused a timer or a thread, among others
            with self._looking:
                self._looking_failed(exc)

    def _look_on(self) -> None:
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
