"""A `Log` in memory, under the same contract suite as the one over Kafka (tests/query_log_contract.py)."""

from __future__ import annotations

from collections.abc import Sequence

from query.producer import Outgoing, QueueFullError


class MemoryLog:
    """Keeps what was sent. `failing` names topics that do not acknowledge."""

    def __init__(self, capacity: int = 10_000) -> None:
        self.records: list[Outgoing] = []
        self.failing: set[str] = set()
        self.capacity = capacity
        self._next: dict[tuple[str, int], int] = {}

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        if len(records) > self.capacity:
            raise QueueFullError
        out: list[int | None] = []
        for record in records:
            if record.topic in self.failing:
                out.append(None)
                continue
            place = (record.topic, record.partition)
            out.append(self._next.get(place, 0))
            self._next[place] = self._next.get(place, 0) + 1
            self.records.append(record)
        return out

    def close(self) -> None:
        self.records.clear()
