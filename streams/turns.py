"""Whose turn it is in this process: many batches at once, or one record that has the process for itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager


class Turn:
    """`end` is called once, when it is over."""

    def __init__(self, end: Callable[[], None] = lambda: None) -> None:
        self._end = end
        self._over = False

    def release(self) -> None:
        if not self._over:
            self._over = True
            self._end()

    @contextmanager
    def release_after(self, seconds: float) -> Iterator[None]:
        """Around a wait that may have no end: after so long the turn is over, and the others go on meanwhile."""
        timer = asyncio.get_running_loop().call_later(seconds, self.release)
        try:
            yield
        finally:
            timer.cancel()


class Turns:
    """Of one event loop. Who wants the process alone waits for those who have a turn, and those who come later wait for
    it. A turn lasts as long as a batch is in hand, from its bytes to its delivery: it may wait for a store or a thread,
    for a broker `Turn.release_after`, and never for another turn."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    @asynccontextmanager
    async def take(self, alone: bool) -> AsyncIterator[Turn]:
        turn = await (self._alone() if alone else self._beside())
        try:
            yield turn
        finally:
            turn.release()

    async def _alone(self) -> Turn:
        await self._lock.acquire()
        try:
            await self._none.wait()
        except BaseException:
            self._lock.release()
            raise
        return Turn(self._lock.release)

    async def _beside(self) -> Turn:
        async with self._lock:
            self._count += 1
            self._none.clear()
        return Turn(self._left)

    def _left(self) -> None:
        self._count -= 1
        if not self._count:
            self._none.set()
