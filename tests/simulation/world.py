"""One world: servers, processes and their supervisor. All that is random in it comes from one seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

from schemas.events.envelope import Envelope, Tick
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition as partition_of
from schemas.log.progress import Written
from schemas.log.topics import Topic
from schemas.storage.layouts import sink_group
from sinks.erased import WithoutErased
from sinks.memory import MemorySink
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
from tests.simulation.leaders import Leaders, Taken
from tests.simulation.loop import Process, SimLoop
from tests.simulation.net import AwayError, Net, Server
from tests.simulation.opened import Opened
from tests.simulation.producer import SimProducer
from tests.simulation.sink_consumer import SimClock, SimDeadLetters, SimSinkConsumer
from tests.simulation.sinks import StormySink, topics_of
from tests.simulation.steps import StepMember
from tests.simulation.store import SimStateStore, StateServer
from tests.simulation.trust import Trust

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PARTITIONS = 3
_BEATS = 20
_DOOR_SECONDS = 10.0
"""After so long the service gives up on the brokers, as `query.producer` does."""


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
        self.views = {
            n: MemorySink(n, [t.name for t in topics_of(n)], self._clock().now, self.trust.told[n]) for n in SINKS
        }  # fmt: skip
        self.servers = {s.name: s for s in (self.broker, self.state, *self.stores.values())}
        self.static = self.random.random() < 0.7
        self.skew = 0.0
        self.skewed = False
        """The service's clock has jumped at some time."""
        self.processes: dict[str, Process] = {}
        self.members: dict[str, list[tuple[StepRunner, StepMember]]] = {}
        self.down = False
        """The power is off: nothing is started."""
        self.calm = False
        """No more ticks, but for erasures that wait for one: what is under way comes to its end."""
        self._requests: asyncio.Queue[_Request] = asyncio.Queue()
        self.leaders = Leaders(self.loop, self.broker, Net(Random(f"leaders {config.seed}")), PARTITIONS)

    # Processes.
    def start_all(self) -> None:
        for name in (*WORKERS, *(f"sink-{s}" for s in SINKS), "service", "timer"):
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
                return self._sink(process, rest)
            case "service":
                return self._service(process)
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
        lease = Lease(SESSION_TIMEOUT / 2, lambda: die("stood still"), self.loop.time)
        producer = SimProducer(self.net, self.broker, self.random, self._clock().now_ms)
        outbox = Outbox(producer, lease.check, lambda n: f"{self.random.getrandbits(8 * n):0{2 * n}x}")
        store = SimStateStore(self.net, self.state)
        faults = Watched(self.history, process.name)
        members = self.members[process.name] = []
        joined = self.opened.members[process.name] = {}
        for name in steps:
            cache = self.random.choice((2_000, 50_000, 4_000_000))
            runner = StepRunner(
                models.build(name, self._parts), store, outbox, self.codec, RunnerConfig(PARTITIONS, cache),
                faults=faults, compute=self._compute,
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

    async def _sink(self, process: Process, name: str) -> None:
        wait: Callable[[float], None] = lambda seconds: block_on(asyncio.sleep(seconds), self.loop)  # noqa: E731
        config = MemberConfig(
            sink_group(name), tuple(t.name for t in topics_of(name)), process.name if self.static else "", 30.0
        )
        clock = self._clock()
        note = partial(self.trust.note, name)
        store = StormySink(self.views[name], self.stores[name], self.random, wait, self.trust.told[name], note)
        consumer = SimSinkConsumer(self.net, self.broker, self.random, self.loop, config)
        self.opened.writes[process.name] = store
        self.opened.members[process.name] = {process.name: partial(getattr, consumer, "member")}
        worker = Worker(
            WithoutErased(store, self.trust.register, tells=name == "postgres"),
            consumer,
            SimDeadLetters(lambda: SimProducer(self.net, self.broker, self.random, clock.now_ms, 30.0), self.loop),
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

    # The door.
    async def post(self, make: Callable[[datetime], tuple[Topic, Envelope] | None], within: float = 20.0) -> Written:
        """A call to the service: acknowledged, or AwayError. `make` is called with the moment of acceptance."""
        request = _Request(make, self.loop.create_future())
        self._requests.put_nowait(request)
        done, _ = await asyncio.wait({request.answer}, timeout=within)
        if not done:
            raise AwayError("service")
        return request.answer.result()

    async def _service(self, process: Process) -> None:
        clock = SimClock(self.loop, START, self.skew)
        producer = SimProducer(self.net, self.broker, self.random, clock.now_ms, _DOOR_SECONDS)
        requests: asyncio.Queue[_Request] = asyncio.Queue()
        self._requests = requests  # what an earlier life has not taken is lost
        self.leaders.forget()
        tasks: set[asyncio.Task[None]] = set()
        while True:
            request = await requests.get()
            task = asyncio.ensure_future(self._accept(request, producer, clock))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _accept(self, request: _Request, producer: SimProducer, clock: SimClock) -> None:
        clock.skew = self.skew
        made = request.make(clock.now())
        if made is None:
            return
        topic, event = made
        if isinstance(event, Erasure):
            self.trust.requested(event)
        p = partition_of(event.owner, PARTITIONS)
        encoded = self.codec.encode(event, "memstream/query", f"{self.random.getrandbits(64):x}")
        key = topics.sent_key(topic.name, encoded.key, lambda n: f"{self.random.getrandbits(8 * n):0{2 * n}x}")
        leader = self.leaders.at_send((topic.name, p))
        try:
            offset = await producer.send(topic.name, p, key, encoded.value, encoded.headers)
        except AwayError as exc:
            if not request.answer.done():
                request.answer.set_exception(exc)
            return
        if isinstance(event, Erasure):
            self.trust.asked.append(event.erasure_id)
        if self.random.random() > 0.02 and not request.answer.done():  # else the caller never hears of it
            request.answer.set_result(
                Taken(topic=topic.name, partition=p, offset=offset, epoch=leader, value=encoded.value)
            )

    async def _compute(self, call: Callable[[], Any]) -> Any:
        """Models run beside the loop, in a thread of their own."""
        await asyncio.sleep(self.random.uniform(0.0, 0.01))
        return call()

    def _clock(self) -> SimClock:
        return SimClock(self.loop, START)


@dataclass(frozen=True, slots=True)
class _Request:
    make: Callable[[datetime], tuple[Topic, Envelope] | None]
    answer: asyncio.Future[Written]
