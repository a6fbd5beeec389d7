"""Lives of a worker, one after the other, whose step hangs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faust.types import TP

from processors.step import Out, Reads, Record, StateSpace
from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.batch_window import Pace
from schemas.log.codec import Codec, Encoded, Event, header
from schemas.log.owner import partition, user
from schemas.reading_stats import ReadingStats
from streams.batch_frame import MARKER_ORDINAL
from streams.driver import MemoryLog, inline
from streams.faults import Faults
from streams.faust.intake import Fetched, Intake
from streams.faust.step_loop import _batch, _seek_due
from streams.runner import Message, RunnerConfig, StepRunner, Upcoming, nothing
from streams.state.memory import MemoryStateStore
from streams.suspects import MemorySuspects, Suspect
from streams.watchdog import Limits, Watchdog
from tests.unit.streams.bench import P
from tests.unit.streams.toy import START, Counter

LIMIT = 300.0
AT = int(START.timestamp() * 1000)
TOPIC = topics.TURNS.name
OTHER = next(u for u in (f"u{n}" for n in range(99)) if partition(user("acme", u), 8) != P)
Q = partition(user("acme", OTHER), 8)


class Ended(BaseException):
    """The process is no more."""


class Clock:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def end() -> None:
    raise Ended


class Hanging(Counter):
    """Takes for ever in one phase with a turn that says `hang`, or with more than `most` turns: the watchdog's thread
    looks meanwhile. With a tick or an erasure where `controls` says so."""

    completes = True

    def __init__(self, phase: str, most: int, controls: bool = False) -> None:
        super().__init__()
        self._phase, self._most, self._controls = phase, most, controls
        self.mended = False
        self.clock = Clock()
        self.watchdog: Watchdog | None = None

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        if self._phase == "prepare":
            self._work(records)
        return super().prepare(records)

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        if self._phase == "reads":
            self._work([record])
        return super().reads(record, prepared)

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if self._phase == "then_reads":
            self._work([record])
        return super().then_reads(record, prepared, state)

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Any], states: Sequence[StateSpace]
    ) -> Sequence[Any]:
        if self._phase == "complete":
            self._work(records)
        return prepared

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        if self._phase == "handle":
            self._work([record])
        return [] if isinstance(record.event, Erasure) else super().handle(record, prepared, state)

    def _work(self, records: Sequence[Record]) -> None:
        if len(records) > self._most or any(self.hangs(r.event) for r in records):
            self.hang()

    def hangs(self, event: object) -> bool:
        if isinstance(event, Tick | Erasure):
            return self._controls and not self.mended
        return isinstance(event, TurnEvent) and event.sealed.content.startswith("hang")

    def hang(self) -> None:
        assert self.watchdog is not None
        while True:
            self.clock.at += 1
            self.watchdog.look()


class HangingCodec(Codec):
    """Takes for ever to decode what hangs, to encode what comes of offset 2, or what is committed after it."""

    def __init__(self, step: Hanging, phase: str) -> None:
        super().__init__()
        self._step, self._phase = step, phase

    def decode(self, topic: str, value: bytes | None) -> Event:
        event = super().decode(topic, value)
        if self._phase == "decode" and self._step.hangs(event):
            self._step.hang()
        return event

    def encode(self, event: Event, source: str, event_id: str, extra: Sequence[tuple[str, bytes]] = ()) -> Encoded:
        if self._phase == "encode" and ("src", f"counter/{P}:2:0".encode()) in extra:
            self._step.hang()
        if self._phase == "commit" and ("src", f"counter/{P}:2:{MARKER_ORDINAL}".encode()) in extra:
            self._step.hang()
        return super().encode(event, source, event_id, extra)


class Counted:
    """Observer: outcomes."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def batch(self, step: str, size: int, seconds: Mapping[str, float]) -> None: ...

    def outcome(self, step: str, word: str, count: int) -> None:
        self.words[word] = self.words.get(word, 0) + count

    def read(self, stats: ReadingStats) -> None: ...


class Lives:
    """Runners one after the other over what outlives them."""

    def __init__(self, phase: str, most: int = 99, controls: bool = False) -> None:
        self.phase, self.most, self.controls = phase, most, controls
        self.store, self.log = MemoryStateStore(), MemoryLog(lambda: START)
        self.suspects, self.counted = MemorySuspects(lambda: 0.0), Counted()
        self.ends = 0
        self.now = Clock()
        self.mended = False

    def runner(self) -> StepRunner:
        step = Hanging(self.phase, self.most, self.controls)
        step.mended = self.mended
        step.watchdog = Watchdog(Limits(LIMIT), self.suspects, end, clock=step.clock, cpu=lambda: 0.0)
        return StepRunner(
            step, self.store, self.log, HangingCodec(step, self.phase), RunnerConfig(8), compute=inline,
            watch=step.watchdog, suspects=self.suspects, observer=self.counted, clock=self.now,
        )  # fmt: skip

    async def live(self, feed: Sequence[Message], upcoming: Upcoming = nothing) -> StepRunner | None:
        """One life; the runner, where it goes on."""
        runner = self.runner()
        try:
            await runner.process(feed, upcoming)
        except Ended:
            self.ends += 1
            return None
        return runner

    def note(self, *offsets: int, topic: str = TOPIC, at: int = AT, alone: bool = False) -> None:
        self.suspects.note([Suspect("counter", topic, P, n, at) for n in offsets], alone)

    def times(self) -> dict[int, int]:
        return {offset: n.times for (*_, offset), n in self.suspects.rows.items()}

    def letters(self) -> list[tuple[bytes | None, bytes | None]]:
        found = [m for (t, _), line in self.log.partitions.items() if t == topics.DEAD_LETTERS.name for m in line]
        return [(header(m.headers, "source_offset"), header(m.headers, "reason")) for m in found]

    def count(self, name: str = "ann") -> bytes | None:
        owner = user("acme", name)
        return self.store.rows.get(("counter", partition(owner, 8)), {}).get(owner.key, {}).get("count")


class Worker:
    """One life as the app runs it: a consumer over these records, the intake, the loop's work on a batch. It is both
    the `app` and its consumer."""

    def __init__(self, lives: Lives, feed: Sequence[Message]) -> None:
        self.lives, self.feed, self.runner = lives, list(feed), lives.runner()
        self.intake = Intake(64, Pace(0.06, 0.02), clock=lives.now)
        self.consumer, self.consumer_generation_id = self, 1
        self.seeks: list[tuple[int, int]] = []
        self._read: dict[int, int] = {}

    def assignment(self) -> set[TP]:
        return {TP(TOPIC, p) for p in (P, Q)}

    async def earliest_offsets(self, *partitions: TP) -> dict[TP, int]:
        return dict.fromkeys(partitions, 0)

    async def seek(self, partition: TP, offset: int) -> None:
        self.seeks.append((partition.partition, offset))
        self._read[partition.partition] = offset

    def fetch(self) -> None:
        for m in self.feed:
            if m.offset >= self._read.get(m.partition, 0):
                self.intake.put([Fetched(1, m)])
                self._read[m.partition] = m.offset + 1

    async def goes_on(self) -> None:
        await _seek_due(self, self.runner, self.intake)
        self.fetch()
        await _batch(self, self.runner, self.intake._take(), self.intake, Faults())

    async def ends(self) -> bool:
        """Whether it does, instead of going on."""
        try:
            await self.goes_on()
        except Ended:
            return True
        return False

    def done(self) -> dict[int, int]:
        """What may be committed, by partition."""
        return {tp.partition: offset for tp, offset in self.intake.done.items()}


def prepared(runner: StepRunner | None) -> list[int]:
    assert runner is not None
    assert isinstance(runner.step, Hanging)
    return runner.step.prepared
