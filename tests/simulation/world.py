"""One world: servers, processes and their supervisor. All that is random in it comes from one seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

from memstream.recovery import ShortLogError
from memstream.reprocess.driver import Outcome
from memstream.workers.log_leaders import BrokerLeaders
from query.pipeline.offsets import BrokersAwayError
from schemas.events.envelope import Tick
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.storage.layouts import sink_group
from sinks.erased import WithoutErased
from sinks.worker import Worker, WorkerConfig
from streams.faust.app import SESSION_TIMEOUT
from streams.faust.lease import Lease
from streams.kafka import Outbox
from streams.runner import RunnerConfig, StepRunner
from streams.topology import TOPOLOGY, Parts, group_of
from tests.simulation import models
from tests.simulation.acts import SINKS, WORKERS
from tests.simulation.blocking import block_on, run_blocking
from tests.simulation.broker import Broker
from tests.simulation.consumer import MemberConfig
from tests.simulation.history import History, Watched
from tests.simulation.leaders import Leaders
from tests.simulation.loop import Process, SimLoop
from tests.simulation.net import Net, Server
from tests.simulation.opened import Opened
from tests.simulation.producer import SimProducer
from tests.simulation.rebuilding import Unsent, Views, rebuild, writer_of
from tests.simulation.recovered import found
from tests.simulation.service import Service
from tests.simulation.sink_consumer import SimClock, SimDeadLetters, SimSinkConsumer
from tests.simulation.sinks import StormySink, topics_of
from tests.simulation.steps import StepMember
from tests.simulation.store import SimStateStore, StateServer
from tests.simulation.trust import Trust

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PARTITIONS = 3
_BEATS = 20


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """`durable`: topics flush before they acknowledge, as the product's do. `tick`: seconds between two ticks.
    `erases`: there is something for the eraser to do."""

    seed: int
    durable: bool = True
    tick: float = 10.0
    erases: bool = True


class World:
    """`parts` may be shared by worlds: steps hold nothing."""

    def __init__(self, config: WorldConfig, parts: Parts) -> None:
        self.config, self._parts = config, parts
        self.loop = SimLoop(config.seed)
        self.random = Random(f"world {config.seed}")
        self.history = History(self.loop.time)
        self.opened = Opened(self)
        self.net = Net(self.random)
        self.codec = Codec()
        self.broker = Broker(self.random, self.loop)
        for topic in topics.CATALOGUE:
            self.broker.create(topic.name, PARTITIONS, config.durable)
        self.state = StateServer(self.random, self.loop)
        self.broker.saw = self.state.saw = self.history.saw
        self.stores = {name: Server(f"store-{name}") for name in SINKS}
        self.trust = Trust(self, self._clock())
        self.views = Views(self)
        self.outcomes: dict[str, Outcome] = {}
        """Of rebuilds that have come to their end, by store."""
        self.servers = {s.name: s for s in (self.broker, self.state, *self.stores.values())}
        self.static = self.random.random() < 0.7
        self.skew = 0.0
        self.skewed = False
        """The service's clock has jumped at some time."""
        self.processes: dict[str, Process] = {}
        self.members: dict[str, list[tuple[StepRunner, StepMember]]] = {}
        self.down = False
        """The power is off: nothing is started."""
        self.refused = asyncio.Event()
        """A worker has refused to start on a log that lost what was read."""
        self.calm = False
        """No more ticks, but for erasures that wait for one: what is under way comes to its end."""
        self._ordered: set[str] = set()
        """Commands that an operator runs until they have come to their end: names of processes."""
        self.all_ended = asyncio.Event()
        self.all_ended.set()
        self.leaders = Leaders(self, Net(Random(f"leaders {config.seed}")), PARTITIONS)
        self.service = Service(self, parts, START, PARTITIONS)

    # Processes.
    def start_all(self) -> None:
        writers = [writer_of(store, number) for store, number, _ in self.views.written()]
        for name in (*WORKERS, *writers, "service", "timer", *sorted(self._ordered)):
            self.start(name)
        if self.config.erases:
            self.start("eraser")

    def start(self, name: str) -> None:
        """One more life of a process; does nothing while it has one, or while the power is off."""
        before = self.processes.get(name)
        if self.down or (before is not None and before.alive):
            return
        process = self.loop.process(name, 1 if before is None else before.life + 1)
        self.processes[name] = process
        self.history.note(name, f"starts, life {process.life}")
        self.loop.spawn(process, self._guarded(process, self._work(process)))

    def order(self, name: str) -> None:
        """A command, to be run again by an operator until it has come to its end."""
        self._ordered.add(name)
        self.all_ended.clear()
        self.start(name)

    def rebuilt(self, process: Process, store: str, outcome: Outcome) -> None:
        self.outcomes[store] = outcome
        self._ordered.discard(process.name)
        if not self._ordered:
            self.all_ended.set()
        self.die(process, "has rebuilt", again=False)

    def die(self, process: Process, why: str, again: bool = True) -> None:
        """The process ends at once, and its supervisor starts it again a little later."""
        if not process.alive:
            return
        self.history.note(process.name, f"dies: {why}")
        self.loop.kill(process)
        self.history.ended(process.name)
        if again:
            self.loop.call_later(self.random.uniform(0.3, 3.0), self.start, process.name, context=self.loop.outside())

    async def _guarded(self, process: Process, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as exc:  # noqa: BLE001 - what ends a process; that it happens too often is found by the check
            self.die(process, f"{type(exc).__name__}: {exc}")

    def _work(self, process: Process) -> Coroutine[Any, Any, None]:
        kind, _, rest = process.name.partition("-")
        match kind:
            case "sink":
                store, _, number = rest.partition("-g")
                return self._sink(process, store, int(number or 1))
            case "service":
                return self.service.serve()
            case "rebuild":
                return rebuild(self, process, rest)
            case "timer":
                return self._timer(process)
            case "eraser":
                return self._eraser(process)
            case _:
                return self._worker(process, WORKERS[f"{kind}-1"])

    async def _worker(self, process: Process, steps: tuple[str, ...]) -> None:
        def die(why: str) -> None:
            self.die(process, why)

        await asyncio.sleep(self.random.uniform(0.1, 1.0))
        if short := found(self):
            self.refused.set()
            raise ShortLogError(str(short[0]))
        lease = Lease(SESSION_TIMEOUT / 2, lambda: die("stood still"), self.loop.time)
        producer = SimProducer(self.net, self.broker, self.random, self._clock().now_ms)
        outbox = Outbox(producer, lease.check, lambda n: f"{self.random.getrandbits(8 * n):0{2 * n}x}")
        store = SimStateStore(self.net, self.state)
        faults = Watched(self.history, process.name)
        leaders = BrokerLeaders(self.leaders, BrokersAwayError, self.loop.time)
        members = self.members[process.name] = []
        joined = self.opened.members[process.name] = {}
        for name in steps:
            cache = self.random.choice((2_000, 50_000, 4_000_000))
            runner = StepRunner(
                models.build(name, self._parts), store, outbox, self.codec, RunnerConfig(PARTITIONS, cache),
                faults=faults, compute=self._compute, leaders=leaders,
            )  # fmt: skip
            config = MemberConfig(
                group_of(name), (runner.step.source.name,), f"{process.name}-{name}" if self.static else "",
                SESSION_TIMEOUT, batch=self.random.choice((2, 8, TOPOLOGY[name].batch)),
            )  # fmt: skip
            member = StepMember(self.net, self.broker, self.random, runner, faults, config, die)
            members.append((runner, member))
            joined[name] = partial(getattr, member, "member")
            member.start()
        while True:
            await asyncio.sleep(SESSION_TIMEOUT / 2 / _BEATS)
            lease.beat()

    async def leave(self, name: str) -> None:
        """An orderly end of a worker, as on SIGTERM."""
        process = self.processes[name]

        async def work() -> None:
            for runner, member in self.members.get(name, []):
                await member.stop()
                await runner.leave(range(PARTITIONS))
            self.die(process, "was stopped", again=False)

        if process.alive:
            self.loop.spawn(process, self._guarded(process, work()))

    async def _sink(self, process: Process, name: str, number: int) -> None:
        """`number`: the generation; one beside the first is not the one that the eraser is told by."""
        wait: Callable[[float], None] = lambda seconds: block_on(asyncio.sleep(seconds), self.loop)  # noqa: E731
        config = MemberConfig(
            sink_group(name, number), tuple(t.name for t in topics_of(name)), process.name if self.static else "", 30.0
        )
        clock = self._clock()
        note = partial(self.trust.note, name)
        view = self.views.all[name, number]
        store = StormySink(view.sink, self.stores[name], self.random, wait, view.findings, note)
        consumer = SimSinkConsumer(self.net, self.broker, self.random, self.loop, config)
        dead_letters = (
            SimDeadLetters(lambda: SimProducer(self.net, self.broker, self.random, clock.now_ms, 30.0), self.loop)
            if number == 1 else Unsent()
        )  # fmt: skip
        self.opened.writes[process.name] = store
        self.opened.members[process.name] = {process.name: partial(getattr, consumer, "member")}
        worker = Worker(
            WithoutErased(store, self.trust.register, tells=name == "postgres" and number == 1),
            consumer,
            dead_letters,
            self.codec,
            WorkerConfig(max_records=self.random.choice((3, 50, 500)), commit_every=0.2, poll=1.0),
            clock=clock,
            faults=Watched(self.history, process.name),
            jitter=self.random.random,
        )
        await run_blocking(worker.run)

    async def _eraser(self, process: Process) -> None:
        await run_blocking(lambda: self.trust.follow(process, self._clock(), PARTITIONS))

    async def _timer(self, process: Process) -> None:
        clock = self._clock()
        producer = SimProducer(self.net, self.broker, self.random, clock.now_ms)
        while True:
            await asyncio.sleep(self.config.tick)
            if self.calm and not self.trust.open():
                continue
            now = clock.now()
            for topic in (topics.TURNS, topics.LEDGER, topics.PROJECT_EVENTS):
                for p in range(PARTITIONS):
                    tick = self.codec.encode(Tick(now=now), "memstream/timer", f"tick/{now.isoformat()}/{p}")
                    await producer.send(topic.name, p, tick.key, tick.value, tick.headers)

    async def _compute(self, call: Callable[[], Any]) -> Any:
        """Models run beside the loop, in a thread of their own."""
        await asyncio.sleep(self.random.uniform(0.0, 0.01))
        return call()

    def now(self) -> datetime:
        return self._clock().now()

    def _clock(self) -> SimClock:
        return SimClock(self.loop, START)
