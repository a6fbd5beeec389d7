"""A store that fails is left alone for a while, and asked again (D11): one form for Milvus, Postgres and Redis."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

FAILURES = 3
"""Failures in a row that open the circuit."""
OPEN_SECONDS = 5.0
"""How long an open circuit asks nothing; one call then tries, and closes it or opens it again."""
NEAR_SECONDS = 1.0
"""The same for stores that nearly every read needs, and that are cheap to ask."""
OPEN = "circuit open"
"""What `degraded` says of a store that was not asked."""


class Circuit:
    """Open: what has failed some times in a row is left alone for a while. Thread-safe."""

    def __init__(
        self, failures: int = FAILURES, seconds: float = OPEN_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._failures, self._seconds, self._clock = failures, seconds, clock
        self._count = 0
        self._until = float("-inf")
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        return self._count >= self._failures

    def lets_through(self) -> bool:
        """Whether a call may be made now: always while closed, and one at a time once an open circuit has waited."""
        with self._lock:
            if self._count < self._failures:
                return True
            if self._clock() < self._until:
                return False
            self._until = self._clock() + self._seconds
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._count = 0

    def failed(self) -> None:
        with self._lock:
            self._count += 1
            self._until = self._clock() + self._seconds


class TenantCircuits:
    """A circuit a tenant beside the store's own: queries of one that time out leave the store to the others. A store
    that hangs for all is found by what the service asks for itself. Use from one event loop."""

    def __init__(self, make: Callable[[], Circuit], most: int = 1_000) -> None:
        self._make, self._most = make, most
        self._failing: OrderedDict[str, Circuit] = OrderedDict()

    def lets_through(self, tenant: str) -> bool:
        found = self._failing.get(tenant)
        return found is None or found.lets_through()

    def succeeded(self, tenant: str) -> None:
        self._failing.pop(tenant, None)

    def failed(self, tenant: str) -> None:
        found = self._failing.pop(tenant, None) or self._make()
        self._failing[tenant] = found
        found.failed()
        while len(self._failing) > self._most:
            self._failing.popitem(last=False)


def near() -> Circuit:
    """Of a store that nearly every read needs, and that is cheap to ask."""
    return Circuit(seconds=NEAR_SECONDS)


@dataclass(frozen=True, slots=True)
class Circuits:
    """One a store; the background look at the stores asks each in any case and so closes it as soon as it answers."""

    postgres: Circuit = field(default_factory=near)
    redis: Circuit = field(default_factory=near)
    milvus: Circuit = field(default_factory=Circuit)

    def open(self) -> dict[str, bool]:
        named = {"milvus": self.milvus, "postgres": self.postgres, "redis": self.redis}
        return {store: circuit.is_open for store, circuit in named.items()}
