"""The in-memory state store: the broker-less driver's, held to the same contract suite as Postgres."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from processors.step import Reads
from streams.state import OutboxRow, PartitionCommit, Position, Rows, StaleOwner


class MemoryStateStore:
    """Survives the runner that uses it, as a database would."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], dict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
        self._positions: dict[tuple[str, int], tuple[Position, list[OutboxRow]]] = {}

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return self._positions.get((step, partition), (Position(), []))

    async def load(self, step: str, partition: int, reads: Sequence[Reads]) -> Rows:
        table = self.rows[step, partition]
        out: Rows = {}
        for read in reads:
            have = table.get(read.owner, {})
            wanted = have if read.keys is None else {k: have[k] for k in read.keys if k in have}
            out.setdefault(read.owner, {}).update(wanted)
        return out

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        stale = [
            c.partition
            for c in commits
            if self._positions.get((c.step, c.partition), (Position(), []))[0].next_offset != c.expected
        ]
        if stale:
            raise StaleOwner(stale)
        for c in commits:
            table = self.rows[c.step, c.partition]
            for owner, key, value in c.writes:
                if value is None:
                    table[owner].pop(key, None)
                else:
                    table[owner][key] = value
            self._positions[c.step, c.partition] = (c.position, list(c.outbox))
