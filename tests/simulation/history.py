"""What happened in a round, by virtual time: for people to read, and as a digest that a replay must repeat. The digest
covers each byte that the log and the state store are given, too: what differs there differs at once, and not only when
it happens to change who does what next."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable

from streams.faults import Faults
from tests.simulation.table import Cell


class History:
    """Lines of `time who what`. `met`: how often a fault met a stage while what was open (`table.py`)."""

    def __init__(self, time: Callable[[], float]) -> None:
        self._time = time
        self.lines: list[str] = []
        self.at: dict[tuple[str, str], str] = {}
        """(process, stage) -> the point that it passed last in this life."""
        self.met: Counter[Cell] = Counter()
        self.on_point: Callable[[str], None] = lambda who: None
        self._hash = hashlib.blake2b(digest_size=12)

    def note(self, who: str, what: str) -> None:
        line = f"{self._time():10.4f} {who:<14} {what}"
        self.lines.append(line)
        self._hash.update(line.encode() + b"\n")

    def saw(self, *given: object) -> None:
        """What a server is given: in the digest alone."""
        self._hash.update(repr(given).encode() + b"\n")

    def ended(self, who: str) -> None:
        """A process has died: it has nothing in hand."""
        for place in [place for place in self.at if place[0] == who]:
            del self.at[place]

    def digest(self) -> str:
        return self._hash.copy().hexdigest()


class Watched(Faults):
    """Notes each point that a process passes."""

    def __init__(self, history: History, who: str) -> None:
        self._history, self._who = history, who

    def hit(self, stage: str, point: str) -> None:
        self._history.at[self._who, stage] = point
        self._history.on_point(self._who)
        self._history.note(self._who, f"{stage} {point}")
