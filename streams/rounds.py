"""What a runner does with suspects: each is a batch of one, and given up where it held its step alone twice
(a tick or an erasure never is)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from processors.step import Step
from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from schemas.log.codec import header
from streams.batch import Batch, Item, Message, Partition
from streams.ports import Observer
from streams.sections import SECTION_BYTES, size_of
from streams.state.protocol import Position, StoreAway
from streams.suspects import MOST_TIMES, Noted, Suspects

log = logging.getLogger(__name__)
OUTCOME_HELD, OUTCOME_ALONE, OUTCOME_STOPPED = "held", "tried_alone", "stopped"
"""Outcomes that are counted."""
NEVER_GIVEN_UP = (Tick, Erasure)
"""What everybody relies on: time that passes, and a promise to forget. Where one hangs, its step stops before it and
tries again; nothing goes past it."""
_THEIR_TYPES = (b"memstream.tick.", b"memstream.erasure.")
_AGAIN_SECONDS, _MOST_DOUBLED = 60.0, 4
"""Between two tries of what is never given up, doubled each time, up to 16 minutes: nobody is served by a worker that
does nothing else, and its other steps go on meanwhile."""


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
    """Of one step: what is noted of its records. `sleep` takes seconds."""

    def __init__(
        self, step: Step, suspects: Suspects, observer: Observer, sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self._step, self._topic, self._suspects = step.name, step.source.name, suspects
        self._observer, self._sleep = observer, sleep

    async def of(self, partition: int, position: Position) -> dict[int, Noted]:
        return await self._suspects.of(self._step, self._topic, partition, position.next_offset or 0)

    async def wait_before(self, together: Sequence[Message], parts: Mapping[int, Partition]) -> None:
        """Returns at once, but before what is never given up and hung alone twice or more."""
        found = noted(together[0], parts[together[0].partition])
        if found is None or found.times < MOST_TIMES or not _says_never(together[0]):
            return
        delay = _AGAIN_SECONDS * 2 ** min(found.times - MOST_TIMES, _MOST_DOUBLED)
        log.critical(
            "step %s stops before a tick or an erasure that hung alone: tried again in %.0f s", self._step, delay,
            extra={"partition": together[0].partition, "offset": together[0].offset, "times": found.times},
        )  # fmt: skip
        self._observer.outcome(self._step, OUTCOME_STOPPED, 1)
        await self._sleep(delay)

    def unreadable(self, b: Batch) -> frozenset[int]:
        """Offsets of what hung once more when it was to be given up: decoding alone holds the step, so it is not
        decoded. Whether it is never given up its headers say."""
        out = [
            m.offset for m in b.fresh
            if (n := noted(m, b.part)) is not None and n.times > MOST_TIMES and not _says_never(m)
        ]  # fmt: skip
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
        if end is None or not any(offset < end for offset in b.part.suspects):
            return
        try:
            await self._suspects.passed(self._step, self._topic, b.partition, end)
        except StoreAway as exc:
            log.warning("suspects that passed stay noted", extra={"step": self._step, "error": str(exc)})
            return
        b.part.suspects = {offset: n for offset, n in b.part.suspects.items() if offset >= end}


def _says_never(m: Message) -> bool:
    """By its headers, as it is not decoded yet. Whoever forges them has a pause before it; what is given up in the end
    the record itself says."""
    return (header(m.headers, "ce_type") or b"").startswith(_THEIR_TYPES)
