"""What a process is in the middle of, and for how long that has lasted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from streams.batch import Message

SECTION_BYTES = 256 * 1024
"""Of records that go through the models together, and for which a step has `Limits.step`: a section may be larger where
one record is, and has as many times that."""


class Kind(Enum):
    """COMPUTES: its time counts. WAITS: for a store or a broker among others. Only what the process grows by meanwhile
    is noted, and never as its own: a consumer's thread and other steps may be what grows. LOADS: the process loads
    something of its own, and no record is to blame."""

    COMPUTES = 1
    WAITS = 2
    LOADS = 3


def size_of(message: Message) -> int:
    return len(message.value or b"") + len(message.key or b"")


@dataclass(slots=True, eq=False)
class Section:
    """`began`: in seconds of this process's running; `waited`: of them, for I/O of ours, which goes on from
    `waits_since`. `resident`: bytes that the process held when it began. `alone`: what it does is its own.
    `thread`: that is in it."""

    began: float
    resident: int
    kind: Kind
    step: str
    messages: Sequence[Message]
    alone: bool
    slot: int | None
    thread: int
    waited: float = 0.0
    waits_since: float | None = None

    def age(self, now: float) -> float:
        """Seconds without what it waited."""
        since = self.waits_since
        return now - self.began - self.waited - (now - since if since is not None else 0.0)

    def limit(self, seconds: float) -> float:
        return seconds * max(1.0, sum(map(size_of, self.messages)) / SECTION_BYTES)
