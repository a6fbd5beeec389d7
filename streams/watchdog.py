"""A record that holds a step too long is written down, and the process ends: its next life tries the record alone
(docs/decisions/2026-11-29-no-hang.md)."""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from streams.batch import Message
from streams.in_hand import InHand
from streams.suspects import Suspect, Suspects

log = logging.getLogger(__name__)
_STDERR = 2
_LOOKS = 20
"""Within the limit."""
GRACE_SECONDS = 30.0
"""After the limit, until faulthandler ends a process whose threads do not run."""


class _Section(NamedTuple):
    began: float
    step: str
    messages: Sequence[Message]


class Watch:
    """Watches nothing."""

    @contextlib.contextmanager
    def over(self, step: str, messages: Sequence[Message]) -> Iterator[None]:
        """While this lasts, `step` computes on these and waits for nobody: no store, no broker."""
        yield


class Watchdog(Watch):
    """`limit`: seconds that a step may compute on what it has in hand, a batch or one record. A thread looks: the loop
    may be what hangs. Only computing is watched; a store or a broker that is away is waited for.

    Where code never lets go of the interpreter the thread does not run, either. Then faulthandler, which needs none,
    ends the process half a minute later, and `in_hand` has what it worked on.
    """

    def __init__(
        self, limit: float, suspects: Suspects, die: Callable[[], None], in_hand: InHand | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._limit, self._suspects, self._die, self._clock = limit, suspects, die, clock
        self._in_hand = in_hand
        self._sections: dict[int, _Section] = {}
        self._numbers = itertools.count()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    @contextlib.contextmanager
    def over(self, step: str, messages: Sequence[Message]) -> Iterator[None]:
        number = next(self._numbers)
        self._sections[number] = _Section(self._clock(), step, messages)
        slot = None if self._in_hand is None else self._in_hand.put(step, messages)
        try:
            yield
        finally:
            del self._sections[number]
            if self._in_hand is not None:
                self._in_hand.clear(slot)

    def start(self) -> None:
        """Blocks while it notes what the process before was ended for."""
        if self._in_hand is not None and (left := self._in_hand.left()):
            self._note(left)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(GRACE_SECONDS)
        faulthandler.cancel_dump_traceback_later()
        if self._in_hand is not None:
            self._in_hand.close()

    def look(self) -> None:
        """Ends the process where something in hand has taken too long. What other steps have in hand is innocent: it
        is worked on again as it is."""
        now = self._clock()
        held = [s for s in list(self._sections.values()) if now - s.began > self._limit]
        if held:
            self._note([Suspect(s.step, m.topic, m.partition, m.offset) for s in held for m in s.messages])
            self._die()

    def _note(self, found: Sequence[Suspect]) -> None:
        for step, topic, partition in sorted({s[:3] for s in found}):
            offsets = sorted(s.offset for s in found if s[:3] == (step, topic, partition))
            log.critical(
                "step %s worked on %s/%d for more than %g s, offsets %s: they are tried one by one",
                step, topic, partition, self._limit, offsets,
            )  # fmt: skip
        self._suspects.note(found)

    def _run(self) -> None:
        while True:
            trace = _STDERR if self._in_hand is None else self._in_hand.trace
            faulthandler.dump_traceback_later(self._limit + GRACE_SECONDS, exit=True, file=trace)
            if self._stop.wait(self._limit / _LOOKS):
                return
            self.look()
