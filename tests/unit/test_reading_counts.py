"""What a worker counts of readings: since it started, and by day, also across a restart of the process."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import pytest

from memstream.workers.observe import HeartbeatSender, ProcessStats
from memstream.workers.reading_counts import ReadingCounts
from query.pipeline.monitor import _valid
from schemas.heartbeat import Heartbeat
from schemas.reading_stats import KEPT_DAYS, MOST_KEYS, OTHER, ReadingStats, mean_reading, per_100_turns

MONDAY = date(2026, 11, 2)
DAY = timedelta(days=1)


def one(**more: Any) -> ReadingStats:
    return ReadingStats(
        language=more.pop("language", "en"), profile=more.pop("profile", "general"), reader="rules",
        version=more.pop("version", 5), turns=more.pop("turns", 1), **more,
    )  # fmt: skip


def test_counts_of_one_key_add_up_and_keys_stay_apart() -> None:
    counts = ReadingCounts()
    counts.add(one(outcomes={"kept": 2}, lost={"person": 1}, reading_total=0.5), MONDAY)
    counts.add(one(outcomes={"kept": 1, "observed": 1}, lost={"thing": 1}, reading_total=0.25), MONDAY)
    counts.add(one(version=6), MONDAY)
    counts.add(one(language="zh"), MONDAY)
    both = one(
        turns=2, outcomes={"kept": 3, "observed": 1}, lost={"person": 1, "thing": 1}, reading_total=0.75
    )
    assert counts.since_start() == (both, one(version=6), one(language="zh"))


def test_days_are_kept_apart_and_leave_when_no_week_needs_them() -> None:
    counts = ReadingCounts()
    for n in range(KEPT_DAYS + 1):
        counts.add(one(turns=n + 1), MONDAY + n * DAY)
    days = counts.days(MONDAY + KEPT_DAYS * DAY)
    assert list(days) == [(MONDAY + n * DAY).isoformat() for n in range(1, KEPT_DAYS + 1)]
    assert [s.turns for found in days.values() for s in found] == list(range(2, KEPT_DAYS + 2))
    assert counts.since_start()[0].turns == sum(range(1, KEPT_DAYS + 2))


def test_a_worker_tells_no_more_apart_than_its_bound() -> None:
    counts = ReadingCounts()
    for n in range(MOST_KEYS + 5):
        counts.add(one(version=n + 1), MONDAY)
    found = counts.since_start()
    assert len(found) == MOST_KEYS + 1
    assert [s.turns for s in found if s.reader == OTHER] == [5]


class Row:
    """A connection to the row of this process."""

    def __init__(self, stats: object) -> None:
        self._stats, self.asked = stats, 0

    def execute(self, *_: object) -> Row:
        self.asked += 1
        return self

    def fetchone(self) -> tuple[object] | None:
        return None if self._stats is None else (self._stats,)


@pytest.mark.parametrize("known", [True, False])
def test_a_process_goes_on_with_the_days_that_the_one_of_its_name_had_counted(known: bool) -> None:
    now = datetime(2026, 11, 3, 9, tzinfo=UTC)
    old, new = ProcessStats(lambda: now - DAY), ProcessStats(lambda: now)
    old.read(one(turns=40))
    stats = old.heartbeat().model_dump(mode="json")
    row = Row(stats if known else {"of another": "version"})
    sender = HeartbeatSender("unused", "worker-memory", new)
    for _ in range(2):  # once, however often the connection is made anew
        sender._go_on(cast(Any, row))
    new.read(one(turns=2))
    beat = Heartbeat.model_validate_json(new.heartbeat().model_dump_json())
    assert row.asked == 1
    assert beat.reading == (one(turns=2),)
    today = {"2026-11-03": (one(turns=2),)}
    assert beat.reading_days == ({"2026-11-02": (one(turns=40),), **today} if known else today)


def test_of_nothing_there_is_no_rate_and_no_mean() -> None:
    assert per_100_turns(3, 0) is None
    assert per_100_turns(3, 200) == 1.5
    assert mean_reading(one()) is None
    assert mean_reading(one(readings=(0, 0, 0, 0, 0, 0, 0, 2, 0, 0), reading_total=1.5)) == 0.75


def test_a_heartbeat_of_another_version_is_left_out_with_a_warning_and_costs_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = datetime(2026, 11, 3, 9, tzinfo=UTC)
    stats = ProcessStats(lambda: now).heartbeat().model_dump(mode="json")
    found = _valid({"sink-redis": (now, stats), "worker-new": (now, {**stats, "of a later version": 1})})
    assert list(found) == ["sink-redis"]
    assert [r.getMessage() for r in caplog.records] == ["heartbeat not understood"]
