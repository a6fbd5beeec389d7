"""Carries out the acts of a round. A new kind of fault is a method here, named after it, and its entry in `acts`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime

from schemas.log import topics
from schemas.log.codec import header, parsed
from schemas.log.dead_letters import kafka_time
from schemas.log.topics import Cleanup
from tests.simulation import outgrown, unflushed
from tests.simulation.acts import WORKERS, Act
from tests.simulation.backup import Backup
from tests.simulation.loop import Process
from tests.simulation.net import Weather
from tests.simulation.opened import uses
from tests.simulation.partition import Stored
from tests.simulation.recovered import recover
from tests.simulation.world import World

_LATE_SECONDS = 600.0


class Nemesis:
    """`lost`: what recovery found missing from the logs, in lines."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._doomed: dict[Process, tuple[int, Act]] = {}
        """Callbacks that are left until the act."""
        self._armed: dict[str, Act] = {}
        """Acts that wait for the process to pass a named point."""
        self.lost: list[str] = []
        self.outputs_lost = 0
        """Records that topics of steps have lost."""
        self.outside: set[tuple[str, str]] = set()
        """Turns that a client has written to the log itself, by user and id."""
        self._backup: Backup | None = None
        world.loop.on_turn = self._turn
        world.history.on_point = self._point

    async def run(self, planned: list[Act]) -> None:
        """Returns when every act is over."""
        began = self._world.loop.time()
        running = []
        for act in planned:
            await asyncio.sleep(max(0.0, began + act.at - self._world.loop.time()))
            self._world.history.note("nemesis", str(act))
            running.append(asyncio.ensure_future(self._acts(act.kind)(act)))
        await asyncio.gather(*running)

    def _acts(self, kind: str) -> Callable[[Act], Awaitable[None]]:
        found: Callable[[Act], Awaitable[None]] = getattr(self, f"_{kind}")
        return found

    def _turn(self, process: Process) -> None:
        """Behind each callback of a process: is it the one at which it is struck?"""
        doom = self._doomed.get(process)
        if doom is None:
            return
        left, act = doom
        if left > 0:
            self._doomed[process] = left - 1, act
            return
        del self._doomed[process]
        self._struck(act.kind, process.name)
        if act.kind == "kill":
            self._world.die(process, "killed")
        elif process.runs:
            process.frozen = True
            self._world.history.note("nemesis", f"{process.name} stands still")
            outside = self._world.loop.outside()
            self._world.loop.call_later(act.seconds, self._thaw, process, context=outside)

    def _thaw(self, process: Process) -> None:
        process.frozen = False
        self._world.history.note("nemesis", f"{process.name} goes on")

    def _point(self, who: str) -> None:
        act, process = self._armed.pop(who, None), self._world.processes.get(who)
        if act is not None and process is not None:
            self._doomed[process] = act.count, act

    def _struck(self, fault: str, target: str) -> None:
        """Counted at the stages that it met: those of a process, or those that call a server, with what is open."""
        at = self._world.history.at
        if target in self._world.servers:
            points = {stage: point for (_, stage), point in at.items() if uses(target, stage)}
        else:
            kind = target.rpartition("-")[0]
            alone = target.startswith("sink-") or target == "eraser"
            stages = (target,) if alone else WORKERS.get(f"{kind}-1", ())
            points = {stage: at.get((target, stage), "idle") for stage in stages}
        for stage, point in points.items():
            self._world.history.met.update((fault, stage, o) for o in self._world.opened.of(stage, point))

    async def _kill(self, act: Act) -> None:
        process = self._world.processes.get(act.target)
        if act.busy:
            self._armed[act.target] = act
        elif process is not None and process.runs:
            self._doomed[process] = act.count, act

    async def _freeze(self, act: Act) -> None:
        await self._kill(act)

    async def _away(self, act: Act) -> None:
        server = self._world.servers[act.target]
        if not server.up:
            return
        self._struck("away", act.target)
        if server is self._world.broker:
            self._world.broker.crash(power=False)
        else:
            server.stop()
        await asyncio.sleep(act.seconds)
        up = self._world.servers[act.target].up  # asked anew: a power cut may have come meanwhile
        if not self._world.down and not up:
            server.start()
            self._world.history.note("nemesis", f"{act.target} is back")

    async def _slow(self, act: Act) -> None:
        await self._weather(act, Weather(slow=self._world.random.choice((0.05, 0.5, 8.0))))

    async def _lossy(self, act: Act) -> None:
        await self._weather(act, Weather(lost=0.3, dropped=0.1))

    async def _refuse(self, act: Act) -> None:
        await self._weather(act, Weather(refuses=True))

    async def _weather(self, act: Act, weather: Weather) -> None:
        server = self._world.servers[act.target]
        self._struck(act.kind, act.target)
        server.weather = weather
        await asyncio.sleep(act.seconds)
        if server.weather is weather:
            server.weather = Weather()

    async def _join(self, act: Act) -> None:
        """One more worker for a while: two rebalances."""
        self._world.start(act.target)
        await asyncio.sleep(act.seconds)
        if act.target in self._world.processes:
            self._struck("rebalance", act.target)
            await self._world.leave(act.target)

    async def _skew(self, act: Act) -> None:
        self._world.skew, self._world.skewed = act.seconds, True

    async def _compact(self, act: Act) -> None:
        self._struck("compact", "kafka")
        for topic in topics.CATALOGUE:
            if topic.cleanup is not Cleanup.DELETE:
                for log in self._world.broker.topics[topic.name]:
                    log.compact(self._world.random.randint(log.start, log.end))

    async def _late(self, act: Act) -> None:
        """Out of the queues of producers that stood still, once the erasures are done: all that steps have sent to a
        topic of those who were erased, before they asked for it."""
        w, until = self._world, self._world.loop.time() + _LATE_SECONDS
        while not w.trust.asked or w.trust.open() or w.down or not w.broker.up:
            if w.loop.time() > until:
                return
            await asyncio.sleep(0.5)
        cuts = w.trust.cuts()
        for n, log in enumerate(w.broker.topics[act.target]):
            sent = sorted((*log.compacted, *log.records), key=lambda s: s.offset)
            queued = [replace(s.record, key=self._sent_key(act.target, s.record.key)) for s in sent if _of(s, cuts)]
            if queued and not w.broker.weather.refuses:
                w.broker.produce(act.target, n, queued, w.broker.producer_id(), 0)
                w.history.note("nemesis", f"{len(queued)} records come late in {act.target}/{n}")

    def _sent_key(self, topic: str, key: bytes | None) -> bytes | None:
        """In a kept log each sending has a key of its own."""
        plain = None if key is None else key.rpartition(b"~")[0] or key
        return topics.sent_key(topic, plain, lambda n: f"{self._world.random.getrandbits(8 * n):0{2 * n}x}")

    async def _rebuild(self, act: Act) -> None:
        """An operator runs `memstream rebuild`, and again until it comes to its end: a wait without one is found."""
        w = self._world
        name = f"rebuild-{act.target}"
        if act.target not in w.outcomes:
            w.order(name)
        await w.all_ended.wait()

    async def _back_up(self, act: Act) -> None:
        """Of Postgres, as of one moment."""
        self._backup = Backup.of(self._world)

    async def _restore(self, act: Act) -> None:
        """All is stopped, Postgres is put back as it was at the backup, and all is started. Log, groups, Redis and
        Milvus are newer then."""
        w = self._world
        if w.down or self._backup is None:
            return
        w.down = True
        for process in list(w.processes.values()):
            w.die(process, "stopped for a restore", again=False)
        behind = [w.state, w.stores["postgres"]]
        for server in behind:
            server.stop()
        self._backup.put_back(w)
        await asyncio.sleep(act.seconds)
        w.down = False
        for server in behind:
            server.start()
        self.lost += recover(w)
        w.history.note("nemesis", "Postgres is back as it was")
        w.start_all()
        await asyncio.sleep(2 * w.config.tick)  # a partition in which nothing comes is not looked at

    async def _power(self, act: Act) -> None:
        """The machine goes dark, and comes back: Postgres with what it has committed, the log with what was flushed.
        Before anything else writes, the log is compared with its readers, as `memstream up` does."""
        w = self._world
        if w.down:
            return
        w.down = True
        for process in list(w.processes.values()):
            self._struck("power", process.name)
            w.die(process, "power cut", again=False)
        for server in w.servers.values():
            if server is w.broker:
                w.broker.crash(power=True)
            else:
                server.stop()
        await asyncio.sleep(act.seconds)
        self._power_is_back(w)

    def _power_is_back(self, w: World) -> None:
        w.down = False
        for server in w.servers.values():
            server.start()
        self.lost += recover(w)
        w.history.note("nemesis", "the power is back")
        w.start_all()

    async def _outgrown(self, act: Act) -> None:
        """A power cut, and a root of which the disk had not all that it said. A client writes on over the loss before
        anything of ours has started."""
        w = self._world
        await outgrown.read_to_the_end(w, act.target)
        w.down = True
        self._lights_out()
        outgrown.lose(w, act)
        await asyncio.sleep(act.seconds)
        w.broker.start()
        self.outside |= outgrown.write_on(w, act)
        self._power_is_back(w)

    async def _unflushed(self, act: Act) -> None:
        """A power cut, and a topic of steps of which the disk had not all that it said."""
        w = self._world
        await outgrown.read_to_the_end(w, act.target)  # the oracle reads what its readers have had at its offsets
        w.down = True
        self._lights_out()
        self.outputs_lost += unflushed.lose_newest(w, act)
        await asyncio.sleep(act.seconds)
        self._power_is_back(w)

    async def _regrown(self, act: Act) -> None:
        """The broker alone comes back with a root of which the disk had not all that it said, and a client writes over
        it before a step has read on. An operator hears of it by a worker that refuses to start, or never."""
        w = self._world
        await outgrown.read_to_the_end(w, act.target)
        w.broker.crash(power=True)
        outgrown.lose(w, act)
        w.broker.start()
        self.outside |= outgrown.write_on(w, act)
        w.die(w.processes["service"], "hears of it, too", again=False)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(act.seconds):
                await w.refused.wait()
                w.down = True
                for process in list(w.processes.values()):
                    w.die(process, "is stopped", again=False)
                w.down = False
                self.lost += recover(w)
                w.start_all()
        w.start("service")

    def _lights_out(self) -> None:
        w = self._world
        for process in list(w.processes.values()):
            w.die(process, "power cut", again=False)
        for server in w.servers.values():
            if server is w.broker:
                w.broker.crash(power=True)
            else:
                server.stop()


def _of(s: Stored, cuts: Mapping[str, datetime]) -> bool:
    """Whether a step had sent it of a user who was erased then."""
    value = s.record.value
    if not s.record.visible or value is None or header(s.record.headers, "src") is None:
        return False
    parsed_value = parsed(value)
    if parsed_value.get("type") in ("erasure", "marker", "tick"):
        return False
    user = str(
        parsed_value.get("user_id")
        or (parsed_value.get("owner_id") if parsed_value.get("owner_kind") == "user" else "")
    )
    return user in cuts and kafka_time(s.record.timestamp_ms) <= cuts[user]
