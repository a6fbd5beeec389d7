"""Metrics of the workers, made of what they say of themselves: counters that begin anew when a process does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family

from schemas import metrics
from schemas.heartbeat import LATENCY_BUCKETS, SIZE_BUCKETS, Heartbeat, StageStats
from schemas.metrics import Metric

Rows = Iterable[tuple[list[str], float]]
_SUMMARY = "summary_tokens_le_"


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
    yield from _batches([(s, stats) for _, s, stats in stages])
    outcomes = _outcomes(stats for _, s, stats in stages if s == "jobs")
    yield from _model(outcomes)
    yield _summaries(outcomes)
    retries: Counter[str] = Counter()
    for _, s, stats in stages:
        if s.startswith("sink-"):
            retries[s.removeprefix("sink-")] += stats.outcomes.get("retry", 0)
    yield counter(metrics.SINK_RETRIES, (([store], float(n)) for store, n in sorted(retries.items())))
    yield gauge(metrics.RSS, (([p], float(beat.rss_bytes)) for p, beat in sorted(beats.items())))
    yield counter(metrics.CPU, (([p], beat.cpu_seconds) for p, beat in sorted(beats.items())))


def _batches(stages: Sequence[tuple[str, StageStats]]) -> Iterable[Family]:
    latency = HistogramMetricFamily(metrics.STAGE_LATENCY.name, metrics.STAGE_LATENCY.help, labels=("stage",))
    size = HistogramMetricFamily(metrics.STAGE_SIZE.name, metrics.STAGE_SIZE.help, labels=("stage",))
    for name in sorted({s for s, _ in stages}):
        mine = [stats for s, stats in stages if s == name]
        took = sum(sum(stats.seconds.values()) for stats in mine)
        latency.add_metric([name], _cumulative(LATENCY_BUCKETS, [s.latency for s in mine]), took)
        size.add_metric([name], _cumulative(SIZE_BUCKETS, [s.sizes for s in mine]), float(sum(s.records for s in mine)))
    yield latency
    yield size


def _cumulative(bounds: Sequence[float], parts: Sequence[Sequence[int]]) -> list[tuple[str, float]]:
    total, out = 0, []
    for i, bound in enumerate([*(str(float(b)) for b in bounds), "+Inf"]):
        total += sum(part[i] for part in parts)
        out.append((bound, float(total)))
    return out


def _outcomes(stages: Iterable[StageStats]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stats in stages:
        found.update(stats.outcomes)
    return found


def _model(n: Counter[str]) -> Iterable[Family]:
    yield counter(metrics.MODEL_CALLS, [([], float(n["model_calls"]))])
    failed = {k: v for k, v in sorted(n.items()) if k == "away" or k.startswith("malformed_")}
    yield counter(metrics.MODEL_FAILED, (([k], float(v)) for k, v in failed.items()))
    kinds = ("prompt", "completion")
    yield counter(metrics.MODEL_TOKENS, (([kind], float(n[f"{kind}_tokens"])) for kind in kinds))
    yield counter(metrics.MODEL_COST, [([], n["cost_micros"] / 1e6)])
    extracted = n["checkpoint_extractive"]
    ways = {"model": max(0, n["checkpoint_done"] - extracted), "extract": extracted, "failed": n["checkpoint_failed"]}
    yield counter(metrics.CHECKPOINTS, (([way], float(count)) for way, count in ways.items()))


def _summaries(n: Counter[str]) -> Family:
    """The worker counts cumulative buckets already."""
    m = metrics.SUMMARY_TOKENS
    family = HistogramMetricFamily(m.name, m.help)
    bounds = sorted(int(k.removeprefix(_SUMMARY)) for k in n if k.startswith(_SUMMARY))
    total = float(n["checkpoint_done"])
    buckets = [(str(float(b)), float(n[f"{_SUMMARY}{b}"])) for b in bounds]
    family.add_metric([], [*buckets, ("+Inf", total)], float(n["summary_tokens"]))
    return family
