"""A consumer that reads nothing though records wait for it: seen a few times in hundreds of crash rounds, why is not
known (docs/reliability.md). A new process joins its group anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sinks.protocol import Stuck

LOOK_SECONDS = 60.0
"""Between two looks of a loop to which nothing comes. A rebalance behind a broker's death takes half a minute."""

Waiting = Mapping[tuple[str, int], int]
"""(topic, partition) -> committed offset, of those with records behind it."""


class StallDetector:
    """`waiting`: None when the brokers do not tell."""

    def __init__(self, waiting: Callable[[], Waiting | None], monotonic: Callable[[], float]) -> None:
        self._waiting = waiting
        self._monotonic = monotonic
        self._looked: float | None = None
        self._before: Waiting | None = None

    def came(self) -> None:
        self._looked = self._before = None

    def nothing_came(self) -> None:
        """Raises Stuck when the same records wait at two looks on end, and nobody of the group has committed."""
        now = self._monotonic()
        if self._looked is None:
            self._looked = now
        elif now - self._looked >= LOOK_SECONDS:
            self._looked = now
            found = self._waiting()
            if found and found == self._before:
                raise Stuck(f"nothing is read while {len(found)} partitions have records")
            self._before = found
