"""`python -m tests.crash.soak --minutes 30`: load at 70 % of the measured peak with random faults, refusals among them,
the memory of every process recorded, and at the end the comparison with the oracle.

`--away 600` keeps the broker away for ten minutes in the middle instead of random faults.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from memstream.stack.up import single_threaded
from tests.crash.harness import RoundConfig, run_round
from tests.crash.load import NoDataError, default_data
from tests.crash.oracle import Oracle
from tests.crash.stack import Rhythm

BENCH = Path(__file__).parents[2] / "bench" / "results" / "latest.json"
SHARE = 0.7
FLAT = 1.15
"""A process whose last quarter needs this much more than its second one grows."""


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m tests.crash.soak", description=__doc__)
    p.add_argument("--minutes", type=float, default=30.0)
    p.add_argument("--rate", type=float, help="turns a second; else 70 %% of what the last benchmark reached")
    p.add_argument("--users", type=int, default=200)
    p.add_argument("--gap", type=float, nargs=2, default=(20.0, 60.0), help="seconds between two acts, least and most")
    p.add_argument("--away", type=float, default=0.0, help="seconds that the broker is away, in the middle")
    p.add_argument("--part", type=int, default=10, help="every n-th owner is compared with the oracle at the end")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--data", type=Path, default=default_data(), help="folder of the dialogues")
    p.add_argument("--report", type=Path, default=Path("soak-report.json"))
    return p.parse_args()


def peak() -> float:
    """Turns a second of the last benchmark."""
    return float(json.loads(BENCH.read_text(encoding="utf-8"))["pipeline"]["turns_per_second"])


def main() -> int:
    """Exit status 0 when nothing differs and every process is flat, 1 otherwise, 2 without the dialogues."""
    single_threaded()
    a = _arguments()
    rate, began = a.rate or SHARE * peak(), time.monotonic()

    def say(line: str) -> None:
        sys.stdout.write(f"[{time.monotonic() - began:6.0f} s] {line}\n")
        sys.stdout.flush()

    config = RoundConfig(
        seed=a.seed, turns=int(rate * 60 * a.minutes), data=a.data, users=a.users, rate=rate, screens=1, memories=1,
        gap=(1e6, 1e6) if a.away else (a.gap[0], a.gap[1]), screen_part=2 * a.part, part=a.part,
        memory_gap=5.0, refusals=True, broker_away=(30 * a.minutes, a.away) if a.away else None,
        rhythm=Rhythm(ticks=60, segments=120),
    )  # fmt: skip
    try:
        report = run_round(config, Oracle(), say)
    except NoDataError as exc:
        say(str(exc))
        return 2
    say(report.text())
    for name, use in report.memory.items():
        say(f"{name:<18} {use.text()}{'  GROWS' if use.growth > FLAT else ''}")
    fields = {**report.data(), "rate": rate, "memory": {n: asdict(u) for n, u in report.memory.items()}}
    a.report.write_text(json.dumps(fields, ensure_ascii=False, indent=1))
    return 0 if report.ok and all(u.growth <= FLAT for u in report.memory.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
