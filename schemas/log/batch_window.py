"""How long a batch gathers: steps and sinks alike."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

REMEMBERED = 1.0
"""Seconds in which what came counts less by a factor of e."""
WORTH = 2.0
"""Records that a long wait must be expected to bring."""


class Pace:
    """A batch costs the same whatever is in it (a transaction, requests to the broker, a call of each model), so where
    records come one by one and often, waiting a little longer spares the cores that others wait for. Where few come,
    waiting brings nothing but delay. Times in seconds."""

    def __init__(self, longest: float, shortest: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.longest, self.shortest, self._clock = longest, min(shortest, longest), clock
        self._rate, self._at = 0.0, clock()

    def came(self, count: int) -> None:
        self._rate = self._faded() + count / REMEMBERED
        self._at = self._clock()

    def wait(self) -> float:
        """How long the first record of a batch waits for others."""
        return self.longest if self._faded() * self.longest >= WORTH else self.shortest

    def _faded(self) -> float:
        """Records a second, lately."""
        return self._rate * math.exp((self._at - self._clock()) / REMEMBERED)
