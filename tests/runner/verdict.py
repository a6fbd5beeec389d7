"""The last lines of `make test`: what was unstable, what failed, and how many tests did what."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tests.runner.again import Twice
from tests.runner.history import RUNS
from tests.runner.part import Ran
from tests.runner.results import Outcome

MOST_UNSTABLE = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run ends with."""

    unstable: tuple[str, ...]
    """A line each: the name, then what went wrong at first."""
    failures: tuple[str, ...]
    passed: int
    failed: int
    skipped: int

    @property
    def good(self) -> bool:
        """Nothing failed, and something was tested."""
        return self.failed == 0 and self.passed > 0

    def lines(self) -> list[str]:
        """In the order in which they are printed; the last is what CI reads."""
        return [
            *(f"UNSTABLE: {line}" for line in self.unstable),
            *(f"FAILED: {line}" for line in self.failures),
            counts(self.passed, self.failed, self.skipped),
        ]


def counts(passed: int, failed: int, skipped: int) -> str:
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def verdict(
    ran: Sequence[Ran], tried_again: Sequence[Twice], starts: Sequence[str], repeated: Collection[str],
    refused: str = "",
) -> Verdict:  # fmt: skip
    """
    `ran`: every part, with its first results; `tried_again`: what failed of them and was run once more.
    `starts`: a line for each stack that needed a second start; it is as unstable as a test.
    `repeated`: those of the unstable that were so in another of the last runs.
    `refused`: why nothing was tried again, if so.
    """
    passed = {t.id for t in tried_again if not t.stable}
    unstable = [f"{t.id} (failed, then passed alone): {t.message}" for t in tried_again if not t.stable]
    unstable += starts
    again = {t.id: t.again for t in tried_again}
    failures: list[str] = []
    rescued = 0
    for part in ran:
        for test in part.results.of(Outcome.FAILED):
            if test.id in passed:
                rescued += 1
            elif test.id in again:
                failures.append(f"{test.id} (twice): {test.message}; then: {again[test.id]}")
            else:
                failures.append(f"{test.id}: {test.message or 'failed'}")
        failures += [f"{test.id}: it still ran" for test in part.results.of(Outcome.RUNNING)]
        if counted := part.results.sums[Outcome.FAILED]:
            failures.append(f"{part.group.name}: {counted} of its tests, see its log")
        failures += [f"{part.group.name}: {part.fault}"] if part.fault else []
    if refused:
        failures.append(f"second try: {refused}")
    if len(unstable) > MOST_UNSTABLE:
        failures.append(f"{len(unstable)} unstable, {MOST_UNSTABLE} may be")
    failures += [f"{name}: unstable in two of the last {RUNS} runs" for name in sorted(repeated)]
    return Verdict(
        tuple(unstable), tuple(failures), sum(p.passed for p in ran) + rescued, len(failures),
        sum(p.skipped for p in ran),
    )  # fmt: skip
