"""Postgres connections of the service, shared between tenants: one whose queries are slow takes not every one.

Dynamic thresholds (Choudhury and Hahne, IEEE/ACM ToN 6, 1998): a tenant may have as many queries under way as there are
places free. Alone it fills half of them; whoever comes then finds places, and the next one after that, too.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PLACES = 16
"""Queries of tenants that run at a time."""
RESERVED = 3
"""Connections beside them for what the service asks for itself: keys, what is live, progress, the lock of a
replay."""


class Shares:
    """Places of queries by tenant. Use from one event loop."""

    def __init__(self, places: int = PLACES) -> None:
        self._free = places
        self._used: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Tenants in the order in which they began to wait, or were last let in."""

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[None]:
        """Holds a place inside; waits until the tenant may have one."""
        if tenant in self._waiting or not self._may(tenant):
            await self._turn(tenant)
        else:
            self._take(tenant)
        try:
            yield
        finally:
            self._release(tenant)

    def _may(self, tenant: str) -> bool:
        return self._used[tenant] < self._free

    def _take(self, tenant: str) -> None:
        self._free -= 1
        self._used[tenant] += 1

    def _release(self, tenant: str) -> None:
        self._free += 1
        self._used[tenant] -= 1
        if not self._used[tenant]:
            del self._used[tenant]
        self._let_in()

    async def _turn(self, tenant: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in, and gone in the same moment
                self._release(tenant)
            else:
                self._leave(tenant, turn)
            raise

    def _leave(self, tenant: str, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(tenant)
        if queue is None or turn not in queue:
            return
        queue.remove(turn)
        if not queue:
            del self._waiting[tenant]

    def _let_in(self) -> None:
        """Of the tenants that may, the one with the fewest under way; of equals, who waits the longest."""
        while able := [t for t in self._waiting if self._may(t)]:
            tenant = min(able, key=lambda t: self._used[t])
            queue = self._waiting.pop(tenant)
            turn = queue.popleft()
            if queue:
                self._waiting[tenant] = queue
            if not turn.done():
                self._take(tenant)
                turn.set_result(None)
