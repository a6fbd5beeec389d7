"""`python -m tests.simulation --rounds 1000 --seed 1`, or `--case TEXT` of a failure (`make simulate`)."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from pathlib import Path

from tests.simulation import models
from tests.simulation.found import readable, written
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run
from tests.simulation.shrink import shrink
from tests.simulation.table import LONG_RUN, Cell, empty, lines

_SAY_EVERY = 2.0


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    p.add_argument("--rounds", type=int, default=100)
    p.add_argument("--seed", type=int, default=1, help="of the first round; the next round has the next")
    p.add_argument("--case", help="run this one, as a failure has named it")
    p.add_argument("--unflushed", action="store_true", help="topics acknowledge what is not on the disk: it must fail")
    p.add_argument("--digests", action="store_true", help="name that of each round: the same on every machine")
    p.add_argument("--as-found", action="store_true", help="a failure is told as it is, and not made smaller")
    p.add_argument("--cells", action="store_true", help=f"an empty cell fails, as it does from {LONG_RUN} rounds on")
    p.add_argument("--test", type=Path, default=Path("test_simulation_found.py"), help="where its test goes")
    p.add_argument("--history", type=Path, default=Path("simulation.txt"), help="where a failure's history goes")
    return p.parse_args()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Exit status 0 when every round is as it must be, 1 at the first that is not (or when a long run has left a cell
    of its table empty), 2 for a case that cannot be run."""
    logging.disable(logging.CRITICAL)
    a = _arguments()
    try:
        plans = [Plan.parse(a.case)] if a.case else [Plan.of(a.seed + n, not a.unflushed) for n in range(a.rounds)]
    except ValueError as exc:
        say(str(exc))
        return 2
    parts, began, statement = models.parts(), time.monotonic(), 0.0
    met: Counter[Cell] = Counter()
    turns = 0
    for n, plan in enumerate(plans, 1):
        result = run(plan, parts)
        met += result.met
        turns += plan.turns
        if a.digests:
            say(f"digest {plan.seed} {result.digest}")
        if result.failures:
            _tell(result, a.history)
            if not a.case and not a.as_found:
                say("making it smaller ...")
                small = shrink(result, lambda p: run(p, parts))
                _tell(small, a.history)
                a.test.write_text(written(small), encoding="utf-8")
                say(f"  its test: pytest {a.test}")
            return 1
        took = time.monotonic() - began
        if took - statement >= _SAY_EVERY or n == len(plans):
            statement = took
            say(f"[{took:5.0f} s] {n} of {len(plans)} rounds, {turns} turns; {took / n * (len(plans) - n):.0f} s left")
    return _tabled(met, len(plans) >= LONG_RUN or a.cells)


def _tabled(met: Counter[Cell], strict: bool) -> int:
    """The table; where the run is a long one, 1 when a cell of it is empty."""
    say("\n".join(lines(met)))
    left = empty(met)
    if left:
        say(f"{'FAILED' if strict else 'never met'}: {len(left)} cells are empty: {'; '.join(map(' '.join, left))}")
    return 1 if left and strict else 0


def _tell(result: Result, path: Path) -> None:
    path.write_text("\n".join(readable(result)), encoding="utf-8")
    say(f"FAILED: seed {result.plan.seed}, {len(result.plan.calls)} calls, {len(result.plan.acts)} acts")
    for line in [*map(str, result.plan.acts), *result.failures[:10]]:
        say(f"  {line}")
    say(f"  again: python -m tests.simulation --case {result.plan}")
    say(f"  history: {path}, digest {result.digest}")


if __name__ == "__main__":
    sys.exit(main())
