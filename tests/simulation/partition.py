"""One partition of the log on a broker: batches, sequences of producers, leader epochs, what is on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from confluent_kafka import KafkaError

from schemas.log.codec import Headers

_REMEMBERED = 5
"""Batches a producer and partition whose repetition a broker recognises."""


class BrokerError(Exception):
    """What a broker answers in place of a result: a code of Kafka's."""

    def __init__(self, code: int) -> None:
        super().__init__(KafkaError(code).name())
        self.code = code


@dataclass(frozen=True, slots=True)
class Record:
    """What a producer sends. `visible`: False for markers and for what an aborted transaction wrote."""

    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int
    visible: bool = True


@dataclass(frozen=True, slots=True)
class Stored:
    """A record at its offset, and the batch that it came in."""

    offset: int
    epoch: int
    record: Record
    batch: int
    """Offset of the batch's first record."""
    producer: int = -1
    sequence: int = -1
    """Of the batch's first record."""


@dataclass
class Partition:
    """`durable`: flushed before it is acknowledged, and not seen before that. Offsets are those of Kafka."""

    durable: bool
    epoch: int = 0
    start: int = 0
    flushed: int = 0
    """Everything below is on the disk."""
    records: list[Stored] = field(default_factory=list)
    """In offset order; compaction leaves holes."""
    compacted: list[Stored] = field(default_factory=list)
    """What compaction has taken: no reader sees it any more."""
    lost: list[Stored] = field(default_factory=list)
    """What `lose` took."""
    resent: tuple[int, int] | None = None
    """Offsets whose records recovery has written once more behind them: what was lost is what readers had there."""
    end: int = 0
    epochs: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    """(leader epoch, its first offset)."""
    _producers: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """Producer -> (first sequence, count, first offset) of its last batches."""

    @property
    def visible_end(self) -> int:
        return self.flushed if self.durable else self.end

    def append(self, records: Sequence[Record], producer: int = -1, sequence: int = -1) -> int:
        """The first offset; that of the first sending where a batch is repeated. Raises BrokerError for a gap in the
        producer's sequence. Not on the disk before `flush`."""
        if producer >= 0:
            known = self._producers.get(producer, [])
            for first, count, offset in known:
                if (first, count) == (sequence, len(records)):
                    return offset
            expected = known[-1][0] + known[-1][1] if known else None
            if expected is not None and expected != sequence:
                raise BrokerError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER)
            self._producers[producer] = [*known, (sequence, len(records), self.end)][-_REMEMBERED:]
        base = self.end
        for i, r in enumerate(records):
            self.records.append(Stored(base + i, self.epoch, r, base, producer, sequence))
        self.end = base + len(records)
        return base

    def flush(self, upto: int | None = None) -> None:
        self.flushed = max(self.flushed, self.end if upto is None else min(upto, self.end))

    def read(self, offset: int, limit: int) -> list[Stored]:
        """From this offset on, of what may be seen. Raises BrokerError where the offset is not in the log."""
        if not self.start <= offset <= self.visible_end:
            raise BrokerError(KafkaError.OFFSET_OUT_OF_RANGE)
        first = self._index(offset)
        found = self.records[first : first + limit]
        return found if self.visible_end == self.end else [s for s in found if s.offset < self.visible_end]

    def lead(self) -> None:
        """A broker takes the partition over, or has started again."""
        self.epoch += 1
        self.epochs.append((self.epoch, self.end))

    def cut(self) -> int:
        """The power fails: what was not on the disk is gone. Returns how many records were lost that had been seen or
        acknowledged."""
        torn = next((s.batch for s in self.records if s.offset >= self.flushed), self.flushed)
        self.flushed = min(self.flushed, torn)  # of a batch that is on the disk in part nothing is valid
        lost = self.visible_end - self.flushed if self.durable else self.end - self.flushed
        self.records = [s for s in self.records if s.offset < self.flushed]
        self.end = self.flushed
        self.epochs = [(e, o) for e, o in self.epochs if o <= self.end] or [(0, 0)]
        self._recall()
        return lost

    def lose(self, first: int) -> None:
        """The disk had not what it said: from that offset on, of what may have been read."""
        self.lost += [s for s in self.records if s.offset >= first]
        self.flushed = first
        self.cut()

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """As OffsetsForLeaderEpoch answers: the largest known epoch not above it, and where that ends."""
        known = [(e, o) for e, o in self.epochs if e <= epoch]
        if not known:
            return -1, -1
        later = [o for e, o in self.epochs if e > epoch]
        return known[-1][0], min(later, default=self.end)

    def delete_before(self, offset: int) -> None:
        """Retention, or a deletion by hand: the log starts there."""
        self.start = max(self.start, min(offset, self.visible_end))
        self.records = self.records[self._index(self.start) :]

    def compact(self, upto: int) -> None:
        """Below that offset the last record of each key stays."""
        upto = min(upto, self.flushed)
        last = {s.record.key: s.offset for s in self.records if s.offset < self.visible_end and s.record.visible}
        kept = [s for s in self.records if s.offset >= upto or (s.record.visible and last[s.record.key] == s.offset)]
        stay = {s.offset for s in kept}
        self.compacted += [s for s in self.records if s.offset not in stay]
        self.records = kept

    def _index(self, offset: int) -> int:
        low, high = 0, len(self.records)
        while low < high:
            middle = (low + high) // 2
            if self.records[middle].offset < offset:
                low = middle + 1
            else:
                high = middle
        return low

    def _recall(self) -> None:
        """What is known of producers is what the log says of them."""
        batches: dict[tuple[int, int, int], int] = {}
        for s in self.records:
            if s.producer >= 0:
                at = (s.producer, s.sequence, s.batch)
                batches[at] = batches.get(at, 0) + 1
        self._producers = {}
        for (producer, sequence, offset), count in batches.items():
            self._producers[producer] = [*self._producers.get(producer, []), (sequence, count, offset)][-_REMEMBERED:]
