"""A second try: a running test that failed is run once more, in a new process on a new stack, after all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.runner.results import Outcome, Result, Results

MOST_MESSAGES = 5
"""More distinct errors are no chance: nothing is tried again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tests of one process and one stack."""

    stack: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Twice:
    """A test that failed, and what it did when it was tried again."""

    id: str
    message: str
    """Of its first failure."""
    again: str = ""
    """Why it failed again; empty: it passed."""

    @property
    def stable(self) -> bool:
        """It failed both times."""
        return bool(self.again)


def messages(failed: Sequence[Result]) -> set[str]:
    """Distinct errors: what differs in numbers, addresses and names of temporary folders alone is one error, as is what
    a shared fixture raised in all who wanted it."""
    return {re.sub(r"0x[0-9a-f]+|memstream-test-\w+|\d+", "#", test.message) for test in failed}


def attempts(first: Results) -> list[Attempt]:
    """What is to be tried again, a stack each."""
    found: dict[str, list[str]] = {}
    for test in first.of(Outcome.FAILED):
        found.setdefault(test.stack or test.id.partition("::")[0], []).append(test.id)
    return [Attempt(stack, tuple(tests)) for stack, tests in found.items()]


def compare(first: Results, second: Results) -> list[Twice]:
    """What became of each test that failed. What was skipped or not run the second time has not passed."""
    found = []
    for test in first.of(Outcome.FAILED):
        then = second.tests.get(test.id)
        if then is None:
            found.append(Twice(test.id, test.message, "it was not run again"))
        elif then.outcome is not Outcome.PASSED:
            found.append(Twice(test.id, test.message, then.message or str(then.outcome)))
        else:
            found.append(Twice(test.id, test.message))
    return found
