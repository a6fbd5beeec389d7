"""`python -m tests.simulation --rounds 1000 --seed 1`, or `--case TEXT` of a failure (`make simulate`)."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from pathlib import Path

from tests.simulation import models
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run
from tests.simulation.shrink import shrink

_SAY_EVERY = 2.0


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    p.add_argument("--rounds", type=int, default=100)
    p.add_argument("--seed", type=int, default=1, help="of the first round; the next round has the next")
    p.add_argument("--case", help="run this one, as a failure has named it")
    p.add_argument("--unflushed", action="store_true", help="topics acknowledge what is not on the disk: it must fail")
    p.add_argument("--digests", action="store_true", help="name that of each round: the same on every machine")
    p.add_argument("--history", type=Path, default=Path("simulation.txt"), help="where a failure's history goes")
    return p.parse_args()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Exit status 0 when every round is as it must be, 1 at the first that is not, 2 for a case that cannot be run."""
    logging.disable(logging.CRITICAL)
    a = _arguments()
    try:
        plans = [Plan.parse(a.case)] if a.case else [Plan.of(a.seed + n, not a.unflushed) for n in range(a.rounds)]
    except ValueError as exc:
        say(str(exc))
        return 2
    parts, began, said = models.parts(), time.monotonic(), 0.0
    struck: Counter[tuple[str, str, str]] = Counter()
    turns = 0
    for n, plan in enumerate(plans, 1):
        result = run(plan, parts)
        struck += result.struck
        turns += plan.turns
        if a.digests:
            say(f"digest {plan.seed} {result.digest}")
        if result.failures:
            _tell(result, a.history)
            if not a.case:
                say("making it smaller ...")
                _tell(shrink(result, lambda p: run(p, parts)), a.history)
            return 1
        took = time.monotonic() - began
        if took - said >= _SAY_EVERY or n == len(plans):
            said = took
            say(f"[{took:5.0f} s] {n} of {len(plans)} rounds, {turns} turns; {took / n * (len(plans) - n):.0f} s left")
    say(table(struck))
    return 0


def _tell(result: Result, path: Path) -> None:
    path.write_text("\n".join([str(result.plan), *result.failures, "", *result.history, ""]))
    say(f"FAILED: seed {result.plan.seed}, {len(result.plan.calls)} calls, {len(result.plan.acts)} acts")
    for line in [*map(str, result.plan.acts), *result.failures[:10]]:
        say(f"  {line}")
    say(f"  again: python -m tests.simulation --case {result.plan}")
    say(f"  history: {path}, digest {result.digest}")


def table(struck: Counter[tuple[str, str, str]]) -> str:
    """How often each fault met each stage behind which point."""
    lines = ["struck: fault, stage, behind"]
    lines += [f"  {n:6} {fault:<9} {stage:<14} {point}" for (fault, stage, point), n in sorted(struck.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
