"""What a runner does with suspects: each is a batch of one, and given up where it held its step alone twice."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from processors.step import Step
from streams.batch import Batch, Item, Message, Partition
from streams.state.protocol import Position, StoreAway
from streams.suspects import MOST_TIMES, Noted, Suspects
from streams.watchdog import SECTION_BYTES, size_of

log = logging.getLogger(__name__)
OUTCOME_HELD, OUTCOME_ALONE = "held", "tried_alone"
"""Outcomes that are counted."""


def noted(message: Message, part: Partition) -> Noted | None:
    """What is noted of that very record; None where it is no suspect."""
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
    """Of one step: what is noted of its records."""

    def __init__(self, step: Step, suspects: Suspects) -> None:
        self._step, self._topic, self._suspects = step.name, step.source.name, suspects

    async def of(self, partition: int, position: Position) -> dict[int, Noted]:
        return await self._suspects.of(self._step, self._topic, partition, position.next_offset or 0)

    def mark(self, b: Batch) -> None:
        """A suspect is `alone`, and `held` where it is given up."""
        for item in b.items:
            found = noted(item.message, b.part)
            if found is not None:
                item.alone, item.held = True, found.times >= MOST_TIMES
                b.count(OUTCOME_HELD if item.held else OUTCOME_ALONE)

    async def settled(self, b: Batch) -> None:
        """The batch is stored and delivered: its suspects are none any more. A row that stays because the store is
        away is dropped when the partition is begun again."""
        end = b.position.next_offset
        if end is None or not any(offset < end for offset in b.part.suspects):
            return
        b.part.suspects = {offset: n for offset, n in b.part.suspects.items() if offset >= end}
        try:
            await self._suspects.passed(self._step, self._topic, b.partition, end)
        except StoreAway as exc:
            log.warning("suspects that passed stay noted", extra={"step": self._step, "error": str(exc)})
