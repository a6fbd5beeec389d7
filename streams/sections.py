"""What a process is in the middle of, and for how long that has lasted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from streams.batch import Message

SECTION_BYTES = 256 * 1024
"""Of records that go through the models together, and for which a step has `Limits.step`: a section may be larger where
one record is, and has as many times that."""
_MOST_STARVED = 3.0
"""So many times its limit a section lasts at most where its thread gets no core: below the time after which a group
takes the partitions of a consumer that asks for nothing (1,000 s)."""


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
    `waits_since`; `starved`: for a core, since the first look. `resident`: bytes that the process held when it began.
    `alone`: what it does is its own. `thread`: that is in it; `native_thread`: by the kernel's number."""

    began: float
    resident: int
    kind: Kind
    step: str
    messages: Sequence[Message]
    alone: bool
    slot: int | None
    thread: int
    native_thread: int
    waited: float = 0.0
    waits_since: float | None = None
    starved: float = 0.0
    starved_before: float | None = None
    """Of its thread, at the last look."""

    def age(self, now: float) -> float:
        """Seconds without what it waited for others."""
        since = self.waits_since
        return now - self.began - self.waited - (now - since if since is not None else 0.0)

    def worked(self, now: float) -> float:
        """Seconds without what it waited for others or for a core."""
        age = self.age(now)
        return max(age - self.starved, age / _MOST_STARVED)

    def note_starved(self, seconds: float, running: bool) -> None:
        """`seconds`: how long its thread has waited for a core so far. Not `running`: the time since the last look is
        in no age."""
        before, self.starved_before = self.starved_before, seconds
        if running and before is not None and self.waits_since is None:
            self.starved += max(0.0, seconds - before)

    def limit(self, seconds: float) -> float:
        return seconds * max(1.0, sum(map(size_of, self.messages)) / SECTION_BYTES)
