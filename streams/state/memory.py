"""The in-memory state store: the broker-less driver's, held to the same contract suite as Postgres."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from processors.step import Reads
from streams.state.protocol import (
    FORMER_LEADERS,
    KEPT_SECONDS,
    Delivered,
    Kept,
    OutboxRow,
    PartitionCommit,
    Position,
    Rows,
    StaleOwner,
    carries_erasure,
)


class MemoryStateStore:
    """Survives the runner that uses it, as a database would. `now` in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.rows: dict[tuple[str, int], dict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
        self._expiry: dict[tuple[str, int], dict[tuple[str, str], datetime]] = defaultdict(dict)
        self._positions: dict[tuple[str, int], tuple[Position, list[OutboxRow]]] = {}
        self._former: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        """How far a step had read under leaders that it has no more: epoch -> next offset."""
        self._kept: dict[tuple[str, int], dict[int, _Kept]] = defaultdict(dict)
        """By the position of its batch."""

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
            self._note_leader(c)
            kept = self._trimmed(c.step, c.partition)
            if c.erases:
                for offset in [offset for offset, k in kept.items() if not k.erasure]:
                    del kept[offset]
            else:
                self._keep(c.step, c.partition, c.delivered)
            self._positions[c.step, c.partition] = (c.position, list(c.outbox))

    def _note_leader(self, c: PartitionCommit) -> None:
        before, _ = self._positions.get((c.step, c.partition), (Position(), []))
        if before.epoch is not None and before.next_offset is not None and before.epoch != c.position.epoch:
            former = self._former[c.step, c.partition]
            for epoch in sorted(former, key=lambda e: former[e], reverse=True)[FORMER_LEADERS:]:
                del former[epoch]
            former[before.epoch] = max(before.next_offset, former.get(before.epoch, 0))

    def _trimmed(self, step: str, partition: int) -> dict[int, _Kept]:
        kept = self._kept[step, partition]
        since = self._now() - KEPT_SECONDS if kept else 0.0
        for offset in [offset for offset, k in kept.items() if k.at < since]:
            del kept[offset]
        return kept

    def _keep(
        self, step: str, partition: int, delivered: Delivered, erasures: Sequence[OutboxRow] | None = None
    ) -> None:
        """The outbox that is replaced; never one with an erasure as a whole, which holds what is erased."""
        position, outbox = self._positions.get((step, partition), (Position(), []))
        whole = erasures is None and any(map(carries_erasure, outbox))
        if outbox and delivered and not whole and position.next_offset is not None:
            rows = outbox if erasures is None else list(erasures)
            self._kept[step, partition][position.next_offset] = _Kept(
                self._now(), delivered, rows, erasures is not None
            )

    def next_offsets(self) -> dict[tuple[str, int], int]:
        """(step, partition) -> the offset that comes next."""
        found = {at: position.next_offset for at, (position, _) in self._positions.items()}
        return {at: offset for at, offset in found.items() if offset is not None}

    def leaders(self) -> set[tuple[str, int, int, int]]:
        """(step, partition, leader epoch, how far it had read under it), of this and of former leaders."""
        found = {(*at, epoch, offset) for at, ends in self._former.items() for epoch, offset in ends.items()}
        now = ((at, position) for at, (position, _) in self._positions.items())
        return found | {
            (*at, p.epoch, p.next_offset) for at, p in now if p.epoch is not None and p.next_offset is not None
        }

    def settle_loss(self, step: str, partition: int, end: int, behind: int | None) -> None:
        """As recovery does with what a log lost from `end` on: a step that had read there goes on at `behind`; None:
        where it is."""
        position, outbox = self._positions.get((step, partition), (Position(), []))
        if position.next_offset is not None and position.next_offset > end:
            offset = position.next_offset if behind is None else behind
            self._positions[step, partition] = (replace(position, next_offset=offset, epoch=None), outbox)
        former = self._former[step, partition]
        self._former[step, partition] = {epoch: offset for epoch, offset in former.items() if offset <= end}

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        for partition, offset in offsets.items():
            position, _ = self._positions.get((step, partition), (Position(), []))
            if position.next_offset == offset:
                if partition in delivered:
                    self._keep(step, partition, delivered[partition], erasures.get(partition))
                self._positions[step, partition] = (position, [])

    async def kept(self, step: str, partition: int) -> list[Kept]:
        return [Kept(offset, k.delivered) for offset, k in sorted(self._kept[step, partition].items())]

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        found = self._kept[step, partition].get(next_offset)
        return [] if found is None else found.rows

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        kept = self._kept[step, partition]
        if next_offset in kept:
            kept[next_offset] = replace(kept[next_offset], at=self._now(), delivered=delivered)


@dataclass(frozen=True, slots=True)
class _Kept:
    """When it was delivered (s), where, and its rows. `erasure`: it has those alone that carry one."""

    at: float
    delivered: Delivered
    rows: list[OutboxRow]
    erasure: bool
