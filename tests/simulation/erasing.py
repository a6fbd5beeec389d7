"""What the eraser is given in a round: topics over the simulated log, no keys; and what sinks find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memstream.erasure.ports import NO_OFFSETS, Away, Outgoing, Stored
from schemas.events.erasure import Erasure
from tests.simulation.blocking import block_on
from tests.simulation.broker import Broker
from tests.simulation.net import AwayError, Net
from tests.simulation.partition import BrokerError
from tests.simulation.partition import Stored as Lies
from tests.simulation.producer import SimProducer

_AT_ONCE = 500
"""Records of a fetch."""


@dataclass(frozen=True, slots=True)
class SimStored:
    """A record as librdkafka gives it."""

    place: tuple[str, int]
    lies: Lies

    def topic(self) -> str:
        return self.place[0]

    def partition(self) -> int:
        return self.place[1]

    def offset(self) -> int:
        return self.lies.offset

    def key(self) -> bytes | None:
        return self.lies.record.key

    def value(self) -> bytes | None:
        return self.lies.record.value

    def headers(self) -> Any:
        return self.lies.record.headers

    def timestamp(self) -> tuple[int, int]:
        return 1, self.lies.record.timestamp_ms


class SimTopics:
    """`passed` is told what is about to be done. A producer of its own for each write."""

    def __init__(
        self, net: Net, broker: Broker, loop: asyncio.AbstractEventLoop, producer: Callable[[], SimProducer],
        passed: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._net, self._broker, self._loop, self._producer, self._passed = net, broker, loop, producer, passed

    def read(
        self, places: Sequence[tuple[str, int]], since: Mapping[tuple[str, int], int] = NO_OFFSETS
    ) -> Iterator[Stored]:
        self._passed("reads topics")
        for place in places:
            yield from self._read(place, since.get(place, -1))

    def write(self, records: Iterable[Outgoing]) -> None:
        self._passed("writes topics")
        producer = self._producer()

        async def send() -> None:
            done = [
                asyncio.ensure_future(producer.send(r.topic, r.partition, r.key, r.value, r.headers)) for r in records
            ]
            for error in await asyncio.gather(*done, return_exceptions=True):
                if isinstance(error, BaseException):
                    raise error

        try:
            block_on(send(), self._loop)
        except AwayError as exc:
            raise Away(str(exc)) from None

    def _read(self, place: tuple[str, int], offset: int) -> Iterator[Stored]:
        while True:
            found, offset, end = self._fetched(place, offset)
            yield from (SimStored(place, s) for s in found)
            if offset >= end:
                return

    def _fetched(self, place: tuple[str, int], offset: int) -> tuple[list[Lies], int, int]:
        def ask() -> tuple[list[Lies], int, int]:
            log = self._broker.partition(*place)
            first = log.start if offset > log.visible_end else max(offset, log.start)  # as consumers reset
            found, then = self._broker.fetch(place, first, _AT_ONCE)
            return found, then, log.visible_end

        try:
            got: tuple[list[Lies], int, int] = block_on(self._net.call(self._broker, ask), self._loop)
        except (AwayError, BrokerError) as exc:
            raise Away(str(exc)) from None
        return got


class NoKeys:
    """Encryption is off, and nobody has a key for originals."""

    def destroy(self, owner: str) -> int:
        return 0

    def destroy_tenant(self, tenant: str) -> int:
        return 0

    def key_exists(self, owner: str, generation: int) -> bool:
        return True


@dataclass(slots=True)
class RecordedFindings:
    """What a store has removed for erasures, until its sink has noted it: `Findings` of a MemorySink."""

    found: list[tuple[Erasure, str, dict[str, int]]] = field(default_factory=list)

    def __call__(self, erasure: Erasure, place: str, counts: dict[str, int]) -> None:
        self.found.append((erasure, place, counts))

    def taken(self) -> list[tuple[Erasure, str, dict[str, int]]]:
        out, self.found = self.found, []
        return out
