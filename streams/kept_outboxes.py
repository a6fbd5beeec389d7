"""What a log has lost of a step's outputs is sent there again.

A broker acknowledges records that its disk may not have yet. Outboxes are therefore kept in the store until they have
surely been flushed, each with the leader (epoch) and the offset that it came to in every partition. The invariant:
before a batch is stored, each partition that had something of the step has all of it that is kept, under the leader
that it has now; what was lost stands there again, in its order, from the first lost outbox on. So no outbox is
forgotten unseen, and nothing new goes before what was lost: readers, which drop what they have had, would take that for
a redelivery.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from schemas.log.leaders import Place
from streams.batch import Batch, Partition
from streams.ports import LogLeaders, Producer
from streams.state.protocol import Delivered, Kept, OutboxRow, PartitionCommit, StateStore, carries_erasure

log = logging.getLogger(__name__)


class KeptOutboxes:
    """Of one step. All raise StoreAway, LogAway, and what the producer raises when it gives up."""

    def __init__(self, step: str, store: StateStore, producer: Producer, leaders: LogLeaders) -> None:
        self._step, self._store, self._producer, self._leaders = step, store, producer, leaders

    async def begin(self, partition: int, part: Partition, outbox: Sequence[OutboxRow]) -> None:
        """At a take-over: the last outbox may not have gone out, and goes behind what the log has lost."""
        kept = await self._store.kept(self._step, partition)
        present = await self._leaders.present({*places_of(outbox), *(at for k in kept for at in k.delivered)})
        await self._restore(partition, kept, present)
        part.sound = {at: present.get(at, epoch) for k in reversed(kept) for at, (epoch, _) in k.delivered.items()}
        if outbox:
            self.sent(part, outbox, present, await self._producer.deliver(outbox))

    async def compare(self, batches: Sequence[Batch], commits: Sequence[PartitionCommit]) -> Mapping[Place, int]:
        """Before batches are stored. Returns the leaders that their outboxes go to, or earlier ones."""
        wanted = {at for b in batches for at in b.part.sound} | {at for c in commits for at in places_of(c.outbox)}
        present = await self._leaders.present(wanted)
        for b in batches:
            if any(present.get(at, epoch) != epoch for at, epoch in b.part.sound.items()):
                kept = await self._store.kept(self._step, b.partition)
                if b.part.delivered and b.part.position.next_offset is not None:
                    kept = [*kept, Kept(b.part.position.next_offset, b.part.delivered)]
                again = await self._restore(b.partition, kept, present)
                b.part.delivered = again.get(b.part.position.next_offset, b.part.delivered)
                b.part.sound |= {at: present[at] for at in b.part.sound if at in present}
        return present

    def sent(
        self, part: Partition, outbox: Sequence[OutboxRow], leaders: Mapping[Place, int],
        ends: Mapping[Place, int] | None,
    ) -> None:  # fmt: skip
        """An outbox was delivered. `leaders`: as they were known before it."""
        part.delivered = _delivered(places_of(outbox), leaders, ends)
        part.sound = {at: epoch for at, (epoch, _) in part.delivered.items()} | part.sound

    async def settle_erasures(self, delivered: Mapping[int, tuple[int, Partition, Sequence[OutboxRow]]]) -> None:
        """An outbox with an erasure in it goes at once, and not with the next batch: it holds what was said before, and
        delivered once more it would stand behind the eraser's nulls (C9). The eraser waits until it is gone. Its rows
        that carry the erasure are kept. `delivered`: by partition, the position, what is remembered, the outbox."""
        erasures = {
            p: rows for p, (_, _, outbox) in delivered.items() if (rows := [r for r in outbox if carries_erasure(r)])
        }
        if erasures:
            offsets = {p: delivered[p][0] for p in erasures}
            lies = {
                p: {at: to for at, to in delivered[p][1].delivered.items() if at in places_of(rows)}
                for p, rows in erasures.items()
            }
            await self._store.settled(self._step, offsets, lies, erasures)

    async def _restore(
        self, partition: int, kept: Sequence[Kept], present: Mapping[Place, int]
    ) -> Mapping[int | None, Delivered]:
        """Sends again what was lost. Returns where outboxes lie of which something was sent, by their names."""
        asked = {(at, epoch) for k in kept for at, (epoch, _) in k.delivered.items() if present.get(at, epoch) != epoch}
        if not asked:
            return {}
        lost = lost_of(kept, await self._leaders.ends(sorted(asked)))
        if not lost:
            return {}
        log.critical(
            "step %s, partition %d: logs have lost outputs, which are sent again: %s", self._step, partition,
            sorted(lost),
        )  # fmt: skip
        again: dict[int | None, Delivered] = {}
        for n, k in enumerate(kept):
            places = {at for at, first in lost.items() if n >= first and at in k.delivered}
            if places:
                again[k.next_offset] = await self._send_again(partition, k, places, present)
        return again

    async def _send_again(self, partition: int, k: Kept, places: set[Place], leaders: Mapping[Place, int]) -> Delivered:
        rows = await self._store.kept_outbox(self._step, partition, k.next_offset)
        if not rows:  # the last one, which is kept with the next batch
            position, outbox = await self._store.position(self._step, partition)
            rows = outbox if position.next_offset == k.next_offset else []
        ends = await self._producer.deliver([r for r in rows if (r.topic, r.partition) in places])
        lies = {**k.delivered, **_delivered(places, leaders, ends)}
        await self._store.sent_again(self._step, partition, k.next_offset, lies)
        return lies


def lost_of(kept: Sequence[Kept], ends: Mapping[tuple[Place, int], int]) -> dict[Place, int]:
    """Partitions that lack something of what is kept, and the number of the first outbox that they lack. `ends`: where
    leaders ended, of those that lead no more."""
    lost: dict[Place, int] = {}
    for n, k in enumerate(kept):
        for at, (epoch, end) in k.delivered.items():
            if ends.get((at, epoch), end) < end:
                lost.setdefault(at, n)
    return lost


def places_of(outbox: Iterable[OutboxRow]) -> set[Place]:
    return {(row.topic, row.partition) for row in outbox}


def _delivered(places: Iterable[Place], leaders: Mapping[Place, int], ends: Mapping[Place, int] | None) -> Delivered:
    known = ends or {}
    return {at: (leaders[at], known[at]) for at in sorted(places) if at in leaders and at in known}
