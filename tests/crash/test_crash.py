"""The short form of the crash test (N2): one stack, some hundred turns, and every fault point at least once."""

from __future__ import annotations

import sys

import pytest

from streams.faults import SINK_POINTS, Point
from tests.crash.harness import RoundConfig, run_round
from tests.crash.load import FILES, default_data
from tests.crash.nemesis import SINKS, STAGES
from tests.crash.oracle import Oracle
from tests.patience import PATIENCE

pytestmark = pytest.mark.crash
SEED = 7


def points(seed: int) -> tuple[str, ...]:
    """Each point once, at a stage that the seed chooses."""
    # A few hundred turns give the other two too little to do.
    stages = [s for s in STAGES if s not in ("project", "chunk")]
    steps = [f"{stages[(seed + i) % len(stages)]}:{p}" for i, p in enumerate(Point)]
    sinks = [
        f"sink-{SINKS[(seed + i) % len(SINKS)]}:{p}" for i, p in enumerate(SINK_POINTS) if p != "after_dead_letter"
    ]
    return (*steps, *sinks)


@pytest.mark.timeout(10 * PATIENCE)
def test_n2_nothing_is_lost_or_doubled_whatever_is_killed() -> None:
    data = default_data()
    if missing := [n for n in FILES if not (data / n).is_file()]:
        pytest.skip(f"the dialogues are not at {data} ({', '.join(missing)} missing)")
    config = RoundConfig(
        seed=SEED, turns=500, data=data, users=20, rate=6.0, screens=1, memories=2, gap=(0.5, 1.5), screen_part=2,
        must=points(SEED), insist=True,
    )  # fmt: skip
    report = run_round(config, Oracle(), lambda line: print(line, file=sys.stderr))  # noqa: T201 - shown on failure
    assert report.ok, report.text()
    visited = {e.detail.split(":")[1] for e in report.events if e.action == "fault" and e.reached}
    missed = {*Point, "after_poll", "after_write", "after_commit"} - visited
    assert not missed, f"no difference, but not reached: {sorted(missed)}\n{report.text()}"
