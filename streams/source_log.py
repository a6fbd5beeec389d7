"""A step reads on only in the log that it has read so far.

A log that comes back shorter has another leader (epoch), and gives the offsets that it lost to other records. The
invariant: before a batch is stored, every leader under which the step has read, and which another one followed, is
known to have ended at or behind what was read under it. A record below the position that came under a later leader is
proof of the contrary. Where the leader stays the same, so does the log: nobody is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from processors.step import Step
from streams.batch import Batch
from streams.ports import LogLeaders


class LogCutError(Exception):
    """A log has lost records that were read, and has grown again: what comes now is not what follows. The worker ends,
    uncommitted; at its start it is told what to do."""


class SourceLog:
    """The topic that a step reads."""

    def __init__(self, step: Step, leaders: LogLeaders) -> None:
        self._step, self._leaders = step, leaders

    async def require_unbroken(self, batches: Sequence[Batch]) -> None:
        """Raises LogCutError, LogAway."""
        topic = self._step.source.name
        for b in batches:
            if b.rewritten is not None:
                raise LogCutError(f"{self._step.name}: {topic}/{b.partition} has other records at {b.rewritten.offset}")
        asked = {((topic, b.partition), epoch): end for b in batches for epoch, end in b.leaders_before}
        if not asked:
            return
        ends = await self._leaders.ends(sorted(asked))
        for (place, epoch), end in asked.items():
            if (left := ends.get((place, epoch), end)) < end:
                raise LogCutError(f"{self._step.name}: {topic}/{place[1]} has lost records from {left} on")
