"""The leaders (epochs) of partitions, as steps ask for them: of what they read, and of what they send to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from schemas.log.leaders import Place
from schemas.storage.connections import Bootstrap
from streams.ports import LogAway

if TYPE_CHECKING:
    from query.log_epochs import EpochSource

_HOLDS_SECONDS = 2.0
"""For so long an answer counts: a broker takes longer to come back."""
_ANSWER_SECONDS = 5.0


class BrokerLeaders:
    """`LogLeaders` of a process. `away`: what the source raises when no broker answers. `now` in seconds."""

    def __init__(
        self, source: EpochSource, away: type[Exception], now: Callable[[], float] = time.monotonic
    ) -> None:  # fmt: skip
        self._source, self._away, self._now = source, away, now
        self._known: dict[Place, tuple[float, int | None]] = {}

    async def present(self, places: Iterable[Place]) -> Mapping[Place, int]:
        wanted, now = set(places), self._now()
        old = sorted(p for p in wanted if p not in self._known or now - self._known[p][0] > _HOLDS_SECONDS)
        if old:
            try:
                found = await self._source.epochs_of(old)
            except self._away:
                raise LogAway("no broker names the leaders of partitions") from None
            self._known |= {p: (now, found.get(p)) for p in old}
        return {p: epoch for p in wanted if (epoch := self._known[p][1]) is not None}

    async def ends(self, asked: Iterable[tuple[Place, int]]) -> Mapping[tuple[Place, int], int]:
        """One leader of each partition is asked for at once: a request names no more."""
        left: dict[Place, list[int]] = {}
        for place, epoch in sorted(set(asked)):
            left.setdefault(place, []).append(epoch)
        out: dict[tuple[Place, int], int] = {}
        while left:
            together = {place: epochs.pop() for place, epochs in left.items()}
            try:
                found = await self._source.ends_of(together)
            except self._away:
                raise LogAway("no broker says where leaders ended") from None
            out |= {(place, epoch): found[place] for place, epoch in together.items() if place in found}
            left = {place: epochs for place, epochs in left.items() if epochs}
        return out


def broker_leaders(bootstrap: Bootstrap, partitions: int) -> tuple[BrokerLeaders, Callable[[], None]]:
    """Over the brokers, and what closes it."""
    from query.log_epochs import BrokerEpochs  # kafka-python is heavy to load
    from query.pipeline.offsets import BrokersAwayError, OffsetReader

    source = BrokerEpochs(OffsetReader(bootstrap, partitions, _ANSWER_SECONDS), _ANSWER_SECONDS)
    return BrokerLeaders(source, BrokersAwayError), source.close
