"""Has everything that was accepted about an owner come into a view? Only then is it known what there is not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from query.config import QueryConfig
from query.freshness import ProgressWatch, needs_of
from query.pipeline.offsets import BrokersAwayError, OffsetReader, Place
from schemas.log import topics
from schemas.log.owner import Owner, partition
from schemas.log.progress import FreshnessToken, Written

_SECONDS = 1.0
"""Until a caller goes on without knowing: the brokers are asked, and what they had then is waited for."""
_ROOTS = (topics.TURNS.name, topics.LEDGER.name)


class Ends(Protocol):
    def ends(self, places: Iterable[Place]) -> Mapping[Place, int]:
        """Blocking. Raises BrokersAwayError."""

    def close(self) -> None: ...


class EverythingRead:
    """Asks the brokers over a connection of its own, one call after the other: one that hangs holds up nobody."""

    def __init__(self, config: QueryConfig, watch: ProgressWatch, ends: Ends | None = None) -> None:
        self._partitions, self._watch = config.partitions, watch
        self._ends = ends or (OffsetReader(config.kafka, config.partitions, _SECONDS) if config.kafka else None)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log-ends")
        self._turn = asyncio.Lock()

    async def of(self, owner: Owner, views: Sequence[str] = ("memories",)) -> bool:
        """True: these views have all that any caller had been told was accepted about the owner when this was asked.
        False: that is not so, or not known."""
        if self._ends is None:
            return False
        begun = asyncio.get_running_loop().time()
        places = [(topic, partition(owner, self._partitions)) for topic in _ROOTS]
        try:
            async with asyncio.timeout(_SECONDS), self._turn:
                found = await asyncio.get_running_loop().run_in_executor(self._thread, self._ends.ends, places)
        except (BrokersAwayError, TimeoutError):
            return False
        if any(place not in found for place in places):
            return False
        written = [Written(topic=t, partition=p, offset=end - 1) for (t, p), end in found.items() if end > 0]
        left = _SECONDS - (asyncio.get_running_loop().time() - begun)
        return not written or await self._watch.wait(needs_of(FreshnessToken.of(written), views), left)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._ends is not None:
            self._ends.close()
