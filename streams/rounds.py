"""What a runner does with suspects: each is a batch of one, and given up where it held its step alone twice
(a tick or an erasure never is)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from processors.step import Step
from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from streams.batch import Batch, Item, Message, Partition
from streams.ports import Observer
from streams.sections import SECTION_BYTES, size_of
from streams.state.protocol import Position, StoreAway
from streams.suspects import GIVEN_UP_BY_HAND, MOST_TIMES, Noted, Suspects

log = logging.getLogger(__name__)
OUTCOME_HELD, OUTCOME_ALONE, OUTCOME_STOPPED = "held", "tried_alone", "stopped"
"""Outcomes that are counted."""
NEVER_GIVEN_UP = (Tick, Erasure)
"""What everybody relies on: time that passes, and a promise to forget. Where one hangs, its step stops before it in its
partition and tries again; nothing goes past it."""
_CONTROL_TYPE = re.compile(rb'"type"\s*:\s*"(?:tick|erasure)"')
"""In a value that is not decoded. Not within a text: there the quotes are escaped."""
_AGAIN_SECONDS, _MOST_DOUBLED = 60.0, 4
"""Between two tries of what is never given up, doubled each time, up to 16 minutes: nobody is served by a worker that
does nothing else, and all other partitions and steps go on meanwhile."""


class Stop(NamedTuple):
    """A step goes no further in a partition than before `offset`, for `seconds`."""

    partition: int
    offset: int
    seconds: float


def noted(message: Message, part: Partition) -> Noted | None:
    """What is noted of that very record; None where it is no suspect, or is stored already."""
    if message.offset < (part.position.next_offset or 0):
        return None
    found = part.suspects.get(message.offset)
    return found if found is not None and found.timestamp_ms == message.timestamp_ms else None


def rounds(shares: Mapping[int, Sequence[Message]], parts: Mapping[int, Partition]) -> list[list[Message]]:
    """What goes together, in the order of each partition: the sound records of all partitions up to the first suspect
    of each, then one suspect by itself, and so on. So nothing that can go before a suspect waits for it."""
    left = {p: deque(share) for p, share in shares.items()}
    out: list[list[Message]] = []
    while any(left.values()):
        together = [m for p, share in left.items() for m in _sound(share, parts[p])]
        out.append(together or [next(share for share in left.values() if share).popleft()])
    return out


def _sound(share: deque[Message], part: Partition) -> list[Message]:
    """Taken from the share: those before its first suspect."""
    out = []
    while share and noted(share[0], part) is None:
        out.append(share.popleft())
    return out


def slices(items: Sequence[Item]) -> Iterable[list[Item]]:
    """What goes through the models together: a batch may hold 8 MiB, which recognisers work on for many minutes, and
    all of it would be suspect. A record that is larger than a slice is one."""
    out: list[Item] = []
    size = 0
    for item in items:
        more = size_of(item.message)
        if out and size + more > SECTION_BYTES:
            yield out
            out, size = [], 0
        out.append(item)
        size += more
    if out:
        yield out


class SuspectBook:
    """Of one step: what is noted of its records. `clock` in seconds: whatever the loop's is by default."""

    def __init__(
        self, step: Step, suspects: Suspects, observer: Observer, clock: Callable[[], float] | None = None
    ) -> None:
        self._step, self._topic, self._suspects = step.name, step.source.name, suspects
        self._observer, self._clock = observer, clock or (lambda: asyncio.get_running_loop().time())
        self._due: dict[tuple[int, int], tuple[Noted, float]] = {}
        """By partition and offset: what was noted when the step stopped there, and when it is tried again. It outlives
        what the runner forgets, so nothing waits twice; no more than there are suspects."""

    async def of(self, partition: int, position: Position) -> dict[int, Noted]:
        found = await self._suspects.of(self._step, self._topic, partition, position.next_offset or 0)
        self._due = {at: due for at, due in self._due.items() if at[0] != partition or at[1] in found}
        return found

    def stops(self, messages: Iterable[Message], parts: Mapping[int, Partition]) -> list[Stop]:
        """Of each partition the first that is never given up, hung alone twice or more and is not due yet."""
        out: dict[int, Stop] = {}
        for m in messages:
            found = noted(m, parts[m.partition])
            if m.partition in out or found is None or not MOST_TIMES <= found.times < GIVEN_UP_BY_HAND:
                continue
            if is_control(m) and (seconds := self._seconds_until(m, found)) > 0:
                out[m.partition] = Stop(m.partition, m.offset, seconds)
        return list(out.values())

    def _seconds_until(self, m: Message, found: Noted) -> float:
        """Until it is tried again. The pause begins with the last try, whichever process that ended: of several that
        end it in turn, none is put off by the others."""
        now = self._clock()
        before, due = self._due.get((m.partition, m.offset), (None, 0.0))
        if before != found:
            delay = _AGAIN_SECONDS * 2 ** min(found.times - MOST_TIMES, _MOST_DOUBLED)
            due = now + max(0.0, delay - found.seconds)
            self._due[m.partition, m.offset] = found, due
            self._say_stopped(m, found, due - now)
        return due - now

    def _say_stopped(self, m: Message, found: Noted, seconds: float) -> None:
        if seconds > 0:
            log.critical(
                "step %s stops before a tick or an erasure that hung alone: tried again in %.0f s", self._step, seconds,
                extra={"partition": m.partition, "offset": m.offset, "times": found.times},
            )  # fmt: skip
            self._observer.outcome(self._step, OUTCOME_STOPPED, 1)

    def unreadable(self, b: Batch) -> frozenset[int]:
        """Offsets of what hung once more when it was to be given up: decoding alone holds the step, so it is not
        decoded. Whether it is never given up its value says; but an operator may give up anything."""
        out = [m.offset for m in b.fresh if (n := noted(m, b.part)) is not None and _is_unreadable(m, n)]
        for _ in out:
            b.count(OUTCOME_HELD)
        return frozenset(out)

    def mark(self, b: Batch) -> None:
        """A suspect is `alone`, and `held` where it is given up."""
        for item in b.items:
            found = noted(item.message, b.part)
            if found is not None:
                given_up = found.times >= MOST_TIMES and not isinstance(item.record.event, NEVER_GIVEN_UP)
                item.alone, item.held = True, given_up
                b.count(OUTCOME_HELD if item.held else OUTCOME_ALONE)

    async def settled(self, b: Batch) -> None:
        """The batch is stored and delivered: its suspects are none any more. While the store is away their rows stay,
        and go with a later batch."""
        end = b.position.next_offset
        self._due = {at: due for at, due in self._due.items() if at[0] != b.partition or at[1] >= (end or 0)}
        if end is None or not any(offset < end for offset in b.part.suspects):
            return
        try:
            await self._suspects.passed(self._step, self._topic, b.partition, end)
        except StoreAway as exc:
            log.warning("suspects that passed stay noted", extra={"step": self._step, "error": str(exc)})
            return
        b.part.suspects = {offset: n for offset, n in b.part.suspects.items() if offset >= end}


def is_control(m: Message) -> bool:
    """By its bytes, as it is not decoded yet; its headers are the writer's. What only contains such a type further
    inside has a pause before it: what is given up in the end the decoded record says."""
    return _CONTROL_TYPE.search(m.value or b"") is not None


def _is_unreadable(m: Message, found: Noted) -> bool:
    return found.times >= GIVEN_UP_BY_HAND or (found.times > MOST_TIMES and not is_control(m))
