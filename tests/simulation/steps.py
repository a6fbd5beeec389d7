"""What stands for Faust: the consumer of a step, over the simulated group, in front of the real loop and runner."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from random import Random

from faust.types import TP

from schemas.log.batch_window import Pace
from streams.batch import Message
from streams.faults import Faults
from streams.faust.intake import Fetched, Intake
from streams.faust.step_loop import StepLoop
from streams.runner import StepRunner
from tests.simulation.broker import Broker
from tests.simulation.consumer import FencedError, Member, MemberConfig, report_failure
from tests.simulation.groups import Place
from tests.simulation.net import AwayError, Net
from tests.simulation.partition import BrokerError, Stored

COMMIT_SECONDS = 0.5


class StepMember:
    """Both the `app` and the `consumer` of a StepLoop, as `streams.faust.intake.Consumer` is in production."""

    def __init__(
        self, net: Net, broker: Broker, random: Random, runner: StepRunner, faults: Faults, config: MemberConfig,
        die: Callable[[str], None],
    ) -> None:  # fmt: skip
        time = asyncio.get_running_loop().time
        self.consumer, self.consumer_generation_id = self, 0
        self._random, self._die, self._topic, self._batch = random, die, runner.step.source.name, config.batch
        self.intake = Intake(config.batch, Pace(0.06, 0.02, time), time)
        self.loop = StepLoop(self, runner, self.intake, faults, 5.0, lambda: die(f"{runner.step.name} cannot go on"))
        self._member = Member(net, broker, random, config, self._revoked, self._assigned)
        self._flowing = asyncio.Event()
        self._committed: dict[TP, int] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def member(self) -> Member:
        return self._member

    def start(self) -> None:
        self._member.start()
        self._member.rejoin.set()
        self._tasks = [
            asyncio.ensure_future(w) for w in (self._group(), self._drain(), self._commits(), self.loop.run())
        ]
        for task in self._tasks:
            task.add_done_callback(report_failure)

    async def stop(self) -> None:
        """Orderly: what is done is committed, then the group is left."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(AwayError, BrokerError, FencedError):
            await self._commit()
            await self._member.leave()
        self._member.stop()

    # What the loop asks of the consumer.
    def assignment(self) -> set[TP]:
        return {TP(*place) for place in self._member.positions}

    async def earliest_offsets(self, *partitions: TP) -> dict[TP, int]:
        return {tp: await self._member.start_of(tuple(tp)) for tp in partitions}

    async def seek(self, partition: TP, offset: int) -> None:
        self._member.seek((partition.topic, partition.partition), offset)

    # What Faust does.
    async def _group(self) -> None:
        try:
            while True:
                await self._member.rejoin.wait()
                if not self._member.positions:  # nothing is revoked that would stop it
                    self._flowing.clear()
                await self._member.join()
                self._flowing.set()
        except FencedError:
            self._die("fenced")

    async def _drain(self) -> None:
        while True:
            await self._flowing.wait()
            found = await self._member.fetch(2 * self._batch, 1.0)
            if not self._flowing.is_set():
                continue  # what came while the flow was stopped is read again
            for place, records in found.items():
                self.intake.put(Fetched(self.consumer_generation_id, _message(place, s)) for s in records)
            for place, position in self._member.positions.items():
                if place not in found:
                    self.intake.passed(TP(*place), position)
            await self.intake.room()

    async def _commits(self) -> None:
        while True:
            await asyncio.sleep(COMMIT_SECONDS)
            if not self._member.must_join:
                with contextlib.suppress(AwayError, BrokerError, FencedError):
                    await self._commit()

    async def _commit(self) -> None:
        mine = self.assignment()
        ahead = {tp: n for tp, n in self.intake.done.items() if tp in mine and n > self._committed.get(tp, -1)}
        if ahead:
            await self._member.commit({(tp.topic, tp.partition): n for tp, n in ahead.items()})
            self._committed.update(ahead)

    async def _revoked(self, places: frozenset[Place]) -> None:
        removed = [TP(*p) for p in sorted(places)]
        self._flowing.clear()
        self.intake.drop(removed)
        await self.loop.revoked([tp.partition for tp in removed])
        if self._random.random() < 0.5:
            with contextlib.suppress(AwayError, BrokerError, FencedError):
                await self._commit()
        self.intake.leave(removed)
        for tp in removed:
            self._committed.pop(tp, None)

    async def _assigned(self, places: frozenset[Place]) -> None:
        self.consumer_generation_id += 1
        self.intake.clear()
        self.loop.assigned()


def _message(place: Place, s: Stored) -> Message:
    r = s.record
    return Message(place[0], place[1], s.offset, r.key, r.value, r.headers, r.timestamp_ms, s.epoch)
