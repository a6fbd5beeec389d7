"""Logs that lose records while the service watches them: found also where they have grown past their readers since."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from query.pipeline.offsets import BrokersAwayError, Offsets, Place

log = logging.getLogger(__name__)


class LostRecords(NamedTuple):
    """A partition was seen to end at `seen`, and of what its leader of then had taken it holds what is below `end`.
    What readers had passed of the rest is given to other records, which they skip."""

    topic: str
    partition: int
    end: int
    seen: int

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}: {self.seen - self.end} records from offset {self.end} on were lost"


class LogLosses:
    """Remembers where each partition ended, and under which leader (epoch). Each start of a broker makes another
    leader; one that lost nothing goes on where the one before ended, or behind that."""

    def __init__(self) -> None:
        self._seen: dict[Place, tuple[int, int]] = {}
        self.found: dict[Place, LostRecords] = {}
        """Since the service was started: by partition, the loss that took most."""

    def look(self, offsets: Offsets, epoch_ends: Callable[[Mapping[Place, int]], Mapping[Place, int]]) -> None:
        """Compares with the look before. Where a leader is another, the brokers are asked where the one before ended;
        while they do not answer, what was seen of it is kept."""
        now = {p: (epoch, offsets.ends[p]) for p, epoch in offsets.epochs.items() if p in offsets.ends}
        former = {p: self._seen[p][0] for p, (epoch, _) in now.items() if self._seen.get(p, (epoch,))[0] != epoch}
        if former:
            try:
                ended = epoch_ends(former)
            except BrokersAwayError:
                now = {p: at for p, at in now.items() if p not in former}
            else:
                for place in former:
                    self._compare(place, max(ended.get(place, 0), 0))
        self._seen |= now

    def _compare(self, place: Place, end: int) -> None:
        seen = self._seen[place][1]
        known = self.found.get(place)
        if end < seen and (known is None or seen - end > known.seen - known.end):
            self.found[place] = lost = LostRecords(*place, end, seen)
            log.critical("%s: stop all processes and producers and run `memstream recover`", lost)
