"""Named fault points: where a crash test kills the process (N2). In production every point is a no-op."""

from __future__ import annotations

import os
import signal
from collections import Counter
from enum import StrEnum


class Point(StrEnum):
    """Between each pair of load, compute, state transaction, outbox delivery and commit (issue: the spine)."""

    BEFORE_LOAD = "before_load"
    AFTER_LOAD = "after_load"
    AFTER_COMPUTE = "after_compute"
    AFTER_TRANSACTION = "after_transaction"
    MID_DELIVERY = "mid_delivery"
    AFTER_DELIVERY = "after_delivery"
    AFTER_COMMIT = "after_commit"


SINK_POINTS = ("after_poll", "after_write", "after_commit", "after_dead_letter")
"""Where a sink's worker may be killed; its stage is `sink-NAME`."""


class Faults:
    """Does nothing."""

    def hit(self, stage: str, point: str) -> None:
        """Called when `stage` passes `point` (a Point of a step, or one of a sink's)."""


class KillAt(Faults):
    """SIGKILLs this process the n-th time that a stage passes a point: `gate:after_transaction:3`."""

    def __init__(self, spec: str) -> None:
        stage, point, count = spec.split(":")
        if point not in (*Point, *SINK_POINTS):
            raise ValueError(f"unknown fault point {point!r}")
        self._stage, self._point, self._count = stage, point, int(count)
        self._seen: Counter[str] = Counter()

    def hit(self, stage: str, point: str) -> None:
        if stage == self._stage and point == self._point:
            self._seen[stage] += 1
            if self._seen[stage] == self._count:
                os.kill(os.getpid(), signal.SIGKILL)
