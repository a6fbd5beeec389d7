"""A failure with as few calls and acts as still show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.simulation.plan import Plan
from tests.simulation.round import Result

Run = Callable[[Plan], Result]


def shrink(failed: Result, run: Run, most: int = 150) -> Result:
    """Leaves out halves, quarters, single ones, acts first, while a failure of a kind that was there remains. At most
    so many runs."""
    smaller = _Smaller(failed, run, most)
    while smaller.pass_over("acts") or smaller.pass_over("calls"):
        pass
    return smaller.best


def kinds(result: Result) -> frozenset[str]:
    return frozenset(line.split(":", 1)[0] for line in result.failures)


class _Smaller:
    def __init__(self, failed: Result, run: Run, most: int) -> None:
        self.best, self._run, self._left, self._kinds = failed, run, most, kinds(failed)
        self._plan = failed.plan.whole()

    def pass_over(self, what: str) -> bool:
        """Whether anything could be left out."""
        before = len(self._numbers(what))
        size = before
        while size > 0:
            at = 0
            while at < len(self._numbers(what)):
                numbers = self._numbers(what)
                if not self._try(what, [*numbers[:at], *numbers[at + size :]]):
                    at += size
            size //= 2
        return len(self._numbers(what)) < before

    def _numbers(self, what: str) -> Sequence[int]:
        return (self._plan.kept_acts if what == "acts" else self._plan.kept_calls) or ()

    def _try(self, what: str, numbers: Sequence[int]) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        calls, acts = self._numbers("calls"), self._numbers("acts")
        plan = self._plan.keeping(*((calls, numbers) if what == "acts" else (numbers, acts)))
        result = self._run(plan)
        if not kinds(result) & self._kinds:
            return False
        self._plan, self.best = plan, result
        return True
