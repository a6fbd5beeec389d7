"""Whose turn it is in this process: many batches at once, or one record that has the process for itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Of one event loop. Who wants the process alone waits for those who have a turn, and those who come later wait for
    it. A turn lasts as long as a batch is in hand, from its bytes to its delivery: it may wait for a store, a broker or
    a thread, and never for another turn."""

    def __init__(self) -> None:
        self._door = asyncio.Lock()
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    @asynccontextmanager
    async def take(self, alone: bool) -> AsyncIterator[None]:
        if alone:
            async with self._door:
                await self._none.wait()
                yield
            return
        async with self._door:
            self._count += 1
            self._none.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()
