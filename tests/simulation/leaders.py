"""What the service knows of the leaders of its partitions, and what the log holds of what callers were told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from query.log_epochs import LogEpochs
from query.pipeline.offsets import BrokersAwayError
from schemas.log.progress import Written
from tests.simulation.broker import Broker
from tests.simulation.groups import Place
from tests.simulation.net import AwayError, Net

_LOOK_SECONDS = 2.0
"""Between two looks at the pipeline, as `QueryConfig.poll_seconds`."""


class Taken(Written):
    """A write that was acknowledged, and its record's value."""

    value: bytes | None


class Leaders:
    """The product's `LogEpochs` over the simulated brokers. The look is not made by a task of its own: what there is to
    know is taken over when somebody asks and it is older than two seconds."""

    def __init__(self, loop: asyncio.AbstractEventLoop, broker: Broker, net: Net, partitions: int) -> None:
        self._loop, self._broker, self._net, self._partitions = loop, broker, net, partitions
        self.forget()

    def forget(self) -> None:
        """The service has a new life."""
        self.epochs = LogEpochs(self, self._partitions)
        self._looked = float("-inf")

    def at_send(self, place: Place) -> int | None:
        if self._loop.time() >= self._looked + _LOOK_SECONDS:
            self._looked = self._loop.time()
            present = {at: log.epoch for at, log in self._broker.everything().items()}
            self.epochs.looked(present if self._broker.up else None)
        return self.epochs.at_send().get(place)

    def hold(self, written: Written) -> bool:
        """Whether the log has the write now."""
        log = self._broker.partition(written.topic, written.partition)
        there = [s.record.value for s in (*log.records, *log.compacted) if s.offset == written.offset]
        return isinstance(written, Taken) and written.value in there

    async def epochs_of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        return await self._asked(lambda: {at: self._broker.partition(*at).epoch for at in places})

    async def ends_of(self, epochs: Mapping[Place, int]) -> Mapping[Place, int]:
        return await self._asked(
            lambda: {at: self._broker.partition(*at).end_of_epoch(epoch)[1] for at, epoch in epochs.items()}
        )

    async def _asked(self, question: Callable[[], Any]) -> Mapping[Place, int]:
        try:
            found: Mapping[Place, int] = await self._net.call(self._broker, question, within=1.0)
        except AwayError:
            raise BrokersAwayError from None
        return found
