"""A thread whose tenants get equal shares of it, however much one of them asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from query.errors import ProblemError
from query.search.executor import PriorityExecutor

T = TypeVar("T")
MOST_WAITING = 2_000_000
"""Cost of a tenant that may wait at a time: one more call is refused. In characters to screen, about a minute's."""
_TENANTS = 1_000


class FairLane(PriorityExecutor):
    """Start-time fair queueing: a call begins, in the lane's own time, where the tenant's last one ends, and the call
    that begins first is next. A tenant that asks seldom waits for the call under way and one call of each other."""

    def __init__(self, name: str, most: int = MOST_WAITING) -> None:
        super().__init__(name)
        self._most = most
        self._at = 0.0
        self._ends: dict[str, float] = {}
        self._waiting: Counter[str] = Counter()

    async def of(self, tenant: str, cost: int, call: Callable[[], T]) -> T:
        """What `call` returns; `cost` in any unit, the same for all. Raises ProblemError `too-many` where so much of
        the tenant waits already."""
        if self._waiting[tenant] >= self._most:
            raise ProblemError("too-many", "too much text of this tenant waits", headers={"Retry-After": "10"})
        begins = max(self._at, self._ends.get(tenant, 0.0))
        self._ends[tenant] = begins + cost
        if len(self._ends) > _TENANTS:
            self._ends = {t: end for t, end in self._ends.items() if end > self._at}
        self._waiting[tenant] += cost

        def in_turn() -> T:
            self._at = max(self._at, begins)
            return call()

        try:
            found: T = await asyncio.wrap_future(self._put(begins, in_turn).done)
            return found
        finally:
            self._waiting[tenant] -= cost
            if not self._waiting[tenant]:
                del self._waiting[tenant]
