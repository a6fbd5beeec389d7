"""One round: load and nemesis together, then calm, then the comparison."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.log import topics
from tests.crash import stores
from tests.crash.client import Accepted, Caller
from tests.crash.compare import Differences, dead_letters, topic_records
from tests.crash.load import calls
from tests.crash.log import Broker, Lag, Log, groups, wait_through
from tests.crash.memory import Sampler, Use
from tests.crash.nemesis import SINKS, Event, Nemesis
from tests.crash.oracle import STEPS, Expected, Oracle, source_topic
from tests.crash.part import Part, of_same_sources
from tests.crash.stack import CrashStack, Rhythm, crash_stack

Say = Callable[[str], None]
TENANT = "default"


@dataclass(frozen=True, slots=True)
class RoundConfig:
    """`gap`: seconds between two acts of the nemesis. `screen_part`: every n-th user's turns are screened again by the
    oracle (recognisers cost 4 ms a turn), a multiple of `part`; the rest is compared for every `part`-th owner.
    `must`: fault points visited first, and waited for when `insist` is set."""

    seed: int
    turns: int
    data: Path
    users: int = 60
    rate: float = 60.0
    screens: int = 2
    memories: int = 2
    gap: tuple[float, float] = (1.5, 6.0)
    screen_part: int = 1
    part: int = 1
    must: tuple[str, ...] = ()
    insist: bool = False
    drain_seconds: float = 180.0
    sinks: tuple[str, ...] = SINKS
    keep: Path | None = None
    rhythm: Rhythm = field(default_factory=Rhythm)
    refusals: bool = False
    """Stores that are full or read-only, and processes without file handles, are among the acts."""
    memory_gap: float = 0.0
    """Seconds between two looks at the memory of each process; 0: none."""
    broker_away: tuple[float, float] | None = None
    """(after so many seconds, for so many seconds) the broker is stopped."""


@dataclass(slots=True)
class Report:
    """What a round did and found."""

    seed: int
    turns: int = 0
    events: list[Event] = field(default_factory=list)
    accepted: dict[str, int] = field(default_factory=dict)
    retries: dict[str, int] = field(default_factory=dict)
    restarts: dict[str, int] = field(default_factory=dict)
    lag: list[Lag] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    found: int = 0
    checked: dict[str, int] = field(default_factory=dict)
    compacted: int = 0
    """Updates that compaction had taken when they were compared."""
    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, Use] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.found and not self.lag

    def data(self) -> dict[str, Any]:
        return {
            "seed": self.seed, "ok": self.ok, "turns": self.turns, "kills": [e.data() for e in self.events],
            "accepted": self.accepted, "retries": self.retries, "restarts": self.restarts,
            "lag": [f"{x.group} {x.topic}/{x.partition}: {x.records}" for x in self.lag],
            "differences": self.differences, "found": self.found, "checked": self.checked,
            "compacted": self.compacted, "seconds": self.seconds,
        }  # fmt: skip

    def text(self) -> str:
        kinds = Counter(e.action for e in self.events)
        done = ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())) or "nothing"
        took = ", ".join(f"{k} {s:.0f} s" for k, s in self.seconds.items())
        lines = [
            f"seed {self.seed}: {'ok' if self.ok else 'FAILED'}; {self.turns} turns accepted, {done}; {took}",
            *(f"  {e.line()}" for e in self.events),
            f"  checked {sum(self.checked.values())} records and rows, {self.compacted} compacted away, "
            f"{self.found} differences",
            *(f"  not caught up: {x.group} {x.topic}/{x.partition} by {x.records}" for x in self.lag[:20]),
            *(f"  {line}" for line in self.differences),
        ]
        return "\n".join(lines)


def run_round(config: RoundConfig, oracle: Oracle, say: Say) -> Report:
    """A fresh stack, one round on it. Raises what ends a round early (a refused call, a server that never comes up)."""
    report = Report(config.seed)
    began = time.monotonic()
    with crash_stack(config.screens, config.memories, config.rhythm, config.keep) as stack:
        stack.start()
        report.seconds["start"] = round(time.monotonic() - began, 1)
        say(f"seed {config.seed}: stack at {stack.url}, up after {report.seconds['start']:.0f} s")
        accepted = _load(config, stack, report)
        say(f"seed {config.seed}: {report.turns} turns accepted, {len(report.events)} acts; waiting for calm")
        report.restarts = stack.restarts()
        stack.stop("timer")
        broker = Broker(stack.addresses.kafka, stack.settings.partitions)
        try:
            took, report.lag = wait_through(broker, groups(config.sinks), config.drain_seconds)
            report.seconds["drain"] = round(took, 1)
            if report.lag:
                _tell_stall(stack, broker, report.lag, say)
            else:
                say(f"seed {config.seed}: all groups are through after {took:.0f} s; comparing")
                began = time.monotonic()
                _compare(config, stack, broker, accepted, oracle, report)
                report.seconds["compare"] = round(time.monotonic() - began, 1)
        finally:
            broker.close()
    return report


def _load(config: RoundConfig, stack: CrashStack, report: Report) -> Accepted:
    nemesis = Nemesis(stack, config.seed, config.gap, config.must, config.insist, config.refusals, config.broker_away)
    caller = Caller(stack.url, config.rate, config.seed)
    sampler = Sampler(stack.pids, config.memory_gap) if config.memory_gap else None
    began = time.monotonic()
    nemesis.start()
    if sampler:
        sampler.start()
    try:
        work = calls(config.data, config.seed, config.turns, config.users, f"s{config.seed}")
        asyncio.run(caller.run(work))
        nemesis.finish()
    finally:
        if sampler:
            sampler.stop()
            report.memory = sampler.uses()
        nemesis.stop()
    a = caller.accepted
    report.turns, report.events = len(a.turns), nemesis.events
    report.accepted, report.retries = dict(a.others), dict(a.retries)
    report.seconds["load"] = round(time.monotonic() - began, 1)
    return a


def _compare(
    config: RoundConfig, stack: CrashStack, broker: Broker, accepted: Accepted, oracle: Oracle, report: Report
) -> None:
    d, part = Differences(), Part(config.part)
    # A project's events are the project's, whoever of the part or beside it they come from.
    whole = (topics.PROJECT_EVENTS,)
    logs = {t.name: broker.read(t) if t in whole else broker.read(t, part.takes) for t in _read_topics()}
    turns = {(u, t) for u, t in accepted.turns if part.has(TENANT, "user", u)}
    expected = asyncio.run(_expected(config, stack, oracle, logs))
    _topics(config, d, expected, logs)
    history = logs[topics.HISTORY.name]
    wanted = stores.newest([history, *(expected[s].outputs for s in ("gate", "session", "project"))])
    d.sets("history", turns, ((n[2], n[3]) for n in wanted if n[0] == "turn"))
    stores.postgres(d, stack.addresses.postgres, turns, wanted, part)
    stores.documents(d, stack.addresses.postgres, accepted.documents)
    if "redis" in config.sinks:
        stores.redis_sessions(d, stack.addresses.redis, wanted, datetime.now(UTC))
    if "milvus" in config.sinks:
        stores.milvus(d, stack.addresses.milvus, wanted, part)
    report.compacted = d.thinned
    report.differences, report.found, report.checked = d.lines(), d.count(), dict(d.checked)


def _read_topics() -> Sequence[topics.Topic]:
    return (
        topics.TURNS, topics.HISTORY, topics.LEDGER, topics.PROJECT_EVENTS, topics.UPDATES, topics.SESSION_STATE,
        topics.DECISIONS, topics.DEAD_LETTERS,
    )  # fmt: skip


async def _expected(
    config: RoundConfig, stack: CrashStack, oracle: Oracle, logs: dict[str, Log]
) -> dict[str, Expected]:
    out = {}
    for step in STEPS:
        source = logs[source_topic(step).name]
        records = Part(config.screen_part if step == "screen" else config.part).of(source)
        out[step] = await oracle.run(step, stack.settings, records)
    return out


def _topics(config: RoundConfig, d: Differences, expected: dict[str, Expected], logs: dict[str, Log]) -> None:
    part = config.part > 1
    screened = Part(config.screen_part).of(logs[topics.HISTORY.name])
    topic_records(d, topics.HISTORY, "screen", expected["screen"].outputs, screened, part=part)
    topic_records(d, topics.LEDGER, "extract", expected["extract"].outputs, logs[topics.LEDGER.name], part=part)
    gated = expected["gate"].outputs
    for topic in (topics.UPDATES, topics.DECISIONS):
        topic_records(d, topic, "gate", gated, logs[topic.name], part=part)
    events = logs[topics.PROJECT_EVENTS.name]
    result = events if config.part <= 1 else of_same_sources(events, gated)
    topic_records(d, topics.PROJECT_EVENTS, "gate", gated, result, part=part)
    for topic in (topics.UPDATES, topics.DECISIONS):
        topic_records(d, topic, "project", expected["project"].outputs, logs[topic.name], part=part)
    topic_records(
        d, topics.SESSION_STATE, "session", expected["session"].outputs, logs[topics.SESSION_STATE.name],
        coalesced=True, part=part,
    )  # fmt: skip
    dead = [m for e in expected.values() for m in e.dead]
    dead_letters(d, dead, logs[topics.DEAD_LETTERS.name])


def _tell_stall(stack: CrashStack, broker: Broker, lag: Sequence[Lag], say: Say) -> None:
    """What is known of groups that stand still: the broker's view of them, and where each process of theirs stands."""
    groups = sorted({x.group for x in lag if x.group.startswith("memstream-")})
    for line in broker.described(groups):
        say(line)
    own = {g.removeprefix("memstream-") for g in groups}
    for name in stack.running():
        if name in own or (name.startswith("worker-") and not own <= {f"sink-{s}" for s in SINKS}):
            stack.dump(name)
    time.sleep(2.0)
    for name in stack.running():
        if name.startswith(("worker", "sink")):
            say(f"--- {name}\n{stack.log_tail(name, 80 if name in own else 20)}")
    say(f"--- kafka\n{stack.log_tail('kafka', 60)}")
