"""Metrics of the workers, made of what they say of themselves: counters that begin anew when a process does.

Each process has its own series: in a sum of several the end of one would read as a new beginning of all, and what the
others had counted before as counted now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family

from schemas import metrics
from schemas.heartbeat import LATENCY_BUCKETS, SIZE_BUCKETS, Heartbeat, StageStats
from schemas.metrics import Metric
from schemas.reading_stats import READING_BUCKETS, LostReference, ReadingStats, ReadOutcome

Rows = Iterable[tuple[list[str], float]]
_SUMMARY = "summary_tokens_le_"
_GAVE_UP = "gave_up_"


def gauge(m: Metric, rows: Rows) -> Family:
    family = GaugeMetricFamily(m.name, m.help, labels=m.labels)
    for labels, value in rows:
        family.add_metric(labels, value)
    return family


def counter(m: Metric, rows: Rows) -> Family:
    family = CounterMetricFamily(m.name, m.help, labels=m.labels)
    for labels, value in rows:
        family.add_metric(labels, value)
    return family


def families(beats: Mapping[str, Heartbeat]) -> Iterable[Family]:
    """`beats`: process -> what it said last."""
    stages = [(p, s, stats) for p, beat in sorted(beats.items()) for s, stats in sorted(beat.stages.items())]
    yield counter(metrics.STAGE_RECORDS, (([p, s], float(stats.records)) for p, s, stats in stages))
    yield counter(
        metrics.STAGE_OUTCOMES, (([p, s, o], float(n)) for p, s, st in stages for o, n in st.outcomes.items())
    )
    yield counter(
        metrics.STAGE_SECONDS, (([p, s, phase], sec) for p, s, st in stages for phase, sec in st.seconds.items())
    )
    yield from _batches(stages)
    yield from _readings([(p, stats) for p, beat in sorted(beats.items()) for stats in beat.reading])
    jobs = [(p, Counter(stats.outcomes)) for p, s, stats in stages if s == "jobs"]
    yield from _model(jobs)
    yield _summaries(jobs)
    sinks = [(p, s.removeprefix("sink-"), stats) for p, s, stats in stages if s.startswith("sink-")]
    yield counter(metrics.SINK_RETRIES, (([p, s], float(st.outcomes.get("retry", 0))) for p, s, st in sinks))
    yield gauge(metrics.RSS, (([p], float(beat.rss_bytes)) for p, beat in sorted(beats.items())))
    yield counter(metrics.CPU, (([p], beat.cpu_seconds) for p, beat in sorted(beats.items())))


def histogram(m: Metric) -> HistogramMetricFamily:
    return HistogramMetricFamily(m.name, m.help, labels=m.labels)


def _batches(stages: Sequence[tuple[str, str, StageStats]]) -> Iterable[Family]:
    latency, size = histogram(metrics.STAGE_LATENCY), histogram(metrics.STAGE_SIZE)
    for p, s, stats in stages:
        latency.add_metric([p, s], _cumulative(LATENCY_BUCKETS, stats.latency), sum(stats.seconds.values()))
        size.add_metric([p, s], _cumulative(SIZE_BUCKETS, stats.sizes), float(stats.records))
    yield latency
    yield size


def _readings(found: Sequence[tuple[str, ReadingStats]]) -> Iterable[Family]:
    """Each word of a list has its series from the first turn on: one that begins later would lack its first count."""
    yield counter(metrics.READ_TURNS, ((_labels(p, s), float(s.turns)) for p, s in found))
    yield counter(
        metrics.READ_STATEMENTS,
        (([*_labels(p, s), o], float(s.outcomes.get(o, 0))) for p, s in found for o in get_args(ReadOutcome)),
    )
    yield counter(
        metrics.LOST_REFERENCES,
        (([*_labels(p, s), r], float(s.lost.get(r, 0))) for p, s in found for r in get_args(LostReference)),
    )
    family = histogram(metrics.CANDIDATE_READING)
    for p, s in found:
        buckets = [*zip(map(str, READING_BUCKETS), accumulate(s.readings), strict=True), ("+Inf", sum(s.readings))]
        family.add_metric(_labels(p, s), buckets, s.reading_total)
    yield family


def _labels(process: str, stats: ReadingStats) -> list[str]:
    return [process, stats.language, stats.profile, stats.reader, str(stats.version)]


def _cumulative(bounds: Sequence[float], counts: Sequence[int]) -> list[tuple[str, float]]:
    words = [*(str(float(b)) for b in bounds), "+Inf"]
    return [(word, float(n)) for word, n in zip(words, accumulate(counts), strict=True)]


def _model(jobs: Sequence[tuple[str, Counter[str]]]) -> Iterable[Family]:
    yield counter(metrics.MODEL_CALLS, (([p], float(n["model_calls"])) for p, n in jobs))
    failed = [(p, k, v) for p, n in jobs for k, v in sorted(n.items()) if k == "away" or k.startswith("malformed_")]
    yield counter(metrics.MODEL_FAILED, (([p, k], float(v)) for p, k, v in failed))
    ended = [(p, k.removeprefix(_GAVE_UP), v) for p, n in jobs for k, v in sorted(n.items()) if k.startswith(_GAVE_UP)]
    yield counter(metrics.MODEL_GAVE_UP, (([p, reason], float(v)) for p, reason, v in ended))
    kinds = ("prompt", "completion")
    yield counter(metrics.MODEL_TOKENS, (([p, kind], float(n[f"{kind}_tokens"])) for p, n in jobs for kind in kinds))
    yield counter(metrics.MODEL_COST, (([p], n["cost_micros"] / 1e6) for p, n in jobs))
    yield counter(
        metrics.CHECKPOINTS, (([p, way], float(count)) for p, n in jobs for way, count in _ways(n).items())
    )


def _ways(n: Counter[str]) -> dict[str, int]:
    extracted = n["checkpoint_extractive"]
    return {"model": max(0, n["checkpoint_done"] - extracted), "extract": extracted, "failed": n["checkpoint_failed"]}


def _summaries(jobs: Sequence[tuple[str, Counter[str]]]) -> Family:
    """The worker counts cumulative buckets already."""
    family = histogram(metrics.SUMMARY_TOKENS)
    for p, n in jobs:
        bounds = sorted(int(k.removeprefix(_SUMMARY)) for k in n if k.startswith(_SUMMARY))
        total = float(n["checkpoint_done"])
        buckets = [(str(float(b)), float(n[f"{_SUMMARY}{b}"])) for b in bounds]
        family.add_metric([p], [*buckets, ("+Inf", total)], float(n["summary_tokens"]))
    return family
