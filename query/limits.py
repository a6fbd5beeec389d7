"""Rates a tenant (C7): requests, turns and bytes, so many that one tenant's load is not another's outage."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from query.config import Limits
from query.errors import ProblemError
from query.metrics import Metrics

PERIOD = 10
"""Seconds over which a rate is counted: a burst of ten seconds' worth passes at once."""


class TenantLimits:
    """Counts in this process: with several services behind one address, each lets its share through. A limit of 0 is
    none."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._metrics = metrics
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._rates = {
            kind: RateLimitItemPerSecond(max(1, round(rate * PERIOD)), PERIOD, namespace=kind)
            for kind, rate in (
                ("reads", limits.reads_per_second),
                ("writes", limits.writes_per_second),
                ("turns", limits.turns_per_second),
                ("bytes", limits.bytes_per_second),
                ("failures", limits.failures_per_second),
            )
            if rate > 0
        }

    async def take(self, kind: str, name: str, cost: int = 1) -> None:
        """Raises ProblemError `too-many` (429, Retry-After) when `name` is over its rate."""
        rate = self._rates.get(kind)
        if rate is None or await self._limiter.hit(rate, name, cost=min(cost, rate.amount)):
            return
        self._metrics.limited.labels(kind).inc()
        raise await self._too_many(kind, name)

    async def check(self, kind: str, name: str) -> None:
        """The same without counting."""
        rate = self._rates.get(kind)
        if rate is not None and not await self._limiter.test(rate, name):
            self._metrics.limited.labels(kind).inc()
            raise await self._too_many(kind, name)

    async def _too_many(self, kind: str, name: str) -> ProblemError:
        rate = self._rates[kind]
        window = await self._limiter.get_window_stats(rate, name)
        wait = max(1, math.ceil(window.reset_time - time.time()))
        message = f"at most {rate.amount} {kind} in {PERIOD} seconds"
        return ProblemError("too-many", message, headers={"Retry-After": str(min(wait, PERIOD))}, limit=rate.amount)
