"""`memstream regate`: the ledger through the gate of now, a partition at a time, in memory; then what differs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

import psycopg

from memstream.keyring.wiring import Sealing
from memstream.profiles import FollowedBook, Following
from memstream.reprocess.amend_log import Folded
from memstream.reprocess.amending import Amender, Pass, Progress
from memstream.reprocess.errors import RebuildError
from memstream.reprocess.log import LogReader
from memstream.reprocess.offsets import Place
from memstream.reprocess.regate import (
    Difference,
    Findings,
    Name,
    Remembered,
    Versions,
    amendments,
    differences,
    left_alone,
    records,
    screened,
)
from memstream.settings import Settings
from memstream.workers.parts import parts_of
from processors.memory.rows import RECORDS
from processors.memory.source_positions import ReadAt
from processors.pii.redact import Redaction
from processors.pii.redaction import redact
from processors.step import Out, Reads, Record, StateSpace, Step
from schemas.events.amendments import Amendment
from schemas.events.memory import Extraction
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.progress import root_partition
from schemas.storage import postgres_connections
from schemas.storage.layouts import stage
from sinks.protocol import Mark
from sinks.protocol import Message as Stored
from streams.batch import Message
from streams.driver import inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import OutboxRow
from streams.topology import TOPOLOGY, Parts

VIEWS = ("memories", "outcomes")
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 0.1
ALL_IN_MEMORY = 1 << 40
PASSES = 3
"""A mark that one record's amendment brings makes a new revision of the other record, whose own amendment then changes
nothing and is sent again by the next pass."""


class Log(Protocol):
    """Places of the log, read on to their present ends each time (memstream.reprocess.log)."""

    def to_end(self, report_left: Callable[[int], None] = ...) -> Iterator[list[Stored]]: ...

    def position(self, place: Place) -> int: ...


class Ledger(Following):
    """The gate over a replay: earlier regates and redates are results, passed by. `said`: (owner key, turn id)."""

    def __init__(self, inner: Step, book: FollowedBook) -> None:
        super().__init__(inner, book)
        self.said: set[tuple[str, str]] = set()

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        return () if _passed(record) else super().reads(record, prepared)

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        if _passed(record):
            return []
        if isinstance(record.event, Extraction):
            self.said.add((record.event.owner.key, record.event.turn.turn_id))
        return super().handle(record, prepared, state)


def _passed(record: Record) -> bool:
    return isinstance(record.event, Amendment) and record.event.cause in ("regate", "redate")


class Outputs:
    """What the replay sends, folded as a sink folds it."""

    def __init__(self, codec: Codec) -> None:
        self.held = Folded(codec, [topics.UPDATES])
        self.unreadable = 0
        self._count = 0

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        self.unreadable += sum(r.topic == topics.DEAD_LETTERS.name for r in rows)
        mine = [r for r in rows if r.topic == topics.UPDATES.name]
        start, self._count = self._count, self._count + len(mine)
        stamp = int(datetime.now(UTC).timestamp() * 1000)
        self.held.take(
            [Stored(r.topic, r.partition, start + n, r.key, r.value, r.headers, stamp) for n, r in enumerate(mine)]
        )


class Replay:
    """One partition of the ledger through a gate of its own; `advance` goes on to the present end."""

    def __init__(
        self, log: Log, parts: Parts, book: FollowedBook, codec: Codec, number: int, partitions: int
    ) -> None:
        self._log, self._number = log, number
        self.out = Outputs(codec)
        self.step = Ledger(TOPOLOGY["gate"].build(parts), book)
        config = RunnerConfig(partitions, ALL_IN_MEMORY)
        self._state = MemoryStateStore()
        self._runner = StepRunner(self.step, self._state, self.out, codec, config, compute=inline)
        self._loop = asyncio.Runner()

    def advance(self, report_left: Callable[[int], None] = lambda left: None) -> int:
        """The first offset that was not read."""
        for messages in self._log.to_end(report_left):
            batch = [Message(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms)
                     for m in messages]  # fmt: skip
            if batch:
                self._loop.run(self._runner.process(batch))
        return self._log.position((topics.LEDGER.name, self._number))

    def read_at(self, owner: str) -> dict[str, ReadAt]:
        """Where the replay has read each record of a user that stands in it."""
        rows = [table.get(owner, {}) for table in self._state.rows.values()]
        return {
            k.removeprefix(RECORDS.prefix): RECORDS.format.decode(v).places
            for mine in rows
            for k, v in mine.items()
            if k.startswith(RECORDS.prefix)
        }

    def close(self) -> None:
        self._loop.close()


class Live:
    """memory.updates of the same partition, as the gate that runs has written it."""

    def __init__(self, log: Log, codec: Codec, number: int) -> None:
        self._log = log
        self._mark = Mark(stage("gate", topics.UPDATES.name), number, root_partition(topics.LEDGER.name, number))
        self.held = Folded(codec, [topics.UPDATES])

    def advance(self, until: int) -> None:
        """Until the gate has decided what lies below this offset of the ledger. Raises RebuildError."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            for messages in self._log.to_end():
                self.held.take(messages)
            if self.held.progress.get(self._mark, 0) >= until:
                return
            if time.monotonic() > deadline:
                raise RebuildError("the gate has not decided what is in the ledger: is its worker running?")
            time.sleep(LOOK_SECONDS)


def twice(
    replay: Replay, live: Live, report_left: Callable[[int], None], findings: Findings
) -> tuple[list[Difference], dict[Name, Versions]]:
    """Records that differ at two looks and stood still between them, and all that stands at the second."""
    live.advance(replay.advance(report_left))
    decided = records(live.held.rows)
    first = {d.name: d.revision for d in differences(records(replay.out.held.rows), decided)}
    findings.looked_at += len(decided)
    findings.unreadable += replay.out.unreadable
    if not first:
        return [], decided
    live.advance(replay.advance())
    decided = records(live.held.rows)
    found = [d for d in differences(records(replay.out.held.rows), decided) if d.name in first]
    still = [d for d in found if d.revision == first[d.name]]
    findings.left["changed_meanwhile"] += len(found) - len(still)
    return still, decided


def until_settled(run: Callable[[], tuple[Findings, Findings | None]]) -> tuple[Findings, Findings | None]:
    """What the first pass found, and what the last look still finds. `run`: one pass and a look behind it."""
    findings, again = run()
    for _ in range(PASSES - 1):
        if again is None or not again.groups:
            break
        _, again = run()
    return findings, again


class Regate:
    """`sealing` reads and writes what is sealed. Close after use."""

    def __init__(self, settings: Settings, sealing: Sealing, progress: Progress) -> None:
        self._settings, self._sealing = settings, sealing
        parts = parts_of(settings)
        self._amender = Amender(settings, sealing.codec, progress, "regate", VIEWS, parts.book.default)
        self._book = self._amender.book
        self._parts = Parts(parts.models, self._book, parts.extractor)

    def close(self) -> None:
        self._amender.close()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What differs, and what the last look still finds once it is applied. Raises RebuildError."""
        findings, again = until_settled(lambda: self._amender.run(conn, "deciding anew", self._look, dry=dry))
        out: dict[str, Any] = {"applied": not dry, **findings.as_json()}
        if again is not None:
            out["still_there"] = again.as_json()["differences"]
        return out

    def _look(self, one: Pass) -> Findings:
        findings, sizes = Findings(), self._sizes()
        total = later = sum(sizes)
        for number, size in enumerate(sizes):
            later -= size
            for d in self._partition(number, findings, partial(_report_progress, one, total, later)):
                findings.add(d)
                for a in () if one.dry else amendments(d, one.at):
                    one.send(topics.LEDGER, a, a.amendment_id)
        return findings

    def _sizes(self) -> list[int]:
        """Records of the ledger a partition."""
        places = [self._place(n) for n in range(self._settings.partitions)]
        with closing(LogReader(self._settings.brokers, places)) as log:
            sizes = log.sizes()
        return [sizes[place] for place in places]

    @staticmethod
    def _place(number: int) -> tuple[str, int]:
        return topics.LEDGER.name, number

    def _partition(self, number: int, findings: Findings, report_left: Callable[[int], None]) -> list[Difference]:
        """Records that differ at two looks, unchanged meanwhile, and that nothing speaks for leaving alone."""
        s, codec = self._settings, self._sealing.codec
        with ExitStack() as stack:
            ledger = stack.enter_context(closing(LogReader(s.brokers, [self._place(number)])))
            updates = stack.enter_context(closing(LogReader(s.brokers, [(topics.UPDATES.name, number)])))
            replay = Replay(ledger, self._parts, self._book, codec, number, s.partitions)
            stack.enter_context(closing(replay))
            found, decided = twice(replay, Live(updates, codec, number), report_left, findings)
            kept = self._kept(number, found, decided, replay, findings)
            return screened(kept, decided, self._redact)

    def _kept(
        self, number: int, found: list[Difference], decided: dict[Name, Versions], replay: Replay, findings: Findings
    ) -> list[Difference]:
        if not found:
            return []
        remembered = asyncio.run(self._remembered(number, sorted({d.owner.key for d in found}), replay))
        out, key, stated = [], self._parts.models.hash_key, replay.step.said
        for d in found:
            why = left_alone(d, decided.get(d.name, {}), stated, remembered[d.owner.key], key)
            if why is None:
                out.append(d)
            else:
                findings.left[why] += 1
        return out

    async def _remembered(self, number: int, owners: Sequence[str], replay: Replay) -> dict[str, Remembered]:
        """Rejections and record ids in the state of the gate that runs."""
        dsn = self._settings.postgres.get_secret_value()
        async with postgres_connections.pool(dsn, min_size=1, max_size=1) as pool:
            store = self._sealing.state(PostgresStateStore(pool))
            rows = (await store.load("gate", {number: [Reads(owner) for owner in owners]}))[number]
        return {
            owner: Remembered.of(rows.get(owner, {}), replay.read_at(owner)) for owner in owners
        }

    def _redact(self, tenants: Sequence[str], texts: Sequence[str]) -> Sequence[Redaction]:
        return redact(self._parts.models, self._book, tenants, texts)


def _report_progress(one: Pass, total: int, later: int, left: int) -> None:
    one.left(total, later + left)
