"""Places for jobs that work at once. One that waits for an endpoint that is away lends its place to those behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar


class _Place:
    """One job's: held, or lent while it rests."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self.held = False

    async def take(self) -> None:
        await self._slots.semaphore.acquire()
        self.held = True

    def give(self) -> None:
        if self.held:
            self.held = False
            self._slots.semaphore.release()


_mine: ContextVar[_Place | None] = ContextVar("place", default=None)


class Slots:
    """`count` places; `resting` jobs sleep without theirs. Used from one event loop."""

    def __init__(self, count: int, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.count = count
        self.semaphore = asyncio.Semaphore(count)
        self.resting = 0
        self._sleep = sleep

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place inside, waiting for one first."""
        place = _Place(self)
        token = _mine.set(place)
        try:
            await place.take()
            yield
        finally:
            place.give()
            _mine.reset(token)

    async def rest(self, seconds: float) -> None:
        """Sleep without the place of the job that calls, and go on when one is free again."""
        place = _mine.get()
        if place is None or not place.held:
            await self._sleep(seconds)
            return
        place.give()
        self.resting += 1
        try:
            await self._sleep(seconds)
        finally:
            self.resting -= 1
        await place.take()
