"""How many examples a property is tried with: few in `make test`, which must be short and say the same each time; all
in `make verify` and wherever else nothing is asked for."""

from __future__ import annotations

import os

from hypothesis import settings

GATE = "gate"
FULL = "memstream"
PROFILE = "HYPOTHESIS_PROFILE"
AT_THE_GATE = 20


def load_profile() -> None:
    """The profile that the environment asks for. No deadline: a busy machine is slow, and no test asserts by the clock.
    At the gate the examples are the same in every run: what is right passes."""
    settings.register_profile(FULL, deadline=None)
    settings.register_profile(GATE, deadline=None, max_examples=AT_THE_GATE, derandomize=True, database=None)
    settings.load_profile(os.environ.get(PROFILE, FULL))


def examples(full: int) -> int:
    """For a property that wants another number than hypothesis' own: `@settings(max_examples=examples(300))`."""
    return min(full, AT_THE_GATE) if os.environ.get(PROFILE) == GATE else full
