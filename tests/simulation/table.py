"""What was open when a fault struck a stage: the table at the end of a run. An empty cell names a meeting that
the rounds have not tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.simulation.acts import SINKS
from tests.simulation.models import STEPS

STAGES: tuple[str, ...] = (*STEPS, *(f"sink-{s}" for s in SINKS), "eraser")
FAULTS: tuple[str, ...] = ("kill", "freeze", "away", "slow", "lossy", "refuse", "rebalance", "power", "compact")
"""Those that meet a stage; a skewed clock meets the service alone."""
OPEN: dict[str, str] = {
    "batch": "records are taken in and not committed (the eraser's nulls are sent and not acknowledged)",
    "unflushed": "a step's output (a sink's commit) is at the broker, not on its disk",
    "transaction": "the state's transaction, or the store's write, is under way",
    "lease": "a partition is another's: held by who does not run, or by two",
    "token": "a read waits for this stage",
    "erasure": "an erasure was accepted, and is not done",
}
Cell = tuple[str, str, str]
"""(fault, stage, what was open)."""
LONG_RUN = 20_000
"""Rounds from which on an empty cell is a failure."""


def possible(fault: str, stage: str, opened: str) -> bool:
    """Nobody waits for Redis, whose rows are compared with Postgres; sinks and eraser do not join and leave. The eraser
    has no partitions and feeds no view; it calls and writes for so short a time that only what waits for that meets
    it."""
    if fault == "rebalance" and (stage.startswith("sink-") or stage == "eraser"):
        return False
    if stage == "eraser":
        return opened == "erasure" or (opened in ("batch", "transaction") and fault in ("kill", "freeze"))
    return (stage, opened) != ("sink-redis", "token")


def cells() -> Iterator[Cell]:
    yield from ((f, s, o) for f in FAULTS for s in STAGES for o in OPEN if possible(f, s, o))


def empty(met: Counter[Cell]) -> list[Cell]:
    return [cell for cell in cells() if not met[cell]]


def lines(met: Counter[Cell]) -> Sequence[str]:
    """A line for each fault and stage; `-` where they cannot meet."""
    out = ["how often a fault struck a stage while something was open:"]
    out += [f"  {word}: {what}" for word, what in OPEN.items()]
    out.append(f"{'':26}" + "".join(f"{word:>12}" for word in OPEN))
    for fault in FAULTS:
        for stage in STAGES:
            shown = [f"{met[fault, stage, o]:12}" if possible(fault, stage, o) else f"{'-':>12}" for o in OPEN]
            out.append(f"  {fault:<10}{stage:<14}{''.join(shown)}")
    return out
