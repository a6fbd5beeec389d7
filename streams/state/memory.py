"""The in-memory state store: the broker-less driver's, held to the same contract suite as Postgres."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from processors.step import Reads
from streams.state.protocol import OutboxRow, PartitionCommit, Position, Rows, StaleOwner


class MemoryStateStore:
    """Survives the runner that uses it, as a database would."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], dict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
        self._expiry: dict[tuple[str, int], dict[tuple[str, str], datetime]] = defaultdict(dict)
        self._positions: dict[tuple[str, int], tuple[Position, list[OutboxRow]]] = {}

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return self._positions.get((step, partition), (Position(), []))

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        return {partition: self._load(step, partition, reads) for partition, reads in wanted.items()}

    def _load(self, step: str, partition: int, reads: Sequence[Reads]) -> Rows:
        table = self.rows[step, partition]
        expiry = self._expiry[step, partition]
        out = Rows()
        for read in reads:
            have = table.get(read.owner, {})
            wanted = have if read.keys is None else {k: have[k] for k in read.keys if k in have}
            out.setdefault(read.owner, {}).update(wanted)
            out.expiry.update({place: expiry[place] for k in wanted if (place := (read.owner, k)) in expiry})
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
            expiry = self._expiry[c.step, c.partition]
            for owner, key in [k for k, at in expiry.items() if c.sweep is not None and at <= c.sweep]:
                table[owner].pop(key, None)
                del expiry[owner, key]
            for owner, key, value, expires_at in c.writes:
                expiry.pop((owner, key), None)
                if value is None:
                    table[owner].pop(key, None)
                    continue
                table[owner][key] = value
                if expires_at is not None:
                    expiry[owner, key] = expires_at
            self._positions[c.step, c.partition] = (c.position, list(c.outbox))

    def next_offsets(self) -> dict[tuple[str, int], int]:
        """(step, partition) -> the offset that comes next."""
        found = {at: position.next_offset for at, (position, _) in self._positions.items()}
        return {at: offset for at, offset in found.items() if offset is not None}

    async def settled(self, step: str, offsets: Mapping[int, int]) -> None:
        for partition, offset in offsets.items():
            position, _ = self._positions.get((step, partition), (Position(), []))
            if position.next_offset == offset:
                self._positions[step, partition] = (position, [])
