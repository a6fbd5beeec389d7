"""What the service knows of the leaders of its partitions, and what the log holds of what callers were told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from query.log_epochs import LogEpochs, LostOffsets
from query.pipeline.offsets import BrokersAwayError
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written
from tests.simulation.groups import Place
from tests.simulation.load import Call
from tests.simulation.net import AwayError, Net

if TYPE_CHECKING:
    from tests.simulation.world import World

_LOOK_SECONDS = 2.0
"""Between two looks at the pipeline, as `QueryConfig.poll_seconds`."""


class Leaders:
    """The product's `LogEpochs` over the simulated brokers: what the newest life of the service knows."""

    def __init__(self, world: World, net: Net, partitions: int) -> None:
        self._broker, self._codec, self._net, self._partitions = world.broker, world.codec, net, partitions
        self.losses: list[LostOffsets] = []
        """As recovery has noted them in Postgres."""
        self._places = [(topic, p) for topic in sorted(topics.ROOTS) for p in range(partitions)]
        self.forget()

    def forget(self) -> None:
        """The service has a new life."""
        self.epochs = LogEpochs(self, self._partitions)
        self.epochs.know_losses(self.losses)

    async def look(self) -> None:
        """In a life of the service, as `Monitor` does. Never returns."""
        epochs = self.epochs
        while True:
            try:
                epochs.looked(await self.epochs_of(self._places))
            except BrokersAwayError:
                epochs.looked(None)
            await asyncio.sleep(_LOOK_SECONDS)

    async def lost(self, token: FreshnessToken) -> bool:
        """As the newest life says: a caller whose service has ended asks the next one."""
        return await self.epochs.lost(token)

    def hold(self, call: Call, written: Written) -> bool:
        """Whether the log now has at that offset what the call asked for."""
        log = self._broker.partition(written.topic, written.partition)
        there = (s.record.value for s in (*log.records, *log.compacted) if s.offset == written.offset)
        return any(value and call.made(self._codec.decode(written.topic, value)) for value in there)

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
