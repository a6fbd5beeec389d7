"""A log in memory that can lose records: each loss gives it another leader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.log.leaders import Place
from streams.driver import MemoryLog
from streams.ports import LogAway
from streams.state.protocol import OutboxRow
from tests.unit.streams.toy import START


class CutLog(MemoryLog):
    """Both the `Producer` and the `LogLeaders` of a runner. `away`: nobody names leaders."""

    def __init__(self) -> None:
        super().__init__(lambda: START)
        self._epochs: dict[Place, list[int]] = {}
        """Of each partition, by epoch, where it began."""
        self.away = False
        self.questions = 0
        """About ends of leaders."""

    async def deliver(self, rows: Sequence[OutboxRow]) -> Mapping[Place, int]:  # type: ignore[override]
        await super().deliver(rows)
        return {(r.topic, r.partition): len(self.partitions[r.topic, r.partition]) for r in rows}

    def lead(self, place: Place) -> None:
        """A broker has started again."""
        self._began(place).append(len(self.partitions[place]))

    def cut(self, place: Place, count: int) -> None:
        """The newest records, so many, were not on its disk."""
        del self.partitions[place][len(self.partitions[place]) - count :]
        self.lead(place)

    async def present(self, places: Iterable[Place]) -> Mapping[Place, int]:
        if self.away:
            raise LogAway("nobody")
        return {at: len(self._began(at)) - 1 for at in places}

    async def ends(self, asked: Iterable[tuple[Place, int]]) -> Mapping[tuple[Place, int], int]:
        if self.away:
            raise LogAway("nobody")
        self.questions += 1
        return {(at, epoch): self._end(at, epoch) for at, epoch in asked}

    def _end(self, place: Place, epoch: int) -> int:
        later = self._began(place)[epoch + 1 :]
        return min(later, default=len(self.partitions[place]))

    def _began(self, place: Place) -> list[int]:
        return self._epochs.setdefault(place, [0])
