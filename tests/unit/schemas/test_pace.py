"""How long batches gather."""

from __future__ import annotations

import pytest

from schemas.log.batch_window import Pace

LONGEST, SHORTEST = 0.06, 0.02


class Fed:
    """Records that come at a steady rate, and a clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pace = Pace(LONGEST, SHORTEST, lambda: self.now)

    def come(self, a_second: float, seconds: float, at_once: int = 1) -> None:
        for _ in range(int(a_second * seconds / at_once)):
            self.now += at_once / a_second
            self.pace.came(at_once)


@pytest.mark.parametrize(("a_second", "waits"), [(0.5, SHORTEST), (10, SHORTEST), (60, LONGEST), (2000, LONGEST)])
def test_a_batch_waits_where_that_brings_more(a_second: float, waits: float) -> None:
    fed = Fed()
    fed.come(a_second, 10)
    assert fed.pace.wait() == waits


def test_a_first_record_waits_shortly() -> None:
    fed = Fed()
    assert fed.pace.wait() == SHORTEST
    fed.pace.came(1)
    assert fed.pace.wait() == SHORTEST


def test_quiet_is_noticed_within_seconds() -> None:
    fed = Fed()
    fed.come(100, 10)
    fed.now += 2
    assert fed.pace.wait() == SHORTEST


def test_what_comes_in_batches_counts_by_its_records() -> None:
    fed = Fed()
    fed.come(100, 10, at_once=10)
    assert fed.pace.wait() == LONGEST


def test_the_shortest_is_never_longer_than_the_longest() -> None:
    assert Pace(0.005, 0.02).wait() == 0.005
