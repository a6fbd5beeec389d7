"""`python -m tests.crash --rounds 20 --turns 20000 --seed 1`: the long form (`make crash`)."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from memstream.stack.up import single_threaded
from tests.crash.harness import Report, RoundConfig, run_round
from tests.crash.load import NoDataError, default_data
from tests.crash.nemesis import FAULTS, SINKS
from tests.crash.oracle import Oracle

_POINTS_A_ROUND = 3


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    p.add_argument("--rounds", type=int, default=20, help="rounds, each on a fresh stack")
    p.add_argument("--turns", type=int, default=20_000, help="turns a round")
    p.add_argument("--seed", type=int, default=1, help="seed of the first round; the next round has the next")
    p.add_argument("--rate", type=float, default=60.0, help="turns a second")
    p.add_argument("--users", type=int, default=200)
    p.add_argument("--screens", type=int, default=2, help="worker processes of screen")
    p.add_argument("--memories", type=int, default=2, help="worker processes of the steps behind it")
    p.add_argument("--gap", type=float, nargs=2, default=(1.5, 6.0), help="seconds between two acts, least and most")
    p.add_argument("--screen-part", type=int, default=4, help="screen again every n-th user's turns in the oracle")
    p.add_argument("--sinks", nargs="+", default=list(SINKS), choices=SINKS, help="sinks that are compared")
    p.add_argument("--data", type=Path, default=default_data(), help="folder of the dialogues")
    p.add_argument("--report", type=Path, default=Path("crash-report.json"), help="where the JSON report goes")
    p.add_argument("--keep", type=Path, help="keep the stack's folder here (one round)")
    p.add_argument("--calm", action="store_true", help="no kills: the comparison alone")
    return p.parse_args()


def _config(a: argparse.Namespace, number: int) -> RoundConfig:
    first = number * _POINTS_A_ROUND
    must = tuple(FAULTS[(first + i) % len(FAULTS)] for i in range(_POINTS_A_ROUND))
    return RoundConfig(
        seed=a.seed + number, turns=a.turns, data=a.data, users=a.users, rate=a.rate, screens=a.screens,
        memories=a.memories, gap=(1e6, 1e6) if a.calm else (a.gap[0], a.gap[1]), screen_part=a.screen_part,
        must=must, sinks=tuple(a.sinks), keep=a.keep,
    )  # fmt: skip


def main() -> int:
    """Exit status 0 when every round is without differences, 1 otherwise, 2 when the dialogues are missing."""
    single_threaded()
    a = _arguments()
    began = time.monotonic()

    def say(line: str) -> None:
        sys.stdout.write(f"[{time.monotonic() - began:6.0f} s] {line}\n")
        sys.stdout.flush()

    oracle = Oracle()
    reports: list[Report] = []
    for number in range(a.rounds):
        try:
            report = run_round(_config(a, number), oracle, say)
        except NoDataError as exc:
            say(str(exc))
            return 2
        reports.append(report)
        say(report.text())
        a.report.write_text(json.dumps([r.data() for r in reports], ensure_ascii=False, indent=1))
    bad = [r.seed for r in reports if not r.ok]
    acts = sum(len(r.events) for r in reports)
    turns = sum(r.turns for r in reports)
    say(f"{len(reports)} rounds, {turns} turns, {acts} acts; {'no differences' if not bad else f'seeds {bad} failed'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
