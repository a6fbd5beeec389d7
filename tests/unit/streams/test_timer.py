"""M10: a wrong clock ends nothing. One tick that is far ahead ended what was due in weeks, of all tenants and for good.
"""

from __future__ import annotations

import signal
import threading
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from memstream.settings import Settings
from memstream.workers import timer
from memstream.workers.timer import AHEAD, WrongClock
from tests.dates import fixed

START = fixed(2026, 11, 1)


class Clocks:
    """`ours`, as it is set; `theirs`: Postgres'; `passed`: since the machine started."""

    def __init__(self, other: bool = True) -> None:
        self.ours, self.theirs, self.passed = START, START, 1_000.0
        self.away = False
        self.look = WrongClock(self._theirs if other else None, lambda: self.ours, lambda: self.passed)

    def _theirs(self) -> datetime:
        if self.away:
            raise psycopg.OperationalError
        return self.theirs

    def go_on(self, span: timedelta) -> None:
        self.ours, self.theirs, self.passed = self.ours + span, self.theirs + span, self.passed + span.total_seconds()


@pytest.mark.parametrize("other", [True, False])
def test_m10_time_that_passes_is_no_fault_however_much_of_it(other: bool) -> None:
    clocks = Clocks(other)
    assert clocks.look.fault() is None
    clocks.go_on(timedelta(days=400))  # the machine slept
    assert clocks.look.fault() is None


@pytest.mark.parametrize("other", [True, False])
def test_m10_a_clock_that_jumps_ahead_sends_no_tick_until_it_is_set_right(other: bool) -> None:
    clocks = Clocks(other)
    clocks.ours += timedelta(days=30)
    clocks.theirs += timedelta(days=30)  # of the same machine
    clocks.go_on(timedelta(minutes=1))
    assert clocks.look.fault() == "the clock went 30.0 days ahead at once; set it right, or start the timer again"
    clocks.ours -= timedelta(days=30)
    clocks.theirs -= timedelta(days=30)
    assert clocks.look.fault() is None


def test_m10_a_timer_that_begins_with_a_wrong_clock_is_told_by_postgres() -> None:
    clocks = Clocks()
    clocks.ours += timedelta(days=365)
    clocks.look = WrongClock(clocks._theirs, lambda: clocks.ours, lambda: clocks.passed)
    assert clocks.look.fault() == "the clock is 365.0 days ahead of Postgres'"
    clocks.ours -= timedelta(days=365)
    assert clocks.look.fault() is None
    clocks.ours += timedelta(days=365)
    assert clocks.look.fault() is not None, "what was set right is what it is compared with"


@pytest.mark.parametrize("apart", [AHEAD, -timedelta(days=4_000)])
def test_m10_clocks_differ_and_one_that_is_behind_does_no_harm(apart: timedelta) -> None:
    clocks = Clocks()
    clocks.ours += apart
    assert clocks.look.fault() is None


def test_m10_without_postgres_there_is_no_tick_and_nobody_who_could_store_what_it_ends() -> None:
    clocks = Clocks()
    clocks.away = True
    assert clocks.look.fault() == "Postgres does not say its time (OperationalError)"
    clocks.away = False
    assert clocks.look.fault() is None


@pytest.mark.parametrize(("fault", "sent"), [(None, 1), ("the clock is ahead", 0)])
def test_m10_the_timer_asks_before_each_tick(
    fault: str | None, sent: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ticks, stop = list[datetime](), threading.Event()

    def send(producer: object, now: datetime, partitions: int) -> int:
        ticks.append(now)
        return 0

    def asked(self: WrongClock) -> str | None:
        stop.set()
        return fault

    monkeypatch.setattr(timer, "Producer", lambda settings: None)
    monkeypatch.setattr(timer, "send_tick", send)
    monkeypatch.setattr(WrongClock, "fault", asked)
    monkeypatch.setattr(threading, "Event", lambda: stop)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    given: dict[str, Any] = {"kafka": "127.0.0.1:1", "postgres": "postgresql://127.0.0.1:1/none"}
    timer.run_timer(Settings(**given))
    assert len(ticks) == sent
    assert [r.getMessage() for r in caplog.records] == ([] if fault is None else [f"no tick: {fault}"])
