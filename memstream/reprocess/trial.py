"""The gate over a user's rows as they are in its state, without writing any of them: what a record of the ledger would
bring about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from processors.memory.rows import RECORDS
from processors.step import Reads, Step
from schemas.events.memory import Decision, Extraction, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from streams.batch import Message
from streams.driver import inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.protocol import Delivered, Kept, OutboxRow, PartitionCommit, Position, Rows, StateStore

BATCH = 64
CACHE_BYTES = 1 << 40
"""Of one user's rows: all of them."""


class Overlay:
    """A `StateStore` that reads from another and keeps to itself what is written."""

    def __init__(self, live: StateStore) -> None:
        self._live = live
        self._written: dict[tuple[str, int], dict[tuple[str, str], bytes | None]] = defaultdict(dict)
        self._positions: dict[tuple[str, int], Position] = {}

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return self._positions.get((step, partition), Position()), []

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        out = await self._live.load(step, wanted)
        for partition, reads in wanted.items():
            for read in reads:
                self._lay_over(out[partition], read, self._written[step, partition])
        return out

    @staticmethod
    def _lay_over(rows: Rows, read: Reads, written: Mapping[tuple[str, str], bytes | None]) -> None:
        mine = rows.setdefault(read.owner, {})
        for (owner, key), value in written.items():
            if owner != read.owner or (read.keys is not None and key not in read.keys):
                continue
            if value is None:
                mine.pop(key, None)
            else:
                mine[key] = value

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        for c in commits:
            written = self._written[c.step, c.partition]
            written.update({(w.owner, w.key): w.value for w in c.writes})
            self._positions[c.step, c.partition] = c.position

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        """Nothing is delivered again."""

    async def kept(self, step: str, partition: int) -> list[Kept]:
        return []

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        return []

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        """Nothing is delivered again."""


class Trial:
    """One user's. `live`: the state of the gate that runs. `decisions`: (outcome, gate) -> how many."""

    def __init__(self, live: StateStore, gate: Step, number: int, partitions: int) -> None:
        self._store = Overlay(live)
        self._gate, self._number = gate, number
        self._codec, self._next = Codec(), 0
        self._runner = StepRunner(
            gate, self._store, self, self._codec, RunnerConfig(partitions, CACHE_BYTES), compute=inline
        )
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.unreadable = 0

    async def records(self, owner: Owner) -> dict[str, MemoryUpdate]:
        """Record id -> its version that is active or observed."""
        rows = await self._store.load(self._gate.name, {self._number: [Reads(owner.key)]})
        mine = rows[self._number].get(owner.key, {})
        found = (RECORDS.format.decode(value).update for key, value in mine.items() if key.startswith(RECORDS.prefix))
        return {u.record_id: u for u in found}

    async def take(self, extractions: Sequence[Extraction]) -> None:
        """Decide them in their order."""
        messages = [self._message(e) for e in extractions]
        for start in range(0, len(messages), BATCH):
            await self._runner.process(messages[start : start + BATCH])

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        """What the gate would send."""
        for row in rows:
            self.unreadable += row.topic == topics.DEAD_LETTERS.name
            if row.topic == topics.DECISIONS.name and row.value is not None:
                event = self._codec.decode(row.topic, row.value)
                if isinstance(event, Decision):
                    self.decisions[event.reason.outcome, event.reason.gate] += 1

    def _message(self, e: Extraction) -> Message:
        offset, self._next = self._next, self._next + 1
        encoded = self._codec.encode(e, "memstream/trial", f"trial/{offset}")
        stamp, headers = int(e.accepted_at.timestamp() * 1000), list(encoded.headers)
        return Message(topics.LEDGER.name, self._number, offset, encoded.key, encoded.value, headers, stamp)
