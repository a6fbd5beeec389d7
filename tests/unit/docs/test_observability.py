"""Dashboards, alert rules and their page agree with the one list of metrics; the workers' metrics are made of it."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from memstream.workers.observe import ProcessStats, SinkObserver, StepObserver
from query.metrics import Metrics
from query.pipeline.groups import GROUPS
from query.pipeline.lag import LagTracker
from query.pipeline.offsets import Offsets
from query.pipeline.state import Pipeline, Stopped
from query.workers import families
from schemas.heartbeat import FRESHNESS_BUCKETS, FreshnessStats, Heartbeat, StageStats
from schemas.metrics import METRICS, READING_LABELS
from schemas.reading_stats import ReadingStats, in_buckets
from tests.pages import blocks
from tests.patience import PATIENCE
from tests.tools import needs, program

ROOT = Path(__file__).resolve().parents[3]
DASHBOARDS = sorted((ROOT / "docker" / "grafana" / "dashboards").glob("*.json"))
RULES = ROOT / "docker" / "prometheus" / "alerts.yaml"
SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
SERIES = {m.name + suffix: m for m in METRICS for suffix in SUFFIXES[m.kind]}
RECORDED = dict(re.findall(r"record: (\S+)\n\s+expr: >-\n\s+(.+)", RULES.read_text(encoding="utf-8")))
"""Name of a recording rule -> its expression, which is checked as any other."""
NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
READ = 'language="zh",process="worker-1",profile="general",reader="rules",version="5"'
PROMTOOL = program("promtool")


def expressions() -> list[tuple[str, str]]:
    found = [
        (path.name, target["expr"])
        for path in DASHBOARDS
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]
        for target in panel["targets"]
    ]
    rules = re.findall(r"expr: >-\n\s+(.+)", RULES.read_text(encoding="utf-8"))
    return found + [(RULES.name, rule) for rule in rules]


def test_there_are_dashboards_and_rules() -> None:
    assert len(DASHBOARDS) == 2
    assert len(expressions()) > 50


@pytest.mark.parametrize(("where", "expr"), expressions())
def test_every_metric_and_label_of_an_expression_exists(where: str, expr: str) -> None:
    recorded = set(re.findall(r"\bmemstream:[a-z_0-9:]+", expr))
    assert recorded <= RECORDED.keys()
    names = set(re.findall(r"\bmemstream_[a-z_]+", " ".join([expr, *(RECORDED[name] for name in recorded)])))
    assert names - {"memstream_"} or "up{" in expr
    unknown = {n for n in names if n not in SERIES}
    assert not unknown, f"{where} asks for {unknown}"
    labels = {label for n in names for label in (*SERIES[n].labels, "le", "job")}
    request = set(re.findall(r"[{,]\s*([a-z_]+)\s*(?:=~|!~|!=|=)", expr))
    for grouped in re.findall(r"\bby \(([^)]*)\)", expr):
        request |= {label.strip() for label in grouped.split(",")}
    assert request <= labels | {"le", "job"}


def doubled(expr: str) -> list[str]:
    """Series of the whole system in an expression that two scraped query services would make count twice: those of
    several processes or kinds are added up only after a `max` that keeps all of their labels."""
    found = []
    for match in re.finditer(r"\bmemstream_[a-z_]+", expr):
        metric = SERIES[match.group()]
        if metric.of == "service":
            continue
        held = re.search(r"\b(?:max|min)(?: by \(([^)]*)\))? ?\((?:(?:rate|increase)\()?$", expr[: match.start()])
        kept = {label.strip() for label in (held[1] or "").split(",")} if held else set()
        summed = held is not None and re.search(r"\bsum(?: by \([^)]*\))? ?\($", expr[: held.start()])
        if held is None or ((summed or metric.kind != "gauge") and not set(metric.labels) <= kept):
            found.append(match.group())
    return found


@pytest.mark.parametrize(("where", "expr"), expressions())
def test_two_scraped_services_double_nothing_of_the_system(where: str, expr: str) -> None:
    assert doubled(expr) == [], f"{where}: {expr}"


def test_what_would_double_is_seen() -> None:
    assert doubled("sum by (stage) (memstream_lag_records)") == ["memstream_lag_records"]
    assert doubled("sum(max by (step) (memstream_dead_letters))") == ["memstream_dead_letters"]
    assert doubled("sum(max(rate(memstream_model_cost_total[1h])))") == ["memstream_model_cost_total"]
    assert doubled("sum(rate(memstream_http_requests_total[5m]))") == []
    assert doubled("sum(max by (step, reason) (memstream_dead_letters))") == []


def test_metrics_of_the_system_are_named_as_such() -> None:
    """What a service counts itself has none of the labels of those it speaks for."""
    whole = {m.name for m in METRICS if m.of == "system"}
    assert {m.name for m in METRICS if "process" in m.labels or "stage" in m.labels} <= whole
    assert {"memstream_lag_seconds", "memstream_dead_letters", "memstream_erasures_pending"} <= whole
    [shown] = blocks("docs/operations.md", "promql")
    for expr in shown.splitlines():
        assert "max by" in expr
        assert doubled(expr) == []


def test_panels_do_not_overlap() -> None:
    for path in DASHBOARDS:
        taken: set[tuple[int, int]] = set()
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]:
            g = panel["gridPos"]
            cells = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
            assert not cells & taken, panel["title"]
            assert g["x"] + g["w"] <= 24
            taken |= cells


def test_every_alert_is_explained_and_tested() -> None:
    rules = set(re.findall(r"alert: (\w+)", RULES.read_text(encoding="utf-8")))
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(RULES.parent.glob("*.test.yaml")))
    assert rules == set(re.findall(r"^\| (Memstream\w+) \|", page, re.MULTILINE))
    assert rules == set(re.findall(r"alertname: (\w+)", tests))


@needs("promtool")
@pytest.mark.parametrize(
    "words",
    [("check", "rules", "alerts.yaml"), ("test", "rules", "alerts.test.yaml"), ("test", "rules", "drift.test.yaml")],
)
def test_promtool_agrees(words: tuple[str, ...]) -> None:
    done = subprocess.run([str(PROMTOOL), *words], cwd=RULES.parent, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_are_in_base_units_and_hold_nobody() -> None:
    for m in METRICS:
        assert m.name.startswith("memstream_")
        assert (m.kind == "counter") == m.name.endswith("_total"), m.name
        assert not re.search(r"_(ms|milliseconds|kb|mb|percent)\b", m.name)
        assert not {"user", "user_id", "session", "session_id", "memory", "turn", "owner", "project"} & set(m.labels)
        assert m.help.endswith(".")
    assert len({m.name for m in METRICS}) == len(METRICS)


def test_counts_of_reading_are_told_apart_by_closed_lists_alone() -> None:
    """Language, profile, reader and version; a label of anything that is said could hold what a user wrote."""
    of_reading = [m for m in METRICS if "language" in m.labels]
    assert len(of_reading) == 4
    assert all(m.labels[:5] == READING_LABELS and set(m.labels[5:]) <= {"outcome", "reason"} for m in of_reading)


class _Collector:
    def __init__(self, stats: ProcessStats) -> None:
        self._stats = stats

    def collect(self) -> Any:
        return families({"worker-1": self._stats.heartbeat()})


def test_e7_what_a_worker_counts_is_exported() -> None:
    stats = ProcessStats()
    StepObserver(stats).batch("gate", 40, {"prepare": 0.004, "compute": 0.03})
    StepObserver(stats).batch("gate", 64, {"compute": 0.2})
    StepObserver(stats).read(
        ReadingStats(
            language="zh", profile="general", reader="rules", version=5, turns=3, outcomes={"kept": 2},
            lost={"person": 1}, readings=in_buckets([0.43, 0.75]), reading_total=1.18,
        )
    )  # fmt: skip
    sink = SinkObserver(stats)
    sink.batch("redis", 3, 3, 0.001)
    sink.retry("redis", "write", 0.1)
    for word, n in (
        ("model_calls", 3), ("prompt_tokens", 900), ("completion_tokens", 80), ("cost_micros", 1_500_000), ("away", 2),
        ("malformed_not_of_the_form", 1), ("gave_up_away", 2), ("checkpoint_done", 4), ("checkpoint_extractive", 1),
        ("summary_tokens", 700), ("summary_tokens_le_200", 3), ("summary_tokens_le_400", 4),
    ):  # fmt: skip
        stats.outcome("jobs", word, n)
    registry = CollectorRegistry()
    registry.register(_Collector(stats))
    text = generate_latest(registry).decode()
    for line in (
        'memstream_stage_batch_seconds_bucket{le="0.035",process="worker-1",stage="gate"} 1.0',
        'memstream_stage_batch_seconds_count{process="worker-1",stage="gate"} 2.0',
        'memstream_stage_batch_records_bucket{le="64.0",process="worker-1",stage="gate"} 2.0',
        'memstream_stage_batch_records_sum{process="worker-1",stage="gate"} 104.0',
        f"memstream_read_turns_total{{{READ}}} 3.0",
        f'memstream_read_statements_total{{language="zh",outcome="kept",{READ.partition(",")[2]}}} 2.0',
        f'memstream_read_statements_total{{language="zh",outcome="refused",{READ.partition(",")[2]}}} 0.0',
        'memstream_lost_references_total{language="zh",process="worker-1",profile="general",reader="rules",'
        'reason="person",version="5"} 1.0',
        'memstream_lost_references_total{language="zh",process="worker-1",profile="general",reader="rules",'
        'reason="thing",version="5"} 0.0',
        'memstream_candidate_reading_bucket{language="zh",le="0.5",process="worker-1",profile="general",'
        'reader="rules",version="5"} 1.0',
        f"memstream_candidate_reading_count{{{READ}}} 2.0",
        f"memstream_candidate_reading_sum{{{READ}}} 1.18",
        'memstream_sink_retries_total{process="worker-1",store="redis"} 1.0',
        'memstream_model_calls_total{process="worker-1"} 3.0',
        'memstream_model_tokens_total{kind="prompt",process="worker-1"} 900.0',
        'memstream_model_cost_total{process="worker-1"} 1.5',
        'memstream_model_failed_total{process="worker-1",reason="away"} 2.0',
        'memstream_model_gave_up_total{process="worker-1",reason="away"} 2.0',
        'memstream_checkpoints_total{process="worker-1",way="model"} 3.0',
        'memstream_checkpoints_total{process="worker-1",way="extract"} 1.0',
        'memstream_summary_tokens_bucket{le="200.0",process="worker-1"} 3.0',
        'memstream_summary_tokens_count{process="worker-1"} 4.0',
        'memstream_summary_tokens_sum{process="worker-1"} 700.0',
    ):
        assert line in text


def test_a_step_that_is_stopped_is_exported() -> None:
    """A series for each step, so that an alert sees it go back to 0."""
    groups = LagTracker().update(0.0, Offsets({}, {}, {}, {}), GROUPS)
    at = [Stopped("gate", 3, 41, 5), Stopped("gate", 4, 1, 3)]
    found = Metrics()
    found.watch_pipeline(lambda: Pipeline(NOW, groups, stopped=at))
    text = generate_latest(found.registry).decode()
    assert 'memstream_stage_stopped{stage="gate"} 2.0' in text
    assert 'memstream_stage_stopped{stage="screen"} 0.0' in text
    assert 'memstream_stage_stopped{stage="sink-redis"}' not in text


def test_a_process_that_goes_or_begins_anew_changes_no_other_series() -> None:
    """In a sum over processes either reads as a new beginning, and all that the others had counted as counted now."""

    def statement(**calls: int) -> dict[str, Heartbeat]:
        out = {}
        for name, n in calls.items():
            stages = {s: StageStats(records=n, batches=n, outcomes={"model_calls": n, "retry": n, "cost_micros": n})
                      for s in ("jobs", "sink-redis")}  # fmt: skip
            fresh = {"redis:t": FreshnessStats(count=n, total_seconds=n, buckets=(n, *[0] * len(FRESHNESS_BUCKETS)))}
            out[name] = Heartbeat(started_at="x", stages=stages, freshness=fresh)
        return out

    def series(beats: dict[str, Heartbeat]) -> dict[Any, float]:
        pipeline = Pipeline(NOW, [], {}, {p: (NOW, b) for p, b in beats.items()}, {}, None)
        found = Metrics()
        found.watch_pipeline(lambda: pipeline)
        return {
            (s.name, tuple(sorted(s.labels.items()))): s.value
            for f in found.registry.collect() for s in f.samples
            if f.type in ("counter", "histogram") and "process" in dict(s.labels)
        }  # fmt: skip

    both, renewed, alone = series(statement(a=1000, b=500)), series(statement(a=1001, b=3)), series(statement(a=1002))
    of_a = {k for k in both if ("process", "a") in k[1]}
    assert len(of_a) > 40
    assert set(alone) == of_a
    assert all(both[k] <= renewed[k] <= alone[k] for k in of_a)
    assert {m.name for m in METRICS if "process" in m.labels} >= {
        "memstream_freshness_seconds", "memstream_model_cost_total", "memstream_sink_retries_total",
        "memstream_stage_batch_seconds", "memstream_checkpoints_total", "memstream_summary_tokens",
    }  # fmt: skip
