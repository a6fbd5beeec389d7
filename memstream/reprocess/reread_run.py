"""`memstream reprocess read`: stored turns that an older version of the reader read, a partition at a time; what the
current one makes of them is tried on the gate's state, counted, and sent to the ledger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import psycopg

from memstream.keyring.wiring import Sealing
from memstream.reprocess.amend_log import newest
from memstream.reprocess.amending import Amender, Pass, Progress
from memstream.reprocess.log import LogReader
from memstream.reprocess.reread import Findings, Only, Turns, changes, older, turns_of, without_turns
from memstream.reprocess.trial import Trial
from memstream.settings import Settings
from memstream.workers.parts import parts_of
from processors.memory.rows import READINGS
from processors.reader.rereading import Rereader, replies
from processors.step import Reads, Step
from schemas.events.memory import Extraction
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.owner import Owner
from schemas.storage import postgres_connections
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import StateStore
from streams.topology import TOPOLOGY, Parts

VIEWS = ("memories", "outcomes")
READ = (topics.HISTORY, topics.UPDATES)
OWNERS = 200
"""Users whose rows are asked for together."""


class Pace:
    """At most `rate` turns a second. `clock` in seconds."""

    def __init__(
        self, rate: float, clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._apart, self._clock, self._sleep = 1.0 / rate, clock, sleep
        self._next = 0.0

    async def turn(self) -> None:
        """Returns when the next turn may be read."""
        now = self._clock()
        if now < self._next:
            await self._sleep(self._next - now)
        self._next = max(now, self._next) + self._apart


@dataclass(frozen=True, slots=True)
class Rereading:
    """Of one partition. `state`: of the gate that runs, which is read alone; `gate`: one of its kind, which decides on
    trial. `send`: takes what is to go to the ledger."""

    number: int
    partitions: int
    state: StateStore
    gate: Step
    reader: Rereader
    pace: Pace
    send: Callable[[Extraction], None]

    async def run(
        self, rows: Sequence[Event], at: datetime, only: Only, findings: Findings,
        report_left: Callable[[int, int], None] = lambda total, left: None,
    ) -> None:  # fmt: skip
        """`rows`: the newest events of the partition; `at`: when reading began. `report_left`: hears how many turns
        there are to be read, and how many are left."""
        extractor = self.reader.extractor
        turns = turns_of(rows, at, only.takes)
        findings.turns += sum(t.role == "user" for mine in turns.values() for t in mine)
        findings.left["turns_are_gone"] += without_turns(
            rows, turns, extractor.name, extractor.version, only.takes
        )
        wanted = await self._wanted(turns, at, findings)
        left = total = sum(map(len, wanted.values()))
        findings.older += total
        for owner, mine in wanted.items():
            read = await self._read(turns[owner], mine)
            await self._tried(owner, read, findings)
            for e in read:
                self.send(e)
            left -= len(mine)
            report_left(total, left)

    async def _wanted(self, turns: Turns, at: datetime, findings: Findings) -> Turns:
        """Users' turns that an older version read."""
        out: Turns = {}
        extractor, owners = self.reader.extractor, list(turns)
        for start in range(0, len(owners), OWNERS):
            some = owners[start : start + OWNERS]
            wanted = [Reads(o.key, tuple(READINGS.key(t.turn_id) for t in turns[o])) for o in some]
            rows = (await self.state.load(self.gate.name, {self.number: wanted}))[self.number]
            for owner in some:
                held = rows.get(owner.key, {}).items()
                readings = {key.removeprefix(READINGS.prefix): READINGS.format.decode(value) for key, value in held}
                mine = older(turns[owner], readings, extractor.name, extractor.version, at, findings.left)
                if mine:
                    out[owner] = mine
        return out

    async def _read(self, turns: Sequence[ScreenedTurn], wanted: Iterable[ScreenedTurn]) -> list[Extraction]:
        answered, out = replies(turns), []
        for turn in wanted:
            await self.pace.turn()
            out.append(self.reader.read(turn, answered.get(turn.turn_id, "")))
        return out

    async def _tried(self, owner: Owner, read: Sequence[Extraction], findings: Findings) -> None:
        trial = Trial(self.state, self.gate, self.number, self.partitions)
        before = await trial.records(owner)
        await trial.take(read)
        for change in changes(before, await trial.records(owner), {e.turn.turn_id for e in read}):
            findings.add(change)
        findings.left["rejected"] += trial.decisions["refused", "feedback"]
        findings.left["the_users_own"] += trial.decisions["skipped", "command"]
        findings.left["unreadable"] += trial.unreadable


class Reread:
    """`sealing` reads and writes what is sealed; `rate`: turns a second. Close after use."""

    def __init__(self, settings: Settings, sealing: Sealing, progress: Progress, only: Only, rate: float) -> None:
        self._settings, self._sealing, self._only = settings, sealing, only
        parts = parts_of(settings)
        self._amender = Amender(settings, sealing.codec, progress, "reread", VIEWS, parts.book.default)
        book = self._amender.book
        self._reader = Rereader(parts.extractor, parts.models, book)
        self._gate = TOPOLOGY["gate"].build(Parts(parts.models, book, parts.extractor))
        self._pace = Pace(rate)

    def close(self) -> None:
        self._amender.close()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What becomes of the memories, and how many turns a second look still finds. Raises RebuildError."""
        found, again = self._amender.run(conn, "reading again", self._look, dry=dry)
        reader = f"{self._reader.extractor.name}@{self._reader.extractor.version}"
        out: dict[str, Any] = {"applied": not dry, "reader": reader, **found.as_json()}
        if again is not None:
            out["still_there"] = again.older
        return out

    def _look(self, one: Pass) -> Findings:
        findings, sizes = Findings(), self._sizes()
        total = later = sum(sizes)
        for number, size in enumerate(sizes):
            later -= size
            one.left(total, later + size)
            report_left = partial(_report_progress, one, total, later, size)
            rows = newest(self._settings, self._sealing.codec, READ, number)
            asyncio.run(self._partition(number, rows, one, findings, report_left))
        return findings

    async def _partition(
        self, number: int, rows: Sequence[Event], one: Pass, findings: Findings,
        report_left: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        def send(e: Extraction) -> None:
            # A name of its own each time: in the ledger no two records share a key.
            name = f"reread/{e.turn.turn_id}/{e.extractor}/{e.extractor_version}/{one.at.isoformat()}"
            one.send(topics.LEDGER, e, name)

        dsn = self._settings.postgres.get_secret_value()
        async with postgres_connections.pool(dsn, min_size=1, max_size=1) as pool:
            state = self._sealing.state(PostgresStateStore(pool))
            work = Rereading(number, self._settings.partitions, state, self._gate, self._reader, self._pace, send)
            await work.run(rows, one.at, self._only, findings, report_left)

    def _sizes(self) -> list[int]:
        """Records of turns a partition."""
        places = [(topics.HISTORY.name, n) for n in range(self._settings.partitions)]
        with closing(LogReader(self._settings.brokers, places)) as log:
            sizes = log.sizes()
        return [sizes[place] for place in places]


def _report_progress(one: Pass, total: int, later: int, size: int, turns: int, left: int) -> None:
    """Of a partition of `size` records `left` of its `turns` are still to be read, and the partitions behind it."""
    one.left(total, later + round(size * left / turns))
