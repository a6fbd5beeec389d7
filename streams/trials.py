"""What a runner does with suspects: tried apart, then worked on alone or given up, then forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from streams.batch import Batch, Message
from streams.suspects import MOST_TIMES, NoSuspects, Suspects

Trial = Callable[[Message], Awaitable[bool]]
"""Works on one record in a process of its own; whether it ended in time. Raises StoreAway where it cannot be told."""
HELD, TRIED = "held", "tried_alone"
"""Outcomes that are counted."""


class Trials:
    """`suspects` has what was in hand when the step took too long. Without a `trial` they are worked on alone, and
    given up after `MOST_TIMES`."""

    def __init__(self, step: str, suspects: Suspects | None = None, trial: Trial | None = None) -> None:
        self._step, self._suspects, self._trial = step, suspects or NoSuspects(), trial

    async def of(self, partition: int) -> dict[int, int]:
        return await self._suspects.of(self._step, partition)

    async def tried(self, b: Batch) -> None:
        """What does not end apart is `held`, the rest goes `alone`. One that passes apart and still hangs here is given
        up in the end."""
        for item in b.items:
            times = b.part.suspects.get(item.record.offset)
            if times is None:
                continue
            item.alone = True
            if times >= MOST_TIMES or (self._trial is not None and not await self._trial(item.message)):
                item.held = True
            b.count(HELD if item.held else TRIED)

    async def settled(self, b: Batch) -> None:
        """The batch is stored and delivered: its suspects are none any more."""
        end = b.position.next_offset
        if end is not None and any(offset < end for offset in b.part.suspects):
            await self._suspects.passed(self._step, b.partition, end)
            b.part.suspects = {offset: n for offset, n in b.part.suspects.items() if offset >= end}
