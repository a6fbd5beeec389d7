"""The bounded buffer between a chat service and the log: batches, back-pressure, patience while the log is away."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from memstream.client.errors import (
    BufferFullError,
    ClosedError,
    DeliveryError,
    MemstreamError,
    Refusal,
    SetAsideError,
)
from memstream.client.messages import Item
from memstream.client.poison import Isolation

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of a batch, by `Item.ref`: acknowledged, or refused with an error; whatever is in neither is sent
    again, and `reason` says why, where known. `failing`: the service failed on this many of the first items together,
    so that one of them may be what it fails on; 0 in an outage."""

    acknowledged: frozenset[str] = frozenset()
    refused: Mapping[str, MemstreamError] = field(default_factory=dict)
    reason: MemstreamError | None = None
    failing: int = 0

    def __bool__(self) -> bool:
        return bool(self.acknowledged or self.refused)


class Transport(Protocol):
    """A way to the log. `deliver` takes a prefix of the items or all of them, in order, and does not raise for what
    may pass by itself."""

    async def open(self) -> None: ...

    async def deliver(self, items: Sequence[Item]) -> Delivered: ...

    async def close(self) -> None: ...


def backoff(attempt: int) -> float:
    """Seconds before attempt n, from 1: doubling from 0.1 to 10, with full jitter."""
    return random.uniform(0, min(10.0, 0.1 * 2 ** min(attempt, 10)))  # noqa: S311 - spread, not secrecy


@dataclass(frozen=True, slots=True)
class BufferLimits:
    """`items` and `size` (characters of text) bound what waits or is set aside; `batch` what is sent at once;
    `linger_seconds` is how long a batch may fill; `block_seconds` how long `send` waits for room before it raises
    BufferFullError; `failing_tries` how often a batch that the service fails on (500) is tried before it is halved, and
    how often the one message is tried alone before it is set aside."""

    items: int = 10_000
    size: int = 64 * 1024 * 1024
    batch: int = 200
    batch_size: int = 2 * 1024 * 1024
    linger_seconds: float = 0.02
    block_seconds: float = 30.0
    failing_tries: int = 10


class Buffer:
    """Messages in the order in which they were sent; one batch is on its way at a time, so that order stays."""

    def __init__(
        self,
        transport: Transport,
        limits: BufferLimits | None = None,
        on_refused: Callable[[Item, MemstreamError], None] | None = None,
        pause: Callable[[int], float] = backoff,
    ) -> None:
        self._transport, self._limits = transport, limits or BufferLimits()
        self._on_refused, self._pause = on_refused, pause
        self._waiting: deque[Item] = deque()
        self._size = 0
        self._refused: list[Refusal] = []
        self._aside: list[tuple[Item, SetAsideError]] = []
        self._untold = 0
        self._isolation = Isolation(self._limits.failing_tries)
        self._reason: MemstreamError | None = None
        self._change = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._hurry = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def aside(self) -> tuple[Item, ...]:
        """What the service fails on, in the order in which it was sent."""
        return tuple(item for item, _ in self._aside)

    async def take_aside(self) -> list[Item]:
        """What the service fails on is the caller's from here on; it makes room."""
        async with self._change:
            return self._taken_aside()

    async def retry_aside(self) -> int:
        """Send what was set aside again, behind what waits; how many. Raises ClosedError."""
        async with self._change:
            if self._closed:
                raise ClosedError("the client is closed")
            again = self._taken_aside()
            for item in again:
                self._take(item)
        return len(again)

    def _taken_aside(self) -> list[Item]:
        taken = list(self.aside)
        self._size -= sum(i.size for i in taken)
        self._aside, self._untold = [], 0
        self._change.notify_all()
        return taken

    async def put(self, item: Item) -> None:
        """Raises BufferFullError after `block_seconds` without room, ClosedError."""
        async with self._change:
            try:
                async with asyncio.timeout(self._limits.block_seconds):
                    await self._change.wait_for(lambda: self._closed or self._has_room(item))
            except TimeoutError:
                aside = f", {len(self._aside)} are set aside" if self._aside else ""
                waits = f"{len(self._waiting)} messages wait{aside}"
                message = f"{waits} and the log took none for {self._limits.block_seconds:g} s"
                raise BufferFullError(message) from None
            self._take(item)

    def _take(self, item: Item) -> None:
        if self._closed:
            raise ClosedError("the client is closed")
        self._waiting.append(item)
        self._size += item.size
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="memstream client buffer")
        self._change.notify_all()

    def _has_room(self, item: Item) -> bool:
        kept = len(self._waiting) + len(self._aside)
        return kept == 0 or (kept < self._limits.items and self._size + item.size <= self._limits.size)

    async def flush(self, seconds: float) -> None:
        """Wait until the log has all. Raises DeliveryError for what was refused or set aside since the last flush, or
        waits on."""
        self._hurry = True
        async with self._change:
            self._change.notify_all()
            with suppress(TimeoutError):  # said below, by what still waits
                async with asyncio.timeout(seconds):
                    await self._change.wait_for(lambda: not self._waiting)
            self._hurry = False
        refused, self._refused = self._refused, []
        first, self._untold = len(self._aside) - self._untold, 0
        aside = [Refusal(item.id, error) for item, error in self._aside[first:]]
        if refused or aside or self._waiting:
            raise DeliveryError(refused, len(self._waiting), self._reason, aside)

    async def close(self, seconds: float) -> None:
        """Flush, then stop. Raises DeliveryError as `flush` does, and for all that is still set aside; what waits or
        is aside then is lost."""
        if self._closed:
            return
        self._untold = len(self._aside)
        try:
            await self.flush(seconds)
        finally:
            async with self._change:
                self._closed = True
                self._change.notify_all()
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        attempt = 0
        while True:
            async with self._change:
                await self._change.wait_for(lambda: bool(self._waiting))
            await self._linger()
            batch = self._batch()
            delivered = await self._deliver(batch)
            self._reason = delivered.reason
            attempt = 0 if delivered or delivered.failing else attempt + 1
            if delivered:
                await self._settle(batch, delivered)
            elif delivered.failing and self._isolation.failed(delivered.failing):
                await self._set_aside(delivered.reason)
            else:
                await asyncio.sleep(self._pause(attempt or self._isolation.failures))

    async def _deliver(self, batch: Sequence[Item]) -> Delivered:
        """A transport that raises what it should not costs a pause, not everything that waits."""
        try:
            return await self._transport.deliver(batch)
        except MemstreamError as exc:
            return Delivered(reason=exc)
        except Exception as exc:  # noqa: BLE001 - whatever it is, the messages stay
            log.error("sending failed: %s", type(exc).__name__)
            return Delivered(reason=MemstreamError(f"sending failed: {type(exc).__name__}"))

    def _tell(self, item: Item, error: MemstreamError) -> None:
        """The caller's function is the caller's: what it raises must not stop those that wait."""
        if self._on_refused is None:
            return
        try:
            self._on_refused(item, error)
        except Exception as exc:  # noqa: BLE001 - another's code
            log.error("on_refused raised %s", type(exc).__name__)

    async def _set_aside(self, reason: MemstreamError | None) -> None:
        """The first message leaves the others' way; it is kept and counts against the bound as before."""
        async with self._change:
            item = self._waiting.popleft()
            error = SetAsideError(item.id, reason)
            self._aside.append((item, error))
            self._untold += 1
            self._change.notify_all()
        self._tell(item, error)

    async def _linger(self) -> None:
        """Let a batch fill, unless somebody waits for it."""
        async with self._change:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.linger_seconds):
                    await self._change.wait_for(lambda: self._hurry or len(self._waiting) >= self._limits.batch)

    def _batch(self) -> list[Item]:
        out: list[Item] = []
        size, most = 0, self._isolation.width(self._limits.batch)
        for item in self._waiting:
            size += item.size
            if out and (len(out) == most or size > self._limits.batch_size):
                break
            out.append(item)
        return out

    async def _settle(self, batch: Sequence[Item], delivered: Delivered) -> None:
        """Take out what is done with; what is neither acknowledged nor refused stays in front, in order."""
        left: list[Item] = []
        for item in batch:
            self._waiting.popleft()
            self._size -= item.size
            if item.ref in delivered.refused:
                error = delivered.refused[item.ref]
                self._refused.append(Refusal(item.id, error))
                self._tell(item, error)
            elif item.ref not in delivered.acknowledged:
                left.append(item)
        for item in reversed(left):
            self._waiting.appendleft(item)
            self._size += item.size
        self._isolation.done(len(batch) - len(left))
        async with self._change:
            self._change.notify_all()
