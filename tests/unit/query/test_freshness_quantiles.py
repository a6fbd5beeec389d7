"""Quantiles of freshness from what processes say: never above what was seen, however wide a bucket is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstream.workers.observe import ProcessStats
from query.pipeline.state import Pipeline, freshness
from schemas.heartbeat import FRESHNESS_BUCKETS, FreshnessStats, Heartbeat, quantile

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TOPIC = "memory.updates.v1"


def result_of(*beats: Heartbeat) -> float:
    found = freshness(Pipeline(AT, heartbeats={str(n): (AT, beat) for n, beat in enumerate(beats)}))
    p99 = found["postgres"]["p99_seconds"]
    assert isinstance(p99, float)
    return p99


def beat(*seconds: float) -> Heartbeat:
    stats = ProcessStats()
    stats.fresh("postgres", TOPIC, seconds)
    return Heartbeat.model_validate_json(stats.heartbeat().model_dump_json())


def of_before(beat: Heartbeat) -> Heartbeat:
    """As a process of before says it."""
    kept = beat.model_dump()
    for stats in (*kept["freshness"].values(), *kept["recent"].values()):
        del stats["max_seconds"]
    return Heartbeat.model_validate(kept)


def test_no_quantile_is_above_what_was_seen() -> None:
    assert 60.0 < result_of(beat(*[62.0] * 50, 69.0)) <= 69.0
    assert 3600.0 < result_of(beat(5000.0)) <= 5000.0
    assert result_of(beat(0.011)) <= 0.011


def test_of_several_processes_the_longest_counts() -> None:
    assert 100.0 < result_of(beat(*[62.0] * 10), beat(*[200.0] * 10)) <= 200.0


def test_what_a_process_of_before_says_is_read_and_bounds_nothing() -> None:
    old = of_before(beat(*[62.0] * 50))
    assert result_of(old) == pytest.approx(297.6)
    assert result_of(old, beat(61.0)) > 200.0


def test_a_bucket_of_others_is_not_moved() -> None:
    buckets = [0] * (len(FRESHNESS_BUCKETS) + 1)
    buckets[5], buckets[20] = 99, 1
    assert quantile(buckets, 0.5, 69.0) == quantile(buckets, 0.5)
    assert quantile(buckets, 0.999, 69.0) == pytest.approx(60 + 9 * 0.9)
    assert quantile(FreshnessStats().buckets, 0.5) is None
