"""How long a job asks a language model: bounded tries, bounded age. What ends without an answer says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from inference.openai_compatible import Away, Malformed

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]
UNUSABLE_TRIES = 3
"""Calls of one job that end in an answer nobody can use, or in none within the time-out."""
LONGEST_DELAY = 60.0
"""Seconds between two calls while the endpoint is away; twice as long where it asks for that."""


class GaveUp(Exception):  # noqa: N818 - it names an outcome
    """A model was asked in vain. `reason`: away, slow, too_old, no_model, or why the last answer was none."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Bounds:
    """`tries`: calls of one job. `age`: since what it is about was accepted."""

    tries: int = 10
    age: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Asking:
    """`count` takes the words of the stage's outcomes."""

    bounds: Bounds
    sleep: Sleep
    jitter: Callable[[], float]
    clock: Callable[[], datetime]
    count: Callable[[str], None]

    async def patiently(self, call: Callable[[], Awaitable[T]], since: datetime) -> T:
        """The answer. Away waits and asks again with growing pauses. Raises GaveUp, counted."""
        unusable, delay, reason = 0, 1.0, "too_old"
        for tried in range(1, self.bounds.tries + 1):
            if self.clock() - since > self.bounds.age:
                break
            wait = 0.0
            try:
                return await call()
            except Malformed as exc:
                unusable, reason = unusable + 1, exc.reason
            except Away as exc:
                self.count("away")
                unusable, reason = unusable + exc.slow, "slow" if exc.slow else "away"
                paused = delay * (0.5 + 0.5 * self.jitter())
                wait = min(max(paused, exc.retry_after or 0.0), 2 * LONGEST_DELAY)
                delay = min(2 * delay, LONGEST_DELAY)
            if unusable == UNUSABLE_TRIES or tried == self.bounds.tries:
                break
            if wait and self.clock() + timedelta(seconds=wait) - since > self.bounds.age:
                break
            if wait:
                await self.sleep(wait)
        self.gave_up(reason)
        raise GaveUp(reason)

    def gave_up(self, reason: str) -> None:
        self.count(f"gave_up_{reason}")
